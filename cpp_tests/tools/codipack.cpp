// CoDiPack itself under adjoint MPI, where it is there: its tapes of all kinds give the derivatives of admpi's own.
#include <codi.hpp>

#include "admpi/codipack.hpp"
#include "tools/outcome.hpp"

using programs::by_own_tape;
using programs::check_same;
using programs::count;
using programs::length;
using programs::list;
using programs::outcome;

namespace {

template <class S>
outcome by_codipack(int which) {
  using gradient = typename S::Gradient;
  constexpr int directions = codi::GradientTraits::dim<gradient>();
  outcome found;
  const MPI_Datatype type = admpi::codi_type<S>();
  auto &tape = S::getTape();
  {
    list<S> x(length), y;
    tape.setActive();
    for (int i = 0; i < length; ++i) {
      x[i] = programs::input(i);
      tape.registerInput(x[i]);
    }
    const list<S> start = x;
    programs::run<S>(which, type, x, y);
    for (auto &one : y) tape.registerOutput(one);
    tape.setPassive();
    for (const auto &one : y) found.values.push_back(one.getValue());
    for (std::size_t i = 0; i < y.size(); ++i)
      for (int d = 0; d < directions; ++d)
        codi::GradientTraits::at(tape.gradient(y[i].getIdentifier()), d) += programs::weight(i, d);
    tape.evaluate();
    for (int d = 0; d < directions; ++d)
      for (const auto &one : start)
        found.gradient.push_back(codi::GradientTraits::at(tape.gradient(one.getIdentifier()), d));
  }
  tape.reset();
  return found;
}

template <class S>
void check_all(int directions) {
  for (int which = 0; which < count; ++which) {
    CAPTURE(which);
    check_same(by_codipack<S>(which), by_own_tape(which, directions));
  }
  std::int64_t steps = -1;
  admpi_statistics held{};
  CHECK(admpi_tool_statistics(&admpi::detail::codi_tool<S>::table(), &held, &steps) == ADMPI_SUCCESS);
  CHECK(steps == 0);
}

}  // namespace

TEST_CASE("test_codipack_jacobians_linear") { check_all<codi::RealReverse>(1); }
TEST_CASE("test_codipack_jacobians_with_indices_used_again") { check_all<codi::RealReverseIndex>(1); }
TEST_CASE("test_codipack_primal_values_linear") { check_all<codi::RealReversePrimal>(1); }
TEST_CASE("test_codipack_primal_values_with_indices_used_again") { check_all<codi::RealReversePrimalIndex>(1); }
TEST_CASE("test_codipack_random_programs") {
  for (int which = count; which < count + programs::random_programs; ++which) {
    CAPTURE(which - count + 1);
    check_same(by_codipack<codi::RealReverse>(which), by_own_tape(which, 1));
    check_same(by_codipack<codi::RealReverseIndex>(which), by_own_tape(which, 1));
    check_same(by_codipack<codi::RealReversePrimal>(which), by_own_tape(which, 1));
    check_same(by_codipack<codi::RealReversePrimalIndex>(which), by_own_tape(which, 1));
  }
}
TEST_CASE("test_codipack_vectors_of_adjoints") {
  check_all<codi::RealReverseVec<4>>(4);
  check_all<codi::RealReverseIndexVec<3>>(3);
}
