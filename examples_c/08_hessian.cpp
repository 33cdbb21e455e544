/* 08: a Hessian, by a tangent within the tape.
 *
 * A tangent carries the derivative along one direction beside the value. Over active scalars that derivative is itself an
 * expression on the tape: its gradient is the Hessian times the direction. One recording and one sweep a direction. */
#include <admpi.hpp>

#include <array>
#include <cstdio>

using Point = std::array<double, 2>;

/* Rosenbrock's valley. */
template <class Real>
Real f(const Real &x, const Real &y) {
  return (1.0 - x) * (1.0 - x) + 100.0 * (y - x * x) * (y - x * x);
}

Point hessian_times(const Point &point, const Point &direction) {
  using Tangent = admpi::tangent<admpi::var>;
  admpi::tape tape;
  std::array<admpi::var, 2> x = {point[0], point[1]};
  tape.start();
  tape.input(x);
  const Tangent value = f(Tangent(x[0], direction[0]), Tangent(x[1], direction[1]));
  tape.stop();

  tape.seed(admpi::derivative(value)); /* seeding value.value would give the gradient */
  tape.reverse();
  return {tape.adjoint(x[0]), tape.adjoint(x[1])};
}

int main() {
  const double x = 0.5, y = 1.0;
  const Point first = hessian_times({x, y}, {1, 0}), second = hessian_times({x, y}, {0, 1});
  std::printf("Hessian    %8.2f %8.2f    by hand %8.2f %8.2f\n", first[0], first[1], 2 - 400 * y + 1200 * x * x, -400 * x);
  std::printf("           %8.2f %8.2f            %8.2f %8.2f\n", second[0], second[1], -400 * x, 200.0);
}
