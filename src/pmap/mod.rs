//! Nested pmap over device maps: trees of devices, programs whose parts run on them, and what such programs cost.
#![forbid(unsafe_code)]

mod blocks;
mod cost;
mod device_map;
mod function;
mod key;
mod plan;
#[cfg(feature = "mpi")]
pub mod ranks;
mod scan;
mod shard;
mod simulate;
#[cfg(test)]
mod tests;
mod text;
mod types;

pub use blocks::{block, blocks};
pub use cost::{Curve, EXTENTS, KINDS, Topology, place_of_kind};
pub use device_map::{DeviceMap, Member, Node};
pub use function::{Body, Elementwise, Extent, Extents, Function, Kind, Operation};
pub use key::{Device, Environment, Key, Keys};
pub use plan::Plan;
pub use shard::{Sharding, Share};
pub use simulate::{Account, Row, Simulation, place, place_of_body};
pub use types::{Type, Types};
