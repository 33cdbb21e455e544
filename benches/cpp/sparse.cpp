// A sparse Jacobian and a sparse Hessian, from the plain function to all values: recording, pattern, colours and passes. Beside
// ADOL-C with ColPack, if both are installed: of each the faster of its two ways. Debian builds ADOL-C without ColPack, so that
// sparse_jac and sparse_hess end with an error there: what they do inside is done here, by the same functions of both. The tools
// take turns, and medians count: of the processor's time, since others may be at work. What ADOL-C waits for its files is left out.
#include <admpi.hpp>
#include <admpi/sparsity.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#ifdef ADMPI_BENCH_ADOLC
#include <ColPack/ColPackHeaders.h>
#include <adolc/adolc.h>
#include <adolc/adolc_sparse.h>
#endif

#include "../../cpp_tests/harness/chain.hpp"
#include "bench.hpp"

using test::chain;

namespace {

constexpr int runs = 9;

/// A step of the ocean's temperature (examples_c/heat_flux/ocean.hpp) on a grid of n x n cells, periodic east-west.
struct ocean_step {
  int n;
  template <class T>
  std::vector<T> operator()(const std::vector<T> &temperature) const {
    using std::exp;
    std::vector<T> potential(temperature.size()), next(temperature.size());
    for (std::size_t k = 0; k < temperature.size(); ++k) potential[k] = exp(0.3 * (temperature[k] - 1.0));
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(std::min(std::max(i, 0), n - 1) * n + (j + n) % n); };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        next[at(i, j)] = temperature[at(i, j)] + 0.1 * (potential[at(i - 1, j)] + potential[at(i + 1, j)] + potential[at(i, j - 1)] +
                                                        potential[at(i, j + 1)] - 4.0 * potential[at(i, j)]);
    return next;
  }
};

std::vector<double> points(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.9 + 0.3 * std::sin(1.0 + static_cast<double>(i));
  return x;
}

struct figure {
  double seconds;
  std::size_t elements;
  double sum;  ///< of the values: all tools find the same
};

void print(const char *what, const char *tool, const figure &one) {
  std::printf("%-32s %-28s %9.1f ms %8zu elements, sum %.10g\n", what, tool, 1e3 * one.seconds, one.elements, one.sum);
}

/// The times of one way to the same matrix, and the matrix.
class way {
  static double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

 public:
  way(const char *tool, std::function<void(way &)> run) : tool_(tool), run_(std::move(run)) {}

  void run() {
    elements_ = 0;
    sum_ = 0.0;
    seconds_.push_back(0.0);
    run_(*this);
  }
  /// Times what counts of a run.
  template <class Part>
  void timed(Part part) {
    const double start = now();
    part();
    seconds_.back() += now() - start;
  }
  void found(std::size_t elements, double sum) {
    elements_ += elements;
    sum_ += sum;
  }

  figure median() const {
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    return {sorted[sorted.size() / 2], elements_, sum_};
  }
  const char *tool() const { return tool_; }

 private:
  const char *tool_;
  std::function<void(way &)> run_;
  std::vector<double> seconds_;
  std::size_t elements_ = 0;
  double sum_ = 0.0;
};

/// One that makes a matrix of ours.
template <class Run>
way ours(const char *tool, Run run) {
  return {tool, [run](way &one) {
            admpi::csr made;
            one.timed([&] { made = run(); });
            one.found(made.value.size(), std::accumulate(made.value.begin(), made.value.end(), 0.0));
          }};
}

/// The ways take turns. All must find the same.
std::vector<figure> medians(const char *what, std::vector<way> ways) {
  for (int i = 0; i < runs; ++i)
    for (way &one : ways) one.run();
  std::vector<figure> all;
  for (const way &one : ways) {
    all.push_back(one.median());
    print(what, one.tool(), all.back());
    bench::check(what, all.back().sum, all.front().sum, 1e-9);
  }
  return all;
}

#ifdef ADMPI_BENCH_ADOLC

/// What ColPack has allocated, and leaves to its user to free.
struct coordinates {
  unsigned *rows = nullptr, *columns = nullptr;
  double *values = nullptr;
  int n = 0;
  ~coordinates() {
    std::free(rows);
    std::free(columns);
    std::free(values);
  }
};

/// A pattern of ADOL-C's.
struct rows_of_adolc {
  std::vector<unsigned *> row;
  explicit rows_of_adolc(std::size_t n) : row(n) {}
  ~rows_of_adolc() {
    for (unsigned *one : row) delete[] one;
  }
};

template <class F>
void record_vector(short tag, F f, const std::vector<double> &x) {
  trace_on(tag);
  std::vector<adouble> active(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) active[i] <<= x[i];
  std::vector<adouble> y = f(active);
  double value;
  for (adouble &one : y) one >>= value;
  trace_off();
}

/// As sparse_jac of ADOL-C, compressed by rows or by columns.
void their_jacobian(way &one, const ocean_step &f, const std::vector<double> &x, bool by_rows) {
  const int n = static_cast<int>(x.size());
  coordinates found;
  one.timed([&] {
    record_vector(1, f, x);
    rows_of_adolc pattern(x.size());
    int options[3] = {0, 0, 0};
    jac_pat(1, n, n, x.data(), pattern.row.data(), options);
    ColPack::BipartiteGraphPartialColoringInterface graph(SRC_MEM_ADOLC, pattern.row.data(), n, n);
    ColPack::JacobianRecovery1D recovery;
    graph.PartialDistanceTwoColoring("SMALLEST_LAST", by_rows ? "ROW_PARTIAL_DISTANCE_TWO" : "COLUMN_PARTIAL_DISTANCE_TWO");
    int seed_rows = 0, seed_columns = 0;
    std::vector<double> y(x.size());
    if (by_rows) {
      double **seed = graph.GetLeftSeedMatrix(&seed_rows, &seed_columns);
      double **compressed = myalloc2(static_cast<std::size_t>(seed_rows), x.size());
      zos_forward(1, n, n, 1, x.data(), y.data());
      fov_reverse(1, n, n, seed_rows, seed, compressed);
      found.n = recovery.RecoverD2Row_CoordinateFormat_unmanaged(&graph, compressed, pattern.row.data(), &found.rows, &found.columns, &found.values);
      myfree2(compressed);
    } else {
      double **seed = graph.GetRightSeedMatrix(&seed_rows, &seed_columns);
      double **compressed = myalloc2(x.size(), static_cast<std::size_t>(seed_columns));
      fov_forward(1, n, n, seed_columns, x.data(), seed, y.data(), compressed);
      found.n = recovery.RecoverD2Cln_CoordinateFormat_unmanaged(&graph, compressed, pattern.row.data(), &found.rows, &found.columns, &found.values);
      myfree2(compressed);
    }
  });
  one.found(static_cast<std::size_t>(found.n), std::accumulate(found.values, found.values + found.n, 0.0));
}

/// As sparse_hess of ADOL-C, recovered directly or by substitution. The upper triangle counts for both.
void their_hessian(way &one, const std::vector<double> &x, bool directly) {
  const int n = static_cast<int>(x.size());
  coordinates found;
  one.timed([&] {
    record_vector(2, [](const std::vector<adouble> &all) { return std::vector<adouble>{chain()(all)}; }, x);
    rows_of_adolc pattern(x.size());
    hess_pat(2, n, x.data(), pattern.row.data(), 0);
    ColPack::GraphColoringInterface graph(SRC_MEM_ADOLC, pattern.row.data(), n);
    ColPack::HessianRecovery recovery;
    graph.Coloring("SMALLEST_LAST", directly ? "STAR" : "ACYCLIC_FOR_INDIRECT_RECOVERY");
    int seed_rows = 0, seed_columns = 0;
    double **seed = graph.GetSeedMatrix(&seed_rows, &seed_columns);
    const auto p = static_cast<std::size_t>(seed_columns);
    double ***directions = myalloc3(x.size(), p, 1), ***moved = myalloc3(1, p, 1), ***adjoints = myalloc3(p, x.size(), 2);
    double **weights = myalloc2(1, 2), **compressed = myalloc2(x.size(), p);
    weights[0][0] = 1.0;
    weights[0][1] = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < p; ++k) directions[i][k][0] = seed[i][k];
    double y = 0.0;
    hov_wk_forward(2, 1, n, 1, 2, seed_columns, x.data(), directions, &y, moved);
    hos_ov_reverse(2, 1, n, 1, seed_columns, weights, adjoints);
    for (std::size_t k = 0; k < p; ++k)
      for (std::size_t i = 0; i < x.size(); ++i) compressed[i][k] = adjoints[k][i][1];
    unsigned **rows = pattern.row.data();
    found.n = directly ? recovery.DirectRecover_CoordinateFormat_unmanaged(&graph, compressed, rows, &found.rows, &found.columns, &found.values)
                       : recovery.IndirectRecover_CoordinateFormat_unmanaged(&graph, compressed, rows, &found.rows, &found.columns, &found.values);
    myfree3(directions);
    myfree3(moved);
    myfree3(adjoints);
    myfree2(weights);
    myfree2(compressed);
  });
  for (int k = 0; k < found.n; ++k) {
    const std::size_t times = found.rows[k] == found.columns[k] ? 1 : 2;
    one.found(times, static_cast<double>(times) * found.values[k]);
  }
}

double times_ours(const std::vector<figure> &all) { return std::min(all[2].seconds, all[3].seconds) / all[0].seconds; }

#endif

}  // namespace

int main() {
  const ocean_step step{100};
  const std::vector<double> x = points(10000), z = points(100000);
  const admpi::coloured_pattern p = admpi::sparsity(step, x), q = admpi::hessian_sparsity(chain(), z);
  std::vector<way> jacobians = {ours("admpi", [&] { return admpi::sparse_jacobian(step, x); }),
                                ours("admpi, pattern known", [&] { return admpi::sparse_jacobian(step, x, p); })};
  std::vector<way> hessians = {ours("admpi", [&] { return admpi::sparse_hessian(chain(), z); }),
                               ours("admpi, pattern known", [&] { return admpi::sparse_hessian(chain(), z, q); })};
#ifdef ADMPI_BENCH_ADOLC
  jacobians.emplace_back("ADOL-C and ColPack, columns", [&](way &one) { their_jacobian(one, step, x, false); });
  jacobians.emplace_back("ADOL-C and ColPack, rows", [&](way &one) { their_jacobian(one, step, x, true); });
  hessians.emplace_back("ADOL-C and ColPack, direct", [&](way &one) { their_hessian(one, z, true); });
  hessians.emplace_back("ADOL-C and ColPack, indirect", [&](way &one) { their_hessian(one, z, false); });
#endif
  const std::vector<figure> first = medians("Jacobian, ocean step, 100 x 100", jacobians);
  const std::vector<figure> second = medians("Hessian, chain of 100000", hessians);
#ifdef ADMPI_BENCH_ADOLC
  std::printf("time of ADOL-C and ColPack over admpi's: Jacobian %.1f, Hessian %.1f\n", times_ours(first), times_ours(second));
#endif
  return first.size() + second.size() >= 4 ? 0 : 1;
}
