//! Doubles side by side, as MPI counts them.
#![forbid(unsafe_code)]

use super::raw::MPI_Datatype;
use super::types::{Bounds, Made};
use super::{Datatype, Outcome, wide_int};
use std::ffi::c_int;

/// Doubles side by side: an item each, or all of them bundled in one item of a type made for them.
pub struct Doubles {
    n: usize,
    count: c_int,
    bundle: Option<Made>,
}

impl Doubles {
    #[inline]
    pub fn each(count: c_int) -> Self {
        Self { n: wide_int(count), count, bundle: None }
    }

    /// One item of `made`, whose doubles have no gaps between them.
    pub fn bundled(made: Made) -> Outcome<Self> {
        let bytes = made.datatype().size()?;
        let bounds = made.datatype().bounds()?;
        assert!(bounds == Bounds { lower: 0, upper: bytes }, "doubles with gaps between them");
        let n = usize::try_from(bytes / 8).expect("a size is not negative");
        Ok(Self { n, count: 1, bundle: Some(made) })
    }

    /// The number of doubles.
    pub const fn len(&self) -> usize {
        self.n
    }

    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Whether they are one item, in which they lie side by side.
    pub const fn are_bundled(&self) -> bool {
        self.bundle.is_some()
    }

    pub const fn count(&self) -> c_int {
        self.count
    }

    #[inline]
    pub fn datatype(&self) -> MPI_Datatype {
        self.bundle.as_ref().map_or_else(Datatype::double, Made::datatype).raw()
    }
}
