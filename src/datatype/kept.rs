//! Datatypes of persistent collectives: the user may free them while the request lives.

use super::activity::{Lasting, is_passive};
use crate::mpi::raw::MPI_Datatype;
use crate::mpi::types::Made;
use crate::mpi::{Datatype, MpiResult};

/// A datatype that stays good as long as this lives.
pub enum KeptType {
    Theirs(Datatype),
    Active(Lasting),
    Passive(Made),
}

impl KeptType {
    /// Keeps `datatype`, if it counts. What is no datatype is left to the call.
    pub fn of(datatype: Datatype, counts: bool) -> Self {
        if !counts || datatype == Datatype::null() {
            return Self::Theirs(datatype);
        }
        Self::duplicate(datatype).unwrap_or(Self::Theirs(datatype))
    }

    fn duplicate(datatype: Datatype) -> MpiResult<Self> {
        if !is_passive(datatype) {
            return Ok(Self::Active(Lasting::of(datatype)?));
        }
        match datatype.contents()? {
            None => Ok(Self::Theirs(datatype)),
            Some(_) => Ok(Self::Passive(Made::duplicate(datatype)?.commit()?)),
        }
    }

    /// A handle that is good as long as this lives.
    fn lasting(&self) -> MPI_Datatype {
        match self {
            Self::Active(lasting) => lasting.own().raw(),
            _ => self.raw(),
        }
    }

    /// The user's own handle while it lives, if it is active: operations may compare it.
    pub fn raw(&self) -> MPI_Datatype {
        match self {
            Self::Theirs(datatype) => datatype.raw(),
            Self::Active(lasting) => lasting.now().raw(),
            Self::Passive(made) => made.datatype().raw(),
        }
    }
}

/// As `KeptType`, of an array.
pub struct KeptTypes {
    theirs: *const MPI_Datatype,
    kept: Vec<MPI_Datatype>,
    _owned: Vec<KeptType>,
}

impl KeptTypes {
    /// Keeps each of `n` datatypes, if they count.
    ///
    /// # Safety
    /// `datatypes` leads to `n` live datatypes if they count.
    pub unsafe fn of(datatypes: *const MPI_Datatype, n: usize, counts: bool) -> Self {
        let n = if counts && !datatypes.is_null() { n } else { 0 };
        // SAFETY: the caller's promise. A duplicate stays, whatever the user does with the type.
        let keep = |i| KeptType::of(unsafe { Datatype::new(datatypes.add(i).read()) }, true);
        let owned: Vec<KeptType> = (0..n).map(keep).collect();
        let kept = owned.iter().map(KeptType::lasting).collect();
        Self { theirs: datatypes, kept, _owned: owned }
    }

    /// The array, or the user's where nothing counts.
    pub const fn raw(&self) -> *const MPI_Datatype {
        if self.kept.is_empty() { self.theirs } else { self.kept.as_ptr() }
    }
}
