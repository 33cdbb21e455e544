//! Copies within one rank through a message to itself: MPI converts between types of any size, where its packing
//! calls count bytes in ints.

use super::{Comm, Datatype, MpiResult, Status, check, ffi, finalize_hook};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

/// A communicator of this rank alone, private, so that no receive of the user's takes the message.
static ALONE: Mutex<Option<Comm>> = Mutex::new(None);
/// Each copy has a tag of its own, so that two threads do not take each other's.
static COPIES: AtomicI32 = AtomicI32::new(0);
/// MPI has at least so many tags.
const TAGS: c_int = 1 << 15;

fn alone() -> MpiResult<Comm> {
    let mut made = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(comm) = *made {
        return Ok(comm);
    }
    let comm = Comm::itself().split(0)?;
    finalize_hook::at_end(free)?;
    *made = Some(comm);
    Ok(comm)
}

fn free(_: usize) {
    let made = ALONE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(comm) = made {
        let _ = comm.free(); // MPI is ending: one that cannot be freed goes with it
    }
}

/// Items at an address.
#[derive(Clone, Copy)]
pub struct Items {
    pub address: *mut c_void,
    pub count: c_int,
    pub datatype: Datatype,
}

/// Copies items to where others lie, as a message would.
///
/// # Safety
/// `from` may be read and `to` written; they do not overlap.
pub unsafe fn copy(from: Items, to: Items) -> MpiResult<()> {
    let comm = alone()?.raw();
    let tag = COPIES.fetch_add(1, Ordering::Relaxed).rem_euclid(TAGS);
    let mut status = Status::default();
    // SAFETY: the caller's promise.
    check(unsafe {
        ffi::MPI_Sendrecv(
            from.address,
            from.count,
            from.datatype.raw(),
            0,
            tag,
            to.address,
            to.count,
            to.datatype.raw(),
            0,
            tag,
            comm,
            status.as_mut_ptr(),
        )
    })
}
