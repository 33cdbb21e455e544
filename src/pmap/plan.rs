//! Chooses how to run a function on some devices: the fastest of the simulated ways.

use super::device_map::{DeviceMap, Node};
use super::function::Function;
use super::key::{Device, Key, Keys};
use super::simulate::Topology;
use crate::error::{Code, Error, Result};

/// A way to run a function.
pub struct Plan {
    pub function: Function,
    pub map: DeviceMap,
    pub makespan: f64,
}

/// One of the presets.
#[derive(Clone, Copy, PartialEq)]
enum Preset {
    Data,
    Horizontal,
}

impl Function {
    fn by(
        &self,
        preset: Preset,
        scope: &[String],
        keys: &Keys,
        inputs: &[String],
        reduce: bool,
    ) -> Result<Self> {
        match preset {
            Preset::Data => self.data_parallel(scope, keys, inputs),
            Preset::Horizontal => self.horizontal_parallel(scope, keys, reduce),
        }
    }

    /// The fastest of: the function as it is, cut by rows of `inputs` or by hidden units, and both within each other, on as many
    /// of the devices as pays. The map's devices are some of `devices`.
    pub fn plan(
        &self,
        sizes: &str,
        devices: &[Device],
        inputs: &[String],
        topology: Topology,
    ) -> Result<Plan> {
        let Some(first) = devices.first() else {
            return Err(Error::new(Code::Empty, "plan: there are no devices"));
        };
        let alone = DeviceMap::new(Node::List(vec![*first]))?;
        let mut refusal = None;
        let mut best: Option<Plan> = None;
        let mut tries = vec![(Ok(self.clone()), alone)];
        let root_is_among = |used: &[Device]| used.contains(&self.root);
        for a in 1..=devices.len() {
            for preset in [Preset::Data, Preset::Horizontal] {
                let used = &devices[..a];
                let outer = self.by(preset, &[], &Keys::default(), inputs, !root_is_among(used));
                if a > 1 {
                    tries.push((outer, DeviceMap::new(Node::List(used.to_vec()))?));
                }
            }
            for b in (2..=devices.len() / a).filter(|_| a > 1) {
                let group = |k: usize| {
                    let others = devices[a + k * (b - 1)..a + (k + 1) * (b - 1)].iter();
                    let list = std::iter::once(&devices[k]).chain(others).copied().collect();
                    (devices[k], Node::List(list))
                };
                let map = DeviceMap::new(Node::Map((0..a).map(group).collect()))?;
                let [below, scope] = [Keys(vec![Key::Variable("d".into())]), Keys::default()];
                for (one, other) in
                    [(Preset::Data, Preset::Horizontal), (Preset::Horizontal, Preset::Data)]
                {
                    let reduce = !root_is_among(&devices[..a]);
                    let outer = self.by(one, &[], &scope, inputs, reduce);
                    let both = outer.and_then(|outer| {
                        outer.by(other, &["d".to_owned()], &below, inputs, false)
                    });
                    tries.push((both, map.clone()));
                }
            }
        }
        for (function, map) in tries {
            let found = function
                .and_then(|function| Ok((function.simulate(sizes, &map, topology)?, function)));
            match found {
                Ok((found, function)) => {
                    let makespan = found.makespan;
                    if best.as_ref().is_none_or(|best| makespan < best.makespan) {
                        best = Some(Plan { function, map, makespan });
                    }
                }
                Err(error) => refusal = Some(error),
            }
        }
        best.ok_or_else(|| refusal.expect("a reason for each that fails"))
    }
}
