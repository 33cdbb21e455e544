// Second order: the gradient of a tangent, recorded and swept, over the plain loop. And tangents in four directions at once. With
// the name of a work and of a part (plain, record, sweep, forward), that alone, once, for an instruction count.
#include <admpi.hpp>

#include <cmath>
#include <cstring>
#include <vector>

#include "bench.hpp"

namespace {

using second = admpi::tangent<admpi::var>;
using several = admpi::tangent<double, 4>;

/// The sum of the logarithms of the diagonal of U.
struct lu {
  static constexpr const char *name = "LU";
  static constexpr int n = 100;
  static std::vector<double> start() {
    std::vector<double> a(n * n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a[i * n + j] = std::sin(1.3 * i + 0.7 * j * i + 0.2) + (i == j ? n : 0.0);
    return a;
  }
  template <class T>
  [[gnu::noinline]] static T run(std::vector<T> a) {
    using std::log;
    T sum = 0.0;
    for (int k = 0; k < n; ++k) {
      for (int i = k + 1; i < n; ++i) {
        const T l = a[i * n + k] / a[k * n + k];
        for (int j = k + 1; j < n; ++j) a[i * n + j] -= l * a[k * n + j];
      }
      sum += log(a[k * n + k]);
    }
    return sum;
  }
};

struct chain {
  static constexpr const char *name = "chain";
  static std::vector<double> start() { return {-1e-3, 1e-9}; }
  template <class T>
  [[gnu::noinline]] static T run(std::vector<T> a) {
    using std::exp;
    using std::sin;
    T x = a[0];
    for (long i = 0; i < 100000; ++i) {
      T t = x + a[1];
      T s = t * (1.0 - 1e-7);
      T u = sin(s);
      x = exp(u) - 1.0;
    }
    return x;
  }
};

struct black_scholes {
  static constexpr const char *name = "Black-Scholes";
  static constexpr int n = 20000;
  static std::vector<double> start() {
    std::vector<double> a(3 * n);
    for (int i = 0; i < n; ++i) {
      a[3 * i] = 90.0 + 20.0 * i / n;
      a[3 * i + 1] = 0.01 + 0.04 * i / n;
      a[3 * i + 2] = 0.1 + 0.3 * i / n;
    }
    return a;
  }
  template <class T>
  static T distribution(const T &x) {
    using std::erfc;
    return 0.5 * erfc(x * -0.70710678118654752);
  }
  template <class T>
  [[gnu::noinline]] static T run(std::vector<T> a) {
    using std::exp;
    using std::log;
    using std::sqrt;
    T sum = 0.0;
    for (int i = 0; i < n; ++i) {
      const T &s = a[3 * i], &r = a[3 * i + 1], &v = a[3 * i + 2];
      const double strike = 100.0, time = 0.5 + 1e-5 * i;
      const T root = v * std::sqrt(time);
      const T d1 = (log(s / strike) + (r + 0.5 * v * v) * time) / root;
      const T d2 = d1 - root;
      sum += s * distribution(d1) - strike * exp(-r * time) * distribution(d2);
    }
    return sum;
  }
};

struct burgers {
  static constexpr const char *name = "Burgers";
  static constexpr int size = 66;
  static constexpr int cells = size * size;
  static std::vector<double> start() {
    std::vector<double> a(2 * cells);
    const double h = 3.14159265358979 / (size - 1);
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) {
        a[j * size + i] = std::sin(2.0 * h * i) * std::cos(h * j);
        a[cells + j * size + i] = -std::cos(h * i) * std::sin(2.0 * h * j);
      }
    }
    return a;
  }
  template <class T>
  [[gnu::noinline]] static void step(const T *__restrict u, const T *__restrict v, T *__restrict u_next, T *__restrict v_next) {
    constexpr int w = size;
    constexpr double a = 0.01, d = 0.05;
    for (int j = 1; j < size - 1; ++j) {
      for (int i = 1; i < size - 1; ++i) {
        const int k = j * w + i;
        u_next[k] = u[k] - a * ((u[k + 1] + u[k - 1]) * (u[k + 1] - u[k - 1]) + v[k] * (u[k + w] - u[k - w])) +
                    d * ((u[k + 1] - 2.0 * u[k] + u[k - 1]) + (u[k + w] - 2.0 * u[k] + u[k - w]));
        v_next[k] = v[k] - a * (u[k] * (v[k + 1] - v[k - 1]) + (v[k + w] + v[k - w]) * (v[k + w] - v[k - w])) +
                    d * ((v[k + 1] - 2.0 * v[k] + v[k - 1]) + (v[k + w] - 2.0 * v[k] + v[k - w]));
      }
    }
  }
  template <class T>
  [[gnu::noinline]] static T run(std::vector<T> a) {
    std::vector<T> b = a;
    for (int k = 0; k < 10; ++k) {
      step(a.data(), a.data() + cells, b.data(), b.data() + cells);
      std::swap(a, b);
    }
    T sum = 0.0;
    for (const T &each : a) sum += each * each;
    return sum;
  }
};

double direction(std::size_t i) { return 0.5 + std::sin(0.37 * static_cast<double>(i)); }

template <class Work>
struct problem {
  std::vector<double> x = Work::start();
  std::vector<second> active;
  std::vector<several> moved;
  second result;
  admpi::tape tape;

  void prepare() {
    tape.reset();
    tape.start();
    active.assign(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      tape.input(active[i].value);
      active[i].derivative = direction(i);
      tape.input(active[i].derivative);
    }
  }
  void prepare_forward() {
    moved.assign(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < 4; ++k) moved[i].derivative[static_cast<int>(k)] = direction(i + 1000 * k);
  }
  void plain() { bench::use(Work::run(x)); }
  void forward() {
    const several y = Work::run(moved);
    bench::use(y.derivative[0] + y.derivative[1] + y.derivative[2] + y.derivative[3]);
  }
  void record() { result = Work::run(active); }
  void sweep() {
    tape.seed(result.derivative);
    tape.reverse();
  }

  void check() {
    using nested = admpi::tangent<admpi::tangent<double>>;
    prepare();
    record();
    sweep();
    std::vector<nested> along(x.begin(), x.end());
    double got = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double other = 0.3 + std::cos(0.71 * static_cast<double>(i));
      along[i].value.derivative = direction(i);
      along[i].derivative.value = other;
      got += other * tape.adjoint(active[i].value);
    }
    bench::check(Work::name, got, Work::run(along).derivative.derivative, 1e-9);
    prepare_forward();
    std::vector<admpi::tangent<double>> single(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) single[i].derivative = moved[i].derivative[2];
    bench::check(Work::name, Work::run(moved).derivative[2], Work::run(single).derivative, 1e-12);
  }

  void measure(double goal, double forward_goal) {
    check();
    prepare();
    record();
    const auto statistics = tape.statistics();
    bench::blocks plain_time, record_time, sweep_time, forward_time;
    for (int i = 0; i < 21; ++i) {
      plain_time.run([&] { plain(); });
      prepare();
      record_time.run([&] { record(); });
      sweep_time.run([&] { sweep(); });
      forward_time.run([&] { forward(); });
    }
    std::printf("%s: %llu statements, %llu arguments, record %.1f, sweep %.1f\n", Work::name,
                static_cast<unsigned long long>(statistics.statements), static_cast<unsigned long long>(statistics.arguments),
                record_time.seconds() / plain_time.seconds(), sweep_time.seconds() / plain_time.seconds());
    char title[80];
    std::snprintf(title, sizeof title, "%s, gradient of a tangent over the plain loop", Work::name);
    bench::row(title, (record_time.seconds() + sweep_time.seconds()) / plain_time.seconds(), goal);
    std::snprintf(title, sizeof title, "%s, tangents in 4 directions over the plain loop", Work::name);
    bench::row(title, forward_time.seconds() / plain_time.seconds(), forward_goal);
  }

  void once(const char *part) {
    if (std::strcmp(part, "plain") == 0) return plain();
    if (std::strcmp(part, "forward") == 0) {
      prepare_forward();
      return forward();
    }
    prepare();
    if (std::strcmp(part, "none") == 0) return;
    record();
    if (std::strcmp(part, "sweep") == 0) sweep();
  }
};

template <class Work>
void run(int argc, char **argv, double goal, double forward_goal) {
  if (argc < 3) {
    problem<Work>().measure(goal, forward_goal);
  } else if (std::strcmp(argv[1], Work::name) == 0) {
    problem<Work>().once(argv[2]);
  }
}

}  // namespace

int main(int argc, char **argv) {
  // CoDiPack 2.2's forward vector type of 4 directions: 11, 1.2, 1.7.
  run<lu>(argc, argv, 80.0, 11.0);
  run<chain>(argc, argv, 4.0, 1.2);
  run<black_scholes>(argc, argv, 4.5, 1.7);
  run<burgers>(argc, argv, 90.0, 11.0);
  return 0;
}
