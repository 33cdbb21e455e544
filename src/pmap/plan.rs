//! Chooses how to run a function on some devices: the fastest of the simulated ways.

use super::cost::Topology;
use super::device_map::{DeviceMap, Node};
use super::function::Function;
use super::key::{Device, Key, Keys};
use crate::error::{Code, Error, Result};
use std::fmt::Write;

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

impl Preset {
    const BOTH: [Self; 2] = [Self::Data, Self::Horizontal];

    const fn name(self) -> &'static str {
        match self {
            Self::Data => "data-parallel",
            Self::Horizontal => "horizontal",
        }
    }
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

    /// The fastest of the ways that `ways` knows. The map's devices are some of `devices`.
    pub fn plan(
        &self,
        sizes: &str,
        devices: &[Device],
        inputs: &[String],
        topology: Topology,
    ) -> Result<Plan> {
        let mut refusal = None;
        let mut best: Option<Plan> = None;
        for way in self.ways(devices, inputs)? {
            match way.simulated(sizes, topology) {
                Ok(plan) if best.as_ref().is_none_or(|best| plan.makespan < best.makespan) => {
                    best = Some(plan);
                }
                Ok(_) => {}
                Err(error) => refusal = Some(error),
            }
        }
        best.ok_or_else(|| refusal.expect("a reason for each that fails"))
    }

    /// Why a plan is the fastest: a line for each way, with its time or why it fails.
    pub fn plan_table(
        &self,
        sizes: &str,
        devices: &[Device],
        inputs: &[String],
        topology: Topology,
    ) -> Result<String> {
        let mut out = format!("{:>14}  {:<36} {}\n", "seconds", "way", "map");
        for way in self.ways(devices, inputs)? {
            let (name, map) = (way.name.clone(), way.map.to_string());
            let _ = match way.simulated(sizes, topology) {
                Ok(plan) => writeln!(out, "{:>14.9}  {name:<36} {map}", plan.makespan),
                Err(error) => writeln!(out, "{:>14}  {name:<36} {map}: {}", "none", error.message),
            };
        }
        Ok(out)
    }

    /// The function as it is, cut by rows of `inputs` or by hidden units, and both within each other, on as many of the devices as
    /// may pay.
    fn ways(&self, devices: &[Device], inputs: &[String]) -> Result<Vec<Way>> {
        let Some(first) = devices.first() else {
            return Err(Error::new(Code::Empty, "plan: there are no devices"));
        };
        let map = DeviceMap::new(Node::List(vec![*first]))?;
        let mut ways = vec![Way { name: "as it is".to_owned(), function: Ok(self.clone()), map }];
        let root_is_among = |used: &[Device]| used.contains(&self.root);
        for a in 2..=devices.len() {
            let (used, scope) = (&devices[..a], Keys::default());
            let reduce = !root_is_among(used);
            for preset in Preset::BOTH {
                let function = self.by(preset, &[], &scope, inputs, reduce);
                let map = DeviceMap::new(Node::List(used.to_vec()))?;
                ways.push(Way { name: preset.name().to_owned(), function, map });
            }
            for b in 2..=devices.len() / a {
                let group = |k: usize| {
                    let others = devices[a + k * (b - 1)..a + (k + 1) * (b - 1)].iter();
                    let list = std::iter::once(&devices[k]).chain(others).copied().collect();
                    (devices[k], Node::List(list))
                };
                let map = DeviceMap::new(Node::Map((0..a).map(group).collect()))?;
                let below = Keys(vec![Key::Variable("d".into())]);
                for [one, other] in [Preset::BOTH, [Preset::Horizontal, Preset::Data]] {
                    let outer = self.by(one, &[], &scope, inputs, reduce);
                    let function = outer.and_then(|outer| {
                        outer.by(other, &["d".to_owned()], &below, inputs, false)
                    });
                    let name = format!("{}, then {}", one.name(), other.name());
                    ways.push(Way { name, function, map: map.clone() });
                }
            }
        }
        Ok(ways)
    }
}

/// How a function may be run.
struct Way {
    name: String,
    function: Result<Function>,
    map: DeviceMap,
}

impl Way {
    fn simulated(self, sizes: &str, topology: Topology) -> Result<Plan> {
        let (function, map) = (self.function?, self.map);
        let makespan = function.simulate(sizes, &map, topology)?.makespan;
        Ok(Plan { function, map, makespan })
    }
}
