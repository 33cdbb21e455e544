//! Functions: as text, transformed, and simulated on the example of the design.

use super::*;
use crate::error::{Code, Error};

const NETWORK: &str =
    "def network(x: Tensor[(B, F), 0], wA: Tensor[(F, H), 0], wB: Tensor[(H, C), 0]):
    a: Tensor[(B, H), 0] = MatMul(x, wA)
    y: Tensor[(B, C), 0] = MatMul(a, wB)
    return y
";
const SIZES: &str = "B=8, F=4, H=6, C=2";

fn keys(text: &str) -> Keys {
    Keys::parse(text).unwrap()
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|&name| name.to_owned()).collect()
}

fn seed_example() -> Function {
    let function = Function::parse(NETWORK).unwrap();
    let parallel = function.data_parallel(&[], &keys("[]"), &names(&["x"])).unwrap();
    parallel.horizontal_parallel(&names(&["d"]), &keys("[d]"), false).unwrap()
}

fn simulated(function: &Function, sizes: &str, map: &str) -> Simulation {
    function.simulate(sizes, &DeviceMap::parse(map).unwrap(), Topology::default()).unwrap()
}

#[test]
fn functions_are_read_and_written() {
    let function = Function::parse(NETWORK).unwrap();
    assert_eq!(function.print().unwrap(), NETWORK);
    let text = seed_example().print().unwrap();
    assert_eq!(Function::parse(&text).unwrap().print().unwrap(), text);
    for line in [
        "    xs: Tuple[Tensor[(B/#[], F), ?], ...] = scatter(x, dim=0, device_keys=[])\n",
        "        lambda d:\n",
        "            xs: Tuple[Tensor[(B/#[], F), ?], ...] = broadcast(x, device_keys=[d])\n",
        "            wAs: Tuple[Tensor[(F, H/#[d]), ?], ...] = scatter(wA, dim=1, device_keys=[d])\n",
        "                    a: Tensor[(B/#[], H/#[d]), dd] = MatMul(x, wA)\n",
        "            ys_sum: Tuple[Tensor[(B/#[], C), ?], ...] = allreduce(ys)\n",
        "            y: Tensor[(B/#[], C), d] = select(ys_sum, device=d)\n",
        "    y: Tensor[(B, C), 0] = gather(ys, dim=0, to_device=0)\n",
    ] {
        assert!(text.contains(line.trim_start()), "{line} is not in\n{text}");
    }
}

/// Values and pieces of the rows of an environment.
fn pieces(simulation: &Simulation, bound: &str) -> Vec<String> {
    let rows = simulation.rows.iter().filter(|row| row.bound == bound);
    rows.filter(|row| row.operation != "parameter")
        .map(|row| {
            let all = row.pieces.iter().map(|(device, [m, n])| format!("({m},{n})@{device}"));
            format!("{} {}", row.operation, all.collect::<Vec<_>>().join(" "))
        })
        .collect()
}

#[test]
fn the_example_is_placed_as_in_its_table() {
    let found = simulated(&seed_example(), SIZES, "{1: [1, 3], 2: [2, 4]}");
    assert_eq!(
        pieces(&found, ""),
        [
            "scatter (4,4)@1 (4,4)@2",
            "broadcast (4,6)@1 (4,6)@2",
            "broadcast (6,2)@1 (6,2)@2",
            "pmap (4,2)@1 (4,2)@2",
            "gather (8,2)@0",
        ]
    );
    for (bound, devices) in [("d=1", [1, 3]), ("d=2", [2, 4])] {
        let [a, b] = devices;
        assert_eq!(
            pieces(&found, bound),
            [
                format!("broadcast (4,4)@{a} (4,4)@{b}"),
                format!("scatter (4,3)@{a} (4,3)@{b}"),
                format!("scatter (3,2)@{a} (3,2)@{b}"),
                format!("pmap (4,2)@{a} (4,2)@{b}"),
                format!("allreduce (4,2)@{a} (4,2)@{b}"),
                format!("select (4,2)@{a}"),
            ]
        );
        for device in devices {
            let inner = pieces(&found, &format!("{bound}, dd={device}"));
            assert_eq!(inner, [format!("MatMul (4,3)@{device}"), format!("MatMul (4,2)@{device}")]);
        }
    }
    let account = |device| {
        let Account { sent, received, flops, .. } = found.accounts[&device];
        (sent, received, flops)
    };
    assert_eq!(account(0), (832, 128, 0));
    for device in [1, 2] {
        assert_eq!(account(device), (400, 480, 144));
    }
    for device in [3, 4] {
        assert_eq!(account(device), (64, 336, 144));
        // Its inputs 272, a 96, y 64.
        assert_eq!(found.accounts[&device].peak, 432);
    }
    assert!(found.makespan > 0.0);
    assert!(found.table().contains("d=1, dd=3"));
    assert!(found.trace().starts_with("{\"traceEvents\":[\n{\"name\":\"scatter\""));
}

#[test]
fn extents_need_not_divide_evenly() {
    let found = simulated(&seed_example(), "B=7, F=4, H=5, C=2", "{1: [1, 3, 4], 2: [2]}");
    assert_eq!(pieces(&found, "")[0], "scatter (4,4)@1 (3,4)@2");
    assert_eq!(pieces(&found, "d=1")[1], "scatter (4,2)@1 (4,2)@3 (4,1)@4");
    assert_eq!(pieces(&found, "")[4], "gather (7,2)@0");
    let sent: u64 = found.accounts.values().map(|account| account.sent).sum();
    let received: u64 = found.accounts.values().map(|account| account.received).sum();
    assert_eq!(sent, received);
}

#[test]
fn transforms_compose_in_any_order() {
    let function = Function::parse(NETWORK).unwrap();
    let horizontal = function.horizontal_parallel(&[], &keys("[]"), true).unwrap();
    let inside = horizontal.data_parallel(&names(&["d"]), &keys("[d]"), &names(&["x"])).unwrap();
    let found = simulated(&inside, SIZES, "{1: [1, 3], 2: [2, 4]}");
    assert_eq!(found.accounts[&4].flops, 144);
    // Around what is parallel already: its nodes move below.
    let around = horizontal.data_parallel(&[], &keys("[]"), &names(&["x"])).unwrap();
    let found = simulated(&around, SIZES, "{1: [1, 3], 2: [2, 4]}");
    assert_eq!(found.accounts[&4].flops, 144);
    assert_eq!(pieces(&found, "").last().unwrap(), "gather (8,2)@0");
    let rooted = function.data_parallel(&[], &keys("[0]"), &names(&["x"])).unwrap();
    let rooted = rooted.horizontal_parallel(&names(&["d"]), &keys("[0, d]"), false).unwrap();
    let found = simulated(&rooted, SIZES, "{0: {1: [1, 3], 2: [2, 4]}}");
    assert_eq!(found.accounts[&0].sent, 832);
    let three =
        inside.data_parallel(&names(&["d", "dd"]), &keys("[d, dd]"), &names(&["x"])).unwrap();
    simulated(&three, SIZES, "{1: {1: [1, 5], 3: [3]}, 2: {2: [2], 4: [4, 6]}}");
}

fn code<T>(result: Result<T, Error>) -> (Code, String) {
    result.map(|_| ()).map_err(|error| (error.code, error.message)).expect_err("an error")
}

#[test]
fn illegal_shards_are_refused_by_name() {
    let text = NETWORK.replace("    return y", "    z = ReLU(y)\n    return z");
    let function = Function::parse(&text).unwrap();
    let (found, why) = code(function.horizontal_parallel(&[], &keys("[]"), true));
    assert_eq!(found, Code::Sharding);
    assert_eq!(
        why,
        "z = ReLU(y) cannot be sharded: y is a partial sum; the function of a sum is not the sum of the functions"
    );
    assert!(function.data_parallel(&[], &keys("[]"), &names(&["x"])).is_ok());
    let (found, why) = code(function.data_parallel(&[], &keys("[]"), &names(&["wA"])));
    assert_eq!(found, Code::Sharding);
    assert!(why.starts_with(
        "a = MatMul(x, wA) cannot be sharded: x is replicated, wA is split along dim 0"
    ));
    assert_eq!(code(function.data_parallel(&names(&["d"]), &keys("[]"), &[])).0, Code::Scope);
    assert_eq!(code(function.data_parallel(&[], &keys("[]"), &names(&["q"]))).0, Code::Scope);
    assert_eq!(code(function.data_parallel(&[], &keys("[d]"), &names(&["x"]))).0, Code::Unbound);
}

#[test]
fn wrong_functions_are_refused() {
    let parse = |body: &str| code(Function::parse(&NETWORK.replace("    return y", body)));
    assert_eq!(parse("    z = MatMul(y, wA)\n    return z").0, Code::Shape);
    assert_eq!(parse("    z = Add(y)\n    return z").0, Code::Arity);
    assert_eq!(parse("    z = Add(y, q)\n    return z").0, Code::Scope);
    assert_eq!(parse("    y = ReLU(y)\n    return y").0, Code::Scope);
    assert_eq!(parse("    z = scatter(y, dim=0, device_keys=[d])\n    return z").0, Code::Unbound);
    assert_eq!(parse("    z = scatter(y, dim=0, device_keys=[])\n    return z").0, Code::Placement);
    assert_eq!(parse("    z = Fold(y)\n    return z").0, Code::Argument);
    let captured = "    ys = broadcast(y, device_keys=[])
    z = pmap(lambda d: lambda (v): { w = MatMul(v, wB) return w }, (ys))
    return z";
    assert_eq!(parse(captured).0, Code::Scope);
    let rebound = "    ys = broadcast(y, device_keys=[])
    zs = pmap(lambda d: lambda (v): {
        vs = broadcast(v, device_keys=[d])
        ws = pmap(lambda d: lambda (v): { w = ReLU(v) return w }, (vs))
        w = select(ws, device=d)
        return w
    }, (ys))
    z = reduce(zs, to_device=0)
    return z";
    let (found, why) = parse(rebound);
    assert_eq!(found, Code::Scope, "{why}");
}

#[test]
fn wrong_maps_and_small_devices_are_found_in_a_simulation() {
    let on = |map: &str, topology| {
        seed_example().simulate(SIZES, &DeviceMap::parse(map).unwrap(), topology)
    };
    assert_eq!(code(on("[1, 2]", Topology::default())).0, Code::Depth);
    let (found, why) =
        code(on("{1: [1, 3], 2: [2, 4]}", Topology { memory: 400.0, ..Topology::default() }));
    assert_eq!(found, Code::Memcap);
    assert!(why.contains("device 0"), "{why}");
    let horizontal = Function::parse(NETWORK).unwrap().horizontal_parallel(&[], &keys("[]"), false);
    let found = horizontal.unwrap().simulate(
        SIZES,
        &DeviceMap::parse("[1, 2]").unwrap(),
        Topology::default(),
    );
    assert_eq!(code(found).0, Code::Placement);
    let crossing = Function::parse(
        "def crossing(x: Tensor[(B, F), 0]):
            xs = broadcast(x, device_keys=[])
            ys = pmap(lambda d: lambda (v): {
                vs = broadcast(v, device_keys=[])
                w = select(vs, device=d)
                return w
            }, (xs))
            y = reduce(ys, to_device=0)
            return y",
    );
    let crossing = crossing.unwrap();
    let map = DeviceMap::parse("{1: [1, 3], 2: [2, 4]}").unwrap();
    assert_eq!(code(crossing.simulate(SIZES, &map, Topology::default())).0, Code::Overlap);
    let unnamed = seed_example().simulate("B=8", &map, Topology::default());
    assert_eq!(code(unnamed).0, Code::Shape);
}

#[test]
fn plans_are_the_fastest_of_their_ways() {
    let function = Function::parse(NETWORK).unwrap();
    let plan = |sizes: &str, topology| {
        function.plan(sizes, &[1, 2, 3, 4], &names(&["x"]), topology).unwrap()
    };
    // Sending costs more than it saves, or nothing.
    let dear = plan(SIZES, Topology { alpha: 1.0, ..Topology::default() });
    assert_eq!(dear.function, function);
    let free = Topology { alpha: 0.0, beta: 0.0, launch: 0.0, ..Topology::default() };
    let large = "B=64, F=64, H=64, C=64";
    let fast = plan(large, free);
    assert_eq!(fast.map.devices(), [1, 2, 3, 4]);
    assert!(fast.makespan < 0.3 * plan(large, Topology { alpha: 1.0, ..free }).makespan);
    // What does not fit on a device goes to several.
    let error = function.plan(SIZES, &[1, 2], &[], Topology { memory: 100.0, ..free });
    assert_eq!(code(error).0, Code::Memcap);
    assert_eq!(code(function.plan(SIZES, &[], &[], free)).0, Code::Empty);
}
