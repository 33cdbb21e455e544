//! Blocking calls over slices of doubles, and the requests of users' nonblocking calls.

use super::raw::{self, MPI_Request};
use super::{Comm, Datatype, Op, Outcome, Staging, Status, check};
use std::ffi::{c_int, c_void};

fn count(n: usize) -> Outcome<c_int> {
    c_int::try_from(n).map_err(|_| super::error::too_many(n, 1))
}

fn double() -> raw::MPI_Datatype {
    Datatype::double().raw()
}

fn in_place() -> *mut c_void {
    // SAFETY: returns a constant.
    unsafe { raw::admpi_shim_in_place() }
}

pub fn send(comm: Comm, data: &[f64], dest: c_int, tag: c_int) -> Outcome<()> {
    let n = count(data.len())?;
    // SAFETY: a slice of n doubles.
    check(unsafe { raw::MPI_Send(data.as_ptr().cast(), n, double(), dest, tag, comm.raw()) })
}

pub fn receive(comm: Comm, room: &mut [f64], source: c_int, tag: c_int) -> Outcome<Status> {
    let mut status = Status::default();
    let n = count(room.len())?;
    // SAFETY: a slice of n doubles that may be written.
    check(unsafe {
        raw::MPI_Recv(
            room.as_mut_ptr().cast(),
            n,
            double(),
            source,
            tag,
            comm.raw(),
            status.as_mut_ptr(),
        )
    })?;
    Ok(status)
}

/// As `receive`, of `items` of another datatype, which fill `room`.
pub fn receive_items(
    comm: Comm,
    room: &mut [f64],
    items: c_int,
    datatype: Datatype,
    source: c_int,
    tag: c_int,
) -> Outcome<Status> {
    let (_, extent) = if datatype == Datatype::double() { (0, 8) } else { datatype.extent()? };
    assert!(i64::from(items) * extent <= i64::try_from(size_of_val(room)).unwrap_or(i64::MAX));
    let mut status = Status::default();
    // SAFETY: the slice has room for the items, as just checked.
    check(unsafe {
        raw::MPI_Recv(
            room.as_mut_ptr().cast(),
            items,
            datatype.raw(),
            source,
            tag,
            comm.raw(),
            status.as_mut_ptr(),
        )
    })?;
    Ok(status)
}

/// The two halves of a Sendrecv: a message out, room for one in.
pub struct Exchange<'a> {
    pub data: &'a [f64],
    pub dest: c_int,
    pub sendtag: c_int,
    pub room: &'a mut [f64],
    pub source: c_int,
    pub recvtag: c_int,
}

pub fn sendrecv(comm: Comm, exchange: Exchange<'_>) -> Outcome<Status> {
    let mut status = Status::default();
    let Exchange { data, dest, sendtag, room, source, recvtag } = exchange;
    let (out, back) = (count(data.len())?, count(room.len())?);
    // SAFETY: a slice to read and one to write, which do not overlap.
    check(unsafe {
        raw::MPI_Sendrecv(
            data.as_ptr().cast(),
            out,
            double(),
            dest,
            sendtag,
            room.as_mut_ptr().cast(),
            back,
            double(),
            source,
            recvtag,
            comm.raw(),
            status.as_mut_ptr(),
        )
    })?;
    Ok(status)
}

/// Two numbers of each rank, and the smallest of each.
pub fn allreduce_min(comm: Comm, data: &mut [i64; 2]) -> Outcome<()> {
    // SAFETY: two integers of 64 bits.
    check(unsafe {
        raw::MPI_Allreduce(
            in_place(),
            data.as_mut_ptr().cast(),
            2,
            mpi_sys::RSMPI_INT64_T,
            Op::min().raw(),
            comm.raw(),
        )
    })
}

pub fn bcast_number(comm: Comm, number: &mut i64, root: c_int) -> Outcome<()> {
    // SAFETY: one integer of 64 bits.
    check(unsafe {
        raw::MPI_Bcast(
            std::ptr::from_mut(number).cast(),
            1,
            mpi_sys::RSMPI_INT64_T,
            root,
            comm.raw(),
        )
    })
}

/// Whether a message from `source` with `tag` waits on `comm`.
pub fn probe(comm: Comm, source: c_int, tag: c_int) -> Outcome<Option<Status>> {
    let mut flag = 0;
    let mut status = Status::default();
    // SAFETY: a live communicator and places for the answers.
    check(unsafe { raw::MPI_Iprobe(source, tag, comm.raw(), &mut flag, status.as_mut_ptr()) })?;
    Ok((flag != 0).then_some(status))
}

/// The request of a user's nonblocking call, with the library's memory that it uses.
pub struct Transfer {
    request: MPI_Request,
    memory: Staging,
}

// SAFETY: as for `Operation`.
unsafe impl Send for Transfer {}

impl Default for Transfer {
    fn default() -> Self {
        // SAFETY: constant data of the shim of mpi-sys.
        Self { request: unsafe { mpi_sys::RSMPI_REQUEST_NULL }, memory: Staging::default() }
    }
}

impl Transfer {
    /// Takes over a request that the user's call made over the user's memory.
    ///
    /// # Safety
    /// `request` is a live request or null, and nobody else completes it.
    pub unsafe fn adopt(request: MPI_Request) -> Self {
        Self { request, memory: Staging::default() }
    }

    /// Takes over the request of another one.
    pub fn take_over(&mut self, mut other: Self) {
        assert!(self.is_null(), "the request is still under way");
        self.request = std::mem::replace(&mut other.request, Self::default().request);
    }

    /// Room for `n` doubles, to be filled for `send` or by `receive`.
    pub fn room(&mut self, n: usize) -> &mut [f64] {
        assert!(self.is_null(), "the request is still under way");
        self.memory.reshape(n);
        self.memory.as_mut_slice()
    }

    /// Sends what is in the room.
    pub fn send(&mut self, comm: Comm, dest: c_int, tag: c_int) -> Outcome<()> {
        assert!(self.is_null(), "the request is still under way");
        let from = self.memory.as_slice();
        let n = count(from.len())?;
        // SAFETY: the memory belongs to `self`, and stays where it is until the request is null again.
        check(unsafe {
            raw::MPI_Isend(
                from.as_ptr().cast(),
                n,
                double(),
                dest,
                tag,
                comm.raw(),
                &mut self.request,
            )
        })
    }

    /// Receives into the room.
    pub fn receive(&mut self, comm: Comm, source: c_int, tag: c_int) -> Outcome<()> {
        assert!(self.is_null(), "the request is still under way");
        let to = self.memory.as_mut_slice();
        let n = count(to.len())?;
        // SAFETY: as in `send`.
        check(unsafe {
            raw::MPI_Irecv(
                to.as_mut_ptr().cast(),
                n,
                double(),
                source,
                tag,
                comm.raw(),
                &mut self.request,
            )
        })
    }

    /// Waits for completion.
    pub fn wait(&mut self) -> Outcome<Status> {
        let mut status = Status::default();
        // SAFETY: a request of this value, or null.
        check(unsafe { raw::MPI_Wait(&mut self.request, status.as_mut_ptr()) })?;
        Ok(status)
    }

    /// The status, once complete.
    pub fn test(&mut self) -> Outcome<Option<Status>> {
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: as above.
        check(unsafe { raw::MPI_Test(&mut self.request, &mut flag, status.as_mut_ptr()) })?;
        Ok((flag != 0).then_some(status))
    }

    pub const fn request(&self) -> MPI_Request {
        self.request
    }

    /// Where the request is kept, for calls that start it or may replace it.
    pub const fn place(&mut self) -> *mut MPI_Request {
        &raw mut self.request
    }

    /// Puts back what a completion call made of `request`.
    ///
    /// # Safety
    /// The value comes from a call of MPI on this request.
    pub unsafe fn update(&mut self, request: MPI_Request) {
        self.request = request;
    }

    pub fn is_null(&self) -> bool {
        // SAFETY: constant data.
        self.request == unsafe { mpi_sys::RSMPI_REQUEST_NULL }
    }

    pub fn memory(&self) -> &[f64] {
        self.memory.as_slice()
    }

    /// Gives the memory of a completed request back.
    pub fn release(&mut self) {
        assert!(self.is_null(), "the request is still under way");
        self.memory.shrink();
    }

    pub fn cancel(&mut self) -> Outcome<()> {
        // SAFETY: a live request.
        check(unsafe { raw::MPI_Cancel(&mut self.request) })
    }

    pub fn start(&mut self) -> Outcome<()> {
        // SAFETY: a live request.
        check(unsafe { raw::MPI_Start(&mut self.request) })
    }

    pub fn get_status(&self) -> Outcome<Option<Status>> {
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: a live or null request and places for the answers.
        check(unsafe {
            raw::MPI_Request_get_status(self.request, &mut flag, status.as_mut_ptr())
        })?;
        Ok((flag != 0).then_some(status))
    }

    /// Gives the request to MPI to finish; the memory of a send under way is kept from reuse for ever.
    pub fn free(&mut self) -> Outcome<()> {
        // SAFETY: a live request.
        check(unsafe { raw::MPI_Request_free(&mut self.request) })?;
        std::mem::forget(std::mem::take(&mut self.memory));
        Ok(())
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if !self.is_null() {
            std::mem::forget(std::mem::take(&mut self.memory));
        }
    }
}

/// Which call of MPI completes an array of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    WaitAll,
    WaitAny,
    WaitSome,
    TestAll,
    TestAny,
    TestSome,
}

/// Requests copied side by side for MPI, with what it answers; kept from call to call.
#[derive(Default)]
pub struct Batch {
    requests: Vec<MPI_Request>,
    statuses: Vec<Status>,
    indices: Vec<c_int>,
}

/// What a completion call found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// Nothing, as a test may.
    Nothing,
    /// No request was active.
    Inactive,
    /// All of them.
    All,
    One(usize),
    /// That many, named by `Batch::index`.
    Some(usize),
}

impl Found {
    /// The index as MPI gives it.
    pub fn index(self) -> c_int {
        match self {
            Self::One(i) => c_int::try_from(i).unwrap_or(-1),
            _ => raw::constants().undefined,
        }
    }

    /// The number of completed requests as MPI gives it.
    pub fn count(self) -> c_int {
        match self {
            Self::Some(n) => c_int::try_from(n).unwrap_or(-1),
            Self::Nothing => 0,
            _ => raw::constants().undefined,
        }
    }

    /// Whether a test has anything to tell.
    pub fn is_answer(self) -> bool {
        self != Self::Nothing
    }
}

// SAFETY: copies of handles, used within one call.
unsafe impl Send for Batch {}

impl Batch {
    pub const fn new() -> Self {
        Self { requests: Vec::new(), statuses: Vec::new(), indices: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.requests.clear();
    }

    pub fn push(&mut self, transfer: Option<&Transfer>) {
        // SAFETY: constant data.
        self.requests.push(
            transfer.map_or_else(|| unsafe { mpi_sys::RSMPI_REQUEST_NULL }, Transfer::request),
        );
    }

    /// How many requests the last call had.
    pub const fn requests(&self) -> usize {
        self.requests.len()
    }

    pub fn status(&self, i: usize) -> &Status {
        &self.statuses[i]
    }

    pub fn statuses(&self, n: usize) -> &[Status] {
        &self.statuses[..n]
    }

    /// The request that the `i`th answer of a "some" call is about.
    pub fn index(&self, i: usize) -> usize {
        super::wide_int(self.indices[i])
    }

    /// Puts back what MPI made of the `i`th request.
    pub fn update(&self, i: usize, transfer: &mut Transfer) {
        // SAFETY: the request was copied from this transfer and completed since.
        unsafe { transfer.update(self.requests[i]) };
    }

    /// Calls MPI. The answer is meaningful even beside an error in one of the statuses.
    pub fn complete(&mut self, how: Completion) -> (Found, c_int) {
        let n = self.requests.len();
        if self.statuses.len() < n.max(1) {
            self.statuses.resize(n.max(1), Status::default());
            self.indices.resize(n, 0);
        }
        let requests = self.requests.as_mut_ptr();
        let statuses = self.statuses.as_mut_ptr().cast();
        let indices = self.indices.as_mut_ptr();
        let undefined = raw::constants().undefined;
        let count = c_int::try_from(n).unwrap_or(-1);
        let (mut flag, mut out) = (1, 0);
        // SAFETY: three arrays as long as the call has requests, and places for the answers.
        let code = unsafe {
            match how {
                Completion::WaitAll => raw::MPI_Waitall(count, requests, statuses),
                Completion::WaitAny => raw::MPI_Waitany(count, requests, &mut out, statuses),
                Completion::WaitSome => {
                    raw::MPI_Waitsome(count, requests, &mut out, indices, statuses)
                }
                Completion::TestAll => raw::MPI_Testall(count, requests, &mut flag, statuses),
                Completion::TestAny => {
                    raw::MPI_Testany(count, requests, &mut out, &mut flag, statuses)
                }
                Completion::TestSome => {
                    raw::MPI_Testsome(count, requests, &mut out, indices, statuses)
                }
            }
        };
        let found = match how {
            _ if flag == 0 => Found::Nothing,
            Completion::WaitAll | Completion::TestAll => Found::All,
            _ if out == undefined => Found::Inactive,
            Completion::WaitAny | Completion::TestAny => Found::One(super::wide_int(out)),
            Completion::WaitSome | Completion::TestSome if out == 0 => Found::Nothing,
            Completion::WaitSome | Completion::TestSome => Found::Some(super::wide_int(out)),
        };
        (found, code)
    }
}
