//! Doubles side by side, as MPI counts them.
#![forbid(unsafe_code)]

use super::raw::MPI_Datatype;
use super::types::{Bounds, Made};
use super::{Datatype, MpiResult, wide_int};
use std::ffi::c_int;

/// Doubles side by side: an item each, or all of them bundled in one item of a type made for them. Or bytes, of
/// which 8 take the place of a double.
pub struct Doubles {
    n: usize,
    count: c_int,
    unit: Unit,
}

enum Unit {
    Double,
    Byte,
    Bundle(Made),
}

impl Doubles {
    #[inline]
    pub fn each(count: c_int) -> Self {
        Self { n: wide_int(count), count, unit: Unit::Double }
    }

    pub fn bytes(count: c_int) -> Self {
        Self { n: wide_int(count).div_ceil(8), count, unit: Unit::Byte }
    }

    /// One item of `made`, whose doubles or bytes have no gaps between them.
    pub fn bundled(made: Made) -> MpiResult<Self> {
        let bytes = made.datatype().size()?;
        let bounds = made.datatype().bounds()?;
        assert!(bounds == Bounds { lower: 0, upper: bytes }, "doubles with gaps between them");
        let n = usize::try_from(bytes).expect("a size is not negative").div_ceil(8);
        Ok(Self { n, count: 1, unit: Unit::Bundle(made) })
    }

    /// One item of `made`, whose parts are anywhere in memory.
    pub const fn gathered(made: Made) -> Self {
        Self { n: 0, count: 1, unit: Unit::Bundle(made) }
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
        matches!(self.unit, Unit::Bundle(_))
    }

    pub const fn count(&self) -> c_int {
        self.count
    }

    #[inline]
    pub fn datatype(&self) -> MPI_Datatype {
        match &self.unit {
            Unit::Double => Datatype::double(),
            Unit::Byte => Datatype::byte(),
            Unit::Bundle(made) => made.datatype(),
        }
        .raw()
    }
}
