//! Checking mode: questions whose answer would be 0 because of what a user has overlooked. They are legal, since a constant
//! objective has a derivative too, so they are errors in that mode only.
#![forbid(unsafe_code)]

use super::Tape;
use super::cursors::Var;
use super::no_tape::checking;
use crate::error::{Code, Error, Number, Result};
use crate::options;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether other processes may bring the adjoints of a sweep that has none of its own.
static ACCOMPANIED: AtomicBool = AtomicBool::new(false);

/// Whether there are other processes.
pub fn is_accompanied() -> bool {
    ACCOMPANIED.load(Ordering::Relaxed)
}

/// There are other processes.
pub fn set_accompanied() {
    ACCOMPANIED.store(true, Ordering::Relaxed);
}

/// The process's rank among others, for messages; -1 is none.
static RANK: AtomicI32 = AtomicI32::new(-1);

pub fn set_rank(rank: i32) {
    RANK.store(rank, Ordering::Relaxed);
}

pub(super) fn rank() -> Option<i32> {
    Some(RANK.load(Ordering::Relaxed)).filter(|&rank| rank >= 0)
}

/// Whether such zeros are refused: a program may have good reason to ask for them.
static ZEROS_REFUSED: LazyLock<bool> = LazyLock::new(options::check_zeros);

#[cold]
fn refused<T>(message: String) -> Result<T> {
    let message = format!("ADMPI_CHECK: {message} (ADMPI_CHECK_ZEROS=0 allows it)");
    Err(Error::new(Code::Argument, message))
}

impl Tape {
    /// Whether the user asked for checking: a map checks its first jobs by itself.
    pub fn is_strict(&self) -> bool {
        self.checking() && checking() && *ZEROS_REFUSED
    }

    /// A value of this tape, which records, among the bytes of `words`: at which byte its id is, the id, and its tag. Values
    /// are copied whole, but what stands before them may have any multiple of 4 bytes.
    pub fn value_in(&self, words: &[f64]) -> Option<(usize, u32, u32)> {
        if !self.recording() {
            return None;
        }
        let next = self.next_id();
        let mut halves = words.iter().flat_map(|word| {
            let [a, b, c, d, e, f, g, h] = word.to_ne_bytes();
            [u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h])]
        });
        let mut id = halves.next()?;
        for (i, tag) in halves.enumerate() {
            if id != 0 && id < next && self.segments.holds(id, tag, next) {
                return Some((4 * i, id, tag));
            }
            id = tag;
        }
        None
    }

    /// An error if none of `values`, which are to be seeded, depends on an input. A weight of 0 says that this may be; and
    /// where there are other processes the part of the objective of one may be constant, but not of all.
    pub fn check_seeds(&self, name: &str, values: &[Var], weights: &[f64]) -> Result<()> {
        let nothing = !values.is_empty() && values.iter().all(|y| y.id == 0);
        let meant = is_accompanied() || weights.iter().all(|&weight| weight == 0.0);
        if !self.is_strict() || !nothing || meant {
            return Ok(());
        }
        self.check_recorded()?; // an operand that was refused made its result passive
        refused(format!(
            "{name} (value {}) is passive: it depends on no input, so all derivatives are 0; declare the inputs before the \
             model uses them, and record (a weight of 0 is allowed)",
            Number(values[0].value)
        ))
    }

    /// An error where a value has no adjoint to give: it is passive, or a sweep has used its adjoint up. `adjoints` are the
    /// answers; what is not 0 was there.
    pub fn check_answers(&self, name: &str, values: &[Var], adjoints: &[f64]) -> Result<()> {
        if !self.is_strict() {
            return Ok(());
        }
        for (i, (x, &adjoint)) in values.iter().zip(adjoints).enumerate() {
            if adjoint == 0.0 && !self.has_adjoint(x.id) {
                let place = if values.len() == 1 { String::new() } else { format!("[{i}]") };
                let (value, id) = (Number(x.value), x.id);
                let why = if id == 0 {
                    "is passive: it was never an input, or was overwritten by a constant".to_owned()
                } else {
                    format!(
                        "(id {id}) is neither an input nor kept, and the sweep has consumed its adjoint: call keep before \
                         the sweep, or keep a copy of an input that the model overwrites"
                    )
                };
                return refused(format!("{name}{place} (value {value}) {why}"));
            }
        }
        Ok(())
    }

    fn has_adjoint(&self, id: u32) -> bool {
        id != 0
            && (!self.swept.contains(&id)
                || self.is_input(id)
                || self.kept.binary_search(&id).is_ok())
    }

    /// An error if a sweep has no adjoints to propagate: nobody has seeded any, and nobody else can bring them.
    pub(super) fn check_seeded(&self) -> Result<()> {
        let brought = is_accompanied() || !self.pausing.is_empty();
        if !self.is_strict() || self.seeded || brought {
            return Ok(());
        }
        refused("reverse: nothing was seeded since the last sweep, so it has no adjoints to propagate; call seed".to_owned())
    }

    /// Adjoints are seeded. The first ones after a sweep begin another one, before which all have their own.
    pub fn note_seeded(&mut self) {
        if !std::mem::replace(&mut self.seeded, true) {
            self.swept = 0..0;
        }
    }

    /// A sweep from `top` down to `bottom` has taken the adjoints of the ids between.
    pub(super) fn note_swept(&mut self, bottom: u32, top: u32) {
        let swept = &mut self.swept;
        if bottom <= swept.end && swept.start <= top {
            *swept = swept.start.min(bottom)..swept.end.max(top);
        } else {
            *swept = bottom..top;
        }
    }
}
