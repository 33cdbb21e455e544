// What a thread has one of is the same for the program, the library and every plugin.
#include <admpi.hpp>
#include <admpi/sparsity.hpp>
#include <doctest/doctest.h>

#include <dlfcn.h>
#include <stdexcept>
#include <thread>

namespace {

using admpi::tangent;
using admpi::var;

struct plugin {
  plugin() : handle(dlopen(ADMPI_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL)) { REQUIRE_MESSAGE(handle != nullptr, dlerror()); }
  ~plugin() { dlclose(handle); }
  plugin(const plugin &) = delete;
  plugin &operator=(const plugin &) = delete;

  template <class F>
  F *function(const char *name) const {
    void *symbol = dlsym(handle, name);
    REQUIRE_MESSAGE(symbol != nullptr, name);
    return reinterpret_cast<F *>(symbol);
  }

  void *handle;
};

TEST_CASE("test_plugin_records_on_the_programs_tape") {
  const plugin loaded;
  const auto square = loaded.function<void(const admpi_var *, admpi_var *)>("plugin_square");
  const auto tape_there = loaded.function<admpi_tape *()>("plugin_tape");

  const auto differentiate = [&](double at) {
    admpi::tape tape;
    CHECK(tape_there() == tape.handle());
    var x = at, y, z;
    tape.start();
    tape.input(x);
    square(&x, &y);
    z = y * x;
    tape.seed(z);
    tape.reverse();
    CHECK(tape.adjoint(x) == doctest::Approx(3 * at * at));
  };
  differentiate(2.0);
  std::thread(differentiate, -1.5).join();
  CHECK(tape_there() == admpi_tls_tape);
}

TEST_CASE("test_exceptions_pass_between_program_and_plugin") {
  const plugin loaded;
  const auto throwing = loaded.function<void(const var *, var *)>("plugin_throwing");
  const auto sweep_throws = loaded.function<bool()>("plugin_sweep_throws");
  const double value = 2.0;
  admpi::tape tape;
  var x = value, y;

  tape.start();
  tape.input(x);
  throwing(&x, &y);
  tape.seed(y);
  CHECK_THROWS_WITH_AS(tape.reverse(), "from the plugin", std::out_of_range);
  tape.reset();
  tape.start();
  tape.input(x);
  tape.callback(&x, 1, &value, 1, &y, [](const admpi::callback_adjoints &) { throw std::domain_error("from the program"); });
  tape.seed(y);
  CHECK(sweep_throws());
}

TEST_CASE("test_tapes_of_program_and_plugin_end_in_any_order") {
  const plugin loaded;
  const auto tape_there = loaded.function<admpi_tape *()>("plugin_tape");
  const auto new_there = loaded.function<admpi::tape *()>("plugin_new_tape");
  const auto delete_there = loaded.function<void(admpi::tape *)>("plugin_delete_tape");
  admpi::tape outer;
  auto *const own = new admpi::tape;
  admpi::tape *const other = new_there();
  delete own;
  CHECK(tape_there() == other->handle());
  delete_there(other);
  CHECK(tape_there() == outer.handle());
}

TEST_CASE("test_sparsity_of_a_plugins_function") {
  const plugin loaded;
  const auto two_products = loaded.function<void(const tangent<var> *, tangent<var> *)>("plugin_two_products");
  const admpi::coloured_pattern p = admpi::hessian_sparsity(
      [&](const auto &x) {
        tangent<var> y;
        two_products(x.data(), &y);
        return y;
      },
      {1, 2, 3, 4});
  // Of a product the factors meet, each with itself, too; of products in one statement all would.
  CHECK(p.column.size() == 8);
}

}  // namespace
