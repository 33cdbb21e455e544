// Maps over two ranks, against the collectives that move the same numbers, and against one rank.
//   bench_map_mpi                on two ranks
//   bench_map_mpi serial <calls> for callgrind, on one rank: calls of 1000 trivial jobs
#include "mpi_bench.hpp"

#include <cmath>
#include <cstring>
#include <string>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

struct function {
  std::int32_t number = 0;
  function(const char *name, admpi_map_fn fn) {
    if (admpi_map_register(name, fn, nullptr, &number) != ADMPI_SUCCESS) std::abort();
  }
};

void check(std::int32_t status) {
  if (status == ADMPI_SUCCESS) return;
  std::fprintf(stderr, "bench_map_mpi: %s\n", admpi_last_error());
  MPI_Abort(world, 1);
}

/// y = p + the sum of s: one statement for S = 1.
std::int32_t trivial(const admpi_var *shared, std::int64_t n_shared, const admpi_var *job, std::int64_t n_job,
                     const double *, std::int64_t, const std::int32_t *, std::int64_t, admpi_var *y, std::int64_t,
                     void *) {
  const admpi::var *s = reinterpret_cast<const admpi::var *>(shared);
  const admpi::var *p = reinterpret_cast<const admpi::var *>(job);
  admpi::var sum = s[0] * p[0];
  for (std::int64_t j = 1; j < n_shared; ++j) sum += s[j];
  for (std::int64_t j = 1; j < n_job; ++j) sum += p[j];
  *reinterpret_cast<admpi::var *>(y) = sum;
  return 0;
}

/// Lotka-Volterra by Euler steps, as many as the job's integer says.
std::int32_t ode(const admpi_var *shared, std::int64_t, const admpi_var *job, std::int64_t, const double *,
                 std::int64_t, const std::int32_t *x_i, std::int64_t, admpi_var *y, std::int64_t, void *) {
  const admpi::var *s = reinterpret_cast<const admpi::var *>(shared);
  const admpi::var *p = reinterpret_cast<const admpi::var *>(job);
  admpi::var prey = p[0], predator = p[1];
  for (std::int32_t step = 0; step < x_i[0]; ++step) {
    const admpi::var more_prey = prey + 1e-4 * prey * (s[0] - s[1] * predator);
    predator = predator + 1e-4 * predator * (s[1] * prey - s[0]);
    prey = more_prey;
  }
  reinterpret_cast<admpi::var *>(y)[0] = prey;
  reinterpret_cast<admpi::var *>(y)[1] = predator;
  return 0;
}

/// Parameters on a tape, and a call with them.
class problem {
 public:
  problem(const function &of, std::int64_t jobs, std::int64_t n_shared, std::int64_t n_job, std::int64_t n_y)
      : values_(static_cast<std::size_t>(n_shared + jobs * n_job), 0.75),
        x_(values_.size()),
        y_(static_cast<std::size_t>(jobs * n_y)) {
    std::memset(&call_, 0, sizeof call_);
    call_.function = of.number;
    call_.jobs = jobs;
    call_.shared = x_.data();
    call_.n_shared = n_shared;
    call_.job = x_.data() + n_shared;
    call_.n_job = jobs * n_job;
    call_.n_y = jobs * n_y;
  }
  /// The inputs once more, on an empty tape.
  void begin(admpi::tape &tape) {
    tape.reset();
    check(admpi_tape_input(tape.handle(), values_.data(), static_cast<std::int64_t>(values_.size()), x_.data()));
    position_ = tape.position();
  }
  void run(admpi::tape &tape, admpi_map *map) {
    tape.reset_to(position_);
    check(admpi_map_run(map, &call_, y_.data()));
  }
  void run_sum(admpi::tape &tape, admpi_map *map, std::int64_t n_y) {
    tape.reset_to(position_);
    admpi_map_call call = call_;
    call.n_y = n_y;
    check(admpi_map_run_sum(map, &call, y_.data()));
  }
  /// An integer for each job.
  void give(admpi_map *map, const std::vector<std::int32_t> &x_i) {
    admpi_map_values values;
    std::memset(&values, 0, sizeof values);
    values.jobs = call_.jobs;
    values.x_i = x_i.data();
    values.n_i = call_.jobs;
    check(admpi_map_data_new(map, &values, &call_.data));
  }
  admpi_map_call &call() { return call_; }

 private:
  std::vector<double> values_;
  std::vector<admpi_var> x_, y_;
  admpi_map_call call_;
  admpi::position position_;
};

/// What any implementation moves: the shared parameters to all, each rank's own to it, values and derivatives back.
struct collectives {
  int jobs, n_shared, n_job, numbers;
  std::vector<double> shared, all, own, results, gathered;
  std::vector<int> send, send_at, receive, receive_at;

  collectives(int jobs, int n_shared, int n_job, int numbers)
      : jobs(jobs), n_shared(n_shared), n_job(n_job), numbers(numbers), shared(size(n_shared)), all(size(jobs * n_job)),
        own(all.size()), results(size(jobs * numbers)), gathered(results.size()) {
    int ranks = 1;
    MPI_Comm_size(world, &ranks);
    for (int k = 0; k < ranks; ++k) {
      const int begin = jobs * k / ranks, end = jobs * (k + 1) / ranks;
      send.push_back((end - begin) * n_job), send_at.push_back(begin * n_job);
      receive.push_back((end - begin) * numbers), receive_at.push_back(begin * numbers);
    }
  }
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  void run() {
    const std::size_t me = size(bench::rank());
    MPI_Bcast(shared.data(), n_shared, MPI_DOUBLE, 0, world);
    MPI_Scatterv(all.data(), send.data(), send_at.data(), MPI_DOUBLE, own.data(), send[me], MPI_DOUBLE, 0, world);
    MPI_Gatherv(results.data(), receive[me], MPI_DOUBLE, gathered.data(), receive.data(), receive_at.data(), MPI_DOUBLE,
                0, world);
  }
};

/// Seconds of a call and of the collectives, by turns.
template <class Call>
void against_collectives(const char *work, collectives &raw, int repetitions, double goal, const Call &call) {
  bench::together plain;
  bench::blocks mapped;
  const int rounds = 25;
  for (int round = 0; round < rounds; ++round) {
    plain.run([&] {
      for (int i = 0; i < repetitions; ++i) raw.run();
    });
    if (bench::rank() == 0) {
      admpi_map *map = nullptr;
      check(admpi_map_new_mpi(world, ADMPI_MAP_MPI, 0, &map));
      call(map);  // the first one is warm-up
      mapped.run([&] {
        for (int i = 0; i < repetitions; ++i) call(map);
      });
      admpi_map_free(map);
    } else {
      check(admpi_map_serve(world));
    }
  }
  if (bench::rank() != 0) return;
  std::printf("%s: collectives %.2f us, map %.2f us\n", work, 1e6 * plain.seconds() / repetitions,
              1e6 * mapped.seconds() / repetitions);
  bench::row(work, mapped.seconds() / plain.seconds(), goal);
}

/// Speed-up over one rank, by turns, once the jobs' costs have been learned; and that of two ranks that have as much to
/// do each, and nothing to do with each other: what two cores of the machine give.
void speed_up(const char *work, const function &of, std::vector<std::int32_t> steps, double goal) {
  const std::int64_t jobs = static_cast<std::int64_t>(steps.size());
  bench::together apart;
  bench::blocks apart_alone;
  {
    admpi::tape tape;
    tape.start();
    problem p(of, jobs, 2, 2, 2);
    p.give(nullptr, steps);
    p.begin(tape);
    p.run(tape, nullptr);
    for (int round = 0; round < 15; ++round) {
      if (bench::rank() == 0) apart_alone.run([&] { p.run(tape, nullptr); });
      apart.run([&] { p.run(tape, nullptr); });
    }
    check(admpi_map_data_free(nullptr, p.call().data));
  }
  if (bench::rank() != 0) return check(admpi_map_serve(world));
  const double limit = 2.0 * apart_alone.seconds() / apart.seconds();
  admpi_map *map = nullptr;
  check(admpi_map_new_mpi(world, ADMPI_MAP_MPI, 0, &map));
  admpi::tape tape;
  tape.start();
  problem p(of, jobs, 2, 2, 2);
  p.give(map, steps);
  p.begin(tape);
  for (int round = 0; round < 5; ++round) p.run(tape, map);
  bench::blocks alone, both;
  for (int round = 0; round < 25; ++round) {
    alone.run([&] { p.run(tape, nullptr); });
    both.run([&] { p.run(tape, map); });
  }
  std::printf("%s: one rank %.2f ms, two %.2f ms; two ranks without a map %.2f times one\n", work,
              1e3 * alone.seconds(), 1e3 * both.seconds(), limit);
  const double speed = alone.seconds() / both.seconds();
  std::printf("%-64s %8.2f   >= %-6.4g%s\n", work, speed, goal, speed < goal ? " missed" : "");
  admpi_map_free(map);
}

}  // namespace

/// What callgrind collects.
extern "C" __attribute__((noinline)) void measured_calls(admpi::tape &tape, void *p, int calls) {
  for (int i = 0; i < calls; ++i) static_cast<problem *>(p)->run(tape, nullptr);
}

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  {
    const function f_trivial("trivial", trivial), f_ode("ode", ode);
    if (argc > 2 && std::string(argv[1]) == "serial") {
      admpi::tape tape;
      tape.start();
      problem p(f_trivial, 1000, 1, 1, 1);
      p.begin(tape);
      p.run(tape, nullptr);
      measured_calls(tape, &p, std::atoi(argv[2]));
    } else {
      const auto trivial_jobs = [&](const char *work, int jobs, int repetitions, double goal) {
        collectives raw(jobs, 1, 1, 3);
        admpi::tape tape;
        tape.start();
        problem p(f_trivial, jobs, 1, 1, 1);
        p.begin(tape);
        against_collectives(work, raw, repetitions, goal, [&](admpi_map *map) { p.run(tape, map); });
      };
      trivial_jobs("map, 2 trivial jobs, over collectives", 2, 2000, 2.0);
      trivial_jobs("map, 4096 trivial jobs, over collectives", 4096, 50, 4.0);
      {
        collectives raw(2, 200, 1, 1 + 201);
        admpi::tape tape;
        tape.start();
        problem p(f_trivial, 2, 200, 1, 1);
        p.begin(tape);
        against_collectives("map_rect_sum, 2 jobs, S = 200, over collectives", raw, 1000, 4.0,
                            [&](admpi_map *map) { p.run_sum(tape, map, 1); });
      }
      speed_up("map, 64 equal jobs, speed-up on 2 ranks", f_ode, std::vector<std::int32_t>(64, 2000), 1.95);
      std::vector<std::int32_t> ramp;
      for (std::int32_t i = 1; i <= 64; ++i) ramp.push_back(60 * i);
      speed_up("map, ramp of 64 ODE jobs, speed-up on 2 ranks", f_ode, ramp, 1.9);
      if (bench::rank() == 0) {
        admpi::tape tape;
        tape.start();
        problem p(f_trivial, 1000, 20, 5, 1);
        p.begin(tape);
        const double before = static_cast<double>(tape.statistics().used_bytes);
        p.run(tape, nullptr);
        bench::row("map, bytes a result on the tape, S = 20, P = 5",
                   (static_cast<double>(tape.statistics().used_bytes) - before) / 1000.0, 230.0);
      }
    }
  }
  AMPI_Finalize();
}
