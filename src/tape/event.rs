//! Events: everything on a tape that is not a scalar statement. Higher floors bring their own.

use super::dependence::Dependence;
use super::sweep::Sweep;
use super::traced::Seen;
use super::{HEADER_BYTES, Tape};
use crate::count::wide32;
use crate::error::Result;

/// An operation with its own reverse function. Stored by value in the tape's payload arena.
pub trait Event: 'static {
    /// The operation, for messages.
    const NAME: &'static str;
    /// Whether the operation overwrote primal values, which a sweep must undo on its way down and redo.
    const MUTATES: bool = false;
    /// Whether `reverse` runs code of the user's, before which the sweep pauses.
    const PAUSES: bool = false;

    /// Takes the adjoints of the outputs and adds to those of the operands.
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()>;
    /// Tells on which operands each output depends. By default each does on all those to which `reverse` adds: nothing that
    /// runs code of the user's, or waits for other ranks, may leave it at that.
    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.what_is_added_to(|sweep| self.reverse(sweep))
    }
    /// What a trace is told of it; nothing by default, unless it runs code of the user's.
    fn seen(&self) -> Option<Seen> {
        Self::PAUSES.then_some(Seen::UserCode)
    }
    /// Restores the primal values as they were before the operation.
    fn undo(&mut self, _sweep: &mut Sweep<'_>) {}
    /// Overwrites them again.
    fn redo(&mut self, _sweep: &mut Sweep<'_>) {}
}

/// An event's place in the streams (all of it before its own outputs), its operations, its payload.
#[derive(Clone, Copy)]
pub struct Header {
    pub ops: &'static Ops,
    pub argument: u64,
    pub payload: u64,
    pub statement: u32,
    pub id: u32,
}

pub type ReverseOp = unsafe fn(*mut u8, &mut Sweep<'_>) -> Result<()>;
pub type DependOp = unsafe fn(*mut u8, &mut Dependence<'_, '_>) -> Result<()>;
pub type SeenOp = fn(*const u8) -> Option<Seen>;
pub type StateOp = unsafe fn(*mut u8, &mut Sweep<'_>);
pub type DropOp = unsafe fn(*mut u8);

/// The operations of one type of event.
pub struct Ops {
    pub name: &'static str,
    pub reverse: ReverseOp,
    pub depend: DependOp,
    pub seen: SeenOp,
    pub undo: StateOp,
    pub redo: StateOp,
    pub drop: DropOp,
}

/// The table of operations of `E`.
pub struct OpsOf<E>(std::marker::PhantomData<E>);

impl<E: Event> OpsOf<E> {
    pub const TABLE: Ops = Ops {
        name: E::NAME,
        reverse: |payload, sweep| {
            if E::PAUSES {
                sweep.pause()?;
            }
            // SAFETY: the tape calls this with the payload that `record` wrote as an `E`.
            unsafe { (*payload.cast::<E>()).reverse(sweep) }
        },
        depend: |payload, on| {
            // SAFETY: as above.
            unsafe { (*payload.cast::<E>()).depend(on) }
        },
        seen: |payload| {
            // SAFETY: as above.
            unsafe { (*payload.cast::<E>()).seen() }
        },
        undo: |payload, sweep| {
            // SAFETY: as above.
            unsafe { (*payload.cast::<E>()).undo(sweep) }
        },
        redo: |payload, sweep| {
            // SAFETY: as above.
            unsafe { (*payload.cast::<E>()).redo(sweep) }
        },
        drop: |payload| {
            // SAFETY: as above, once.
            unsafe { payload.cast::<E>().drop_in_place() }
        },
    };
}

impl Tape {
    pub(super) fn header(&self, index: u32) -> &Header {
        debug_assert!(index < self.events);
        // SAFETY: headers below `events` have been written.
        unsafe { &*self.event.base().cast::<Header>().add(wide32(index)) }
    }

    /// Where in the arena the newest event lies.
    pub fn newest_payload(&self) -> u64 {
        self.header(self.events - 1).payload
    }
}

const _: () = assert!(size_of::<Header>() == HEADER_BYTES);
