//! How long operations and messages take: by formulas, or by what has been measured.

use super::function::{Elementwise, Kind};
use std::collections::{BTreeMap, VecDeque};

use super::key::Device;

/// Rows and columns of the square matrices for which operations are measured.
pub const EXTENTS: [u64; 4] = [1, 20, 90, 400];
/// Seconds of an operation for each of these extents; zeros: not measured.
pub type Curve = [f64; EXTENTS.len()];

/// What devices and the lines between them can do: seconds, and per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Topology {
    /// Floating-point operations per second.
    pub flops: f64,
    /// Bytes per second that an operation reads and writes.
    pub bandwidth: f64,
    /// Seconds that an operation takes at least.
    pub launch: f64,
    /// Seconds of an empty message.
    pub alpha: f64,
    /// Seconds of a byte of a message.
    pub beta: f64,
    /// Bytes of a device's memory; 0: any.
    pub memory: f64,
    /// Seconds in which all devices agree, before and after a function.
    pub agreement: f64,
    /// How many devices work at a time, since they share cores; 0: all.
    pub cores: f64,
    /// What was measured of each of `KINDS`, for messages between two devices.
    pub measured: [Curve; KINDS],
}

impl Default for Topology {
    fn default() -> Self {
        Self {
            flops: 1e9,
            bandwidth: 1e10,
            launch: 1e-6,
            alpha: 1e-6,
            beta: 1e-9,
            memory: 0.0,
            agreement: 0.0,
            cores: 0.0,
            measured: [[0.0; EXTENTS.len()]; KINDS],
        }
    }
}

/// Operations that are measured: seven that only compute, those that work element by element, and eight that move values.
pub const KINDS: usize = 24;
const PLAIN: [Kind; 7] = [
    Kind::MatMul,
    Kind::Add,
    Kind::Subtract,
    Kind::Multiply,
    Kind::Transpose,
    Kind::Sum,
    Kind::Solve,
];

/// The place of an operation among those that are measured.
pub fn place_of_kind(kind: &Kind) -> Option<usize> {
    let messages = PLAIN.len() + Elementwise::ALL.len();
    match kind {
        Kind::Elementwise(function) => {
            let found = Elementwise::ALL.iter().position(|(known, _)| known == function);
            found.map(|k| PLAIN.len() + k)
        }
        Kind::Send { .. } => Some(messages),
        Kind::Scatter { dim, .. } => Some(messages + 1 + dim),
        Kind::Broadcast { .. } => Some(messages + 3),
        Kind::Gather { dim, .. } => Some(messages + 4 + dim),
        Kind::Reduce { .. } => Some(messages + 6),
        Kind::AllReduce => Some(messages + 7),
        plain => PLAIN.iter().position(|known| known == plain),
    }
}

fn real(n: u64) -> f64 {
    n as f64
}

/// What a computation does.
pub struct Work {
    pub flops: u64,
    /// Elements of the first operand.
    pub elements: u64,
    /// Bytes that it reads and writes.
    pub moved: u64,
}

impl Topology {
    fn curve(&self, kind: &Kind) -> Option<&Curve> {
        place_of_kind(kind).map(|k| &self.measured[k]).filter(|curve| curve[0] > 0.0)
    }

    /// Seconds of a computation.
    pub fn computation(&self, kind: &Kind, work: &Work) -> f64 {
        let &Work { flops, elements, moved } = work;
        let (flops, elements, moved) = (real(flops), real(elements), real(moved));
        let Some(curve) = self.curve(kind) else {
            return self.launch + (flops / self.flops).max(moved / self.bandwidth);
        };
        match kind {
            // What a flat matrix has more bytes than a square one comes on top.
            Kind::MatMul => {
                let square = 3.0 * 8.0 * (flops / 2.0).powf(2.0 / 3.0);
                let time = between(curve, |n| 2.0 * n * n * n, flops);
                time + (moved - square).max(0.0) / self.bandwidth
            }
            Kind::Solve => between(curve, |n| 2.0 * n * n * n / 3.0 + 2.0 * n * n, flops),
            _ => between(curve, |n| n * n, elements),
        }
    }

    /// Seconds of a message of so many bytes, of the kind of call that sends it.
    pub fn message(&self, kind: &Kind, bytes: f64) -> f64 {
        let Some(curve) = self.curve(kind) else { return self.alpha + self.beta * bytes };
        match kind {
            // One half stays on the root.
            Kind::Scatter { .. } | Kind::Gather { .. } => {
                between(curve, |n| 8.0 * n * (n / 2.0).floor(), bytes)
            }
            _ => between(curve, |n| 8.0 * n * n, bytes),
        }
    }

    /// Seconds of an allreduce between `p` devices: that between two is twice a half.
    pub fn allreduce(&self, p: f64, bytes: f64) -> f64 {
        match self.curve(&Kind::AllReduce) {
            Some(_) => (p - 1.0) * self.message(&Kind::AllReduce, 2.0 * bytes / p),
            None => 2.0 * (p - 1.0) * (self.alpha + self.beta * bytes / p),
        }
    }
}

/// The seconds for an amount of work, on lines between the points of a curve; `amount` is that of an extent. The last line goes on.
fn between(curve: &Curve, amount: impl Fn(f64) -> f64, work: f64) -> f64 {
    let points = EXTENTS.map(|n| amount(real(n)));
    let last = EXTENTS.len() - 1;
    let k = (1..last).find(|&k| work <= points[k]).unwrap_or(last);
    let part = (work - points[k - 1]) / (points[k] - points[k - 1]);
    curve[k - 1] + (curve[k] - curve[k - 1]) * part.max(0.0)
}

/// Devices that do something together.
pub struct Task {
    pub name: &'static str,
    pub devices: Vec<Device>,
    pub seconds: f64,
}

/// When each task begins, in the order of the list: as soon as its devices have done what stands before, and as there are cores for
/// them.
pub fn schedule(tasks: &[Task], cores: usize) -> Vec<f64> {
    let mut queues: BTreeMap<Device, VecDeque<usize>> = BTreeMap::new();
    for (k, task) in tasks.iter().enumerate() {
        for &device in &task.devices {
            queues.entry(device).or_default().push_back(k);
        }
    }
    let mut clock: BTreeMap<Device, f64> = BTreeMap::new();
    let mut free = vec![0.0_f64; cores];
    let mut begins = vec![0.0; tasks.len()];
    for _ in tasks {
        let next = |queues: &BTreeMap<Device, VecDeque<usize>>, clock: &BTreeMap<Device, f64>| {
            let is_next =
                |k: usize| tasks[k].devices.iter().all(|device| queues[device].front() == Some(&k));
            let ready = |k: usize| {
                let clocks = tasks[k].devices.iter().filter_map(|device| clock.get(device));
                (clocks.copied().fold(0.0, f64::max), k)
            };
            let heads = queues.values().filter_map(|queue| queue.front().copied());
            heads
                .filter(|&k| is_next(k))
                .map(ready)
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        };
        let Some((ready, k)) = next(&queues, &clock) else { break };
        let Task { devices, seconds, .. } = &tasks[k];
        free.sort_by(f64::total_cmp);
        let taken = devices.len().min(cores);
        let begin = free[..taken].iter().copied().fold(ready, f64::max);
        free[..taken].fill(begin + seconds);
        for device in devices {
            clock.insert(*device, begin + seconds);
            queues.get_mut(device).map(VecDeque::pop_front);
        }
        begins[k] = begin;
    }
    begins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_lie_on_lines_between_what_was_measured() {
        let curve = [1.0, 2.0, 10.0, 40.0];
        let squares = |work| between(&curve, |n| n * n, work);
        for (n, seconds) in EXTENTS.into_iter().zip(curve) {
            assert!((squares(real(n * n)) - seconds).abs() < 1e-12);
        }
        assert!((squares(0.0) - 1.0).abs() < 1e-12, "an operation takes no less than its least");
        assert!((squares(4250.0) - 6.0).abs() < 1e-12);
        let slope = 30.0 / (160_000.0 - 8100.0);
        assert!((squares(260_000.0) - 40.0 - 1e5 * slope).abs() < 1e-9);
    }

    fn task(devices: &[Device], seconds: f64) -> Task {
        Task { name: "", devices: devices.to_vec(), seconds }
    }

    #[test]
    fn devices_that_share_cores_take_turns() {
        let four: Vec<Task> = (0..4).map(|device| task(&[device], 1.0)).collect();
        assert_eq!(schedule(&four, 0), [0.0; 4]);
        assert_eq!(schedule(&four, 2), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(schedule(&four, 1), [0.0, 1.0, 2.0, 3.0]);
    }

    /// The bodies of a pmap stand behind each other in the list, and run side by side.
    #[test]
    fn tasks_wait_for_their_devices_alone() {
        let tasks = [
            task(&[0, 1], 1.0),
            task(&[0], 3.0),
            task(&[1], 1.0),
            task(&[1], 1.0),
            task(&[0, 1], 1.0),
        ];
        assert_eq!(schedule(&tasks, 0), [0.0, 1.0, 1.0, 2.0, 4.0]);
        assert_eq!(schedule(&tasks, 2), [0.0, 1.0, 1.0, 2.0, 4.0]);
        assert_eq!(schedule(&tasks, 1), [0.0, 1.0, 4.0, 5.0, 6.0]);
    }
}
