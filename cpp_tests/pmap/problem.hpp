// A program as a text and the same in C++, run on ranks and without them.
#ifndef ADMPI_TESTS_PMAP_PROBLEM_HPP
#define ADMPI_TESTS_PMAP_PROBLEM_HPP

#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/helpers.hpp"
#include "harness/ranks.hpp"
#include "pmap/traffic.hpp"

namespace test {

using admpi::varmat;
using matrices = std::vector<varmat>;

/// A function as a text, the same in C++, its inputs and their sizes.
struct problem {
  std::string text;
  std::function<varmat(const matrices &)> same;
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes;
  std::string sizes;
  double shift = 0.0;

  matrices inputs() const {
    matrices all;
    std::int64_t from = 0;
    for (const auto &shape : shapes) {
      numbers x = some(shape.first * shape.second, from);
      for (double &value : x) value += shift;
      all.emplace_back(shape.first, shape.second, x.data());
      from += 100;
    }
    return all;
  }
};

inline numbers values(const varmat &m) {
  numbers all;
  for (std::int64_t j = 0; j < m.cols(); ++j)
    for (std::int64_t i = 0; i < m.rows(); ++i) all.push_back(admpi::var(m(i, j)).value);
  return all;
}

inline void seed(admpi::tape &tape, const varmat &m) {
  const admpi_view view = m.view_of();
  const numbers weight = some(m.rows() * m.cols(), 1000);
  admpi::detail::check(admpi_varmat_seed(tape.handle(), &view, weight.data(), m.rows() * m.cols(), 0));
}

inline numbers adjoints(admpi::tape &tape, const matrices &inputs) {
  numbers all;
  for (const varmat &m : inputs) {
    numbers own(static_cast<std::size_t>(m.rows() * m.cols()));
    const admpi_view view = m.view_of();
    admpi::detail::check(admpi_varmat_adjoints(tape.handle(), &view, 0, static_cast<std::int64_t>(own.size()), own.data()));
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

inline void compare(const numbers &got, const numbers &expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(close(got[i], expected[i], 1e-12));
}

inline std::pair<numbers, numbers> sequential(const problem &of) {
  matrices in = of.inputs();
  recording_tape tape;
  for (varmat &m : in) tape.input(m);
  const varmat y = of.same(in);
  tape.stop();
  seed(tape, y);
  tape.reverse();
  return {values(y), adjoints(tape, in)};
}

/// Runs a program twice, and counts what is sent.
inline void check_program(const problem &of, const admpi::pmap_program &program, const std::string &map) {
  CAPTURE(map);
  CAPTURE(program.text());
  const auto expected = sequential(of);
  const admpi::pmap_ranks p(world, admpi::device_map(map));
  matrices in = of.inputs();
  recording_tape tape;
  if (rank() == 0)
    for (varmat &m : in) tape.input(m);
  for (int time = 0; time < 2; ++time) {
    std::vector<admpi::placed> y;
    const traffic seen = traffic_of([&] { y = p.execute(program, in); });
    const auto simulation = program.simulate(of.sizes, admpi::device_map(map));
    admpi_pmap_account account = {};
    // A rank that is no device of the map does nothing.
    if (code_of([&] { account = simulation.account(rank()); }) != 0) account = {};
    CHECK(seen.sent == account.sent);
    CHECK(seen.received == account.received);
    REQUIRE(y.size() == 1);
    CHECK(y[0].device() == 0);
    CHECK(y[0].here() == (rank() == 0));
    if (rank() == 0) compare(values(y[0].matrix()), expected.first);
    if (rank() == 0 && time == 0) seed(tape, y[0].matrix());
  }
  tape.stop();
  tape.reverse();
  if (rank() == 0) compare(adjoints(tape, in), expected.second);
}

}  // namespace test

#endif
