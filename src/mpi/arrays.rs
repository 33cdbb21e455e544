//! The arrays of calls that take a count, a displacement and a datatype for each partner.
#![forbid(unsafe_code)]

use super::list::KEPT;
use super::raw::MPI_Aint;
use super::types::{Made, from_aint};
use super::{Comm, Datatype, MpiResult, Serial, wide_int};
use std::ffi::c_int;
use std::ops::{Deref, DerefMut};

/// The arrays of one side of an `Alltoallw`.
#[derive(Debug, Default)]
pub struct Arrays {
    pub counts: Vec<c_int>,
    /// Zero where the type holds the displacement.
    pub displacements: Vec<c_int>,
    /// The neighbourhood calls', in 64 bits.
    pub wide_displacements: Vec<MPI_Aint>,
    pub datatypes: Vec<Datatype>,
}

/// The arrays of an `Alltoallw` and the types made for it.
#[derive(Debug, Default)]
pub struct Memory {
    pub send: Arrays,
    pub receive: Arrays,
    pub keep: Vec<Made>,
}

/// The memory of one `Alltoallw`, which goes back where it came from: a warm program allocates none. It stays where it
/// is while this value moves.
#[derive(Debug)]
pub struct Lists(Option<Box<Memory>>);

/// Memory that waits for the next call.
#[allow(clippy::vec_box)] // it goes in and out in its box
static IDLE: Serial<Vec<Box<Memory>>> = Serial::new(Vec::new());

impl Deref for Lists {
    type Target = Memory;
    fn deref(&self) -> &Memory {
        self.0.as_ref().expect("it is given back last")
    }
}

impl DerefMut for Lists {
    fn deref_mut(&mut self) -> &mut Memory {
        self.0.as_mut().expect("it is given back last")
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        let Some(mut memory) = self.0.take() else { return };
        memory.keep.clear();
        IDLE.keep(memory, KEPT);
    }
}

/// Whether displacements are 64 bits wide in the call itself, as they are among neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Int,
    Aint,
}

impl Arrays {
    fn displacement(&self, i: usize, width: Width) -> i64 {
        match width {
            Width::Int => self.displacements[i].into(),
            Width::Aint => from_aint(self.wide_displacements[i]),
        }
    }

    /// Whether the parts of `n` partners lie inside `bytes`.
    fn fit(&self, n: usize, bytes: i64, width: Width) -> MpiResult<bool> {
        if self.counts.len() < n || self.datatypes.len() < n {
            return Ok(false);
        }
        for i in (0..n).filter(|&i| self.counts[i] != 0) {
            let (count, datatype) = (i64::from(self.counts[i]), self.datatypes[i]);
            let (item, first) = (datatype.true_bounds()?, self.displacement(i, width));
            let last =
                first.saturating_add((count - 1).saturating_mul(datatype.bounds()?.extent()));
            let begin = first.min(last).saturating_add(item.lower);
            let end = first.max(last).saturating_add(item.upper);
            if begin < 0 || end > bytes {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Lists {
    /// Arrays with anything in them, and no types.
    pub fn idle() -> Self {
        Self(Some(IDLE.with(Vec::pop).unwrap_or_default()))
    }

    /// Whether a call on `comm` may read so many doubles by these arrays, and write so many others.
    pub fn fit(&self, comm: Comm, sent: usize, received: usize, width: Width) -> MpiResult<bool> {
        let (sources, destinations) = match width {
            Width::Int => (comm.size()?, comm.size()?),
            Width::Aint => comm.degrees()?,
        };
        let bytes =
            |doubles: usize| i64::try_from(doubles).map_or(i64::MAX, |n| n.saturating_mul(8));
        Ok(self.send.fit(wide_int(destinations), bytes(sent), width)?
            && self.receive.fit(wide_int(sources), bytes(received), width)?)
    }
}
