// A plugin: code that is loaded at run time and records on the tape of the program that loads it.
#include <admpi.hpp>

extern "C" void plugin_square(const admpi_var *x, admpi_var *y) {
  const admpi::var in = *x;
  *y = admpi::var(in * in);
}

extern "C" admpi_tape *plugin_tape() { return admpi_tls_tape; }
