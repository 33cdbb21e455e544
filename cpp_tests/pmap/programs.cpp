// Functions on devices as data: text, transforms, and simulations.
#include <admpi.hpp>
#include <admpi/pmap.hpp>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::device_map;
using admpi::pmap_program;
using admpi::pmap_simulation;
using test::code_of;
using test::message;

namespace {

const char network[] = R"(def network(x: Tensor[(B, F), 0], wA: Tensor[(F, H), 0], wB: Tensor[(H, C), 0]):
    a: Tensor[(B, H), 0] = MatMul(x, wA)
    y: Tensor[(B, C), 0] = MatMul(a, wB)
    return y
)";
const char sizes[] = "B=8, F=4, H=6, C=2";

admpi_pmap_topology topology(double launch, double alpha, double beta, double memory = 0.0) {
  admpi_pmap_topology made = {};
  made.flops = 1e9;
  made.bandwidth = 1e10;
  made.launch = launch;
  made.alpha = alpha;
  made.beta = beta;
  made.memory = memory;
  return made;
}

pmap_program nested() { return pmap_program(network).data_parallel("[]", "[]", {"x"}).horizontal_parallel("[d]", "[d]"); }

}  // namespace

TEST_CASE("test_pmap_program_is_a_text") {
  CHECK(pmap_program(network).text() == network);
  const std::string text = nested().text();
  CHECK(pmap_program(text).text() == text);
  CHECK(text.find("wAs: Tuple[Tensor[(F, H/#[d]), ?], ...] = scatter(wA, dim=1, device_keys=[d])") != std::string::npos);
}

TEST_CASE("test_pmap_program_costs_what_the_design_says") {
  const device_map map("{1: [1, 3], 2: [2, 4]}");
  const pmap_simulation found = nested().simulate(sizes, map);
  const auto check = [&](admpi::device d, std::int64_t sent, std::int64_t received, std::int64_t flops) {
    CAPTURE(d);
    const admpi_pmap_account account = found.account(d);
    CHECK(account.sent == sent);
    CHECK(account.received == received);
    CHECK(account.flops == flops);
    CHECK(account.peak > 0);
    CHECK(account.end <= found.makespan());
  };
  check(0, 832, 128, 0);
  check(1, 400, 480, 144);
  check(2, 400, 480, 144);
  check(3, 64, 336, 144);
  check(4, 64, 336, 144);
  // By hand: its inputs, copies and parts, and what is made of them, at the moment at which most of it is there.
  const std::int64_t x = 8 * 8 * 4, wA = 8 * 4 * 6, wB = 8 * 6 * 2, a = 8 * 4 * 3, y = 8 * 4 * 2;
  CHECK(found.account(0).peak == x + wA + wB + 2 * y);
  for (const admpi::device d : {1, 2}) CHECK(found.account(d).peak == x / 2 + wA + wB + x / 2 + wA / 2 + wB / 2 + a + y);
  for (const admpi::device d : {3, 4}) CHECK(found.account(d).peak == x / 2 + wA / 2 + wB / 2 + a + y);
  const std::string table = found.table();
  for (const char *column : {"device", "busy", "idle", "sent", "received", "peak"}) CHECK(table.find(column) != std::string::npos);
  // A line of the drawing: the device waits, moves values, multiplies.
  const std::size_t line = table.find("       3 |");
  REQUIRE(line != std::string::npos);
  for (const char letter : {'.', 'b', 's', 'M', 'a'}) CHECK(table.substr(line, 84).find(letter) != std::string::npos);
  CHECK(found.table().find("d=2, dd=4") != std::string::npos);
  CHECK(found.trace().find("\"name\":\"allreduce\",\"ph\":\"X\"") != std::string::npos);
  // A slower line takes longer; the rest stays.
  const admpi_pmap_topology slow = topology(1e-6, 1e-3, 1e-9);
  const pmap_simulation other = nested().simulate(sizes, map, &slow);
  CHECK(other.makespan() > 10.0 * found.makespan());
  CHECK(other.account(1).sent == 400);
}

TEST_CASE("test_pmap_program_refusals") {
  const pmap_program program(network);
  const device_map map("{1: [1, 3], 2: [2, 4]}");
  CHECK(code_of([] { pmap_program("def f("); }) == ADMPI_ERR_ARGUMENT);
  CHECK(message<admpi::sharding_error>([&] { program.data_parallel("[]", "[]", {"wA"}); })
            .find("a = MatMul(x, wA) cannot be sharded: x is replicated, wA is split along dim 0") == 0);
  CHECK(message<admpi::scope_error>([&] { program.horizontal_parallel("[d]", "[]"); }) ==
        "scope: no pmap here binds the variable d; there are []");
  CHECK(code_of([&] { program.shard("[1]", "[]", "x=0"); }) == ADMPI_ERR_SCOPE);
  CHECK(code_of([&] { program.shard("[]", "[]", "q=0"); }) == ADMPI_ERR_SCOPE);
  CHECK(code_of([&] { program.shard("[]", "[]", "x=2"); }) == ADMPI_ERR_SHAPE);
  CHECK(code_of([&] { program.shard("[]", "[e]", "x=0"); }) == ADMPI_ERR_UNBOUND);
  CHECK(code_of([&] { nested().simulate(sizes, device_map("[1, 2]")); }) == ADMPI_ERR_DEPTH);
  CHECK(code_of([&] { nested().simulate("B=8", map); }) == ADMPI_ERR_SHAPE);
  const admpi_pmap_topology small = topology(1e-6, 1e-6, 1e-9, 400.0);
  CHECK(message<admpi::memcap_error>([&] { nested().simulate(sizes, map, &small); }).find("device 0: ") == 0);
  CHECK(code_of([&] { nested().simulate(sizes, map).account(9); }) == ADMPI_ERR_BADDEV);
}

TEST_CASE("test_pmap_program_sharded_up_to_some_values") {
  const std::string text = R"(def ridge(x: Tensor[(N, K), 0], t: Tensor[(N, 1), 0], r: Tensor[(K, K), 0]):
    xt = Transpose(x)
    g = MatMul(xt, x)
    v = MatMul(xt, t)
    s = Add(g, r)
    y = Solve(s, v)
    return y
)";
  const pmap_program ridge(text);
  CHECK(ridge.inputs() == 3);
  CHECK(ridge.values() == 1);
  // A sum of a part and a whole is refused, so the parts are added up first.
  CHECK(code_of([&] { ridge.shard("[]", "[]", "x=0, t=0"); }) == ADMPI_ERR_SHARDING);
  const std::string part = ridge.shard_until("[]", "[]", "x=0, t=0", "[g, v]").text();
  CHECK(part.find("g: Tensor[(K, K), 0] = select(gs_sum, device=0)") != std::string::npos);
  CHECK(part.find("    s: Tensor[(K, K), 0] = Add(g, r)\n") != std::string::npos);
  CHECK(pmap_program(part).text() == part);
  CHECK(message<admpi::scope_error>([&] { ridge.shard_until("[]", "[]", "x=0, t=0", "[g]"); })
            .find("xt is made before") != std::string::npos);
  CHECK(message<admpi::scope_error>([&] { ridge.shard_until("[]", "[]", "x=0", "[x]"); }) == "until: no operation of this body makes x");
}

TEST_CASE("test_pmap_program_plans") {
  const pmap_program program(network);
  const admpi_pmap_topology dear = topology(1e-6, 1.0, 1e-9), free = topology(0.0, 0.0, 0.0);
  CHECK(program.plan(sizes, {1, 2, 3, 4}, {"x"}, &dear).first.text() == network);
  const auto plan = program.plan("B=64, F=64, H=64, C=64", {1, 2, 3, 4}, {"x"}, &free);
  const double seconds = plan.first.simulate("B=64, F=64, H=64, C=64", plan.second, &free).makespan();
  CHECK(seconds < 0.3 * program.simulate("B=64, F=64, H=64, C=64", plan.second, &free).makespan());
  CHECK(code_of([&] { program.plan(sizes, {}, {}); }) == ADMPI_ERR_EMPTY);
  // The reasons: the device 0, with the root, is among these, and the fastest of the lines is the plan.
  const std::string why = program.plan_table("B=64, F=64, H=64, C=64", {0, 1, 2, 3}, {"x"}, &free);
  for (const char *way : {"as it is", "data-parallel ", "horizontal ", "data-parallel, then horizontal", "horizontal, then data-parallel"})
    CHECK(why.find(way) != std::string::npos);
  CHECK(program.plan_table(sizes, {0, 1}, {"wA"}).find("none  data-parallel") != std::string::npos);
  CHECK(program.plan_table(sizes, {0, 1}, {"wA"}).find("cannot be sharded") != std::string::npos);
  CHECK(code_of([&] { program.plan_table(sizes, {}, {}); }) == ADMPI_ERR_EMPTY);
}
