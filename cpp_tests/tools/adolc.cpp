// ADOL-C under adjoint MPI, where it is installed: its traces give the derivatives of admpi's own tape.
#include <adolc/adolc.h>

#include "admpi/adolc.hpp"
#include "tools/outcome.hpp"

using programs::by_own_tape;
using programs::check_same;
using programs::count;
using programs::length;
using programs::list;
using programs::outcome;

namespace {

outcome by_adolc(int which, int directions) {
  outcome found;
  const MPI_Datatype type = admpi::adolc_type();
  const short tag = 1;
  int outputs = 0;
  {
    list<adouble> x(length), y;
    trace_on(tag, 1);
    for (int i = 0; i < length; ++i) x[static_cast<std::size_t>(i)] <<= programs::input(i);
    programs::run<adouble>(which, type, x, y);
    for (auto &one : y) {
      double value = 0;
      one >>= value;
      found.values.push_back(value);
    }
    trace_off();
    outputs = static_cast<int>(y.size());
  }
  if (directions == 1) {
    std::vector<double> u, z(length);
    for (int i = 0; i < outputs; ++i) u.push_back(programs::weight(static_cast<std::size_t>(i), 0));
    CHECK(reverse(tag, outputs, length, 0, u.data(), z.data()) >= 0);
    found.gradient = z;
  } else {
    double **U = myalloc2(static_cast<std::size_t>(directions), static_cast<std::size_t>(outputs));
    double **Z = myalloc2(static_cast<std::size_t>(directions), length);
    for (int d = 0; d < directions; ++d)
      for (int i = 0; i < outputs; ++i) U[d][i] = programs::weight(static_cast<std::size_t>(i), d);
    CHECK(fov_reverse(tag, outputs, length, directions, U, Z) >= 0);
    for (int d = 0; d < directions; ++d) found.gradient.insert(found.gradient.end(), Z[d], Z[d] + length);
    myfree2(U);
    myfree2(Z);
  }
  admpi::adolc_forget();
  return found;
}

}  // namespace

TEST_CASE("test_adolc_reverse") {
  for (int which = 0; which < count; ++which) {
    CAPTURE(which);
    check_same(by_adolc(which, 1), by_own_tape(which, 1));
  }
}

TEST_CASE("test_adolc_reverse_in_several_directions") {
  for (int which = 0; which < count; ++which) {
    CAPTURE(which);
    check_same(by_adolc(which, 3), by_own_tape(which, 3));
  }
}

TEST_CASE("test_adolc_random_programs") {
  for (int which = count; which < count + programs::random_programs; ++which) {
    CAPTURE(which - count + 1);
    check_same(by_adolc(which, 1), by_own_tape(which, 1));
  }
}
