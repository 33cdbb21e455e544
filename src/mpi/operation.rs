//! Nonblocking operations of the library's own: they own the memory that MPI uses until they complete.

use super::raw::{self, MPI_Request};
use super::{Comm, Op, Outcome, Staging, Status, check, count_of};
use std::ffi::{c_int, c_void};

/// An operation under way, or finished.
pub struct Operation {
    request: MPI_Request,
    send: Staging,
    receive: Staging,
}

// SAFETY: the request belongs to this value alone, and MPI serves every thread its level of support allows.
unsafe impl Send for Operation {}

fn null() -> MPI_Request {
    // SAFETY: constant data of the shim of mpi-sys.
    unsafe { mpi_sys::RSMPI_REQUEST_NULL }
}

fn in_place() -> *const c_void {
    // SAFETY: returns a constant.
    unsafe { raw::admpi_shim_in_place() }
}

/// `n` items of `width` doubles are what each call below moves.
impl Operation {
    fn over(send: Staging, receive: Staging) -> Self {
        Self { request: null(), send, receive }
    }

    pub fn send(
        comm: Comm,
        data: Staging,
        n: usize,
        width: usize,
        dest: c_int,
        tag: c_int,
    ) -> Outcome<Self> {
        let (count, datatype) = count_of(n, width)?;
        assert!(data.len() >= n * width);
        let mut this = Self::over(data, Staging::default());
        let from = this.send.as_slice().as_ptr();
        // SAFETY: the memory belongs to `this` until the request is null again.
        check(unsafe {
            raw::MPI_Isend(
                from.cast(),
                count,
                datatype.raw(),
                dest,
                tag,
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    pub fn receive(
        comm: Comm,
        room: Staging,
        n: usize,
        width: usize,
        source: c_int,
        tag: c_int,
    ) -> Outcome<Self> {
        let (count, datatype) = count_of(n, width)?;
        assert!(room.len() >= n * width);
        let mut this = Self::over(Staging::default(), room);
        let to = this.receive.as_mut_slice().as_mut_ptr();
        // SAFETY: as in `send`.
        check(unsafe {
            raw::MPI_Irecv(
                to.cast(),
                count,
                datatype.raw(),
                source,
                tag,
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// The root's `data` goes to all.
    pub fn bcast(comm: Comm, data: Staging, n: usize, width: usize, root: c_int) -> Outcome<Self> {
        let (count, datatype) = count_of(n, width)?;
        assert!(data.len() >= n * width);
        let mut this = Self::over(Staging::default(), data);
        let at = this.receive.as_mut_slice().as_mut_ptr();
        // SAFETY: as in `send`.
        check(unsafe {
            raw::MPI_Ibcast(at.cast(), count, datatype.raw(), root, comm.raw(), &mut this.request)
        })?;
        Ok(this)
    }

    /// The sum of all `data`, on the root, in its own.
    pub fn reduce_sum(comm: Comm, data: Staging, at_root: bool, root: c_int) -> Outcome<Self> {
        let count = flat(data.len())?;
        let mut this = Self::over(Staging::default(), data);
        let at = this.receive.as_mut_slice().as_mut_ptr().cast::<c_void>();
        let from = if at_root { in_place() } else { at.cast_const() };
        let to = if at_root { at } else { std::ptr::null_mut() };
        // SAFETY: as in `send`; off the root the receive buffer is not significant.
        check(unsafe {
            raw::MPI_Ireduce(
                from,
                to,
                count,
                mpi_sys::RSMPI_DOUBLE,
                Op::sum().raw(),
                root,
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// The sum of all `data`, everywhere.
    pub fn allreduce_sum(comm: Comm, data: Staging) -> Outcome<Self> {
        let count = flat(data.len())?;
        let mut this = Self::over(Staging::default(), data);
        let at = this.receive.as_mut_slice().as_mut_ptr().cast();
        // SAFETY: as in `send`.
        check(unsafe {
            raw::MPI_Iallreduce(
                in_place(),
                at,
                count,
                mpi_sys::RSMPI_DOUBLE,
                Op::sum().raw(),
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// `part` of each rank, one after the other in `whole` on the root (empty elsewhere).
    pub fn gather(
        comm: Comm,
        part: Staging,
        whole: Staging,
        n: usize,
        width: usize,
        root: c_int,
    ) -> Outcome<Self> {
        let (count, datatype) = count_of(n, width)?;
        assert!(part.len() >= n * width);
        let mut this = Self::over(part, whole);
        let from = this.send.as_slice().as_ptr();
        let to = this.receive.as_mut_slice().as_mut_ptr();
        let datatype = datatype.raw();
        // SAFETY: as in `send`; the root's caller brought room for all ranks.
        check(unsafe {
            raw::MPI_Igather(
                from.cast(),
                count,
                datatype,
                to.cast(),
                count,
                datatype,
                root,
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// Consecutive pieces of `whole` on the root, one to each rank's `part`.
    pub fn scatter(
        comm: Comm,
        whole: Staging,
        part: Staging,
        n: usize,
        width: usize,
        root: c_int,
    ) -> Outcome<Self> {
        let (count, datatype) = count_of(n, width)?;
        assert!(part.len() >= n * width);
        let mut this = Self::over(whole, part);
        let from = this.send.as_slice().as_ptr();
        let to = this.receive.as_mut_slice().as_mut_ptr();
        let datatype = datatype.raw();
        // SAFETY: as in `gather`.
        check(unsafe {
            raw::MPI_Iscatter(
                from.cast(),
                count,
                datatype,
                to.cast(),
                count,
                datatype,
                root,
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// The sum of all `whole`, of which each rank gets its piece in `part`.
    pub fn reduce_scatter_sum(comm: Comm, whole: Staging, part: Staging) -> Outcome<Self> {
        let count = flat(part.len())?;
        flat(whole.len())?;
        let mut this = Self::over(whole, part);
        let from = this.send.as_slice().as_ptr();
        let to = this.receive.as_mut_slice().as_mut_ptr();
        // SAFETY: as in `send`; the caller brought one part a rank.
        check(unsafe {
            raw::MPI_Ireduce_scatter_block(
                from.cast(),
                to.cast(),
                count,
                mpi_sys::RSMPI_DOUBLE,
                Op::sum().raw(),
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// The product, by `times`, of `data` over the ranks below; rank 0 keeps what `out` holds.
    pub fn exscan_product(comm: Comm, data: Staging, out: Staging) -> Outcome<Self> {
        // SAFETY: constant data.
        let double = unsafe { mpi_sys::RSMPI_DOUBLE };
        Self::exscan(comm, data, out, double, Op::product_of_factors()?)
    }

    /// The union of the bits in `data` over the ranks below; rank 0 keeps what `out` holds.
    pub fn exscan_bits(comm: Comm, data: Staging, out: Staging) -> Outcome<Self> {
        // SAFETY: constant data.
        Self::exscan(comm, data, out, unsafe { mpi_sys::RSMPI_UINT64_T }, Op::bit_or())
    }

    fn exscan(
        comm: Comm,
        data: Staging,
        out: Staging,
        datatype: raw::MPI_Datatype,
        op: Op,
    ) -> Outcome<Self> {
        let count = flat(data.len())?;
        assert!(out.len() >= data.len());
        let mut this = Self::over(data, out);
        let from = this.send.as_slice().as_ptr();
        let to = this.receive.as_mut_slice().as_mut_ptr();
        // SAFETY: as in `send`; both kinds of item have 8 bytes.
        check(unsafe {
            raw::MPI_Iexscan(
                from.cast(),
                to.cast(),
                count,
                datatype,
                op.raw(),
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// All members have arrived.
    pub fn barrier(comm: Comm) -> Outcome<Self> {
        let mut this = Self::over(Staging::default(), Staging::default());
        // SAFETY: a live communicator; no memory.
        check(unsafe { raw::MPI_Ibarrier(comm.raw(), &mut this.request) })?;
        Ok(this)
    }

    /// Whether the operation is complete, without waiting.
    pub fn test(&mut self) -> Outcome<bool> {
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: a request of ours; a null one is complete.
        check(unsafe { raw::MPI_Test(&mut self.request, &mut flag, status.as_mut_ptr()) })?;
        Ok(flag != 0)
    }

    /// As `test`, with the status of the message once it is complete.
    pub fn test_status(&mut self) -> Outcome<Option<Status>> {
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: as above.
        check(unsafe { raw::MPI_Test(&mut self.request, &mut flag, status.as_mut_ptr()) })?;
        Ok((flag != 0).then_some(status))
    }

    pub fn wait(&mut self) -> Outcome<Status> {
        let mut status = Status::default();
        // SAFETY: as above.
        check(unsafe { raw::MPI_Wait(&mut self.request, status.as_mut_ptr()) })?;
        Ok(status)
    }

    /// The memory of what was sent. The operation must be complete.
    pub fn into_sent(mut self) -> Staging {
        assert!(self.request == null(), "the operation is still under way");
        std::mem::take(&mut self.send)
    }

    /// What was received. The operation must be complete.
    pub fn into_received(mut self) -> Staging {
        assert!(self.request == null(), "the operation is still under way");
        std::mem::take(&mut self.receive)
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        if self.request != null() {
            // MPI may still use the memory: it is given up rather than reused.
            std::mem::forget(std::mem::take(&mut self.send));
            std::mem::forget(std::mem::take(&mut self.receive));
        }
    }
}

/// A count of doubles for operations that must see each double.
fn flat(n: usize) -> Outcome<c_int> {
    c_int::try_from(n).map_err(|_| super::error::too_many(n, 1))
}
