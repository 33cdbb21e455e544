/* 20: a gradient that is checked, a Jacobian and a Hessian, in one call each.
 *
 * A function is written once, for any scalar. In the second model a derivative is lost; the check says where. */
#include <admpi.hpp>
#include <admpi/derivatives.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <vector>

/* The height of a stone after a second, and how far it got: from its speed, its angle and the drag of the air. */
struct Throw {
  template <class Real>
  std::vector<Real> operator()(const std::vector<Real> &x) const {
    Real u = x[0] * cos(x[1]), v = x[0] * sin(x[1]), far = 0.0, high = 0.0;
    for (int step = 0; step < 100; ++step) {
      const Real drag = x[2] * sqrt(u * u + v * v);
      far += 0.01 * u;
      high += 0.01 * v;
      u -= 0.01 * drag * u;
      v -= 0.01 * (9.81 + drag * v);
    }
    return {high, far};
  }
};

int main() {
  const std::vector<double> x = {20.0, 0.8, 0.05};
  const Throw model;
  const auto height = [&](const auto &p) { return model(p)[0]; };
  const auto without_drag = [&](const auto &p) {
    auto q = p;
    q[2] = admpi::value(p[2]); /* the mistake */
    return model(q)[0];
  };
  std::cout << admpi::check_gradient(height, x) << admpi::check_gradient(without_drag, x);

  const auto print = [](const char *name, const admpi::dense &a) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      std::printf("%-8s", i == 0 ? name : "");
      for (std::int64_t j = 0; j < a.cols; ++j) std::printf(" %12.4f", a(i, j));
      std::printf("\n");
    }
  };
  std::cout.flush();
  print("Jacobian", admpi::jacobian(model, x));
  print("Hessian", admpi::hessian(height, x));
}
