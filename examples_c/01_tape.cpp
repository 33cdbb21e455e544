/* 01: a function, its tape, its gradient.
 *
 * Between start() and stop() arithmetic on admpi::var is recorded. Seeding the result with 1 and sweeping the recording
 * backwards leaves the partial derivatives with the inputs, however many there are. */
#include <admpi.hpp>

#include <cmath>
#include <cstdio>

/* Templated on its scalar, the code to be differentiated does not know about derivatives. */
template <class Real>
Real f(const Real &x, const Real &y) {
  using std::exp;
  using std::sin;
  return x * sin(y) + exp(x * y);
}

int main() {
  admpi::tape tape;
  admpi::var x = 0.5, y = 2.0;

  tape.start();
  tape.input(x);
  tape.input(y);
  const admpi::var z = f(x, y);
  tape.stop();

  tape.seed(z);
  tape.reverse();

  std::printf("f(0.5, 2) = %.12f\n", admpi::value(z));
  std::printf("df/dx = %.12f, by hand %.12f\n", tape.adjoint(x), std::sin(2.0) + 2.0 * std::exp(1.0));
  std::printf("df/dy = %.12f, by hand %.12f\n", tape.adjoint(y), 0.5 * std::cos(2.0) + 0.5 * std::exp(1.0));
}
