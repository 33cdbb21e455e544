// Jacobians, Hessians, their products and checks of gradients: against derivatives by hand, without a tape and inside one.
#include <admpi.hpp>
#include <admpi/derivatives.hpp>

#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/chain.hpp"

using admpi::var;
using doctest::Approx;
using test::chain;

namespace {

/// m results of n inputs: y[i] = sum over j of sin((i + 1) * x[j]) / (j + 1), and a last one that is constant.
struct waves {
  int m;
  template <class T>
  std::vector<T> operator()(const std::vector<T> &x) const {
    using std::sin;
    std::vector<T> y;
    for (int i = 0; i < m; ++i) {
      T sum = 0.0;
      for (std::size_t j = 0; j < x.size(); ++j) sum += sin((i + 1.0) * x[j]) / (j + 1.0);
      y.push_back(sum);
    }
    y.push_back(T(7.0));
    return y;
  }
  double by_hand(int i, int j, double x) const { return i == m ? 0.0 : (i + 1) * std::cos((i + 1) * x) / (j + 1); }
};

std::vector<double> points(int n) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = 0.3 + 0.1 * i;
  return x;
}

void check_waves(int m, int n) {
  CAPTURE(m);
  CAPTURE(n);
  const waves f{m};
  const std::vector<double> x = points(n);
  const admpi::dense j = admpi::jacobian(f, x);
  REQUIRE(j.rows == m + 1);
  REQUIRE(j.cols == n);
  for (int i = 0; i <= m; ++i)
    for (int k = 0; k < n; ++k) CHECK(j(i, k) == Approx(f.by_hand(i, k, x[static_cast<std::size_t>(k)])).epsilon(1e-13));
  std::vector<double> v(x.size()), w(static_cast<std::size_t>(m + 1));
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = 1.0 - 0.3 * static_cast<double>(k);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = 0.5 + static_cast<double>(i);
  const std::vector<double> jv = admpi::jacobian_product(f, x, v), wj = admpi::transposed_jacobian_product(f, x, w);
  for (int i = 0; i <= m; ++i) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += j(i, k) * v[static_cast<std::size_t>(k)];
    CHECK(jv[static_cast<std::size_t>(i)] == Approx(sum).epsilon(1e-12));
  }
  for (int k = 0; k < n; ++k) {
    double sum = 0.0;
    for (int i = 0; i <= m; ++i) sum += w[static_cast<std::size_t>(i)] * j(i, k);
    CHECK(wj[static_cast<std::size_t>(k)] == Approx(sum).epsilon(1e-12));
  }
}

void check_all_shapes() {
  for (const int m : {0, 1, 4, 15, 16, 17, 40})
    for (const int n : {0, 1, 3, 25, 60}) check_waves(m, n);
}

void check_hessian() {
  const int n = 6;
  const std::vector<double> x = points(n);
  const admpi::dense h = admpi::hessian(chain(), x);
  REQUIRE(h.rows == n);
  REQUIRE(h.cols == n);
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int k) { return x[static_cast<std::size_t>(k)]; };
    for (int j = 0; j < n; ++j) {
      double want = 0.0;
      if (i == j) want = (i + 1 < n ? 1200 * at(i) * at(i) - 400 * at(i + 1) + 2 : 0.0) + (i > 0 ? 200.0 : 0.0);
      if (j == i + 1) want = -400 * at(i);
      if (i == j + 1) want = -400 * at(j);
      CHECK(h(i, j) == Approx(want).epsilon(1e-12));
    }
  }
  CHECK(admpi::hessian(chain(), {}).data.empty());
}

}  // namespace

TEST_CASE("test_derivatives_without_a_tape") {
  check_all_shapes();
  check_hessian();
}

TEST_CASE("test_derivatives_inside_a_recording") {
  admpi::tape tape;
  tape.start();
  var outer = 2.0;
  tape.input(outer);
  const var y = outer * outer;
  tape.seed(y);
  const auto before = tape.statistics().statements;
  check_all_shapes();
  check_hessian();
  // What comes from outside is a constant.
  const auto f = [&](const std::vector<var> &x) { return std::vector<var>{x[0] * outer, x[1]}; };
  CHECK(admpi::transposed_jacobian_product(f, {1.0, 2.0}, {1.0, 3.0}) == std::vector<double>{2.0, 3.0});
  const auto g = [&](const std::vector<admpi::tangent<var>> &x) { return x[0] * x[0] * outer; };
  CHECK(admpi::hessian_product(g, {1.0}, {0.5}) == std::vector<double>{2.0});
  CHECK(tape.statistics().statements == before);
  tape.reverse();
  CHECK(tape.adjoint(outer) == 4.0);
}

TEST_CASE("test_derivatives_lengths") {
  const auto message = [](auto call) {
    try {
      call();
    } catch (const admpi::error &e) {
      return std::string(e.what());
    }
    return std::string("nothing is thrown");
  };
  const std::vector<double> x{1.0, 2.0};
  CHECK(message([&] { admpi::jacobian_product(waves{1}, x, {1.0}); }).find("jacobian_product: v has 1 elements, not 2") != std::string::npos);
  CHECK(message([&] { admpi::hessian_product(chain(), x, {}); }).find("hessian_product: v has 0 elements, not 2") != std::string::npos);
  CHECK(message([&] { admpi::transposed_jacobian_product(waves{1}, x, {1.0}); }).find(
          "transposed_jacobian_product: w has 1 elements, not 2") != std::string::npos);
  // Nothing is left behind.
  check_waves(3, 2);
}

TEST_CASE("test_derivatives_check_gradient") {
  const std::vector<double> x = points(5);
  const admpi::gradient_check right = admpi::check_gradient(chain(), x);
  CHECK(right.is_right());
  CHECK(right.inputs.size() == 5);
  CHECK(right.value == Approx(chain()(x)));
  std::ostringstream text;
  text << right;
  CHECK(text.str() == "gradient of 5 inputs: right\n");
  // Zero, huge and tiny derivatives.
  CHECK(admpi::check_gradient([](const auto &v) { return 0.0 * v[0] + 1e12 * v[1] * v[1] + 1e-12 * v[2]; }, {1.0, 2.0, 3.0}).is_right());
  CHECK(admpi::check_gradient([](const auto &v) { return exp(v[0]) * sin(1e3 * v[1]); }, {5.0, 0.3}).is_right());
  CHECK(admpi::check_gradient([](const auto &) { return 3.0; }, {}).is_right());
}

TEST_CASE("test_derivatives_check_gradient_finds") {
  const std::vector<double> x = points(3);
  // A derivative that is lost in both modes.
  const admpi::gradient_check lost = admpi::check_gradient([](const auto &v) { return v[0] * v[1] * admpi::value(v[2]); }, x);
  CHECK(!lost.is_right());
  CHECK(lost.inputs[0].is_right);
  CHECK(lost.inputs[1].is_right);
  CHECK(!lost.inputs[2].is_right);
  CHECK(lost.inputs[2].reverse == 0.0);
  CHECK(lost.inputs[2].difference == Approx(x[0] * x[1]));
  // A partial derivative of the user's own that is wrong by 1 %, in a sweep alone.
  const auto wrong = [](const auto &v) {
    using T = std::decay_t<decltype(v[0])>;
    if constexpr (std::is_same<T, var>::value) {
      const double partial = 1.01 * 2.0 * v[1].value;
      return v[0] + admpi::current_tape().precomputed(v[1].value * v[1].value, &v[1], &partial, 1) + v[2];
    } else {
      return T(v[0] + v[1] * v[1] + v[2]);
    }
  };
  const admpi::gradient_check found = admpi::check_gradient(wrong, x);
  CHECK(found.inputs[0].is_right);
  CHECK(!found.inputs[1].is_right);
  CHECK(found.inputs[2].is_right);
  CHECK(found.inputs[1].forward == Approx(found.inputs[1].difference).epsilon(1e-6));
  std::ostringstream text;
  text << found;
  CHECK(text.str().find("gradient of 3 inputs: 1 wrong\n") == 0);
  CHECK(text.str().find("         1          0.4        0.808          0.8          0.8") != std::string::npos);
  // Wrong by less than differences can tell.
  const auto nearly = [](const auto &v) {
    using T = std::decay_t<decltype(v[0])>;
    if constexpr (std::is_same<T, var>::value) {
      const double partial = 1.0 + 1e-8;
      return admpi::current_tape().precomputed(v[0].value, &v[0], &partial, 1);
    } else {
      return T(v[0]);
    }
  };
  CHECK(!admpi::check_gradient(nearly, {0.3}).is_right());
  // What is no number is wrong.
  CHECK(!admpi::check_gradient([](const auto &v) { return sqrt(v[0] - 1.0); }, {0.5}).is_right());
}
