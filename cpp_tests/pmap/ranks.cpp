// Nested pmap on ranks: gradients are those of the sequential program, and failures reach everyone who waits.
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <doctest/doctest.h>

#include <stdexcept>

#include "harness/helpers.hpp"
#include "harness/ranks.hpp"

using admpi::device;
using admpi::device_map;
using admpi::multiply;
using admpi::placed;
using admpi::pmap_ranks;
using admpi::varmat;
using test::numbers;
using test::rank;
using test::recording_tape;
using test::size;
using test::some;

namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// y = f(x wA) wB, with an elementwise function.
struct sizes {
  std::int64_t B = 8, F = 4, H = 6, C = 2;
  bool relu = false;
};

varmat activation(const varmat &a, bool relu) { return relu ? varmat(0.5 * (a + abs(a))) : a; }

/// The inputs, passive, on the root.
struct inputs {
  varmat x, a, b;
  numbers weight;
  explicit inputs(const sizes &s)
      : x(s.B, s.F, some(s.B * s.F).data()),
        a(s.F, s.H, some(s.F * s.H, 100).data()),
        b(s.H, s.C, some(s.H * s.C, 200).data()),
        weight(some(s.B * s.C, 300)) {}
};

numbers adjoints(admpi::tape &tape, const varmat &m) {
  numbers all(static_cast<std::size_t>(m.rows() * m.cols()));
  const admpi_view view = m.view_of();
  admpi::detail::check(admpi_varmat_adjoints(tape.handle(), &view, 0, static_cast<std::int64_t>(all.size()), all.data()));
  return all;
}

void seed(admpi::tape &tape, const varmat &m, const numbers &weight) {
  const admpi_view view = m.view_of();
  admpi::detail::check(admpi_varmat_seed(tape.handle(), &view, weight.data(), static_cast<std::int64_t>(weight.size()), 0));
}

numbers joined(const numbers &a, const numbers &b) {
  numbers all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

/// The values of y and the derivatives of its weighted sum, on the root.
struct outcome {
  numbers y, derivatives;
};

numbers values(const varmat &m) {
  numbers all;
  for (std::int64_t j = 0; j < m.cols(); ++j)
    for (std::int64_t i = 0; i < m.rows(); ++i) all.push_back(admpi::var(m(i, j)).value);
  return all;
}

outcome sequential(const sizes &s) {
  inputs in(s);
  recording_tape tape;
  tape.input(in.x);
  tape.input(in.a);
  tape.input(in.b);
  const varmat y = multiply(activation(multiply(in.x, in.a), s.relu), in.b);
  tape.stop();
  seed(tape, y, in.weight);
  tape.reverse();
  return {values(y), joined(adjoints(tape, in.x), joined(adjoints(tape, in.a), adjoints(tape, in.b)))};
}

/// A level of parallelism: its keys and the name of its variable.
struct level {
  bool by_rows;  // of the batch, or else by the hidden units
  std::string keys, variable;
};

/// The program on the devices of the levels from k on.
placed network(const pmap_ranks &p, const sizes &s, const std::vector<level> &levels, std::size_t k, const placed &x,
               const placed &a, const placed &b) {
  if (k == levels.size()) {
    const placed h = p.local([&](const varmat &u, const varmat &v) { return activation(multiply(u, v), s.relu); }, x, a);
    return p.local([](const varmat &u, const varmat &v) { return multiply(u, v); }, h, b);
  }
  const level &l = levels[k];
  const auto inner = [&](const std::vector<placed> &v) { return network(p, s, levels, k + 1, v[0], v[1], v[2]); };
  if (l.by_rows) {
    const placed ys = p.run(l.variable, {p.scatter(x, 0, l.keys), p.broadcast(a, l.keys), p.broadcast(b, l.keys)}, inner);
    return p.gather(ys, 0);
  }
  const placed ys = p.run(l.variable, {p.broadcast(x, l.keys), p.scatter(a, 1, l.keys), p.scatter(b, 0, l.keys)}, inner);
  // The root may be none of the devices: then the sum has to come to it.
  for (std::int64_t i = 0; i < ys.count(); ++i)
    if (ys.device(i) == p.home()) return p.select(p.allreduce(ys));
  return p.reduce(ys);
}

void check_program(const std::string &map, const sizes &s, const std::vector<level> &levels) {
  CAPTURE(map);
  const pmap_ranks p(test::world, device_map(map));
  inputs in(s);
  const outcome expected = sequential(s);
  recording_tape tape;
  if (rank() == 0) {
    tape.input(in.x);
    tape.input(in.a);
    tape.input(in.b);
  }
  // The communicators of the second time are those of the first.
  for (int time = 0; time < 2; ++time) {
    const placed y = p.program([&] {
      const auto of = [&](const varmat &m) { return p.place(0, [&] { return m; }); };
      return network(p, s, levels, 0, of(in.x), of(in.a), of(in.b));
    });
    CHECK(y.device() == 0);
    CHECK(y.here() == (rank() == 0));
    if (rank() == 0) {
      const numbers got = values(y.matrix());
      REQUIRE(got.size() == expected.y.size());
      for (std::size_t i = 0; i < got.size(); ++i) CHECK(test::close(got[i], expected.y[i], 1e-12));
      if (time == 0) seed(tape, y.matrix(), in.weight);
    }
  }
  tape.stop();
  tape.reverse();
  if (rank() == 0) {
    const numbers got = joined(adjoints(tape, in.x), joined(adjoints(tape, in.a), adjoints(tape, in.b)));
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(test::close(got[i], expected.derivatives[i], 1e-12));
  }
}

/// A map for as many ranks as there are, with at least two levels.
std::string usual_map() {
  switch (size()) {
    case 1: return "{0: [0]}";
    case 2: return "{0: [0], 1: [1]}";
    case 3: return "{1: [1, 0], 2: [2]}";
    case 5: return "{1: [1, 3], 2: [2, 4]}";
    default: return "{1: [1, 3, 5], 2: [2, 4, 6]}";
  }
}

constexpr bool rows = true, units = false;

}  // namespace

TEST_CASE("test_pmap_of_one_level") {
  for (const bool by : {rows, units}) {
    check_program(usual_map(), {}, {{by, "[]", "d"}});
    check_program(usual_map(), {7, 4, 5, 2, true}, {{by, "[]", "d"}});
  }
}

TEST_CASE("test_pmap_nested_both_ways") {
  for (const bool by : {rows, units})
    for (const bool relu : {false, true}) {
      check_program(usual_map(), {8, 4, 6, 2, relu}, {{by, "[]", "d"}, {!by, "[d]", "dd"}});
      check_program(usual_map(), {7, 4, 5, 2, relu}, {{by, "[]", "d"}, {!by, "[d]", "dd"}});
    }
  check_program(usual_map(), {1, 3, 1, 2, true}, {{rows, "[]", "d"}, {units, "[d]", "dd"}});
}

TEST_CASE("test_pmap_on_other_maps") {
  if (size() < 5) return;
  check_program("{0: {1: [1, 3], 2: [2, 4]}}", {}, {{rows, "[0]", "d"}, {units, "[0, d]", "dd"}});
  check_program("{1: [1, 3, 4], 2: [2]}", {7, 4, 5, 2, true}, {{rows, "[]", "d"}, {units, "[d]", "dd"}});
  check_program("{1: [1, 3, 4], 2: [2]}", {7, 4, 5, 2, true}, {{units, "[]", "d"}, {rows, "[d]", "dd"}});
  check_program("{1: {1: [1, 3], 4: [4]}, 2: {2: [2, 0]}}", {7, 4, 5, 2, true},
                {{rows, "[]", "d"}, {units, "[d]", "e"}, {rows, "[d, e]", "f"}});
  if (size() < 7) return;
  check_program("{1: {1: [1, 3, 4], 5: [5]}, 2: {2: [2, 6]}}", {7, 4, 5, 2, true},
                {{units, "[]", "d"}, {rows, "[d]", "e"}, {units, "[d, e]", "f"}});
}

TEST_CASE("test_pmap_with_named_devices") {
  const pmap_ranks p(test::world, device_map("[10]"), 10 + size() - 1, [] {
    admpi::devices all;
    for (int r = 0; r < size(); ++r) all.push_back(10 + r);
    return all;
  }());
  CHECK(p.here() == 10 + rank());
  const placed x = p.place(p.home(), [] { return varmat(2, 3, 1.5); });
  const placed xs = p.scatter(x, 1, "[]");
  CHECK(xs.count() == 1);
  CHECK(xs.device() == 10);
  CHECK(xs.here() == (rank() == 0));
}

TEST_CASE("test_pmap_copies_are_values_of_their_own") {
  const pmap_ranks p(test::world, device_map(size() == 1 ? "[0]" : "[0, 1]"));
  recording_tape tape;
  varmat own(2, 2, 3.0);
  if (rank() == 0) tape.input(own);
  const placed x = p.place(0, [&] { return own; });
  const placed xs = p.broadcast(x, "[]");
  const placed sums = p.allreduce(xs);
  tape.stop();
  if (rank() == 0) {
    // One sum is seeded; it has n copies of x.
    seed(tape, sums.matrix(0), {1.0, 2.0, 3.0, 4.0});
  }
  tape.reverse();
  if (rank() == 0) {
    const double n = size() == 1 ? 1.0 : 2.0;
    CHECK(adjoints(tape, own) == numbers{n, 2.0 * n, 3.0 * n, 4.0 * n});
    CHECK(adjoints(tape, xs.matrix(0)) == numbers(4, 0.0));
  }
}

namespace {

/// The message of the error that all ranks get from a program, and whose code is `code`.
template <class F>
std::string failure(const pmap_ranks &p, int code, F f) {
  try {
    p.program(f);
  } catch (const admpi::error &e) {
    CHECK(e.code() == code);
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("test_pmap_failures_reach_all_ranks_and_the_next_call_works") {
  const pmap_ranks p(test::world, device_map(usual_map()));
  const auto x = [&] { return p.place(0, [] { return varmat(6, 4, 1.0); }); };
  const auto works = [&] {
    const placed y = p.program([&] { return p.gather(p.run("d", {p.scatter(x(), 0, "[]")}, [](const auto &v) { return v[0]; }), 0); });
    if (rank() == 0) CHECK(y.matrix().rows() == 6);
  };
  const auto check = [&](int code, const std::string &text, auto f) {
    const std::string why = failure(p, code, f);
    CAPTURE(why);
    CHECK(contains(why, text));
    works();
  };
  works();
  check(ADMPI_ERR_NOKEY, "keys [9]", [&] { p.scatter(x(), 0, "[9]"); });
  check(ADMPI_ERR_UNBOUND, "the variable d", [&] { p.broadcast(x(), "[d]"); });
  check(ADMPI_ERR_SHAPE, "dim = 2", [&] { p.scatter(x(), 2, "[]"); });
  check(ADMPI_ERR_PLACEMENT, "one value is needed", [&] { p.scatter(p.scatter(x(), 0, "[]"), 0, "[]"); });
  check(ADMPI_ERR_PLACEMENT, "one on each device of a node is needed", [&] { p.gather(x(), 0); });
  check(ADMPI_ERR_PLACEMENT, "select: device 99", [&] { p.select(p.broadcast(x(), "[]"), 99); });
  check(ADMPI_ERR_ARITY, "so the body has no devices to run on", [&] { p.run("d", {}, [&](const auto &) { return x(); }); });
  check(ADMPI_ERR_ARITY, "outputs[0] NULL", [&] {
    p.gather(p.run("d", {p.broadcast(x(), "[]")}, [](const auto &) { return std::vector<placed>{}; }), 0);
  });
  // In the body of the last device of the node, on all its ranks or on one of them.
  const device last = p.broadcast(x(), "[]").device(p.broadcast(x(), "[]").count() - 1);
  check(ADMPI_ERR_CALLBACK, "the tank is empty", [&] {
    p.gather(p.run("d", {p.broadcast(x(), "[]")},
                   [&](const auto &v) {
                     if (p.home() == last) throw std::runtime_error("the tank is empty");
                     return v[0];
                   }),
             0);
  });
  check(ADMPI_ERR_DEPTH, "a list of devices", [&] {
    p.gather(p.run("d", {p.broadcast(x(), "[]")}, [&](const auto &v) { return p.broadcast(v[0], "[d, d, d]"); }), 0);
  });
  check(ADMPI_ERR_PLACEMENT, "one value is needed", [&] {
    p.reduce(p.run("d", {p.broadcast(x(), "[]")}, [&](const auto &v) { return p.broadcast(v[0], "[d]"); }));
  });
  // A rank gives up where the others of its body wait for it.
  for (device bad = 0; bad < size(); ++bad) {
    CAPTURE(bad);
    bool runs = false;
    const auto f = [&] {
      const placed ys = p.run("d", {p.broadcast(x(), "[]")}, [&](const auto &v) {
        if (p.here() == bad) throw std::runtime_error("the pump stands");
        const placed zs = p.run("dd", {p.broadcast(v[0], "[d]")}, [](const auto &w) { return w[0]; });
        return p.select(p.allreduce(zs));
      });
      runs = true;
      p.gather(ys, 0);
    };
    const std::string why = failure(p, ADMPI_ERR_CALLBACK, f);
    CHECK(runs);
    const bool in_a_body = size() < 4 ? !(size() == 3 && bad > 2) : bad != 0;
    CHECK((why != "no error") == in_a_body);
    if (in_a_body) CHECK(contains(why, "the pump stands"));
    works();
  }
}

TEST_CASE("test_pmap_failures_are_told_within_a_body_at_once") {
  if (size() < 5) return;
  const pmap_ranks p(test::world, device_map("{1: [1, 3], 2: [2, 4]}"));
  // Nobody asks for the results, and no rank ends its program before the others have.
  for (const device bad : {1, 3}) {
    bool told = false;
    const placed x = p.place(0, [] { return varmat(6, 4, 1.0); });
    p.run("d", {p.broadcast(x, "[]")}, [&](const auto &v) {
      if (p.here() == bad) throw std::runtime_error("the pump stands");
      try {
        return p.gather(p.broadcast(v[0], "[d]"), 0);
      } catch (const admpi::callback_error &e) {
        told = contains(e.what(), "the pump stands");
        return v[0];
      }
    });
    CHECK(told == (p.here() == 4 - bad));
    MPI_Barrier(test::world);
    p.program([] {});
  }
}

TEST_CASE("test_pmap_shapes_that_do_not_fit") {
  if (size() < 2) return;
  const pmap_ranks p(test::world, device_map(usual_map()));
  const auto differing = [&] {
    const placed x = p.place(0, [] { return varmat(3, 4, 1.0); });
    return p.run("d", {p.scatter(x, 0, "[]")}, [](const auto &v) { return v[0]; });
  };
  CHECK(contains(failure(p, ADMPI_ERR_SHAPE, [&] { p.allreduce(differing()); }), "allreduce: device"));
  CHECK(contains(failure(p, ADMPI_ERR_SHAPE, [&] { p.gather(differing(), 1); }), "gather: device"));
  CHECK(contains(failure(p, ADMPI_ERR_SHAPE, [&] { p.reduce(differing()); }), "reduce: device"));
}

TEST_CASE("test_pmap_ranks_that_differ_are_told") {
  if (size() < 3) return;
  const pmap_ranks p(test::world, device_map("[0, 1, 2]"));
  const auto x = [&] { return p.place(0, [] { return varmat(3, 4, 1.0); }); };
  CHECK(contains(failure(p, ADMPI_ERR_MISMATCH, [&] { p.scatter(x(), rank() == 1 ? 1 : 0, "[]"); }), "different"));
  CHECK(failure(p, 0, [&] { p.scatter(x(), 0, "[]"); }) == "no error");
  CHECK(test::code_of([] { pmap_ranks(test::world, device_map(rank() == 1 ? "[1]" : "[0, 1]")); }) == ADMPI_ERR_MISMATCH);
}

TEST_CASE("test_pmap_devices_must_be_ranks") {
  CHECK(contains(test::message<admpi::rankmap_error>([] { pmap_ranks(test::world, device_map("[99]")); }), "device 99"));
  if (size() < 2) return;
  admpi::devices all(static_cast<std::size_t>(size()), 0);
  CHECK(contains(test::message<admpi::rankmap_error>([&] { pmap_ranks(test::world, device_map("[0]"), 0, all); }),
                 "both rank 0 and rank 1"));
}

TEST_CASE("test_pmap_sibling_branches_never_wait_for_each_other") {
  if (size() < 5) return;
  const pmap_ranks p(test::world, device_map("{1: [1, 3], 2: [2, 4]}"));
  // The branch of device 2 stands still until the other one has made its communicator and is done with it.
  for (int time = 0; time < 2; ++time) {
    const placed y = p.program([&] {
      const placed xs = p.scatter(p.place(0, [] { return varmat(4, 2, 1.5); }), 0, "[]");
      const placed ys = p.run("d", {xs}, [&](const auto &v) {
        if (p.home() == 2) MPI_Recv(nullptr, 0, MPI_BYTE, rank() - 1, 7, test::world, MPI_STATUS_IGNORE);
        const placed zs = p.run("dd", {p.broadcast(v[0], "[d]")}, [](const auto &w) { return w[0]; });
        const placed sum = p.select(p.allreduce(zs));
        if (p.home() == 1) MPI_Send(nullptr, 0, MPI_BYTE, rank() + 1, 7, test::world);
        return sum;
      });
      return p.gather(ys, 0);
    });
    if (rank() == 0) CHECK(values(y.matrix()) == numbers(8, 3.0));
  }
}

TEST_CASE("test_pmap_iterations_keep_to_their_devices") {
  if (size() < 5) return;
  const pmap_ranks p(test::world, device_map("{1: [1, 3], 2: [2, 4]}"));
  const auto x = [&] { return p.place(0, [] { return varmat(4, 4, 1.0); }); };
  CHECK(contains(failure(p, ADMPI_ERR_OVERLAP,
                         [&] {
                           p.gather(p.run("d", {p.broadcast(x(), "[]")},
                                          [&](const auto &v) { return p.gather(p.scatter(v[0], 0, "[]"), 0); }),
                                    0);
                         }),
                 "keys []"));
}
