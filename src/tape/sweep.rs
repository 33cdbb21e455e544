//! A sweep as events see it: the adjoints of their results, to take, and of their operands, to add to.
//!
//! A sweep takes (reads and zeroes) every adjoint it consumes, so that afterwards only inputs and kept
//! values hold adjoints and nothing needs clearing before the next one.

use super::Tape;
use super::companions::Companion;
use super::fence::Fence;
use super::stored::{Ids, Pod, Store, Stored};
use crate::count::wide32;
use crate::var_pack::{add_to, move_out};
use std::marker::PhantomData;

/// A sweep on its way down, as the events see it. It holds no reference to the tape while user code
/// runs, so that a callback may record and sweep a nest of its own on the same tape.
pub struct Sweep<'t> {
    pub(super) tape: *mut Tape,
    pub(super) fence: Fence,
    pub(super) event: u32,
    /// In how many others it runs.
    pub(super) depth: u32,
    /// The event down to which assignments are undone now.
    pub(super) undone: u32,
    pub(super) tape_borrow: PhantomData<&'t mut Tape>,
}

impl Sweep<'_> {
    pub(super) fn tape(&mut self) -> &mut Tape {
        // SAFETY: the sweep was made from a live tape, and the borrow ends before user code runs.
        unsafe { &mut *self.tape }
    }

    fn tape_ref(&self) -> &Tape {
        // SAFETY: as above.
        unsafe { &*self.tape }
    }

    /// Adjoints side by side at each id.
    pub fn width(&self) -> usize {
        self.tape_ref().width
    }

    /// The index of the event that is being reversed.
    pub fn event_index(&self) -> u32 {
        self.event
    }

    /// In how many other sweeps of this thread, of whatever tapes, this one runs: each in a callback of the one
    /// before.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The `n * width` adjoints of consecutive ids, as one slice.
    pub fn adjoints(&mut self, first: u32, n: usize) -> &mut [f64] {
        // SAFETY: as in `tape`.
        let tape = unsafe { &mut *self.tape };
        if !tape.borrowed.is_empty()
            && let Some(adjoints) = tape.borrowed_adjoints(first, n)
        {
            return adjoints;
        }
        // SAFETY: as above.
        let tape = unsafe { &mut *self.tape };
        tape.adjoints_mut(first, n * tape.width)
    }

    /// Copies the `n * width` adjoints of consecutive outputs to `out` and zeroes them.
    #[inline(always)]
    pub fn take(&mut self, first: u32, n: usize, out: &mut [f64]) {
        let adjoints = self.adjoints(first, n);
        assert_eq!(adjoints.len(), out.len(), "room for all of them");
        if let ([adjoint], [out]) = (&mut *adjoints, &mut *out) {
            *out = std::mem::take(adjoint);
            return;
        }
        move_out(adjoints, out);
    }

    /// Adds `ids.len() * width` values to the adjoints of operands, one after the other, since an id may
    /// occur twice.
    #[inline(always)]
    pub fn add(&mut self, ids: &Ids, values: &[f64]) {
        let width = self.width();
        assert_eq!(values.len(), ids.len() * width, "one value for each adjoint");
        if let (&Ids::Range { first, .. }, &[value]) = (ids, values)
            && first >= self.fence.free()
        {
            self.adjoints(first, 1)[0] += value;
            return;
        }
        self.add_all(ids, values, width);
    }

    #[inline(never)]
    fn add_all(&mut self, ids: &Ids, values: &[f64], width: usize) {
        let asked = self.fence.asked();
        match ids {
            Ids::Passive(_) => {}
            Ids::Range { first, n } => {
                let outside = self.fence.free().max(1).saturating_sub(*first).min(*n);
                for (id, values) in (*first..first + outside).zip(values.chunks_exact(width)) {
                    self.add_outside(id, values);
                }
                let adjoints = self.adjoints(first + outside, wide32(n - outside));
                add_to(adjoints, &values[wide32(outside) * width..]);
            }
            Ids::List(list) => {
                // SAFETY: live, and borrowed as long as the sweep; the fence is the sweep's own.
                let (tape, fence) = unsafe { (&mut *self.tape, &mut self.fence) };
                // SAFETY: the list lies in the payload stream, which `adjoints_mut` does not touch.
                let ids: &[u32] = unsafe { &*std::ptr::from_ref(tape.stored(list)) };
                let committed = tape.adjoint.committed() / size_of::<f64>();
                let adjoints = tape.adjoints_mut(0, committed);
                if width == 1 {
                    for (&id, &value) in ids.iter().zip(values) {
                        if id != 0 && (!asked.has(id) || fence.lets(id, &[value])) {
                            adjoints[wide32(id)] += value;
                        }
                    }
                    return;
                }
                for (&id, values) in ids.iter().zip(values.chunks_exact(width)) {
                    if id != 0 && (!asked.has(id) || fence.lets(id, values)) {
                        let adjoints = &mut adjoints[wide32(id) * width..][..width];
                        for (adjoint, value) in adjoints.iter_mut().zip(values) {
                            *adjoint += value;
                        }
                    }
                }
            }
        }
    }

    /// Adds to the adjoint of an id that is not free, if the fence admits that.
    fn add_outside(&mut self, id: u32, values: &[f64]) {
        if self.fence.lets(id, values) {
            add_to(self.adjoints(id, 1), values);
        }
    }

    pub fn stored<T: Pod>(&self, slice: &Stored<T>) -> &[T] {
        self.tape_ref().stored(slice)
    }

    pub fn stored_mut<T: Pod>(&mut self, slice: &Stored<T>) -> &mut [T] {
        self.tape().stored_mut(slice)
    }

    /// The tape's companion, for a use that does not touch the sweep meanwhile.
    pub fn companion<C: Companion + Default>(&mut self) -> &mut C {
        self.tape().companion()
    }

    /// Takes the tape's companion out, for use beside the sweep; `attach` puts it back.
    pub fn detach<C: Companion + Default>(&mut self) -> Box<C> {
        self.tape().companions.take()
    }

    pub fn attach<C: Companion>(&mut self, companion: Box<C>) {
        self.tape().companions.put(companion);
    }

    /// A buffer of `n` zeros that keeps its memory between events; give it back with `recycle`.
    pub fn scratch(&mut self, n: usize) -> Vec<f64> {
        let mut scratch = std::mem::take(&mut self.tape().scratch);
        scratch.clear();
        scratch.resize(n, 0.0);
        scratch
    }

    pub fn recycle(&mut self, scratch: Vec<f64>) {
        if scratch.capacity() > self.tape().scratch.capacity() {
            self.tape().scratch = scratch;
        }
    }
}

impl Store for Sweep<'_> {
    fn read<T: Pod>(&self, slice: &Stored<T>) -> &[T] {
        self.stored(slice)
    }
}
