// Several threads, each with a tape of its own, read the same matrices.
#include <admpi.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using admpi::var;
using admpi::varmat;

namespace {

/// What goes wrong does so by chance: tried for some time, which under valgrind is once or twice.
class deadline {
 public:
  bool over() const { return std::chrono::steady_clock::now() - began_ > std::chrono::milliseconds(700); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

// A copy shares the elements with its matrix; so do the views of one that several threads read.
TEST_CASE("test_threads_copies_and_views_on_several_threads") {
  for (const deadline end; !end.over();) {
    const std::vector<double> twos(64, 2.0);
    const varmat read(8, 8, twos.data());
    std::vector<varmat> own;
    {
      const varmat data(8, 8, twos.data());
      for (int k = 0; k < 4; ++k) own.push_back(data);
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) {
      threads.emplace_back([&wrong, &read, mine = std::move(own[static_cast<std::size_t>(k)])]() mutable {
        admpi::tape tape;
        for (int step = 0; step < 300; ++step) {
          tape.start();
          varmat x(8, 8);
          x = 1.0;
          tape.input(x);
          const varmat copy = mine;
          tape.seed(dot(copy, x) + read.col(step % 8)(0) * x(0, 0) + sum(multiply(read, x)));
          if (step == 200) mine(1, 1) = 2.0;  // of this thread alone
          tape.reverse();
          if (tape.adjoints(x)[5] != 18.0 || tape.adjoints(x)[0] != 20.0) ++wrong;
          tape.reset();
        }
      });
    }
    own.clear();
    for (std::thread &thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(read(3, 3).value == 2.0);
  }
}

TEST_CASE("test_threads_of_maps_share_a_captured_matrix") {
  const std::int64_t n = 50;
  std::vector<double> numbers;
  for (std::int64_t k = 0; k < 4 * n; ++k) numbers.push_back(0.01 * static_cast<double>(k));
  const varmat x(n, 4, numbers.data());
  double expected = 0.0;
  for (std::int64_t i = 0; i < n; ++i) expected += 64.0 * x(i, 0).value;
  admpi::map_workers workers(ADMPI_MAP_THREADS, 4);
  for (const deadline end; !end.over();) {
    admpi::tape tape;
    tape.start();
    std::vector<var> beta = {0.1, 0.2, 0.3, 0.4}, weights(64, 1.0);
    tape.input(beta);
    tape.input(weights);
    const auto f = [&x](const auto &job) {
      const varmat b(4, 1, &job.shared[0]);
      var s = 0.0;
      for (int k = 0; k < 20; ++k) s += 0.05 * sum(multiply(x, b));
      job.y[0] = job.params[0] * s;
    };
    const std::vector<var> y = admpi::map_rect(f, beta, weights, workers);
    for (const var &each : y) tape.seed(each);
    tape.reverse();
    REQUIRE(tape.adjoint(beta[0]) == doctest::Approx(expected));
  }
}

TEST_CASE("test_threads_a_tape_is_current_on_one_thread") {
  admpi_tape *tape = nullptr;
  REQUIRE(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  REQUIRE(admpi_tape_activate(tape, nullptr) == ADMPI_SUCCESS);
  const auto activate_elsewhere = [tape] {
    int32_t status = -1;
    std::thread([&] {
      status = admpi_tape_activate(tape, nullptr);
      if (status == ADMPI_SUCCESS) admpi_tape_activate(nullptr, nullptr);
    }).join();
    return status;
  };
  CHECK(activate_elsewhere() == ADMPI_ERR_THREAD);
  REQUIRE(admpi_tape_activate(nullptr, nullptr) == ADMPI_SUCCESS);
  CHECK(activate_elsewhere() == ADMPI_SUCCESS);
  admpi_tape_free(tape);
}
