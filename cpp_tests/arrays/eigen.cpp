// Matrices to Eigen and back, and Eigen's own operations on active scalars.
#include <admpi/eigen.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include <doctest/doctest.h>

#include "harness/recording_tape.hpp"

using admpi::var;
using admpi::varmat;
using matrix = Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>;

namespace {

Eigen::MatrixXd numbers(int rows, int cols) {
  Eigen::MatrixXd m(rows, cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) m(i, j) = std::sin(1.0 + i + 7.3 * j) + (i == j ? 3.0 : 0.0);
  }
  return m;
}

}  // namespace

TEST_CASE("test_eigen_there_and_back") {
  test::recording_tape tape;
  const Eigen::MatrixXd m = numbers(4, 3);
  varmat a = admpi::from_eigen(m);
  CHECK(admpi::values_of(a) == m);
  CHECK(admpi::from_eigen(m.transpose().block(1, 1, 2, 2)).values() == std::vector<double>{m(1, 1), m(1, 2), m(2, 1), m(2, 2)});
  tape.input(a);
  const auto before = tape.statistics();
  const matrix x = admpi::to_eigen(a.block(1, 0, 3, 2));
  CHECK(tape.statistics().events == before.events);
  CHECK(x(2, 1).id == a(3, 1).id);
  CHECK(admpi::values_of(a.block(1, 0, 3, 2).transpose()) == m.block(1, 0, 3, 2).transpose());
  const varmat b = admpi::from_eigen(x);
  CHECK(tape.statistics().events == before.events + 1);
  tape.seed(b, 2.0);
  tape.reverse();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(4, 3);
  expected.block(1, 0, 3, 2).setConstant(2.0);
  CHECK(admpi::adjoints_of(tape, a) == expected);
}

TEST_CASE("test_eigen_of_active_scalars") {
  test::recording_tape tape;
  const Eigen::MatrixXd m = numbers(4, 4), c = numbers(4, 2);
  varmat a = admpi::from_eigen(m);
  tape.input(a);
  const matrix x = admpi::to_eigen(a);
  // A product, a solution, a determinant. (Eigen multiplies matrices of one scalar only.)
  const var y = (x * c.cast<var>() - 2.0 * c).squaredNorm() + x.fullPivLu().solve(c.cast<var>()).sum() + x.partialPivLu().determinant();
  tape.seed(y);
  tape.reverse();
  const auto value = [&](const Eigen::MatrixXd &p) {
    return (p * c - 2.0 * c).squaredNorm() + p.fullPivLu().solve(c).sum() + p.partialPivLu().determinant();
  };
  CHECK(y.value == doctest::Approx(value(m)).epsilon(1e-13));
  const Eigen::MatrixXd inverse = m.inverse(), ones = Eigen::MatrixXd::Ones(4, 2);
  const Eigen::MatrixXd expected = 2.0 * (m * c - 2.0 * c) * c.transpose() -
                                   inverse.transpose() * ones * (inverse * c).transpose() +
                                   m.determinant() * inverse.transpose();
  CHECK((admpi::adjoints_of(tape, a) - expected).norm() <= 1e-12 * expected.norm());
}
