//! Keys into device maps: devices, and variables that an enclosing pmap binds to devices.

use super::scan::Scan;
use crate::error::{Code, Error, Result};
use std::fmt;

/// The number of a device.
pub type Device = i64;

/// The number that an item of a text is.
pub fn device(what: &str, item: &str) -> Result<Device> {
    let number = item.parse::<Device>().ok().filter(|&device| device >= 0);
    number.ok_or_else(|| {
        let why = format!("{what}: '{item}' is not a device: devices are numbers from 0");
        Error::new(Code::Baddev, why)
    })
}

/// One step down a device map.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Device(Device),
    Variable(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(device) => write!(f, "{device}"),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

/// The way from the root of a device map to one of its nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Keys(pub Vec<Key>);

impl Keys {
    /// The keys that `[0, d]` names.
    pub fn parse(text: &str) -> Result<Self> {
        let mut scan = Scan::new("keys", text);
        let keys = Self::scan(&mut scan)?;
        scan.end()?;
        Ok(keys)
    }

    pub fn scan(scan: &mut Scan<'_>) -> Result<Self> {
        let mut keys = Vec::new();
        scan.expect("[")?;
        while !scan.takes("]") {
            keys.push(Key::scan(scan)?);
            if !scan.sees("]") {
                scan.expect(",")?;
            }
        }
        Ok(Self(keys))
    }

    /// Devices only.
    pub fn of_devices(devices: &[Device]) -> Self {
        Self(devices.iter().map(|&device| Key::Device(device)).collect())
    }

    /// The devices that the keys stand for.
    pub fn devices(&self, bound: &Environment) -> Result<Vec<Device>> {
        self.0.iter().map(|key| bound.device(key, self)).collect()
    }
}

impl Key {
    pub fn scan(scan: &mut Scan<'_>) -> Result<Self> {
        let item = scan.item();
        if item.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Ok(Self::Variable(item.to_owned()));
        }
        device("keys", item).map(Self::Device)
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (k, key) in self.0.iter().enumerate() {
            write!(f, "{}{key}", if k == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

/// The device variables that enclosing pmaps have bound, the outermost first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Environment(pub Vec<(String, Device)>);

impl Environment {
    /// What `d=1, dd=3` binds.
    pub fn parse(text: &str) -> Result<Self> {
        let mut scan = Scan::new("bound", text);
        let mut bound = Vec::new();
        while !scan.is_done() {
            let name = scan.name()?.to_owned();
            scan.expect("=")?;
            bound.push((name, device("bound", scan.item())?));
            if !scan.is_done() {
                scan.expect(",")?;
            }
        }
        Ok(Self(bound))
    }

    /// The same with one variable more.
    pub fn with(&self, name: &str, device: Device) -> Self {
        let mut bound = self.0.clone();
        bound.push((name.to_owned(), device));
        Self(bound)
    }

    /// The device that a key stands for. Of several variables of a name the innermost counts.
    pub fn device(&self, key: &Key, among: &Keys) -> Result<Device> {
        let name = match key {
            Key::Device(device) => return Ok(*device),
            Key::Variable(name) => name,
        };
        let found = self.0.iter().rev().find(|(bound, _)| bound == name);
        found.map(|&(_, device)| device).ok_or_else(|| {
            let bound = if self.0.is_empty() { "none".into() } else { self.to_string() };
            let why = format!(
                "keys {among}: no enclosing pmap binds the variable {name}; bound: {bound}"
            );
            Error::new(Code::Unbound, why)
        })
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (name, device)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={device}", if k == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
