//! Nests that are open, and sweeps that are under way: what bounds what a sweep may touch.
#![forbid(unsafe_code)]

use super::position::Position;
use crate::error::{Code, Error, Result};

/// The flag of a nest whose sweeps leave the adjoints of values made outside it alone: `ADMPI_NEST_ISOLATED`. 1 is
/// retired: it asked for what is the default.
const NEST_ISOLATED: i32 = 2;

/// An open nest: what `recover_nested` must be given.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NestToken {
    pub token: u64,
}

laid_out!(admpi_nest, NestToken);

/// What a nest's sweeps do with the derivatives with respect to values from outside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outside {
    /// They add them to the adjoints of those values.
    #[default]
    Added,
    /// The values are constants.
    Dropped,
    /// Such a derivative is an error.
    Refused,
}

impl Outside {
    /// As C asks for it.
    pub fn of_flags(flags: i32) -> Result<Self> {
        match flags {
            0 => Ok(Self::Added),
            NEST_ISOLATED => Ok(Self::Dropped),
            _ => Err(Error::new(
                Code::Argument,
                format!("flags = {flags} is neither 0 nor ADMPI_NEST_ISOLATED"),
            )),
        }
    }
}

/// A nest that is open: where it began, and what its sweeps may touch.
#[derive(Debug)]
pub struct Nest {
    pub base: Position,
    pub token: NestToken,
    pub outside: Outside,
    pub recording: bool,
}

/// A sweep under way: what lies below its top must stay until it has ended.
#[derive(Debug)]
pub struct Running {
    pub top: Position,
    /// The ids from here on up to the top's are behind it, when it runs code of the user's.
    pub reached: u32,
    /// How many nests were open when it began.
    pub nests: usize,
    /// Whether it goes down to the base of the tape or of the nest.
    pub bottom: bool,
}
