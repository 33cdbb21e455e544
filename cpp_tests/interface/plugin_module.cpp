// A plugin: code that is loaded at run time and records on the tape of the program that loads it. It hides what is not named here.
#include <admpi.hpp>

#include <stdexcept>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void plugin_square(const admpi_var *x, admpi_var *y) {
  const admpi::var in = *x;
  *y = admpi::var(in * in);
}

EXPORTED admpi_tape *plugin_tape() { return admpi_tls_tape; }

EXPORTED double plugin_derivative_of_square(double at) {
  admpi::tape tape;
  admpi::var x = at;
  tape.start();
  tape.input(x);
  tape.seed(x * x);
  tape.reverse();
  return tape.adjoint(x);
}

EXPORTED void plugin_throwing(const admpi::var *x, admpi::var *y) {
  const double value = x->value;
  admpi::current_tape().callback(x, 1, &value, 1, y, [](const admpi::callback_adjoints &) { throw std::out_of_range("from the plugin"); });
}

/// Whether the sweep throws what a callback of the program's does.
EXPORTED bool plugin_sweep_throws() {
  try {
    admpi::current_tape().reverse();
  } catch (const std::domain_error &) {
    return true;
  }
  return false;
}

EXPORTED admpi::tape *plugin_new_tape() { return new admpi::tape; }
EXPORTED void plugin_delete_tape(admpi::tape *tape) { delete tape; }

EXPORTED void plugin_two_products(const admpi::tangent<admpi::var> *x, admpi::tangent<admpi::var> *y) { *y = x[0] * x[1] + x[2] * x[3]; }
