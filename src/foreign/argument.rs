//! What a call reads and writes of a tool's: plain numbers, read and written one by one since they may be of either
//! precision, or variables, which the tool's functions read and write.

use super::tool::Tool;
use crate::count::wide32;
use crate::error::Result;
use crate::tape::{Tape, Var};
use std::ffi::CStr;

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Double,
    Float,
}

/// The tag of a place that the call has not written to: no value has it.
const UNTOUCHED: u32 = u32::MAX;

impl Format {
    pub const fn bytes(self) -> usize {
        match self {
            Self::Double => size_of::<f64>(),
            Self::Float => size_of::<f32>(),
        }
    }

    /// Number `i` behind `base`.
    ///
    /// # Safety
    /// It is there.
    unsafe fn read(self, base: *const u8, i: usize) -> f64 {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Self::Double => base.cast::<f64>().add(i).read_unaligned(),
                Self::Float => f64::from(base.cast::<f32>().add(i).read_unaligned()),
            }
        }
    }

    /// # Safety
    /// As for `read`, and nothing else refers to it.
    #[allow(clippy::cast_possible_truncation)] // the tool's numbers are no longer
    pub(super) unsafe fn write(self, base: *mut u8, i: usize, number: f64) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Self::Double => base.cast::<f64>().add(i).write_unaligned(number),
                Self::Float => base.cast::<f32>().add(i).write_unaligned(number as f32),
            }
        }
    }

    /// Copies adjoints to `out` and zeroes them.
    ///
    /// # Safety
    /// As many as `out` holds are at `base`, and nothing else refers to them.
    pub(super) unsafe fn take(self, base: *mut u8, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            unsafe {
                *out = self.read(base, i);
                self.write(base, i, 0.0);
            }
        }
    }

    /// Adds to adjoints.
    ///
    /// # Safety
    /// As for `take`.
    pub(super) unsafe fn add(self, base: *mut u8, adjoints: &[f64]) {
        for (i, adjoint) in adjoints.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { self.write(base, i, self.read(base, i) + adjoint) };
        }
    }
}

/// Variables of a tool's, one behind the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variables {
    pub base: *mut u8,
    pub n: usize,
}

/// Where the numbers of an argument are.
#[derive(Debug, Clone)]
pub enum Place {
    Array { base: *mut u8, format: Format },
    Variables { tool: &'static Tool, runs: Vec<Variables> },
}

/// An argument of a call: `n` numbers of the tool's.
#[derive(Debug, Clone)]
pub struct Argument {
    pub name: &'static CStr,
    pub n: usize,
    pub place: Place,
    pub reads: bool,
    pub writes: bool,
}

/// Numbers with consecutive ids, or, with the id 0, passive ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub first: usize,
    pub n: usize,
    pub id: u32,
}

impl Place {
    /// Appends the numbers as active values, which have ids from `first` on, or none if that is 0.
    ///
    /// # Safety
    /// The numbers may be read.
    unsafe fn read(&self, n: usize, mut first: u32, tag: u32, stage: &mut Vec<Var>) {
        let step = u32::from(first != 0);
        let mut active = |value| {
            let id = first;
            first += step;
            // One that is not recorded either is known to be the tool's own by its tag.
            Var { value, id, tag: if id == 0 { UNTOUCHED } else { tag } }
        };
        match self {
            // SAFETY: the caller's promise; so below.
            Self::Array { base, format } => unsafe {
                stage.extend((0..n).map(|i| active(format.read(*base, i))));
            },
            Self::Variables { tool, runs } => {
                let mut values = Vec::new();
                for run in runs {
                    // SAFETY: as above.
                    unsafe { tool.values(run.base, run.n, &mut values) };
                }
                stage.extend(values.into_iter().map(active));
            }
        }
    }
}

impl Argument {
    /// Its numbers as active values, which have ids from `first` on if the call reads them and is `recorded`.
    ///
    /// # Safety
    /// The numbers may be read.
    pub(super) unsafe fn stage(
        &self,
        tape: &mut Tape,
        recorded: bool,
        stage: &mut Vec<Var>,
    ) -> Result<u32> {
        stage.clear();
        if !self.reads {
            stage.resize(self.n, Var { value: 0.0, id: 0, tag: UNTOUCHED });
            return Ok(0);
        }
        let first = if self.n == 0 || !recorded { 0 } else { tape.input_ids(self.n)? };
        // SAFETY: the caller's promise.
        unsafe { self.place.read(self.n, first, tape.tag(), stage) };
        Ok(first)
    }

    /// Tells the runs of what the call has written. `first` is the id of the first number that went in, or 0.
    pub(super) fn written(stage: &[Var], first: u32, mut run: impl FnMut(Run)) {
        let mut open: Option<Run> = None;
        for (i, var) in stage.iter().enumerate() {
            let went_in = first != 0 && wide32(var.id) == wide32(first) + i;
            if went_in || var.tag == UNTOUCHED {
                continue;
            }
            if let Some(one) = &mut open
                && one.first + one.n == i
                && follows(one, var.id)
            {
                one.n += 1;
                continue;
            }
            open.replace(Run { first: i, n: 1, id: var.id }).into_iter().for_each(&mut run);
        }
        open.into_iter().for_each(run);
    }
}

fn follows(run: &Run, id: u32) -> bool {
    if run.id == 0 { id == 0 } else { wide32(id) == wide32(run.id) + run.n }
}
