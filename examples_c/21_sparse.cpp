/* 21: a sparse Jacobian by a few sweeps, and a sparse Hessian by a few products with vectors.
 *
 * The pattern comes from one recording. Colours say which rows, or columns, share a pass: as many are needed for a thousand
 * unknowns as for a million. */
#include <admpi.hpp>
#include <admpi/sparsity.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

/* An implicit step of heat in a ring of cells, with a conductivity that grows with temperature: what is to be zero. */
struct Residual {
  template <class Real>
  std::vector<Real> operator()(const std::vector<Real> &t) const {
    const std::size_t n = t.size();
    std::vector<Real> r(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Real &west = t[(i + n - 1) % n], &here = t[i], &east = t[(i + 1) % n];
      r[i] = here - std::cos(0.7 * static_cast<double>(i)) - 0.1 * ((1.0 + east * here) * (east - here) - (1.0 + here * west) * (here - west));
    }
    return r;
  }
};

/* Rosenbrock's function in a chain. */
struct Chain {
  template <class Real>
  Real operator()(const std::vector<Real> &x) const {
    Real sum = 0.0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const Real a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
      sum += 100.0 * a * a + b * b;
    }
    return sum;
  }
};

static void draw(const char *name, const admpi::coloured_pattern &p) {
  std::printf("%s\n", name);
  for (std::int64_t i = 0; i < p.rows; ++i) {
    std::vector<char> row(static_cast<std::size_t>(p.cols), '.');
    for (int k = p.row_start[static_cast<std::size_t>(i)]; k < p.row_start[static_cast<std::size_t>(i) + 1]; ++k)
      row[static_cast<std::size_t>(p.column[static_cast<std::size_t>(k)])] = 'x';
    std::printf("  %.*s  colour %d\n", static_cast<int>(p.cols), row.data(), p.colour[static_cast<std::size_t>(i)]);
  }
}

int main() {
  draw("Jacobian", admpi::sparsity(Residual(), std::vector<double>(9, 0.5)));
  draw("Hessian", admpi::hessian_sparsity(Chain(), std::vector<double>(9, 0.5)));

  /* A function that is large: the same colours. */
  const std::vector<double> x(10000, 0.5);
  const admpi::csr j = admpi::sparse_jacobian(Residual(), x);
  const admpi::csr h = admpi::sparse_hessian(Chain(), x);
  std::printf("%zu derivatives of %zu results, %zu second derivatives\n", j.value.size(), x.size(), h.value.size());
  std::printf("colours: %d and %d\n", admpi::sparsity(Residual(), x).colours, admpi::hessian_sparsity(Chain(), x).colours);
  std::printf("row 5000 of the Jacobian:");
  for (int k = j.row_start[5000]; k < j.row_start[5001]; ++k)
    std::printf("  (%d) %.4f", j.column[static_cast<std::size_t>(k)], j.value[static_cast<std::size_t>(k)]);
  std::printf("\nrow 5000 of the Hessian: ");
  for (int k = h.row_start[5000]; k < h.row_start[5001]; ++k)
    std::printf("  (%d) %.4f", h.column[static_cast<std::size_t>(k)], h.value[static_cast<std::size_t>(k)]);
  std::printf("\n");
}
