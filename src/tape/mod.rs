//! The reverse-mode tape: contiguous streams of statements, events beside them, and sweeps over both.
//!
//! One adjoint address space: every active double has an id, ids only grow while a tape records, and an
//! id denotes one value for ever. A scalar statement takes one id; an event takes as many as it has outputs.

mod callback;
mod companions;
mod event;
mod fence;
mod job;
mod loan;
mod operands;
mod questions;
mod record;
mod segments;
mod stored;
mod sweep;
mod tags;
#[cfg(test)]
mod tests;

pub use callback::ReverseFn;
pub use companions::Companion;
pub use event::Event;
pub use job::{ActiveJob, JobFunction, JobTape, Lease};
pub use loan::{AdjointLoan, ArenaLoan};
pub use operands::{Operands, Reach};
pub use questions::set_accompanied;
pub use record::{
    Room, activate, checking, current, forget_current, is_no_tape, set_checking, with_current,
};
pub use stored::{Ids, Pod, Store, Stored};
pub use sweep::{Sweep, depth};

use crate::arena::{self, Budget, Stream};
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use crate::options;
use crate::var_pack::{Words, mark_of, take_apart};
use companions::Companions;
use event::{DropOp, Header};
use segments::Segments;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use tags::Tags;

/// The number that headers and library must agree on; the first field of every tape.
pub const TAPE_ABI: u32 = 2;
/// Most arguments of one statement: its byte in the stream.
pub const MAX_ARGUMENTS: u32 = 254;

/// The flag of a nest whose sweeps leave the adjoints of values made outside it alone: `ADMPI_NEST_ISOLATED`. 1 is
/// retired: it asked for what is the default.
const NEST_ISOLATED: i32 = 2;

/// An active double as C sees it. Id 0 is passive.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Var {
    pub value: f64,
    pub id: u32,
    pub tag: u32,
}

laid_out!(admpi_var, Var);

/// Copies the values; whether the ids are consecutive, or all passive, under one tag.
pub fn copy_values(vars: &[Var], values: &mut [f64]) -> bool {
    const { assert!(size_of::<Var>() == size_of::<Words>() && align_of::<Var>() >= align_of::<Words>()) };
    let Some(first) = vars.first() else { return true };
    // SAFETY: a `Var` is two words without a gap.
    let words = unsafe { std::slice::from_raw_parts(vars.as_ptr().cast::<Words>(), vars.len()) };
    let step = u32::from(first.id != 0);
    take_apart(words, values, mark_of(first.id, first.tag), mark_of(step, 0)) == 0
}

/// The public cursors, laid out as `admpi_tape` in `include/admpi/var.h`.
#[repr(C)]
#[derive(Debug)]
pub struct Cursors {
    pub abi: u32,
    pub recording: u32,
    pub jacobian: *mut f64,
    pub argument: *mut u32,
    pub argument_end: *mut u32,
    pub checked_end: *mut u32,
    pub statement: *mut u8,
    pub next_id: u32,
    pub tag: u32,
    pub checking: u32,
    pub epoch: u32,
    pub merge: [u8; 256],
}

laid_out!(admpi_tape, Cursors);

/// A place in a tape. Opaque to users; valid while what lies below it is.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    pub argument: u64,
    pub payload: u64,
    pub statement: u32,
    pub id: u32,
    pub event: u32,
    pub tag: u32,
}

laid_out!(admpi_position, Position);

impl Position {
    pub const BOTTOM: Self =
        Self { argument: 0, payload: 0, statement: 0, id: 1, event: 0, tag: 0 };

    /// Below or at `other` in every stream.
    fn within(&self, other: &Self) -> bool {
        self.argument <= other.argument
            && self.payload <= other.payload
            && self.statement <= other.statement
            && self.id <= other.id
            && self.event <= other.event
    }

    /// The same place, whatever the tags of the values made from it on.
    fn same_place(&self, other: &Self) -> bool {
        self.within(other) && other.within(self)
    }
}

/// What a tape holds, in counts and bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    pub statements: u64,
    pub arguments: u64,
    pub events: u64,
    pub ids: u64,
    pub statement_bytes: u64,
    pub argument_bytes: u64,
    pub event_bytes: u64,
    pub adjoint_bytes: u64,
    pub used_bytes: u64,
    pub committed_bytes: u64,
    pub limit_bytes: u64,
    pub width: u64,
}

laid_out!(admpi_statistics, Statistics);

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
struct Nest {
    base: Position,
    token: NestToken,
    outside: Outside,
    recording: bool,
}

/// A sweep under way: what lies below its top must stay until it has ended.
#[derive(Debug)]
struct Running {
    top: Position,
    /// The ids from here on up to the top's are behind it, when it runs code of the user's.
    reached: u32,
    /// How many nests were open when it began.
    nests: usize,
    /// Whether it goes down to the base of the tape or of the nest.
    bottom: bool,
}

/// Which adjoints may differ from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Dirty {
    /// Every id below this one.
    below: u32,
    /// All inputs.
    inputs: bool,
    /// Besides, some that a sweep under way has passed already.
    passed: bool,
}

/// A tape. The inline recorders write through `cursors`, which must come first.
#[repr(C)]
pub struct Tape {
    cursors: Cursors,
    jacobian: Stream,
    argument: Stream,
    statement: Stream,
    event: Stream,
    payload: Stream,
    adjoint: Stream,
    events: u32,
    payload_used: usize,
    limit: Option<u64>,
    id_limit: u32,
    width: usize,
    dirty: Dirty,
    /// Whether adjoints have been seeded that no sweep has propagated to the bottom.
    seeded: bool,
    /// Ids whose adjoints have been taken by the last sweeps.
    swept: Range<u32>,
    /// First id and count of the inputs, ascending.
    inputs: Vec<(u32, u32)>,
    /// Ids whose adjoints outlive the sweep, ascending, and what they have gathered.
    kept: Vec<u32>,
    kept_adjoint: Vec<f64>,
    /// Indices of the events that own something, and of those that overwrite primal values.
    droppable: Vec<u32>,
    mutating: Vec<u32>,
    /// And of those that run code of the user's in a sweep.
    pausing: Vec<u32>,
    estate: loan::Estate,
    tags: Tags,
    segments: Segments,
    nests: Vec<Nest>,
    sweeps: Vec<Running>,
    /// Destructors of the user are running, for which the tape is out of bounds.
    recovering: bool,
    /// How many maps write to the arena, for which the tape is out of bounds too.
    leased: u32,
    /// An error that a recorder could not report, and the tag of the values made right after it; 0 for ever.
    failed: Option<(u32, Error)>,
    companions: Companions,
    arena_loans: loan::ArenaLoans,
    scratch: Vec<f64>,
    serial: u64,
    owner: AtomicU64,
}

static NEXT_SERIAL: AtomicU64 = AtomicU64::new(1);

impl Tape {
    /// An empty tape that does not record yet. Nothing is reserved before the first statement.
    pub fn new() -> Self {
        let mut tags = Tags::new();
        let tag = tags.next(std::iter::empty());
        Self {
            cursors: Cursors {
                abi: TAPE_ABI,
                recording: 0,
                jacobian: std::ptr::null_mut(),
                argument: std::ptr::null_mut(),
                argument_end: std::ptr::null_mut(),
                checked_end: std::ptr::null_mut(),
                statement: std::ptr::null_mut(),
                next_id: 1,
                tag,
                checking: u32::from(checking()),
                epoch: tags.next(std::iter::empty()),
                merge: [0; 256],
            },
            jacobian: Stream::new(arena::reservation(usize::MAX)),
            argument: Stream::new(arena::reservation(usize::MAX) / 2),
            statement: Stream::new(arena::reservation(1)),
            event: Stream::new(arena::reservation(size_of::<Header>())),
            payload: Stream::new(arena::reservation(usize::MAX)),
            adjoint: Stream::new(arena::reservation(8 * 16)),
            events: 0,
            payload_used: 0,
            limit: None,
            id_limit: options::id_max(),
            width: 1,
            dirty: Dirty::default(),
            seeded: false,
            swept: 0..0,
            inputs: Vec::new(),
            kept: Vec::new(),
            kept_adjoint: Vec::new(),
            droppable: Vec::new(),
            mutating: Vec::new(),
            pausing: Vec::new(),
            estate: loan::Estate::default(),
            tags,
            segments: Segments::new(tag),
            nests: Vec::new(),
            sweeps: Vec::new(),
            recovering: false,
            leased: 0,
            failed: None,
            companions: Companions::default(),
            arena_loans: loan::ArenaLoans::new(),
            scratch: Vec::new(),
            serial: NEXT_SERIAL.fetch_add(1, Ordering::Relaxed),
            owner: AtomicU64::new(0),
        }
    }

    /// Unique for the process, for ever: what distinguishes two tapes at one address.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    pub fn tag(&self) -> u32 {
        self.cursors.tag
    }

    /// A tag for values to come, or an epoch.
    fn new_tag(&mut self) -> u32 {
        self.tags.next(self.segments.tags())
    }

    /// Counts the places that have been marked: what stood in a matrix at one must not be overwritten for good.
    pub fn epoch(&self) -> u32 {
        self.cursors.epoch
    }

    /// The id that the next value gets.
    pub fn next_id(&self) -> u32 {
        self.cursors.next_id
    }

    /// Whether operands are checked.
    pub fn checking(&self) -> bool {
        self.cursors.checking != 0
    }

    /// Lets operands be checked from the next statement on, or no longer.
    pub fn check_operands(&mut self, on: bool) {
        self.cursors.checking = u32::from(on);
        self.sync();
    }

    pub fn recording(&self) -> bool {
        self.cursors.recording != 0
    }

    pub fn event_count(&self) -> u32 {
        self.events
    }

    /// How many events overwrote primal values.
    #[cfg(test)]
    pub fn mutating_count(&self) -> usize {
        self.mutating.len()
    }

    /// Adjoints side by side at each id.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn start(&mut self) {
        self.cursors.recording = 1;
        self.sync();
    }

    pub fn stop(&mut self) {
        self.cursors.recording = 0;
        self.sync();
    }

    /// Where the tape stands now.
    pub fn position(&self) -> Position {
        Position {
            argument: self.arguments() as u64,
            payload: self.payload_used as u64,
            statement: self.statements(),
            id: self.cursors.next_id,
            event: self.events,
            tag: self.cursors.tag,
        }
    }

    /// The same for a user, who may sweep from there, or come back to it: what stands in a matrix now must
    /// not be overwritten for good any more.
    pub fn mark(&mut self) -> Position {
        self.cursors.epoch = self.new_tag();
        self.position()
    }

    /// The lowest place a sweep may reach: the base of the innermost nest, or of the tape.
    pub fn base(&self) -> Position {
        self.nests.last().map_or(Position::BOTTOM, |nest| nest.base)
    }

    fn arguments(&self) -> usize {
        (self.cursors.argument.addr() - self.argument.base().addr()) / size_of::<u32>()
    }

    #[allow(clippy::cast_possible_truncation)] // every statement takes an id, and ids are 32 bits
    fn statements(&self) -> u32 {
        (self.cursors.statement.addr() - self.statement.base().addr()) as u32
    }

    /// Moves the cursors to `position`, which lies at or below the present one.
    fn rewind(&mut self, position: &Position) {
        // SAFETY: the position lies inside what has been written.
        unsafe {
            if !self.argument.base().is_null() {
                self.cursors.argument =
                    self.argument.base().cast::<u32>().add(wide(position.argument));
                self.cursors.jacobian =
                    self.jacobian.base().cast::<f64>().add(wide(position.argument));
                self.cursors.statement = self.statement.base().add(wide32(position.statement));
            }
        }
        self.cursors.next_id = position.id;
        self.swept.end = self.swept.end.min(position.id);
        self.payload_used = wide(position.payload);
        while self.inputs.last().is_some_and(|&(first, _)| first >= position.id) {
            self.inputs.pop();
        }
        if let Some((first, n)) = self.inputs.last_mut() {
            *n = (*n).min(position.id - *first);
        }
        let kept = self.kept.partition_point(|&id| id < position.id);
        self.kept.truncate(kept);
        self.kept_adjoint.truncate(kept * self.width);
    }

    /// Drops, in reverse order, what the events at and above `position` own, and forgets them. Nothing
    /// is recorded meanwhile, since destructors of the user's may run.
    ///
    /// # Safety
    /// `tape` is live.
    unsafe fn drop_events(tape: *mut Self, position: &Position) {
        // SAFETY: the caller's promise; no reference to the tape is held while a destructor runs.
        unsafe {
            let recording = std::mem::replace(&mut (*tape).cursors.recording, 0);
            (*tape).sync();
            (*tape).recovering = true;
            while let Some((drop, payload)) = (*tape).next_to_drop(position.event) {
                drop(payload);
            }
            (*tape).recovering = false;
            (*tape).cursors.recording = recording;
            (*tape).sync();
            for list in [&mut (*tape).mutating, &mut (*tape).pausing] {
                let kept = list.partition_point(|&index| index < position.event);
                list.truncate(kept);
            }
            (*tape).events = position.event;
        }
    }

    /// Takes the newest event that owns something off the list, if it is not below `event`.
    fn next_to_drop(&mut self, event: u32) -> Option<(DropOp, *mut u8)> {
        let index = self.droppable.pop_if(|index| *index >= event)?;
        let header = self.header(index);
        Some((header.ops.drop, self.payload_at(header.payload)))
    }

    /// Forgets all that lies above `position`: values made there are stale from now on.
    ///
    /// # Safety
    /// `tape` is live.
    unsafe fn forget(tape: *mut Self, position: &Position) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).check_arena_loans(position.payload)?;
            (*tape).companions.forget(position);
            (*tape).zero_adjoints_from(position.id);
            Self::drop_events(tape, position);
            (*tape).rewind(position);
        }
        Ok(())
    }

    /// Runs the destructors and frees a tape that was boxed.
    ///
    /// # Safety
    /// `tape` was made by `Box::into_raw` and is not used again.
    pub unsafe fn free(tape: *mut Self) {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).companions.forget(&Position::BOTTOM);
            Self::drop_events(tape, &Position::BOTTOM);
            let mut tape = Box::from_raw(tape);
            if tape.is_arena_lent(0) {
                // MPI is going to write there.
                std::mem::forget(std::mem::replace(&mut tape.payload, Stream::new(0)));
            }
        }
    }

    /// Closes the segments above `position`, and with them forgets a failure in one of those.
    fn cut_segments(&mut self, position: &Position) {
        self.segments.cut(position);
        self.failed.take_if(|(tag, _)| *tag != 0 && !self.segments.is_open(*tag));
    }

    /// Empties the tape; committed memory is kept. Its recording state stays.
    ///
    /// # Safety
    /// `tape` is live. Destructors of the user's may run, which must not use it.
    pub unsafe fn reset(tape: *mut Self) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).no_open_nest("reset")?;
            (*tape).not_in_sweep("reset")?;
            (*tape).may_end("reset", 0)?;
            Self::forget(tape, &Position::BOTTOM)?;
            let tape = &mut *tape;
            tape.failed = None;
            tape.tags.forget_missed();
            tape.cursors.tag = tape.new_tag();
            tape.segments = Segments::new(tape.cursors.tag);
            tape.sync();
        }
        Ok(())
    }

    fn no_open_nest(&self, call: &str) -> Result<()> {
        if self.nests.is_empty() {
            return Ok(());
        }
        Err(Error::new(Code::Nest, format!("{call}: {} nests are open", self.nests.len())))
    }

    /// An error in a callback of a sweep, for what a sweep cannot bear.
    pub fn not_in_sweep(&self, call: &str) -> Result<()> {
        if self.sweeps.is_empty() {
            return Ok(());
        }
        Err(Error::new(Code::Nest, format!("{call}: a sweep of this tape is under way")))
    }

    /// Whether the innermost sweep began above `offset` of the arena, and no nest has been opened in its callback.
    pub fn is_swept_above(&self, offset: u64) -> bool {
        let sweep = self.sweeps.last();
        sweep.is_some_and(|sweep| offset < sweep.top.payload && self.nests.len() <= sweep.nests)
    }

    /// An error if a sweep that stopped on its way is to go on below event `event`.
    fn may_end(&mut self, call: &str, event: u32) -> Result<()> {
        self.companions.each(|companion| companion.may_end(call, event))
    }

    /// Whether user code runs that the tape called on being reset or recovered.
    pub fn recovering(&self) -> bool {
        self.recovering
    }

    /// Goes back to `position`: values made since are stale.
    ///
    /// # Safety
    /// As for `reset`.
    pub unsafe fn reset_to(tape: *mut Self, position: &Position) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).check_reset_to(position)?;
            (*tape).may_end("reset_to", position.event)?;
            Self::forget(tape, position)?;
            let tape = &mut *tape;
            tape.cut_segments(position);
            tape.open_segment();
            tape.sync();
        }
        Ok(())
    }

    fn check_reset_to(&self, position: &Position) -> Result<()> {
        self.check_position("position", position)?;
        let error = |what| Err(Error::new(Code::Range, format!("reset_to: position lies {what}")));
        if !self.base().within(position) {
            return error("below the base of the open nest");
        }
        match self.sweeps.last() {
            Some(sweep) if !sweep.top.within(position) => {
                error("below the top of the sweep that is under way")
            }
            _ => Ok(()),
        }
    }

    /// Gives the values made from now on a tag of their own.
    fn open_segment(&mut self) {
        let position = self.mark();
        self.cursors.tag = self.new_tag();
        self.segments.open(self.cursors.tag, position);
    }

    /// An error unless `position` lies on this tape and nothing below it has been forgotten.
    pub fn check_position(&self, name: &str, position: &Position) -> Result<()> {
        if self.segments.holds_position(position, &self.position()) {
            return Ok(());
        }
        Err(Error::new(
            Code::Range,
            format!(
                "{name} (statement {}, id {}, event {}) is not a position of this tape, or outlived a reset",
                position.statement, position.id, position.event
            ),
        ))
    }

    /// Opens a nest: what is recorded in it is forgotten by `recover_nested`.
    pub fn start_nested(&mut self, outside: Outside) -> Result<NestToken> {
        let base = self.position();
        let token = NestToken { token: NEXT_SERIAL.fetch_add(1, Ordering::Relaxed) };
        self.nests.push(Nest { base, token, outside, recording: self.recording() });
        self.open_segment();
        Ok(token)
    }

    /// Closes the innermost nest, which must be the one of `token`.
    ///
    /// # Safety
    /// As for `reset`.
    pub unsafe fn recover_nested(tape: *mut Self, token: NestToken) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let (base, recording) = (*tape).check_recover(token)?;
            (*tape).may_end("recover_nested", base.event)?;
            Self::forget(tape, &base)?;
            let tape = &mut *tape;
            tape.nests.pop();
            tape.cursors.tag = base.tag;
            tape.cut_segments(&base);
            tape.cursors.recording = u32::from(recording);
            tape.sync();
        }
        Ok(())
    }

    /// The base of the innermost nest, if that is the one of `token` and no sweep relies on it, and
    /// whether the tape recorded when it was opened.
    fn check_recover(&self, token: NestToken) -> Result<(Position, bool)> {
        let asked = token.token;
        let Some(nest) = self.nests.last() else {
            return Err(Error::new(Code::Nest, format!("nest = {asked}: no nest is open")));
        };
        if nest.token != token {
            return Err(Error::new(
                Code::Nest,
                format!(
                    "nest = {asked} is not the innermost open one, which is {}",
                    nest.token.token
                ),
            ));
        }
        if self.sweeps.last().is_some_and(|sweep| sweep.nests == self.nests.len()) {
            self.not_in_sweep("recover_nested")?;
        }
        Ok((nest.base, nest.recording))
    }

    fn holds(&self, var: &Var) -> bool {
        var.id == 0 || self.segments.holds(var.id, var.tag, self.cursors.next_id)
    }

    /// An error unless `var` is passive or made by what is now on this tape.
    pub fn check_var(&self, name: &str, var: &Var) -> Result<()> {
        if self.holds(var) { Ok(()) } else { Err(stale(name, var)) }
    }

    /// The same for an array; `in_a_row` as `copy_values` tells.
    pub fn check_copied(&self, name: &str, vars: &[Var], in_a_row: bool) -> Result<()> {
        match vars {
            [first, .., last] if in_a_row => {
                let (tag, ids) = self.segments.around(first.id, self.cursors.next_id);
                let all = first.tag == tag && ids.contains(&first.id) && ids.contains(&last.id);
                if all || first.id == 0 { Ok(()) } else { self.check_vars(name, vars) }
            }
            _ => self.check_vars(name, vars),
        }
    }

    /// The same for an array.
    pub fn check_vars(&self, name: &str, vars: &[Var]) -> Result<()> {
        // Most are made under the same tag as the one before.
        let (mut tag, mut ids) = (0, 0..0);
        for (i, var) in vars.iter().enumerate() {
            if var.id == 0 || (var.tag == tag && ids.contains(&var.id)) {
                continue;
            }
            (tag, ids) = self.segments.around(var.id, self.cursors.next_id);
            if var.tag != tag || !ids.contains(&var.id) {
                return Err(stale(&format!("{name}[{i}]"), var));
            }
        }
        Ok(())
    }

    /// The number of directions of the sweeps to come: 1, 2, 4, 8 or 16. A change clears the adjoints.
    pub fn set_width(&mut self, width: usize) -> Result<()> {
        if !matches!(width, 1 | 2 | 4 | 8 | 16) {
            return Err(wrong_width(width));
        }
        if width != self.width {
            self.not_in_sweep("width")?;
            // Jobs of a map change it often: no text is made for that.
            let calls = ["width = 1", "width = 2", "width = 4", "width = 8", "width = 16"];
            self.may_end(calls[wide32(width.trailing_zeros())], 0)?;
            self.no_adjoints_outside_nest(width)?;
            self.clear_all_adjoints();
            self.width = width;
            self.kept_adjoint.clear();
            self.kept_adjoint.resize(self.kept.len() * width, 0.0);
        }
        Ok(())
    }

    /// An error if a nest is open and adjoints outside it would be lost.
    fn no_adjoints_outside_nest(&self, width: usize) -> Result<()> {
        let Some(nest) = self.nests.first() else { return Ok(()) };
        let outside = wide32(nest.base.id) * self.width;
        let outside = self.committed_adjoints(outside);
        let kept = self.kept.partition_point(|&id| id < nest.base.id) * self.width;
        if outside.iter().chain(&self.kept_adjoint[..kept]).all(|&adjoint| adjoint == 0.0) {
            return Ok(());
        }
        Err(Error::new(
            Code::Nest,
            format!(
                "width = {width}: a nest is open, and the adjoints of values outside it, of width {}, would be lost; \
                 read and clear them before the nest",
                self.width
            ),
        ))
    }

    /// The tape's own byte limit; 0 returns to the process's default.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = (bytes != 0).then_some(bytes);
    }

    /// Gives memory beyond what is in use back to the system.
    pub fn trim(&mut self) {
        let (arguments, statements) = (self.arguments(), wide32(self.statements()));
        self.jacobian.trim(arguments * size_of::<f64>());
        self.argument.trim(arguments * size_of::<u32>());
        self.statement.trim(statements);
        self.event.trim(wide32(self.events) * size_of::<Header>());
        self.payload.trim(self.payload_used);
        let adjoints = if self.dirty.inputs { self.cursors.next_id } else { self.dirty.below };
        if !self.has_lent() {
            self.adjoint.trim(wide32(adjoints) * self.width * size_of::<f64>());
        }
        self.sync();
    }

    fn committed(&self) -> u64 {
        [&self.jacobian, &self.argument, &self.statement, &self.event, &self.payload, &self.adjoint]
            .iter()
            .map(|stream| stream.committed() as u64)
            .sum()
    }

    fn budget(&self) -> Budget {
        Budget { committed: self.committed(), limit: self.limit }
    }

    pub fn statistics(&self) -> Statistics {
        let statements = u64::from(self.statements());
        let arguments = self.arguments() as u64;
        let ids = u64::from(self.cursors.next_id - 1);
        let event_bytes =
            u64::from(self.events) * size_of::<Header>() as u64 + self.payload_used as u64;
        let adjoint_bytes = ids * self.width as u64 * 8;
        Statistics {
            statements,
            arguments,
            events: u64::from(self.events),
            ids,
            statement_bytes: statements,
            argument_bytes: arguments * 12,
            event_bytes,
            adjoint_bytes,
            used_bytes: statements + arguments * 12 + event_bytes + adjoint_bytes,
            committed_bytes: self.committed(),
            limit_bytes: self.limit.unwrap_or_else(arena::default_limit),
            width: self.width as u64,
        }
    }

    fn header(&self, index: u32) -> &Header {
        debug_assert!(index < self.events);
        // SAFETY: headers below `events` have been written.
        unsafe { &*self.event.base().cast::<Header>().add(wide32(index)) }
    }

    /// What lies at `offset` of the payload arena, which `allocate` has given.
    pub fn payload_at(&self, offset: u64) -> *mut u8 {
        self.payload.base().wrapping_add(wide(offset))
    }

    /// Where in the arena the newest event lies.
    pub fn newest_payload(&self) -> u64 {
        self.header(self.events - 1).payload
    }

    /// The tape's instance of `C`, made at its first use: state that a higher floor keeps with a tape.
    #[inline]
    pub fn companion<C: Companion + Default>(&mut self) -> &mut C {
        self.companions.get()
    }

    /// The active value of `id0 + i`; passive where `id0` is 0, as it is when nothing was recorded.
    pub fn value(&self, value: f64, id0: u32, i: usize) -> Var {
        match u32::try_from(i) {
            Ok(i) if id0 != 0 => Var { value, id: id0 + i, tag: self.cursors.tag },
            _ => Var { value, id: 0, tag: 0 },
        }
    }

    /// Remembers an error of a recorder that cannot report it, for the next sweep. It is forgotten with
    /// the place of the tape where it occurred. Nests that are closed in a wrong order have no such place.
    pub fn fail(&mut self, error: Error) {
        if error.code == Code::Nest {
            self.failed = Some((0, error));
        } else if self.failed.is_none() {
            self.open_segment();
            self.failed = Some((self.cursors.tag, error));
        }
    }
}

/// A width as C gives it.
pub fn width_of(width: i32) -> Result<usize> {
    usize::try_from(width).map_err(|_| wrong_width(width))
}

#[cold]
fn wrong_width(width: impl std::fmt::Display) -> Error {
    Error::new(Code::Argument, format!("width = {width} is not 1, 2, 4, 8 or 16"))
}

#[cold]
fn stale(name: &str, var: &Var) -> Error {
    // Expressions of C++ pass ids and tags alone.
    let value = if var.value.is_nan() { String::new() } else { format!("value {}, ", var.value) };
    let why = if tags::is_foreign(var.tag) {
        "came from another process as bytes, or from a file: send it under AMPI_ADOUBLE, or write and read its value"
    } else {
        "is stale: it belongs to another tape, or outlived reset, reset_to or recover_nested"
    };
    Error::new(Code::Stale, format!("{name} ({value}id {}, tag {}) {why}", var.id, var.tag))
}

/// An error if the derivative of `var` is lost in a computation on a thread that has no tape: always in checking mode, else
/// while the tape that made it records. That tape's next sweep then fails too, for callers that cannot return an error.
pub fn check_without_tape(var: &Var) -> Result<()> {
    if var.id == 0 || !(tags::misses(var.tag) || checking()) {
        return Ok(());
    }
    Err(Error::new(
        Code::NoTape,
        format!(
            "operand (id {}, tag {}) is active, and the calling thread has no tape: activate the tape that made it, compute on \
             that tape's thread, or with admpi::value",
            var.id, var.tag
        ),
    ))
}

impl Default for Tape {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.companions.forget(&Position::BOTTOM);
        // SAFETY: live until this returns.
        unsafe { Self::drop_events(self, &Position::BOTTOM) };
        self.stop();
        if self.has_lent() {
            self.leave_adjoints(Stream::new(0));
        }
    }
}

// SAFETY: the pointers of a tape lead into its own streams.
unsafe impl Send for Tape {}

const _: () = assert!(std::mem::offset_of!(Tape, cursors) == 0);
const _: () = assert!(size_of::<Header>() == 32);
