// What may be made inputs, and asked for adjoints, in one call: containers and arrays of scalars and of complex numbers.
#include <array>
#include <complex>
#include <vector>

#include <doctest/doctest.h>

#include <admpi/complex.hpp>
#include <admpi/float.hpp>

#include "harness/recording_tape.hpp"

using admpi::float_var;
using admpi::var;
using numbers = std::vector<double>;

namespace {

/// The gradient of f at x, all whose numbers are inputs.
template <class X, class F>
numbers gradient(X x, F f) {
  test::recording_tape tape;
  tape.input(x);
  const var y = f(x);
  tape.seed(y);
  tape.reverse();
  const X &same = x;
  return tape.adjoints(same);
}

const auto product = [](const auto &x) { return x[0] * x[1] * x[2]; };
// |z0|^2 |z1|^2
const auto norm_of_product = [](const auto &z) { return norm(z[0] * z[1]); };

}  // namespace

TEST_CASE("test_inputs_in_containers") {
  CHECK(gradient(std::vector<var>{1.0, 2.0, 3.0}, product) == numbers{6.0, 3.0, 2.0});
  CHECK(gradient(std::array<var, 3>{1.0, 2.0, 3.0}, product) == numbers{6.0, 3.0, 2.0});
  CHECK(gradient(std::vector<float_var>{1, 2, 3}, product) == numbers{6.0, 3.0, 2.0});
  CHECK(gradient(std::vector<std::complex<var>>{{1.0, 2.0}, {3.0, 4.0}}, norm_of_product) == numbers{50.0, 100.0, 30.0, 40.0});
  CHECK(gradient(std::array<std::complex<float_var>, 2>{{{1, 2}, {3, 4}}}, norm_of_product) == numbers{50.0, 100.0, 30.0, 40.0});
  CHECK(gradient(std::vector<var>(), [](const auto &) { return var(1.0); }).empty());
}

TEST_CASE("test_inputs_in_arrays") {
  test::recording_tape tape;
  var x[2][3] = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  std::complex<var> z(1.0, 2.0), w[2] = {z, z};
  tape.input(x);
  tape.input(z);
  tape.input(w);
  CHECK(x[1][2].id == x[0][0].id + 5);
  const var y = x[0][1] * x[1][2] + norm(z) + w[1].imag();
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoints(x) == numbers{0.0, 6.0, 0.0, 0.0, 0.0, 2.0});
  CHECK(tape.adjoints(x[1]) == numbers{0.0, 0.0, 2.0});
  CHECK(tape.adjoint(z.real()) == 2.0);
  CHECK(tape.adjoints(w) == numbers{0.0, 0.0, 0.0, 1.0});
}

TEST_CASE("test_inputs_read_in_a_direction") {
  test::recording_tape tape;
  tape.set_width(2);
  std::vector<var> x{1.0, 2.0};
  tape.input(x);
  const var y = x[0] * x[1];
  tape.seed(y, 1.0, 0);
  tape.seed(y, 3.0, 1);
  tape.reverse();
  CHECK(tape.adjoints(x) == numbers{2.0, 1.0});
  CHECK(tape.adjoints(x, 1) == numbers{6.0, 3.0});
}
