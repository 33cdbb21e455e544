//! Device maps: trees whose leaves are lists of devices.

use super::key::{Device, Environment, Keys, device};
use super::scan::Scan;
use crate::error::{Code, Error, Result};
use std::collections::BTreeMap;
use std::fmt;

/// Nodes below each other at most: the functions here call themselves.
const DEEPEST: usize = 500;

/// A node of a device map. Keys and devices are in the order in which they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Map(Vec<(Device, Self)>),
    List(Vec<Device>),
}

/// What a node has: a device, and the devices that an iteration of a pmap for it occupies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub device: Device,
    /// The device itself comes first.
    pub footprint: Vec<Device>,
}

/// A tree of devices. In every node the devices below one key are none of those below another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceMap {
    root: Node,
}

fn list(devices: &[Device]) -> Keys {
    Keys::of_devices(devices)
}

impl Node {
    fn scan(scan: &mut Scan<'_>, depth: usize) -> Result<Self> {
        if depth > DEEPEST {
            return Err(too_deep());
        }
        if scan.takes("[") {
            let mut devices = Vec::new();
            while !scan.takes("]") {
                devices.push(device("device map", scan.item())?);
                if !scan.sees("]") {
                    scan.expect(",")?;
                }
            }
            return Ok(Self::List(devices));
        }
        let mut children = Vec::new();
        if !scan.takes("{") {
            return Err(scan.wrong("{ or [ is expected"));
        }
        while !scan.takes("}") {
            let key = device("device map", scan.item())?;
            scan.expect(":")?;
            children.push((key, Self::scan(scan, depth + 1)?));
            if !scan.sees("}") {
                scan.expect(",")?;
            }
        }
        Ok(Self::Map(children))
    }

    /// The keys, or the devices of a list.
    pub fn devices(&self) -> Vec<Device> {
        match self {
            Self::Map(children) => children.iter().map(|&(key, _)| key).collect(),
            Self::List(devices) => devices.clone(),
        }
    }

    const fn is_empty(&self) -> bool {
        match self {
            Self::Map(children) => children.is_empty(),
            Self::List(devices) => devices.is_empty(),
        }
    }

    /// All devices below this node.
    fn collect(&self, found: &mut Vec<Device>) {
        match self {
            Self::Map(children) => {
                for (key, child) in children {
                    found.push(*key);
                    child.collect(found);
                }
            }
            Self::List(devices) => found.extend(devices),
        }
    }

    pub fn members(&self) -> Vec<Member> {
        let member = |device: Device, child: Option<&Self>| {
            let mut footprint = vec![device];
            if let Some(child) = child {
                let mut below = Vec::new();
                child.collect(&mut below);
                for device in below {
                    if !footprint.contains(&device) {
                        footprint.push(device);
                    }
                }
            }
            Member { device, footprint }
        };
        match self {
            Self::Map(children) => {
                children.iter().map(|(key, child)| member(*key, Some(child))).collect()
            }
            Self::List(devices) => devices.iter().map(|&device| member(device, None)).collect(),
        }
    }

    /// An error unless devices exist, differ, and those below different keys are different ones.
    fn check(&self, above: &mut Vec<Device>) -> Result<()> {
        let devices = self.devices();
        let at = list(above);
        if devices.is_empty() {
            let why = format!("device map: the node at keys {at} has no devices");
            return Err(Error::new(Code::Empty, why));
        }
        for (k, device) in devices.iter().enumerate() {
            if *device < 0 {
                let why = format!(
                    "device map: {device} at keys {at} is not a device: devices are numbers from 0"
                );
                return Err(Error::new(Code::Baddev, why));
            }
            if devices[..k].contains(device) {
                let what = if matches!(self, Self::Map(_)) { "key" } else { "device" };
                let why = format!("device map: the node at keys {at} has {what} {device} twice");
                return Err(Error::new(Code::Dup, why));
            }
        }
        disjoint(&self.members()).map_err(|Overlap { device, keys: [a, b] }| {
            let [a, b] = [a, b].map(|key| list(&[above.as_slice(), &[key]].concat()));
            let why = format!("device map: device {device} is below keys {a} and below keys {b}");
            Error::new(Code::Overlap, why)
        })?;
        if let Self::Map(children) = self {
            for (key, child) in children {
                above.push(*key);
                child.check(above)?;
                above.pop();
            }
        }
        Ok(())
    }
}

#[cold]
fn too_deep() -> Error {
    Error::new(Code::Limit, format!("device map: more than {DEEPEST} levels"))
}

/// A device that two members occupy.
#[derive(Debug)]
pub struct Overlap {
    pub device: Device,
    pub keys: [Device; 2],
}

/// Whether no device is in two footprints.
pub fn disjoint(members: &[Member]) -> std::result::Result<(), Overlap> {
    let mut owner = BTreeMap::new();
    for member in members {
        for &device in &member.footprint {
            if let Some(other) = owner.insert(device, member.device)
                && other != member.device
            {
                return Err(Overlap { device, keys: [other, member.device] });
            }
        }
    }
    Ok(())
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(devices) => write!(f, "{}", list(devices)),
            Self::Map(children) => {
                f.write_str("{")?;
                for (k, (key, child)) in children.iter().enumerate() {
                    write!(f, "{}{key}: {child}", if k == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

impl DeviceMap {
    pub fn new(root: Node) -> Result<Self> {
        root.check(&mut Vec::new())?;
        Ok(Self { root })
    }

    /// The map that a text such as `{1: [1, 3], 2: [2, 4]}` describes.
    pub fn parse(text: &str) -> Result<Self> {
        let mut scan = Scan::new("device map", text);
        let root = Node::scan(&mut scan, 0)?;
        scan.end()?;
        Self::new(root)
    }

    /// A map without devices, to which `add` gives some.
    pub const fn empty() -> Self {
        Self { root: Node::Map(Vec::new()) }
    }

    pub const fn root(&self) -> &Node {
        &self.root
    }

    /// Adds a list of devices below `keys`; maps on the way are made as needed.
    pub fn add(&mut self, keys: &[Device], devices: &[Device]) -> Result<()> {
        if keys.len() > DEEPEST {
            return Err(too_deep());
        }
        let mut root = self.root.clone();
        let mut node = &mut root;
        for (depth, &key) in keys.iter().enumerate() {
            let Node::Map(children) = node else {
                return Err(below_list(&list(keys), &keys[..depth], key));
            };
            let at = children.iter().position(|&(known, _)| known == key);
            let at = at.unwrap_or_else(|| {
                children.push((key, Node::Map(Vec::new())));
                children.len() - 1
            });
            node = &mut children[at].1;
        }
        if *node != Node::Map(Vec::new()) {
            let why = format!("device map: keys {} have devices already: {node}", list(keys));
            return Err(Error::new(Code::Dup, why));
        }
        *node = Node::List(devices.to_vec());
        *self = Self::new(root)?;
        Ok(())
    }

    /// The node that `keys` lead to.
    pub fn node(&self, keys: &Keys, bound: &Environment) -> Result<&Node> {
        let devices = keys.devices(bound)?;
        let mut node = &self.root;
        if node.is_empty() {
            return Err(Error::new(Code::Empty, "device map: no devices have been added"));
        }
        let named = || match bound.0.is_empty() {
            true => keys.to_string(),
            false => format!("{keys} ({bound})"),
        };
        for (depth, &device) in devices.iter().enumerate() {
            let Node::Map(children) = node else {
                return Err(below_list(&named(), &devices[..depth], device));
            };
            let child = children.iter().find(|&&(key, _)| key == device);
            let (_, child) = child.ok_or_else(|| {
                let why = format!(
                    "keys {}: {device} is not among the keys {} at {}",
                    named(),
                    list(&node.devices()),
                    list(&devices[..depth])
                );
                Error::new(Code::Nokey, why)
            })?;
            node = child;
        }
        Ok(node)
    }

    /// The devices at `keys`: the keys of a node, or a list.
    pub fn resolve(&self, keys: &Keys, bound: &Environment) -> Result<Vec<Device>> {
        Ok(self.node(keys, bound)?.devices())
    }

    /// The devices that an iteration of a pmap for `device` over the node at `keys` occupies.
    pub fn footprint(
        &self,
        keys: &Keys,
        bound: &Environment,
        device: Device,
    ) -> Result<Vec<Device>> {
        let members = self.node(keys, bound)?.members();
        let found = members.into_iter().find(|member| member.device == device);
        found.map(|member| member.footprint).ok_or_else(|| {
            Error::new(Code::Nokey, format!("keys {keys}: they do not resolve to device {device}"))
        })
    }

    /// All devices, each once.
    pub fn devices(&self) -> Vec<Device> {
        let mut all = Vec::new();
        self.root.collect(&mut all);
        all.sort_unstable();
        all.dedup();
        all
    }
}

#[cold]
fn below_list(keys: &impl fmt::Display, at: &[Device], key: Device) -> Error {
    let why = format!(
        "keys {keys}: key {key} leads below the node at {}, which is a list of devices",
        list(at)
    );
    Error::new(Code::Depth, why)
}

impl fmt::Display for DeviceMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> (Code, String) {
        let error = DeviceMap::parse(text).expect_err(text);
        (error.code, error.message)
    }

    fn resolve(map: &str, keys: &str, bound: &str) -> Result<Vec<Device>> {
        DeviceMap::parse(map)?.resolve(&Keys::parse(keys)?, &Environment::parse(bound)?)
    }

    #[test]
    fn texts_are_read_and_written() {
        for text in ["[1, 2]", "{1: [1, 3], 2: [2, 4]}", "{0: {1: [1, 3], 2: {5: [6], 7: [7]}}}"] {
            assert_eq!(DeviceMap::parse(text).unwrap().to_string(), text);
        }
        let spaced = DeviceMap::parse(" { 1 :[ 1,3,] ,2: [2 ,4],} ").unwrap();
        assert_eq!(spaced, DeviceMap::parse("{1:[1,3],2:[2,4]}").unwrap());
        let (found, why) = code("{1: [1}");
        assert_eq!(found, Code::Argument);
        assert_eq!(why, "device map: , is expected, but there is '}' at column 7");
        assert_eq!(code("[1] 2").0, Code::Argument);
        assert_eq!(code(&"{0:".repeat(2000)).0, Code::Limit);
    }

    #[test]
    fn keys_lead_to_devices_in_the_order_of_insertion() {
        let seed = "{2: [2, 4], 1: [1, 3]}";
        assert_eq!(resolve(seed, "[]", "").unwrap(), [2, 1]);
        assert_eq!(resolve(seed, "[2]", "").unwrap(), [2, 4]);
        assert_eq!(resolve(seed, "[d]", "d=1").unwrap(), [1, 3]);
        let rooted = "{0: {1: [1, 3], 2: [2, 4]}}";
        assert_eq!(resolve(rooted, "[0]", "").unwrap(), [1, 2]);
        assert_eq!(resolve(rooted, "[0, d]", "d=2").unwrap(), [2, 4]);
        assert_eq!(resolve(rooted, "[0, d]", "d=1, d=2").unwrap(), [2, 4]);
    }

    #[test]
    fn what_is_no_map_is_refused() {
        assert_eq!(code("{}").0, Code::Empty);
        let (found, why) = code("{1: {2: []}}");
        assert_eq!(
            (found, why.as_str()),
            (Code::Empty, "device map: the node at keys [1, 2] has no devices")
        );
        let (found, why) = code("{1: [1, 3], 1: [2]}");
        assert_eq!(
            (found, why.as_str()),
            (Code::Dup, "device map: the node at keys [] has key 1 twice")
        );
        assert_eq!(code("{1: [3, 3]}").0, Code::Dup);
        for bad in ["[-1]", "[x]", "{1.5: [1]}", "[99999999999999999999]"] {
            assert_eq!(code(bad).0, Code::Baddev, "{bad}");
        }
        let (found, why) = code("{1:[1,2],2:[2,3]}");
        assert_eq!(found, Code::Overlap);
        assert_eq!(why, "device map: device 2 is below keys [1] and below keys [2]");
        assert_eq!(code("{0: {1: {5: [6], 7: [6]}}}").0, Code::Overlap);
        assert!(DeviceMap::parse("{1:[1,2],3:[3,4]}").is_ok());
        assert!(DeviceMap::parse("{1:{1:[1,2]},3:[3,4]}").is_ok());
    }

    #[test]
    fn keys_that_lead_nowhere_say_where() {
        let map = "{1: [1, 3], 2: [2, 4]}";
        let error = resolve(map, "[5]", "").unwrap_err();
        assert_eq!(error.code, Code::Nokey);
        assert_eq!(error.message, "keys [5]: 5 is not among the keys [1, 2] at []");
        let error = resolve(map, "[d, 3]", "d=1").unwrap_err();
        assert_eq!(error.code, Code::Depth);
        assert_eq!(
            error.message,
            "keys [d, 3] (d=1): key 3 leads below the node at [1], which is a list of devices"
        );
        let error = resolve(map, "[dd]", "d=1").unwrap_err();
        assert_eq!(error.code, Code::Unbound);
        assert_eq!(error.message, "keys [dd]: no enclosing pmap binds the variable dd; bound: d=1");
        assert_eq!(resolve(map, "[-1]", "").unwrap_err().code, Code::Baddev);
    }

    #[test]
    fn maps_are_built_list_by_list() {
        let mut map = DeviceMap::empty();
        assert_eq!(
            map.resolve(&Keys::default(), &Environment::default()).unwrap_err().code,
            Code::Empty
        );
        map.add(&[1], &[1, 3]).unwrap();
        map.add(&[2], &[2, 4]).unwrap();
        assert_eq!(map.to_string(), "{1: [1, 3], 2: [2, 4]}");
        assert_eq!(map.add(&[2], &[5]).unwrap_err().code, Code::Dup);
        assert_eq!(map.add(&[2, 4], &[5]).unwrap_err().code, Code::Depth);
        assert_eq!(map.add(&[3], &[4]).unwrap_err().code, Code::Overlap);
        assert_eq!(map.add(&[9], &[]).unwrap_err().code, Code::Empty);
        assert_eq!(map.add(&[-3], &[7]).unwrap_err().code, Code::Baddev);
        assert_eq!(map.to_string(), "{1: [1, 3], 2: [2, 4]}");
        map.add(&[6, 7], &[7, 8]).unwrap();
        assert_eq!(map.devices(), [1, 2, 3, 4, 6, 7, 8]);
    }

    #[test]
    fn footprints_have_what_is_below() {
        let map = DeviceMap::parse("{1: {1: [1, 5], 3: [3]}, 2: [2, 4]}").unwrap();
        let members = map.root().members();
        assert_eq!(members[0].footprint, [1, 5, 3]);
        assert_eq!(members[1].footprint, [2, 4]);
        assert!(disjoint(&members).is_ok());
    }
}
