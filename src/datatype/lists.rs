//! Buffers with a part for each rank, as a C caller passed them: counts, displacements and datatypes.

use super::argument::BufferTriple;
use super::send_buffer::bad;
use crate::error::Code;
use crate::mpi::raw::{MPI_Aint, MPI_Count, MPI_Datatype, widen};
use crate::mpi::types::aint;
use crate::mpi::{Datatype, MpiResult, is_in_place};
use std::ffi::{c_int, c_void};

/// The buffers of a call that takes a count and a displacement for each rank.
#[derive(Clone, Copy)]
pub struct Arguments {
    pointer: *mut c_void,
    lists: Lists,
    types: Types,
}

/// The arrays of counts and of displacements that a caller passed.
#[derive(Clone, Copy)]
pub enum Lists {
    Int(*const c_int, *const c_int),
    /// As `MPI_Neighbor_alltoallw` has them.
    Addresses(*const c_int, *const MPI_Aint),
    /// As MPI-4's calls for large counts have them.
    Large(*const MPI_Count, *const MPI_Aint),
}

impl Lists {
    const fn are_null(self) -> bool {
        match self {
            Self::Int(counts, displs) => counts.is_null() || displs.is_null(),
            Self::Addresses(counts, displs) => counts.is_null() || displs.is_null(),
            Self::Large(counts, displs) => counts.is_null() || displs.is_null(),
        }
    }

    /// The arrays of `n` ranks as MPI-4's calls take them; none where the caller passed none.
    ///
    /// # Safety
    /// As for `at`, for each of `n` ranks, unless there are no arrays.
    pub unsafe fn widened(self, n: usize) -> Wide {
        if self.are_null() {
            return Wide::default();
        }
        // SAFETY: the caller's promise.
        let each = (0..n).map(|rank| unsafe { self.at(rank) });
        let (counts, displacements) = each.map(|(count, at)| (count, aint(at))).unzip();
        Wide { counts, displacements }
    }

    /// These lists, or where `wrong` tells a number of ranks, the same in `wide`, as MPI-4's calls take them.
    ///
    /// # Safety
    /// As for `widened`, with what `wrong` tells.
    pub unsafe fn widened_where(
        self,
        wrong: impl FnOnce() -> Option<usize>,
        wide: &mut Wide,
    ) -> Self {
        let n = if matches!(self, Self::Large(..)) { None } else { wrong() };
        let Some(n) = n else { return self };
        // SAFETY: the caller's promise.
        *wide = unsafe { self.widened(n) };
        let (counts, displacements) = wide.arrays();
        Self::Large(counts, displacements)
    }

    /// The items of `n` ranks; none where the caller passed no arrays.
    ///
    /// # Safety
    /// As for `widened`.
    pub unsafe fn items(self, n: usize) -> i64 {
        let n = if self.are_null() { 0 } else { n };
        // SAFETY: the caller's promise.
        (0..n).map(|rank| unsafe { self.at(rank) }.0).fold(0, i64::saturating_add)
    }

    /// The count and the displacement of one rank.
    ///
    /// # Safety
    /// Both arrays have an entry for it.
    unsafe fn at(self, rank: usize) -> (i64, i64) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Self::Int(counts, displs) => {
                    ((*counts.add(rank)).into(), (*displs.add(rank)).into())
                }
                Self::Addresses(counts, displs) => {
                    ((*counts.add(rank)).into(), widen(*displs.add(rank)))
                }
                Self::Large(counts, displs) => (*counts.add(rank), widen(*displs.add(rank))),
            }
        }
    }
}

/// Counts and displacements as MPI-4's calls take them.
#[derive(Default)]
pub struct Wide {
    counts: Vec<MPI_Count>,
    displacements: Vec<MPI_Aint>,
}

impl Wide {
    /// NULL for no elements.
    pub fn arrays(&self) -> (*const MPI_Count, *const MPI_Aint) {
        if self.counts.is_empty() {
            (std::ptr::null(), std::ptr::null())
        } else {
            (self.counts.as_ptr(), self.displacements.as_ptr())
        }
    }
}

/// One datatype, whose extent is the unit of the displacements, or one for each rank, and bytes.
#[derive(Clone, Copy)]
pub enum Types {
    One(Datatype),
    Each(*const MPI_Datatype),
}

impl Arguments {
    /// # Safety
    /// As for `BufferTriple::new`, and where the argument is significant and not in place the arrays have an entry
    /// for each rank.
    pub const unsafe fn new(pointer: *const c_void, lists: Lists, types: Types) -> Self {
        Self { pointer: pointer.cast_mut(), lists, types }
    }

    /// As the caller passed it, for calls of MPI's.
    pub const fn parts(&self) -> (*mut c_void, Lists, Types) {
        (self.pointer, self.lists, self.types)
    }

    /// The same in a call on active values, where they are in place or not looked at.
    #[must_use]
    pub fn under_active(self) -> Self {
        Self { types: Types::One(Datatype::active_double()), ..self }
    }

    /// Whether the call is the one for counts past 2^31.
    pub const fn is_large(&self) -> bool {
        matches!(self.lists, Lists::Large(..))
    }

    pub fn is_in_place(&self) -> bool {
        is_in_place(self.pointer)
    }

    /// Whether each part has a datatype of its own.
    pub const fn has_types(&self) -> bool {
        matches!(self.types, Types::Each(_))
    }

    /// The part of each of `ranks`. The argument must be significant, and not in place.
    pub fn list(
        &self,
        name: &str,
        ranks: usize,
    ) -> MpiResult<impl ExactSizeIterator<Item = BufferTriple>> {
        let unit = match self.types {
            Types::One(datatype) => datatype.extent()?.1,
            Types::Each(_) => 1,
        };
        if ranks > 0 && self.lists.are_null() {
            let why = format_args!("counts or displacements are NULL");
            return Err(bad(name, Code::Null, why));
        }
        let this = *self;
        Ok((0..ranks).map(move |rank| {
            // SAFETY: the promise of `new`.
            let (count, displ) = unsafe { this.lists.at(rank) };
            let datatype = match this.types {
                Types::One(datatype) => datatype,
                // SAFETY: as above.
                Types::Each(types) => unsafe { Datatype::new(*types.add(rank)) },
            };
            let bytes = displ.wrapping_mul(unit);
            let all = BufferTriple { pointer: this.pointer, count, datatype, first: 0 };
            // That of an element is a double.
            all.behind(bytes / 8, bytes)
        }))
    }

    /// The datatypes of `ranks` parts: one, if all have the same. Nothing else is looked at.
    pub fn types(&self, ranks: usize) -> impl Iterator<Item = Datatype> + '_ {
        let n = match self.types {
            Types::One(_) => 1,
            Types::Each(types) if types.is_null() => 0,
            Types::Each(_) => ranks,
        };
        (0..n).map(|rank| match self.types {
            Types::One(datatype) => datatype,
            // SAFETY: the promise of `new`.
            Types::Each(types) => unsafe { Datatype::new(*types.add(rank)) },
        })
    }
}

/// The buffers of a reduction of which each rank gets a share: so many items each, or a count for each.
#[derive(Clone, Copy)]
pub struct Pieces {
    send: *mut c_void,
    receive: *mut c_void,
    counts: Counts,
    datatype: Datatype,
}

#[derive(Clone, Copy)]
pub enum Counts {
    Each(i64),
    List(*const c_int),
    /// As MPI-4's call for large counts has them.
    Large(*const MPI_Count),
}

impl Pieces {
    /// # Safety
    /// As for `BufferTriple::new`, `send` of the items of all ranks, or in place, which means that they are at
    /// `receive`; else `receive` has room for those of this rank. A list has an entry for each rank.
    pub const unsafe fn new(
        send: *const c_void,
        receive: *mut c_void,
        counts: Counts,
        datatype: MPI_Datatype,
    ) -> Self {
        // SAFETY: the handle is used only where it is significant.
        let datatype = unsafe { Datatype::new(datatype) };
        Self { send: send.cast_mut(), receive, counts, datatype }
    }

    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    pub const fn has_counts(&self) -> bool {
        !matches!(self.counts, Counts::Each(_))
    }

    /// As the caller passed it, for calls of MPI's.
    pub const fn parts(&self) -> (*mut c_void, *mut c_void, Counts, MPI_Datatype) {
        (self.send, self.receive, self.counts, self.datatype.raw())
    }

    fn count(&self, rank: usize, ranks: usize) -> MpiResult<i64> {
        let is_null = match self.counts {
            Counts::Each(_) => false,
            Counts::List(counts) => counts.is_null(),
            Counts::Large(counts) => counts.is_null(),
        };
        if is_null {
            return Err(bad("recvcounts", Code::Null, format_args!("the array is NULL")));
        }
        assert!(rank < ranks);
        let count = match self.counts {
            Counts::Each(count) => count,
            // SAFETY: the promise of `new`.
            Counts::List(counts) => unsafe { (*counts.add(rank)).into() },
            // SAFETY: as above.
            Counts::Large(counts) => unsafe { *counts.add(rank) },
        };
        if count < 0 {
            let why = format_args!("{count} for rank {rank} is negative");
            return Err(bad("recvcounts", Code::Argument, why));
        }
        Ok(count)
    }

    /// What this rank brings.
    pub fn operands(&self, ranks: usize) -> MpiResult<BufferTriple> {
        let mut total = 0i64;
        for rank in 0..ranks {
            // What passes 2^63 is refused as more than the library counts.
            total = total.saturating_add(self.count(rank, ranks)?);
        }
        Ok(BufferTriple {
            pointer: self.brought(),
            count: total,
            datatype: self.datatype,
            first: 0,
        })
    }

    fn brought(&self) -> *mut c_void {
        if is_in_place(self.send) { self.receive } else { self.send }
    }

    /// As much as a rank gets. It has no place here, where the buffer for a share of none may be NULL; it stands
    /// for what is brought.
    pub fn share(&self, rank: usize, ranks: usize) -> MpiResult<BufferTriple> {
        let count = self.count(rank, ranks)?;
        Ok(BufferTriple { pointer: self.brought(), count, datatype: self.datatype, first: 0 })
    }

    /// What a rank gets, at the beginning of its buffer.
    pub fn result(&self, rank: usize, ranks: usize) -> MpiResult<BufferTriple> {
        let count = self.count(rank, ranks)?;
        Ok(BufferTriple { pointer: self.receive, count, datatype: self.datatype, first: 0 })
    }
}
