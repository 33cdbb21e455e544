//! What a call of MPI asks of the tape: whether it records, ids of what was sent, and the right tape at the
//! completion of what was started.

use super::check::Log;
use super::traffic::Traffic;
use super::untold;
use crate::count::narrow32;
use crate::datatype::{
    Content, Precision, content as content_of, is_installed, not_initialised, precision,
};
use crate::datatype::{Segment, SendBuffer, Shape, Sources};
use crate::error::{Code, Error, Result};
use crate::mpi::{Datatype, Failure, MpiResult};
use crate::tape::{self, Ids, Tape};
use std::ffi::c_int;

/// The identity of the calling thread's tape if it records now, which decides for a whole message: also a
/// completion after recording has stopped is recorded.
#[inline]
pub fn state() -> Option<u64> {
    tape::current(|tape| tape.recording().then(|| tape.serial())).flatten()
}

/// Runs `f` with the recording on or off, as it was when a call started.
pub fn as_started<R>(recorded: bool, f: impl FnOnce() -> R) -> R {
    let set = |recording: bool| {
        tape::current(|tape| {
            let before = tape.recording();
            if recording {
                tape.start();
            } else {
                tape.stop();
            }
            before
        })
    };
    let before = set(recorded);
    let done = f();
    before.map(set);
    done
}

/// Runs `f` on the tape that recorded a call's start.
#[inline(always)]
pub fn on_tape<R>(serial: u64, f: impl FnOnce(&mut Tape) -> Result<R>) -> MpiResult<R> {
    let done = tape::current(|tape| {
        if tape.serial() != serial {
            return Err(not_on_it(
                "the request was started while another tape was current; complete it on that tape",
            ));
        }
        accompany(tape);
        untold::tell(tape);
        Ok(f(tape)?)
    });
    done.unwrap_or_else(|| {
        Err(not_on_it(
            "the request was started on a tape, and the calling thread has none at its completion; complete it while that tape is current",
        ))
    })
}

/// Gives a tape that records communication the companions that its sweeps need.
#[inline(always)]
pub fn accompany(tape: &mut Tape) {
    // The log comes before the traffic: ranks compare also where one of them goes on in the wrong place.
    if tape.checking() {
        tape.companion::<Log>();
    }
    // Made now: if it came in the middle of a sweep it would not know that and where the sweep ends.
    tape.companion::<Traffic>();
}

#[cold]
pub fn not_on_it(why: &str) -> Failure {
    Error::new(Code::NoTape, why).into()
}

/// A buffer and a datatype in C++ that do not fit.
#[cold]
fn wrong_buffer(why: &str) -> Failure {
    Error::new(Code::Unsupported, why).into()
}

/// An error unless a buffer of plain numbers (0), of active doubles (1) or floats (5), a matrix (2), a view (3), or structures
/// with active values under a type of bytes (4), which never do, goes with `datatype`.
pub fn check_buffer(content: c_int, datatype: Datatype) -> MpiResult<()> {
    let of_elements = datatype.is_of_elements();
    let why = match content {
        2 if datatype == Datatype::of_matrix() => return Ok(()),
        2 => "the buffer is a matrix: its datatype is AMPI_VARMAT",
        3 if datatype == Datatype::of_view() => return Ok(()),
        3 => "the buffer is a view of a matrix: its datatype is AMPI_VIEW",
        4 => {
            "the buffer is of structures with admpi::var and the datatype is of bytes: their ids mean nothing to another process; use a datatype made from AMPI_ADOUBLE by AMPI_Type_create_struct"
        }
        // Before initialisation all of ours are null. The call says so, if its datatype is significant.
        _ if of_elements && !is_installed() => return Ok(()),
        _ if of_elements => {
            "the datatype is AMPI_VARMAT or AMPI_VIEW, and the buffer is not an admpi_varmat or admpi_view; pass the handle() of the matrix or view"
        }
        0 | 1 | 5 if content_of(datatype) == Content::Untold => return Ok(()),
        1 if precision(datatype) == Some(Precision::Single)
            || datatype == Datatype::active_float_pair() =>
        {
            "the buffer is of admpi::var and the datatype of active floats, as which its values would be rounded: use AMPI_ADOUBLE"
        }
        5 if precision(datatype) == Some(Precision::Double) => {
            "the buffer is of admpi::float_var and the datatype of active doubles: use AMPI_AFLOAT"
        }
        0 if content_of(datatype) != Content::Active => return Ok(()),
        1 | 5 if content_of(datatype) == Content::Active => return Ok(()),
        0 => {
            "the datatype is active and the buffer is not of admpi::var; use a passive datatype, such as AMPI_DOUBLE"
        }
        1 => {
            "the buffer is of admpi::var and the datatype is passive: its derivatives would be lost; use AMPI_ADOUBLE"
        }
        5 => {
            "the buffer is of admpi::float_var and the datatype is passive: its derivatives would be lost; use AMPI_AFLOAT"
        }
        _ => return Err(wrong_buffer(&format!("content = {content} is not 0, 1, 2, 3, 4 or 5"))),
    };
    Err(wrong_buffer(why))
}

/// An active buffer in `call`, which has no adjoint.
#[cold]
pub fn no_adjoint() -> Error {
    if !is_installed() {
        return not_initialised();
    }
    let why = "the datatype is active, and this version cannot differentiate the call: docs/coverage.md lists those that it can";
    Error::new(Code::Unsupported, why)
}

/// A buffer, or part of one, whose ids are to be recorded.
pub trait Operands {
    fn count(&self) -> usize;
    /// Copies the ids, and returns the highest.
    fn ids(&self, out: &mut [u32]) -> u32;
    /// Calls `f` for each (id, tag, value).
    fn each(&self, f: &mut dyn FnMut(&tape::Var));
}

impl Operands for SendBuffer {
    fn count(&self) -> usize {
        Self::len(self)
    }
    fn ids(&self, out: &mut [u32]) -> u32 {
        Self::ids(self, out)
    }
    fn each(&self, f: &mut dyn FnMut(&tape::Var)) {
        self.segment(0, self.len()).each(f);
    }
}

impl Operands for Sources {
    fn count(&self) -> usize {
        self.len()
    }
    fn ids(&self, out: &mut [u32]) -> u32 {
        Self::ids(self, out)
    }
    fn each(&self, f: &mut dyn FnMut(&tape::Var)) {
        for source in self.list() {
            source.each(f);
        }
    }
}

impl Operands for Segment<'_> {
    fn count(&self) -> usize {
        Self::len(self)
    }
    fn ids(&self, out: &mut [u32]) -> u32 {
        Self::ids(self, out)
    }
    fn each(&self, f: &mut dyn FnMut(&tape::Var)) {
        Segment::each(self, f);
    }
}

/// The ids of what a call read. In checking mode every value is checked; in all builds an id that the tape
/// has not given out is refused before a sweep writes to it.
#[inline]
pub fn ids(tape: &mut Tape, operands: &impl Operands, shape: Shape) -> Result<Ids> {
    if tape.checking() {
        check_operands(tape, operands)?;
    }
    let n = operands.count();
    let next = tape.next_id();
    match shape {
        Shape::Passive => Ok(Ids::Passive(n)),
        Shape::Range(first) => {
            let n = narrow32(n);
            match first.checked_add(n) {
                Some(end) if end <= next => Ok(Ids::Range { first, n }),
                _ => Err(never_given(first, next)),
            }
        }
        Shape::Mixed => list(tape, operands),
    }
}

/// An error unless each of them is a value of the tape as it is now.
#[cold]
pub fn check_operands(tape: &Tape, operands: &impl Operands) -> Result<()> {
    let mut checked = Ok(());
    let mut i = 0;
    operands.each(&mut |var| {
        if checked.is_ok() {
            checked = tape.check_var(&format!("buf[{i}]"), var);
        }
        i += 1;
    });
    checked
}

/// An error if some operands are values of a tape that records, and the calling thread has no tape: what the call makes of them
/// would have no derivative.
#[inline]
pub fn check_tape(operands: &impl Operands, shape: impl FnOnce() -> Shape) -> MpiResult<()> {
    if tape::current(|_| ()).is_some() || shape() == Shape::Passive {
        return Ok(());
    }
    without_tape(operands)
}

#[cold]
fn without_tape(operands: &impl Operands) -> MpiResult<()> {
    let mut checked = Ok(());
    let (mut i, mut tag) = (0, 0);
    operands.each(&mut |var| {
        // One tag stands for many values.
        if checked.is_ok() && var.id != 0 && var.tag != tag {
            tag = var.tag;
            checked = tape::check_without_tape(&format!("buf[{i}]"), var);
        }
        i += 1;
    });
    Ok(checked?)
}

#[inline(never)]
fn list(tape: &mut Tape, operands: &impl Operands) -> Result<Ids> {
    let next = tape.next_id();
    let list = tape.reserve::<u32>(operands.count())?;
    let highest = operands.ids(tape.stored_mut(&list));
    if highest >= next {
        return Err(never_given(highest, next));
    }
    Ok(Ids::List(list))
}

#[cold]
pub fn never_given(id: u32, next: u32) -> Error {
    Error::new(
        Code::Stale,
        format!(
            "the buffer holds id {id}, but the ids of the tape end before {next}: the value belongs to another tape, outlived a reset, or was put here by a rank with which this one has not synchronised since"
        ),
    )
}
