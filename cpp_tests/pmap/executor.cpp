// Programs as texts on ranks: values, derivatives and what is sent are those of the sequential program and of the simulation.
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "pmap/problem.hpp"

using admpi::device_map;
using admpi::multiply;
using admpi::placed;
using admpi::pmap_program;
using admpi::pmap_ranks;
using admpi::varmat;
using test::rank;
using test::size;

using test::check_program;
using test::compare;
using test::matrices;
using test::problem;
using test::values;

namespace {

/// y = f(x wA) wB.
problem network(bool relu = false, std::int64_t B = 8, std::int64_t H = 6) {
  std::string text = "def network(x: Tensor[(B, F), 0], wA: Tensor[(F, H), 0], wB: Tensor[(H, C), 0]):\n    a = MatMul(x, wA)\n";
  text += relu ? "    h = ReLU(a)\n    y = MatMul(h, wB)\n" : "    y = MatMul(a, wB)\n";
  const auto same = [relu](const matrices &m) {
    varmat a = multiply(m[0], m[1]);
    if (relu) a = 0.5 * (a + abs(a));
    return multiply(a, m[2]);
  };
  return {text + "    return y\n", same, {{B, 4}, {4, H}, {H, 2}}, "B=" + std::to_string(B) + ", F=4, H=" + std::to_string(H) + ", C=2"};
}

/// A level of parallelism: which preset, and its keys.
struct level {
  bool by_rows;
  std::string scope, keys;
};
constexpr bool rows = true, units = false;

pmap_program sharded(const problem &of, const std::vector<level> &levels, bool reduce = false) {
  pmap_program program(of.text);
  for (const level &l : levels) {
    program = l.by_rows ? program.data_parallel(l.scope, l.keys, {"x"}) : program.horizontal_parallel(l.scope, l.keys, reduce);
    reduce = false;
  }
  return program;
}

/// The softmax loss of a network of three layers; o and c are columns of ones.
problem classifier() {
  const std::string text = R"(
def loss(x: Tensor[(B, F), 0], t: Tensor[(B, C), 0], o: Tensor[(B, 1), 0], w1: Tensor[(F, H), 0], b1: Tensor[(1, H), 0],
         w2: Tensor[(H, G), 0], b2: Tensor[(1, G), 0], w3: Tensor[(G, C), 0], c: Tensor[(C, 1), 0]):
    a1 = MatMul(x, w1)
    s1 = MatMul(o, b1)
    z1 = Add(a1, s1)
    h1 = Tanh(z1)
    u = MatMul(h1, w2)
    s2 = MatMul(o, b2)
    z2 = Add(u, s2)
    h2 = ReLU(z2)
    z = MatMul(h2, w3)
    e = Exp(z)
    n = MatMul(e, c)
    l = Log(n)
    all = Sum(l)
    zt = Multiply(z, t)
    right = Sum(zt)
    y = Subtract(all, right)
    return y
)";
  const auto same = [](const matrices &m) {
    const varmat h1 = tanh(multiply(m[0], m[3]) + multiply(m[2], m[4]));
    const varmat z2 = multiply(h1, m[5]) + multiply(m[2], m[6]);
    const varmat h2 = 0.5 * (z2 + abs(z2));
    const varmat z = multiply(h2, m[7]);
    const varmat l = log(multiply(exp(z), m[8]));
    const varmat zt = elt_multiply(z, m[1]);
    varmat y(1, 1);
    y(0, 0) = sum(l) - sum(zt);
    return y;
  };
  // Positive, so that the sum of exponentials has a logarithm whatever the weights of the sum are.
  return {text, same, {{7, 4}, {7, 3}, {7, 1}, {4, 5}, {1, 5}, {5, 4}, {1, 4}, {4, 3}, {3, 1}}, "B=7, F=4, H=5, G=4, C=3", 1.1};
}

/// Ridge regression by its normal equations.
problem ridge() {
  const std::string text = R"(
def ridge(x: Tensor[(N, K), 0], t: Tensor[(N, 1), 0], r: Tensor[(K, K), 0]):
    xt = Transpose(x)
    g = MatMul(xt, x)
    v = MatMul(xt, t)
    s = Add(g, r)
    y = Solve(s, v)
    return y
)";
  const auto same = [](const matrices &m) {
    const varmat g = multiply(m[0].transpose(), m[0]) + m[2];
    return varmat(solve(g, multiply(m[0].transpose(), m[1])));
  };
  return {text, same, {{9, 3}, {9, 1}, {3, 3}}, "N=9, K=3"};
}

/// Every function that works element by element.
problem elementwise() {
  const std::string text = R"(
def functions(x: Tensor[(B, F), 0]):
    a = Exp(x)
    b = Log(x)
    c = Tanh(x)
    d = Sin(x)
    e = Cos(x)
    f = Sqrt(x)
    g = Square(x)
    h = Negate(x)
    i = ReLU(x)
    ab = Multiply(a, b)
    cd = Multiply(c, d)
    ef = Multiply(e, f)
    gh = Multiply(g, h)
    p = Add(ab, cd)
    q = Subtract(ef, gh)
    r = Subtract(p, q)
    y = Add(r, i)
    return y
)";
  const auto same = [](const matrices &m) {
    const varmat &x = m[0];
    return varmat(elt_multiply(exp(x), log(x)) + elt_multiply(tanh(x), sin(x)) -
                  (elt_multiply(cos(x), sqrt(x)) - elt_multiply(square(x), -x)) + x);
  };
  return {text, same, {{5, 3}}, "B=5, F=3", 1.5};
}

/// A list of all ranks, or of all but the root.
std::string all_ranks(int from = 0) {
  std::string list = "[";
  for (int r = from; r < size(); ++r) list += (r == from ? "" : ", ") + std::to_string(r);
  return list + "]";
}

}  // namespace

TEST_CASE("test_executor_the_example_of_the_design") {
  if (size() < 5) return;
  const problem of = network();
  const pmap_program program = sharded(of, {{rows, "[]", "[]"}, {units, "[d]", "[d]"}});
  check_program(of, program, "{1: [1, 3], 2: [2, 4]}");
  // What the design counts by hand.
  const pmap_ranks p(test::world, device_map("{1: [1, 3], 2: [2, 4]}"));
  const test::traffic seen = test::traffic_of([&] { p.execute(program, of.inputs()); });
  const std::int64_t sent[] = {832, 400, 400, 64, 64}, received[] = {128, 480, 480, 336, 336};
  CHECK(seen.sent == (rank() < 5 ? sent[rank()] : 0));
  CHECK(seen.received == (rank() < 5 ? received[rank()] : 0));
}

TEST_CASE("test_executor_of_one_level") {
  for (const bool relu : {false, true}) {
    check_program(network(relu), pmap_program(network(relu).text), "[0]");
    for (const bool by : {rows, units}) {
      check_program(network(relu), sharded(network(relu), {{by, "[]", "[]"}}), all_ranks());
      check_program(network(relu, 7, 5), sharded(network(relu), {{by, "[]", "[]"}}), all_ranks());
      if (size() > 1) check_program(network(relu), sharded(network(relu), {{by, "[]", "[]"}}, true), all_ranks(1));
    }
  }
}

TEST_CASE("test_executor_nested") {
  if (size() < 5) return;
  const std::string map = "{1: [1, 3], 2: [2, 4]}";
  for (const bool relu : {false, true}) {
    check_program(network(relu), sharded(network(relu), {{rows, "[]", "[]"}, {units, "[d]", "[d]"}}), map);
    check_program(network(relu, 7, 5), sharded(network(relu), {{rows, "[]", "[]"}, {units, "[d]", "[d]"}}), map);
    check_program(network(relu), sharded(network(relu), {{units, "[]", "[]"}, {rows, "[d]", "[d]"}}, true), map);
    const problem ragged = network(relu, 7, 5);
    check_program(ragged, sharded(ragged, {{rows, "[]", "[]"}, {units, "[d]", "[d]"}}), "{1: [1, 3, 4], 2: [2]}");
    check_program(ragged, sharded(ragged, {{units, "[]", "[]"}, {rows, "[d]", "[d]"}}, true), "{1: [1, 3, 4], 2: [2]}");
    check_program(ragged, sharded(ragged, {{rows, "[]", "[0]"}, {units, "[d]", "[0, d]"}}), "{0: {1: [1, 3], 2: [2, 4]}}");
    const auto three = sharded(ragged, {{rows, "[]", "[]"}, {units, "[d]", "[d]"}, {rows, "[d, dd]", "[d, dd]"}});
    check_program(ragged, three, "{1: {1: [1, 3], 4: [4]}, 2: {2: [2, 0]}}");
  }
}

TEST_CASE("test_executor_transforms_from_the_inside") {
  if (size() < 5) return;
  const problem of = network(true, 7, 5);
  // The node below moves when the body around it is sharded later.
  const auto program = pmap_program(of.text).horizontal_parallel("[]", "[]", true).data_parallel("[]", "[]", {"x"});
  check_program(of, program, "{1: [1, 3], 2: [2, 4]}");
}

TEST_CASE("test_executor_every_operation") {
  const problem f = elementwise(), r = ridge(), c = classifier();
  check_program(f, pmap_program(f.text), "[0]");
  check_program(f, sharded(f, {{rows, "[]", "[]"}}), all_ranks());
  check_program(f, pmap_program(f.text).shard("[]", "[]", "x=1"), all_ranks());
  check_program(r, pmap_program(r.text), "[0]");
  check_program(r, pmap_program(r.text).shard_until("[]", "[]", "x=0, t=0", "[g, v]"), all_ranks());
  check_program(c, pmap_program(c.text), "[0]");
  check_program(c, pmap_program(c.text).data_parallel("[]", "[]", {"x", "t", "o"}), all_ranks());
  check_program(c, pmap_program(c.text).shard_until("[]", "[]", "w1=1, b1=1, w2=0", "[u]"), all_ranks());
  if (size() < 5) return;
  const auto both = pmap_program(c.text).data_parallel("[]", "[]", {"x", "t", "o"});
  check_program(c, both.shard_until("[d]", "[d]", "w1=1, b1=1, w2=0", "[u]"), "{0: [0, 3], 2: [2, 1]}");
}

TEST_CASE("test_executor_sends") {
  if (size() < 2) return;
  const std::string text = R"(
def relay(x: Tensor[(B, F), 0]):
    a = send(x, to_device=1)
    b = Exp(a)
    c = send(b, to_device=0)
    d = send(x, to_device=0)
    y = Multiply(c, d)
    return y
)";
  const auto same = [](const matrices &m) { return varmat(elt_multiply(exp(m[0]), m[0])); };
  check_program({text, same, {{3, 2}}, "B=3, F=2"}, pmap_program(text), "[0, 1]");
}

namespace {

/// The error of an execution, the same on all ranks; and the next one works.
std::string failure(const pmap_ranks &p, int code, const pmap_program &program, const matrices &in) {
  const problem good = network();
  const auto works = [&] {
    const auto y = p.execute(pmap_program(good.text), good.inputs());
    if (rank() == 0) compare(values(y[0].matrix()), values(good.same(good.inputs())));
  };
  std::string why = "no error";
  for (int time = 0; time < 2; ++time) {
    CHECK(test::code_of([&] { p.execute(program, in); }) == code);
    try {
      p.execute(program, in);
    } catch (const admpi::error &e) {
      why = e.what();
    }
    works();
  }
  return why;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("test_executor_failures") {
  const pmap_ranks p(test::world, device_map(all_ranks()));
  const problem of = network();
  const pmap_program program = sharded(of, {{rows, "[]", "[]"}});
  matrices in = of.inputs();
  const auto check = [&](int code, const std::string &text, const pmap_program &bad, const matrices &given) {
    const std::string why = failure(p, code, bad, given);
    CAPTURE(why);
    CHECK(contains(why, text));
  };
  check(ADMPI_ERR_ARITY, "network has 3 inputs, not 2", program, {in[0], in[1]});
  check(ADMPI_ERR_SHAPE, "wB is 8 x 4, not (H, C): H is 6 in wA", program, {in[0], in[1], in[0]});
  check(ADMPI_ERR_SHAPE, "x is 8 x 4, not (3, F)", pmap_program("def f(x: Tensor[(3, F), 0]):\n    return x\n"), {in[0]});
  check(ADMPI_ERR_DEPTH, "[0, 0]", pmap_program(of.text).data_parallel("[]", "[0, 0]", {"x"}), in);
  check(ADMPI_ERR_PLACEMENT, "the root of f is device 3", pmap_program("def f(x: Tensor[(B, F), 3]):\n    return x\n"), {in[0]});
  std::string many = "def f(x0: Tensor[(B, F), 0]";
  for (int k = 1; k < 129; ++k) many += ", x" + std::to_string(k) + ": Tensor[(B, F), 0]";
  check(ADMPI_ERR_LIMIT, "f has 129 inputs, more than 128", pmap_program(many + "):\n    return x0\n"), matrices(129, in[0]));
  // Ranks that built different functions, of which some have run before.
  p.execute(program, in);
  for (int odd = 0; size() > 1 && odd < size(); odd += size() - 1) {
    check(ADMPI_ERR_MISMATCH, "ranks have different functions", rank() == odd ? pmap_program(of.text) : program, in);
    check(ADMPI_ERR_MISMATCH, "ranks have different functions", pmap_program(rank() == odd ? network(true).text : of.text), in);
  }
  // What only the numbers tell, on one rank or on all of them.
  const problem r = ridge();
  matrices bad = r.inputs();
  bad[2] = -1.0 * multiply(bad[0].transpose(), bad[0]);
  check(ADMPI_ERR_ARGUMENT, "y = Solve(s, v): ", pmap_program(r.text), bad);
  const pmap_program columns("def f(a: Tensor[(N, N), 0], b: Tensor[(N, M), 0]):\n    y = Solve(a, b)\n    return y\n");
  check(ADMPI_ERR_ARGUMENT, "Solve(a, b)", columns.shard("[]", "[]", "b=1"), {varmat(3, 3, 1.0), varmat(3, 7, 1.0)});
  // Within a body.
  const placed x = p.place(0, [&] { return in[0]; });
  CHECK(test::code_of([&] {
          p.program([&] {
            p.gather(p.run("d", {p.scatter(x, 0, "[]")},
                           [&](const auto &v) { return p.execute(pmap_program("def f(x: Tensor[(B, F), 0]):\n    return x\n"), v)[0]; }),
                     0);
          });
        }) == ADMPI_ERR_PLACEMENT);
}

TEST_CASE("test_executor_maps_that_overlap_a_body") {
  if (size() < 5) return;
  const pmap_ranks p(test::world, device_map("{1: [1, 3], 2: [2, 4]}"));
  const problem of = network();
  const std::string text = R"(
def crossing(x: Tensor[(B, F), 0]):
    xs = scatter(x, dim=0, device_keys=[])
    ys = pmap(lambda d: lambda (v): {
        vs = broadcast(v, device_keys=[1])
        w = select(vs, device=d)
        return w
    }, (xs,))
    y = gather(ys, dim=0, to_device=0)
    return y
)";
  CHECK(contains(failure(p, ADMPI_ERR_OVERLAP, pmap_program(text), {of.inputs()[0]}), "keys [1]"));
  CHECK(contains(failure(p, ADMPI_ERR_NOKEY, pmap_program(of.text).data_parallel("[]", "[7]", {"x"}), of.inputs()), "[7]"));
}

namespace {

/// What the ranks can do, measured once.
const admpi_pmap_topology &calibrated() {
  static const admpi_pmap_topology found = [] {
    admpi_pmap_topology made = {};
    admpi::detail::check(admpi_pmap_calibrate(test::world, &made));
    return made;
  }();
  return found;
}

}  // namespace

TEST_CASE("test_executor_calibrates") {
  const admpi_pmap_topology found = calibrated();
  for (const double x : {found.flops, found.bandwidth, found.launch, found.alpha, found.beta}) {
    CHECK(x > 0.0);
    CHECK(std::isfinite(x));
  }
  CHECK(found.agreement > 0.0);
  CHECK(found.cores >= 0.0);
  for (const auto &curve : found.measured) {
    // One rank sends nothing.
    const bool moves = &curve - found.measured >= 16;
    CHECK((curve[0] > 0.0) == (size() > 1 || !moves));
    for (int k = 1; k < 4; ++k) CHECK(curve[k] >= curve[k - 1]);
  }
  // The same on all ranks.
  double first = found.flops;
  MPI_Bcast(&first, 1, MPI_DOUBLE, 0, test::world);
  CHECK(first == found.flops);
  CHECK(admpi_pmap_calibrate(test::world, nullptr) == ADMPI_ERR_NULL);
}

TEST_CASE("test_executor_calibrated_products_take_what_products_take") {
  const admpi_pmap_topology found = calibrated();
  const pmap_program product("def f(x: Tensor[(N, K), 0], w: Tensor[(K, M), 0]):\n    y = MatMul(x, w)\n    return y\n");
  // None of them is what the calibration multiplies.
  const std::int64_t shapes[][3] = {{150, 150, 150}, {300, 60, 200}, {200, 300, 20}};
  for (const auto &[n, k, m] : shapes) {
    const varmat x(n, k, 0.5), w(k, m, 0.5);
    double fastest = 1e300;
    for (int time = 0; time < 40; ++time) {
      const double begin = MPI_Wtime();
      multiply(x, w);
      fastest = std::min(fastest, MPI_Wtime() - begin);
    }
    const std::string sizes = "N=" + std::to_string(n) + ", K=" + std::to_string(k) + ", M=" + std::to_string(m);
    const double predicted = product.simulate(sizes, device_map("[0]"), &found).makespan() - 2.0 * found.agreement;
    CAPTURE(sizes);
    CAPTURE(fastest);
    CAPTURE(predicted);
    // The machine may be busy with one of both.
    if (rank() == 0) CHECK(predicted < 4.0 * fastest);
    if (rank() == 0) CHECK(fastest < 4.0 * predicted);
  }
}
