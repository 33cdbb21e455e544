//! What a call reads and writes of a tool's: numbers in an array, read and written one by one since they may be of either
//! precision and have other bytes between them, or variables, which the tool's functions read and write.

use super::format::Format;
use super::tool::Tool;
use crate::count::wide32;
use crate::error::Result;
use crate::tape::{Tape, Var};
use std::ffi::CStr;

/// The tag of a place that the call has not written to: no value has it.
const UNTOUCHED: u32 = u32::MAX;

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
    /// Its adjoints are found by its address, not told where the step is reversed.
    pub turned: bool,
    /// Of a message: doubles in a row, which go in or come out.
    pub lent: bool,
}

/// Doubles in a row that a message takes from where they lie, or brings there; the call is made with its address.
#[derive(Debug)]
pub struct Numbers {
    pub values: *mut f64,
    pub n: usize,
    /// The id of the first that goes in, or 0.
    pub first: u32,
    pub tag: u32,
    /// How many have arrived, and the id of the first, or 0.
    pub arrived: Option<(usize, u32)>,
}

/// Numbers with consecutive ids, or, with the id 0, passive ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub first: usize,
    pub n: usize,
    pub id: u32,
}

impl Run {
    /// What is moved at a time, so that it stays in the cache.
    const PIECE: usize = 4096;

    pub(super) fn pieces(self) -> impl Iterator<Item = Self> {
        (0..self.n).step_by(Self::PIECE).map(move |at| {
            let step = u32::try_from(at).expect("ids that were given out");
            let id = if self.id == 0 { 0 } else { self.id + step };
            Self { first: self.first + at, n: Self::PIECE.min(self.n - at), id }
        })
    }
}

impl Place {
    /// How the numbers lie, as far as the places of active values are concerned.
    fn format(&self) -> Format {
        if let Self::Array { format, .. } = self { *format } else { Format::Double }
    }

    /// The place of number `i` among active values.
    pub(super) fn place_of(&self, i: usize) -> usize {
        self.format().place_of(i)
    }

    /// Appends the numbers, or puts those of items in their places, as active values, which have ids from `first` on, or none if that is 0.
    ///
    /// # Safety
    /// The numbers may be read.
    unsafe fn read(&self, n: usize, first: u32, tag: u32, stage: &mut Vec<Var>) {
        // One that is not recorded either is known to be the tool's own by its tag.
        let (step, tag) = if first == 0 { (0, UNTOUCHED) } else { (1, tag) };
        let ids = (0_u32..).map(|i| first.wrapping_add(i * step));
        let active = |(value, id)| Var { value, id, tag };
        match self {
            Self::Array { base, format: format @ Format::Items(_) } => {
                for (i, id) in (0..n).zip(ids) {
                    // SAFETY: the caller's promise; so below.
                    stage[format.place_of(i)] = active((unsafe { format.read(*base, i) }, id));
                }
            }
            // A loop for each precision.
            Self::Array { base, format: Format::Float } => {
                // SAFETY: as above.
                let numbers = (0..n).map(|i| unsafe { Format::Float.read(*base, i) });
                stage.extend(numbers.zip(ids).map(active));
            }
            Self::Array { base, format: Format::Double } => {
                // SAFETY: as above.
                let numbers = (0..n).map(|i| unsafe { Format::Double.read(*base, i) });
                stage.extend(numbers.zip(ids).map(active));
            }
            Self::Variables { tool, runs } => {
                let mut values = Vec::new();
                for run in runs {
                    // SAFETY: as above.
                    unsafe { tool.values(run.base, run.n, &mut values) };
                }
                stage.extend(values.into_iter().zip(ids).map(active));
            }
        }
    }

    /// Copies the bytes beside the numbers.
    ///
    /// # Safety
    /// As for `read`.
    unsafe fn read_bytes(&self, n: usize, stage: &mut [Var]) {
        if let Self::Array { base, format } = self {
            // SAFETY: the caller's promise.
            unsafe { format.read_bytes(*base, n, stage) };
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
        let format = self.place.format();
        if !self.reads || matches!(format, Format::Items(_)) {
            let untouched = Var { value: 0.0, id: 0, tag: UNTOUCHED };
            stage.resize(format.all_places(self.n), untouched);
            // What a call does not write keeps what it holds.
            // SAFETY: the caller's promise; so below.
            unsafe { self.place.read_bytes(self.n, stage) };
        }
        if !self.reads {
            return Ok(0);
        }
        let first = if self.n == 0 || !recorded { 0 } else { tape.input_ids(self.n)? };
        // SAFETY: as above.
        unsafe { self.place.read(self.n, first, tape.tag(), stage) };
        Ok(first)
    }

    /// As `stage`, where the call is made with the numbers themselves.
    pub(super) fn lend(&self, tape: &mut Tape, recorded: bool) -> Result<Numbers> {
        let Place::Array { base, .. } = self.place else { unreachable!("an array is lent") };
        let goes_in = self.reads && recorded && self.n > 0;
        let first = if goes_in { tape.input_ids(self.n)? } else { 0 };
        Ok(Numbers { values: base.cast(), n: self.n, first, tag: tape.tag(), arrived: None })
    }

    /// Tells the runs of what the call has written. `first` is the id of the first number that went in, or 0.
    pub(super) fn written(&self, stage: &[Var], first: u32, mut run: impl FnMut(Run)) {
        if let Some(all) = self.written_whole(stage, first) {
            return run(all);
        }
        let mut open: Option<Run> = None;
        for i in 0..self.n {
            let var = &stage[self.place.place_of(i)];
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

    /// All numbers, if they lie in a row and the call has written each, with consecutive ids: there may be millions.
    fn written_whole(&self, stage: &[Var], first: u32) -> Option<Run> {
        let (Format::Double | Format::Float) = self.place.format() else { return None };
        let stage = &stage[..self.n];
        let id = stage.first()?.id;
        if id == first && first != 0 {
            return None;
        }
        let step = u32::from(id != 0);
        let others = stage.iter().zip(0..).fold(0, |others, (var, i)| {
            others | (var.id ^ id.wrapping_add(i * step)) | u32::from(var.tag == UNTOUCHED)
        });
        (others == 0).then_some(Run { first: 0, n: self.n, id })
    }
}

fn follows(run: &Run, id: u32) -> bool {
    if run.id == 0 { id == 0 } else { wide32(id) == wide32(run.id) + run.n }
}
