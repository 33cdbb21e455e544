// A user's program in C++: the derivative of x*y + sin(x).
#include <admpi.hpp>

#include <cmath>
#include <cstdio>

int main() {
  admpi::tape tape;
  tape.start();
  admpi::var x = 1.5;
  admpi::var y = -2.0;
  tape.input(x);
  tape.input(y);
  admpi::var result = x * y + sin(x);
  tape.seed(result);
  tape.reverse();
  std::printf("admpi %s: %.15g %.15g\n", ADMPI_VERSION, tape.adjoint(x), tape.adjoint(y));
  return std::abs(tape.adjoint(x) - (-2.0 + std::cos(1.5))) < 1e-15 && tape.adjoint(y) == 1.5 ? 0 : 1;
}
