// A plugin: code that is loaded at run time and records on the tape of the program that loads it.
#include <admpi.hpp>

extern "C" void plugin_square(const admpi_var *x, admpi_var *y) {
  const admpi::var in = *x;
  *y = admpi::var(in * in);
}

extern "C" admpi_tape *plugin_tape() { return admpi_tls_tape; }

extern "C" double plugin_derivative_of_square(double at) {
  admpi::tape tape;
  admpi::var x = at;
  tape.start();
  tape.input(x);
  tape.seed(x * x);
  tape.reverse();
  return tape.adjoint(x);
}
