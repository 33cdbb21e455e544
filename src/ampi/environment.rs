//! The library's life between MPI's beginning and its end.

use super::{communicator, lock, request, traffic};
use crate::datatype;
use crate::error::{Code, Error};
use crate::mpi::{self, Comm, CommAttribute, Outcome};
use crate::options;
use crate::tape;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

/// `ADMPI_POLLING=1`, or the call.
static POLLING: LazyLock<AtomicBool> = LazyLock::new(|| options::polling().into());

/// Whether what a program does next may depend on what has arrived by then, so that a collective in which ranks did
/// not wait for each other may not do so on its way back.
pub fn polling() -> bool {
    POLLING.load(Ordering::Relaxed)
}

pub fn set_polling(on: bool) {
    POLLING.store(on, Ordering::Relaxed);
}

/// The attribute on `MPI_COMM_SELF` whose removal at the beginning of `MPI_Finalize` ends the library.
static ENDING: Mutex<Option<CommAttribute>> = Mutex::new(None);

/// Makes the library ready, and enters `comm`. Collective over `comm`; may be called again for others.
pub fn init(comm: Comm) -> Outcome<()> {
    if !mpi::is_live() {
        return Err(Error::new(Code::Mpi, "MPI is not initialised, or finalised already").into());
    }
    if comm.is_null() {
        return Err(Error::new(Code::Argument, "comm is MPI_COMM_NULL").into());
    }
    if lock(&ENDING).is_none() {
        mpi::serial::learn_thread_level();
        mpi::status::learn_fields();
        mpi::error::register()?;
        datatype::install()?;
        communicator::install()?;
        let ending = CommAttribute::new(|_| end())?;
        ending.set(Comm::itself(), 0)?;
        *lock(&ENDING) = Some(ending);
        communicator::enter(Comm::itself())?;
    }
    if comm.size()? > 1 {
        tape::set_accompanied();
    }
    communicator::enter(comm)
}

/// Gives back all that MPI holds for the library. Collective over all processes that share communicators.
pub fn finalize() -> Outcome<()> {
    let ending = *lock(&ENDING);
    ending.map_or(Ok(()), |ending| ending.delete(Comm::itself()))
}

fn end() {
    *lock(&ENDING) = None;
    request::settle_orphans();
    traffic::settle_late();
    communicator::remove();
    mpi::remove_wide_types();
    // MPI is ending: a type that cannot be freed goes with it.
    let _ = datatype::remove();
}
