//! The library's life between MPI's beginning and its end.

use super::{communicator, late, lock, trace, untold, window};
use crate::datatype;
use crate::error::{Code, Error};
use crate::mpi::{self, Comm, CommAttribute, MpiResult};
use crate::tape;
use std::sync::Mutex;

/// The attribute on `MPI_COMM_SELF` whose removal at the beginning of `MPI_Finalize` ends the library.
static ENDING: Mutex<Option<CommAttribute>> = Mutex::new(None);

/// Makes the library ready, and enters `comm`. Collective over `comm`; may be called again for others.
pub fn init(comm: Comm) -> MpiResult<()> {
    if !mpi::is_live() {
        return Err(Error::new(Code::Mpi, "MPI is not initialised, or has been finalised (sessions alone do not initialise it: call AMPI_Init)").into());
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
        window::install()?;
        tape::set_prepare(|tape| {
            untold::tell(tape);
            window::prepare(tape).map_err(|failure| failure.into_error("MPI_Barrier"))
        });
        let ending = CommAttribute::new(|_| end())?;
        ending.set(Comm::itself(), 0)?;
        *lock(&ENDING) = Some(ending);
        communicator::enter(Comm::itself())?;
    }
    if comm.size()? > 1 {
        tape::set_accompanied();
        tape::set_rank(comm.rank()?);
    }
    communicator::enter(comm)?;
    trace::init(comm)
}

/// Gives back all that MPI holds for the library. Collective over all processes that share communicators.
pub fn finalize() -> MpiResult<()> {
    let ending = *lock(&ENDING);
    ending.map_or(Ok(()), |ending| ending.delete(Comm::itself()))?;
    trace::failure().map_or(Ok(()), |error| Err(error.into()))
}

fn end() {
    *lock(&ENDING) = None;
    trace::finish();
    late::settle_orphans();
    late::settle_late();
    window::remove();
    communicator::remove();
    mpi::remove_wide_types();
    // MPI is ending: a type that cannot be freed goes with it.
    let _ = datatype::remove();
}
