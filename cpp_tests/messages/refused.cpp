// What must not compile, each line with what the message says to write instead.
#include <admpi/tangent_arrays.hpp>

using admpi::tangent;
using admpi::var;
using admpi::varmat;
using admpi::view;

void refused(const var &x, const tangent<double> &t, const varmat &a, const view &b, const tangent<varmat> &d) {
  (void)double(x);                      // says: admpi::value(x)
  (void)static_cast<float>(x * x);      // says: admpi::value(x)
  (void)static_cast<double>(t);         // says: admpi::value(x)
  if (a < b) return;                    // says: select(a < b, x, y)
  (void)(a * b);                        // says: multiply(a, b) for the product of matrices, elt_multiply(a, b)
  (void)(exp(a) / b);                   // says: elt_divide(a, b)
  (void)(d * a);                        // says: elt_multiply(a, b)
  (void)(d * d);                        // says: elt_multiply(a, b)
  (void)(d / d);                        // says: elt_divide(a, b)
  (void)sizeof(tangent<var, 4>);        // says: tangent<var> has one direction
  (void)sizeof(tangent<varmat, 4>);     // says: tangent<varmat> has one direction
}
