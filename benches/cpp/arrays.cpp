// Matrices: sum(exp(x)) as an array expression, elementary functions, a log density, and a loop over elements.
#include <admpi.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "bench.hpp"
#include "vector_loops.hpp"

namespace {

using admpi::var;
using admpi::varmat;

/// Independent partial sums, as a compiler keeps that may reorder additions.
double sum_of_exp(const double *x, std::int64_t n) {
  double lane[8] = {};
  for (std::int64_t i = 0; i + 8 <= n; i += 8) {
    for (std::int64_t l = 0; l < 8; ++l) lane[l] += std::exp(x[i + l]);
  }
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

void sum_exp() {
  constexpr std::int64_t n = 1000000;
  std::vector<double> plain(n);
  for (std::int64_t i = 0; i < n; ++i) plain[static_cast<std::size_t>(i)] = std::sin(0.001 * static_cast<double>(i));
  bench::fastest loop, vector_loop, value, both;
  double s = 0.0, derivative = 0.0;
  const auto sum_by = [&](bench::fastest &times, double (*function)(const double *, std::int64_t)) {
    times.run([&] {
      s = function(plain.data(), n);
      bench::use(s);
    });
  };
  admpi::tape tape;
  varmat x(n, 1, plain.data());
  tape.start();
  tape.input(x);
  const admpi::position inputs = tape.position();
  for (int round = 0; round < 40; ++round) {
    sum_by(loop, sum_of_exp);
    if (has_vector_loops()) sum_by(vector_loop, vector_sum_of_exp);
    tape.stop();
    value.run([&] { bench::use(sum(exp(x))); });
    tape.start();
    tape.clear_adjoints();
    both.run([&] {
      const var y = sum(exp(x));
      tape.seed(y);
      tape.reverse();
    });
    tape.reset_to(inputs);
  }
  derivative = tape.adjoint(x(7));
  bench::check("sum(exp(x))", derivative, std::exp(plain[7]), 1e-14);
  const double each = 1e9 / static_cast<double>(n);
  std::printf("sum(exp(x)), n = 10^6: scalar loop %.2f ns, vector loop %.2f ns, value %.2f ns, with gradient %.2f ns an element\n",
              each * loop.seconds(), has_vector_loops() ? each * vector_loop.seconds() : 0.0, each * value.seconds(),
              each * both.seconds());
  bench::row("sum(exp(x)): value and gradient over the loop as gcc -O3 has it", both.seconds() / loop.seconds(), 1.3);
  if (has_vector_loops()) {
    bench::row("the same over the loop with -ffast-math -mavx2 and libmvec", both.seconds() / vector_loop.seconds(), 1.3);
  }
}

/// Functions of many numbers, which lie in the first cache, over the plain loop.
void elementary_functions() {
  constexpr std::int64_t n = 1000;
  std::vector<double> x(n), other(n), y(n), derivative(n), by_other(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = 0.5 + 0.49 * std::sin(static_cast<double>(i));
    other[i] = 3.0 * std::cos(static_cast<double>(i));
  }
  const auto over = [&](const char *name, const auto &loop, const auto &values, const auto &both) {
    bench::fastest of_loop, of_values, of_both;
    const auto run = [&](bench::fastest &times, const auto &work) {
      times.run([&] {
        for (int k = 0; k < 20; ++k) {
          work();
          bench::use(y[0]);
        }
      });
    };
    for (int round = 0; round < 100; ++round) {
      run(of_loop, loop);
      run(of_values, values);
      run(of_both, both);
    }
    const std::string work = std::string(name) + " of many numbers over libmvec's loop";
    bench::row(work.c_str(), of_values.seconds() / of_loop.seconds(), 1.3);
    bench::row("  and the derivative", of_both.seconds() / of_loop.seconds());
  };
#define OVER(name)                                                             \
  over(#name, [&] { vector_##name(n, x.data(), y.data()); },                  \
       [&] { admpi_values_##name(n, x.data(), y.data(), nullptr); },           \
       [&] { admpi_values_##name(n, x.data(), y.data(), derivative.data()); });
  VECTOR_LOOPS(OVER)
#undef OVER
#define OVER(name)                                                                                  \
  over(#name, [&] { vector_##name(n, x.data(), other.data(), y.data()); },                         \
       [&] { admpi_values_##name(n, x.data(), other.data(), y.data(), nullptr, nullptr); },        \
       [&] { admpi_values_##name(n, x.data(), other.data(), y.data(), derivative.data(), by_other.data()); });
  VECTOR_LOOPS_OF_PAIRS(OVER)
#undef OVER
}

/// The sum of all elements' sines, element by element.
void element_loop() {
  constexpr std::int64_t n = 100000;
  bench::fastest scalars, elements;
  admpi::tape tape;
  double derivative = 0.0;
  for (int round = 0; round < 25; ++round) {
    tape.reset();
    tape.start();
    varmat a(n, 1);
    a = 0.5;
    tape.input(a);
    std::vector<var> x = a.vars();
    const auto work = [&](auto at) {
      var y = 0.0;
      for (std::int64_t k = 0; k < n; ++k) y += at(k) * at(k);
      tape.seed(y);
    };
    scalars.run([&] { work([&](std::int64_t k) -> const var & { return x[static_cast<std::size_t>(k)]; }); });
    const varmat &read = a;
    elements.run([&] { work([&](std::int64_t k) { return read(k); }); });
    tape.stop();
    tape.reverse();
    derivative = tape.adjoint(read(n / 2));
  }
  bench::check("element loop", derivative, 2.0, 1e-15);
  bench::row("loop over the elements of a matrix, recording, ns an element", 1e9 * elements.seconds() / n, 4.0);
  bench::row("the same over a std::vector of var, ns an element", 1e9 * scalars.seconds() / n);
}

/// The normal log density of many observations, each with a mean and a standard deviation of its own.
void normal_density() {
  constexpr std::int64_t n = 100000;
  bench::fastest sweep_of_density, sweep_of_statements;
  std::vector<double> y(n), start(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = std::sin(0.1 * static_cast<double>(i));
    start[i] = 1.0 + 0.1 * std::cos(0.3 * static_cast<double>(i));
  }
  admpi::tape tape;
  double derivative = 0.0, expected = 0.0;
  for (int round = 0; round < 15; ++round) {
    tape.reset();
    tape.start();
    varmat mean(n, 1, start.data()), deviation(n, 1, start.data());
    tape.input(mean);
    tape.input(deviation);
    const var density = normal_lpdf(y, mean, deviation);
    tape.seed(density);
    sweep_of_density.run([&] { tape.reverse(); });
    derivative = tape.adjoint(deviation(7));
    tape.reset();
    tape.start();
    std::vector<var> means(start.begin(), start.end()), deviations = means;
    tape.input(means);
    tape.input(deviations);
    var sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const var z = (y[i] - means[i]) / deviations[i];
      sum += -0.5 * z * z - log(deviations[i]) - 0.918938533204672742;
    }
    tape.seed(sum);
    sweep_of_statements.run([&] { tape.reverse(); });
    expected = tape.adjoint(deviations[7]);
  }
  bench::check("normal_lpdf", derivative, expected, 1e-13);
  const double each = 1e9 / static_cast<double>(n);
  std::printf("normal_lpdf: sweep %.2f ns an observation, of statements %.2f ns\n", each * sweep_of_density.seconds(),
              each * sweep_of_statements.seconds());
  bench::row("normal_lpdf: sweep over that of statements", sweep_of_density.seconds() / sweep_of_statements.seconds(), 1.0);
}

}  // namespace

int main() {
  sum_exp();
  if (has_vector_loops()) elementary_functions();
  normal_density();
  element_loop();
  return 0;
}
