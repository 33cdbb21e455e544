//! The reverse-mode tape: contiguous streams of statements, events beside them, and sweeps over both.
//!
//! One adjoint address space: every active double has an id, ids only grow while a tape records, and an
//! id denotes one value for ever. A scalar statement takes one id; an event takes as many as it has outputs.

mod adjoints;
mod callback;
mod companions;
mod current;
mod cursors;
mod dependence;
mod event;
mod fence;
mod finite;
mod job;
mod loan;
mod names;
mod nest;
mod no_tape;
mod operands;
mod position;
mod questions;
mod record;
mod regions;
mod reset;
mod reverse;
mod section;
mod segments;
mod stale;
mod statements;
mod stored;
mod sweep;
mod tags;
#[cfg(test)]
mod tests;
mod traced;

pub use callback::ReverseFn;
pub use companions::Companion;
pub use current::{activate, current, forget_current, with_current};
pub use cursors::{Cursors, MAX_ARGUMENTS, TAPE_ABI, Var, copy_values};
pub use dependence::{Across, Dependence, Dependences};
pub use event::Event;
pub use fence::Named;
pub use job::{ActiveJob, JobFunction, JobTape, Lease};
pub use loan::{ArenaLoan, Borrowed};
pub use nest::{NestToken, Outside};
pub use no_tape::{checking, is_no_tape, regions_are_wanted, set_checking};
pub use operands::{Operands, Reach};
pub use position::Position;
pub use questions::{is_accompanied, set_accompanied, set_rank};
pub use record::Room;
pub use reverse::{depth, receiving, set_prepare, set_receiving};
pub use section::{Passive, ask_current, current_or_null, in_nest, on_current, reverse_current};
pub use stale::check_without_tape;
pub use stored::{Ids, Pod, Store, Stored};
pub use sweep::Sweep;
pub use tags::{REMOTE, REMOTE_RANK_BITS, is_foreign as is_foreign_tag};
pub use traced::{Mark, Seen};

use crate::arena::{self, Budget, Estate, Fresh, Stream};
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use crate::options;
use companions::Companions;
use nest::{Nest, Running};
use segments::Segments;
use std::ops::Range;
use std::sync::Weak;
use std::sync::atomic::{AtomicU64, Ordering};
use tags::Tags;

/// What an event has in the event stream.
const HEADER_BYTES: usize = 32;

/// Most directions of a sweep.
pub const WIDEST: usize = 16;

/// Room for the adjoints of all ids.
fn adjoint_stream() -> Stream {
    Stream::new(arena::reservation(size_of::<f64>() * WIDEST), Fresh::Zeros)
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
    /// Adjoints that the sweep under way finds in memory of others.
    borrowed: Vec<Borrowed>,
    dirty: Dirty,
    /// Its sweeps are parts of one that another tool makes: ranks have different parts.
    in_steps: bool,
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
    estate: Estate,
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
    /// The places in the arena below which it is lent, and whether it still is.
    arena_loans: Vec<(u64, Weak<()>)>,
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
        let stream = |wanted| Stream::new(wanted, Fresh::Anything);
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
            jacobian: stream(arena::reservation(usize::MAX)),
            argument: stream(arena::reservation(usize::MAX) / 2),
            statement: stream(arena::reservation(1)),
            event: stream(arena::reservation(HEADER_BYTES)),
            payload: stream(arena::reservation(usize::MAX)),
            adjoint: adjoint_stream(),
            events: 0,
            payload_used: 0,
            limit: None,
            id_limit: options::id_max(),
            width: 1,
            borrowed: Vec::new(),
            dirty: Dirty::default(),
            in_steps: false,
            seeded: false,
            swept: 0..0,
            inputs: Vec::new(),
            kept: Vec::new(),
            kept_adjoint: Vec::new(),
            droppable: Vec::new(),
            mutating: Vec::new(),
            pausing: Vec::new(),
            estate: Estate::default(),
            tags,
            segments: Segments::new(tag),
            nests: Vec::new(),
            sweeps: Vec::new(),
            recovering: false,
            leased: 0,
            failed: None,
            companions: Companions::default(),
            arena_loans: Vec::new(),
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

    /// How many tags are open.
    #[cfg(test)]
    pub fn segment_count(&self) -> usize {
        self.segments.tags().count()
    }

    /// Adjoints side by side at each id.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn start(&mut self) {
        self.cursors.recording = 1;
        self.sync();
    }

    /// From now on it is swept step by step, so that no sweep is one of all ranks together.
    pub fn sweep_in_steps(&mut self) {
        self.in_steps = true;
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
        self.event.trim(wide32(self.events) * HEADER_BYTES);
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
        let event_bytes = u64::from(self.events) * HEADER_BYTES as u64 + self.payload_used as u64;
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

    /// What lies at `offset` of the payload arena, which `allocate` has given.
    pub fn payload_at(&self, offset: u64) -> *mut u8 {
        self.payload.base().wrapping_add(wide(offset))
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

    /// The error that a recorder could not report.
    pub(in crate::tape) fn check_recorded(&self) -> Result<()> {
        match &self.failed {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
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

impl Default for Tape {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: the pointers of a tape lead into its own streams.
unsafe impl Send for Tape {}

const _: () = assert!(std::mem::offset_of!(Tape, cursors) == 0);
