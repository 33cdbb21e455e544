//! One-sided communication of the library's own: on users' windows, and on small windows beside them.

use super::ffi;
use super::handle::Win;
use super::message::{self, Envelope};
use super::parcel::Patience;
use super::raw::{self, MPI_Win, constants};
use super::transfer::Transfer;
use super::types::aint;
use super::{Comm, Datatype, Doubles, MpiResult, Op, Staging, check};
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory that MPI writes to until the operation is complete; it is not given back before.
pub struct Arriving(ManuallyDrop<Staging>);

impl Arriving {
    /// What has arrived: MPI has completed the operation.
    pub fn arrived(self) -> Staging {
        ManuallyDrop::into_inner(self.0)
    }
}

/// Memory that MPI reads until the operation is complete.
pub struct Departing(ManuallyDrop<Staging>);

impl Departing {
    /// MPI has completed the operation.
    pub fn departed(self) {
        drop(ManuallyDrop::into_inner(self.0));
    }
}

impl Win {
    /// MPI's own Get of what `there` describes behind a rank's displacement, or its Rget, whose request goes to `request`.
    pub fn get(
        self,
        mut into: Staging,
        here: &Doubles,
        (rank, displacement): (c_int, i64),
        there: &Doubles,
        request: Option<&mut Transfer>,
    ) -> MpiResult<Arriving> {
        assert!(into.len() >= here.len());
        let room = into.as_mut_slice().as_mut_ptr().cast();
        let (n, t) = (here.count(), here.datatype());
        let (at, m, u) = (aint(displacement), there.count(), there.datatype());
        // SAFETY: a live window, live datatypes, and room as asserted, which stays until the operation is complete.
        check(unsafe {
            match request {
                None => ffi::MPI_Get(room, n, t, rank, at, m, u, self.raw()),
                Some(transfer) => {
                    ffi::MPI_Rget(room, n, t, rank, at, m, u, self.raw(), transfer.place())
                }
            }
        })?;
        Ok(Arriving(ManuallyDrop::new(into)))
    }

    /// MPI's own Put to what `there` describes behind a rank's displacement.
    pub fn put(
        self,
        data: Staging,
        here: &Doubles,
        (rank, displacement): (c_int, i64),
        there: &Doubles,
    ) -> MpiResult<Departing> {
        assert!(data.len() >= here.len());
        // SAFETY: as above.
        check(unsafe {
            ffi::MPI_Put(
                data.as_slice().as_ptr().cast(),
                here.count(),
                here.datatype(),
                rank,
                aint(displacement),
                there.count(),
                there.datatype(),
                self.raw(),
            )
        })?;
        Ok(Departing(ManuallyDrop::new(data)))
    }

    /// Waits until this rank's operations on `rank`'s part are complete, there too.
    pub fn flush(self, rank: c_int) -> MpiResult<()> {
        // SAFETY: a live window.
        check(unsafe { raw::MPI_Win_flush(rank, self.raw()) })
    }

    /// Waits until they are complete here.
    pub fn flush_local(self, rank: c_int) -> MpiResult<()> {
        // SAFETY: a live window.
        check(unsafe { raw::MPI_Win_flush_local(rank, self.raw()) })
    }
}

impl Comm {
    /// Waits for all members.
    pub fn barrier(self) -> MpiResult<()> {
        // SAFETY: a live communicator.
        check(unsafe { raw::MPI_Barrier(self.raw()) })
    }
}

/// Bytes of each part: MPICH misplaces operations on windows that it allocates where they are no multiple of 16.
const BYTES: i64 = 16;

/// A small window of the library's own: on each rank a counter, which all ranks may raise and its own rank reads, and a lock.
pub struct Counters {
    win: MPI_Win,
    comm: Comm,
    own: *const AtomicU64,
}

// SAFETY: the memory is the window's, and is only read, as an atomic number.
unsafe impl Send for Counters {}

impl Counters {
    /// Counts from 0. Collective over `comm`.
    pub fn new(comm: Comm) -> MpiResult<Self> {
        // SAFETY: constant data of the shim of mpi-sys.
        let (info, mut win) = unsafe { (mpi_sys::RSMPI_INFO_NULL, mpi_sys::RSMPI_WIN_NULL) };
        let mut base: *mut [u64; 2] = std::ptr::null_mut();
        let place = (&raw mut base).cast();
        // SAFETY: a live communicator and places for the answers.
        check(unsafe { raw::MPI_Win_allocate(aint(BYTES), 8, info, comm.raw(), place, &mut win) })?;
        // SAFETY: so many bytes of the window, which nobody uses yet.
        unsafe { base.write([0; 2]) };
        // SAFETY: a live window, which stays locked until it is freed; so below.
        unsafe {
            check(raw::MPI_Win_lock_all(0, win))?;
            check(raw::MPI_Win_sync(win))?;
        }
        comm.barrier()?;
        Ok(Self { win, comm, own: base.cast() })
    }

    /// Adds 1 to `rank`'s, and waits until it is there.
    pub fn raise(&self, rank: c_int) -> MpiResult<()> {
        let (one, word) = (1_u64, Datatype::word().raw());
        // SAFETY: one word in a live window, which is locked.
        check(unsafe {
            let from = (&raw const one).cast();
            ffi::MPI_Accumulate(from, 1, word, rank, 0, 1, word, Op::sum().raw(), self.win)
        })?;
        self.flush(rank)
    }

    fn flush(&self, rank: c_int) -> MpiResult<()> {
        // SAFETY: a live window, which is locked.
        check(unsafe { raw::MPI_Win_flush(rank, self.win) })
    }

    /// This rank's.
    #[inline]
    pub fn own(&self) -> u64 {
        // SAFETY: the window's memory, which MPI writes to word by word: the memory model is the unified one.
        unsafe { (*self.own).load(Ordering::Acquire) }
    }

    /// Keeps others from `rank`'s lock until `unlock`. Whoever holds it waits for nobody but MPI.
    pub fn lock(&self, rank: c_int) -> MpiResult<()> {
        let mut patience = Patience::default();
        while self.swap(rank, [0, 1])? != 0 {
            // Whoever holds the lock may need this rank to move its messages, which operations on its own part do not.
            message::probe(self.comm, Envelope::new(constants().any_source, 0))?;
            patience.pause();
        }
        Ok(())
    }

    pub fn unlock(&self, rank: c_int) -> MpiResult<()> {
        self.swap(rank, [1, 0]).map(|_| ())
    }

    /// Replaces the lock of `rank` if it is as expected, and returns what it was.
    fn swap(&self, rank: c_int, [old, new]: [u64; 2]) -> MpiResult<u64> {
        let (mut found, word) = (0_u64, Datatype::word().raw());
        let (old, new, place) =
            ((&raw const old).cast(), (&raw const new).cast(), (&raw mut found).cast());
        // SAFETY: one word in a live window, which is locked, and places that stay until the operation is complete.
        check(unsafe { raw::MPI_Compare_and_swap(new, old, place, word, rank, 1, self.win) })?;
        self.flush(rank)?;
        Ok(found)
    }

    /// Collective.
    pub fn free(mut self) -> MpiResult<()> {
        // SAFETY: a live window, which `new` has locked.
        check(unsafe { raw::MPI_Win_unlock_all(self.win) })?;
        // SAFETY: as above.
        check(unsafe { raw::MPI_Win_free(&mut self.win) })
    }
}
