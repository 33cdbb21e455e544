//! Small collectives of the library's own, and the requests of users' calls.

use super::message::{Envelope, Message, Mode, ReceiveRequest, SendRequest};
use super::place::Place;
use super::raw::{self, MPI_Request, null_request};
use super::{Comm, Doubles, MpiResult, Op, Staging, Status, check, ffi, quirks};
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

fn in_place() -> *mut c_void {
    // SAFETY: returns a constant.
    unsafe { raw::admpi_shim_in_place() }
}

/// Numbers of each rank, and the smallest of each.
pub fn allreduce_min<const N: usize>(comm: Comm, data: &mut [i64; N]) -> MpiResult<()> {
    let n = c_int::try_from(N).unwrap_or(0);
    // SAFETY: so many integers of 64 bits.
    check(unsafe {
        raw::MPI_Allreduce(
            in_place(),
            data.as_mut_ptr().cast(),
            n,
            mpi_sys::RSMPI_INT64_T,
            Op::min().raw(),
            comm.raw(),
        )
    })
}

pub fn bcast_number(comm: Comm, number: &mut i64, root: c_int) -> MpiResult<()> {
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

/// The request of a user's nonblocking or persistent call, with the library's memory if it uses that.
pub struct Transfer {
    request: MPI_Request,
    memory: Staging,
    /// What the request uses: the memory, or a buffer of the user's.
    place: Place,
    /// What it reads, where that is shared.
    held: Held,
    life: Life,
    /// What `get_status` told of a persistent request that is complete: MPI may have ended it with that.
    told: Option<Status>,
}

/// What is to live as long as a request.
pub type Held = Option<Arc<dyn Any + Send + Sync>>;

/// How often a request is started, which decides when MPI uses the memory.
#[derive(Clone, Copy, PartialEq)]
enum Life {
    /// Once: until the request is null.
    Single,
    /// Again and again, and not now.
    Resting,
    Started,
}

// SAFETY: as for `Operation`.
unsafe impl Send for Transfer {}

impl Default for Transfer {
    fn default() -> Self {
        Self {
            request: null_request(),
            memory: Staging::default(),
            place: Place::default(),
            held: None,
            life: Life::Single,
            told: None,
        }
    }
}

impl Transfer {
    /// Takes over a request that the user's call made over the user's memory.
    ///
    /// # Safety
    /// `request` is a live request or null, and nobody else completes it.
    pub unsafe fn adopt(request: MPI_Request) -> Self {
        let mut this = Self::default();
        this.request = request;
        this
    }

    /// The request of what is complete already.
    pub fn complete() -> MpiResult<Self> {
        let mut this = Self::default();
        let (none, byte) = (raw::constants().proc_null, super::Datatype::byte().raw());
        let (buffer, own) = (std::ptr::null_mut(), Comm::itself().raw());
        // SAFETY: nothing is received from nobody, and the place is for the answer.
        check(unsafe { raw::MPI_Irecv(buffer, 0, byte, none, 0, own, &mut this.request) })?;
        Ok(this)
    }

    /// Takes over the request of another one, and its memory.
    pub fn take_over(&mut self, mut other: Self) {
        self.check_null();
        std::mem::swap(self, &mut other);
    }

    /// Whether MPI uses nothing of this.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.life == Life::Resting || self.is_null()
    }

    fn check_idle(&self) {
        assert!(self.is_idle(), "the request is still under way");
    }

    #[inline]
    fn check_null(&self) {
        assert!(self.is_null(), "the request is still in use");
    }

    /// Room for `n` doubles, to be filled for `send` or by `receive`.
    pub fn room(&mut self, n: usize) -> &mut [f64] {
        self.check_null();
        self.memory.reshape(n);
        let room = self.memory.as_mut_slice();
        self.place = Place::packed(room.as_mut_ptr().cast(), n);
        room
    }

    /// Lets `send` send what lies at `place`, or `receive` write there.
    ///
    /// # Safety
    /// The memory is the request's until it is null again.
    #[inline(always)]
    pub unsafe fn lend(&mut self, place: Place) {
        self.check_null();
        self.place = place;
    }

    /// Keeps something until the request is complete.
    #[inline]
    pub fn hold(&mut self, held: Held) {
        self.held = held;
    }

    /// Whether it keeps something.
    pub const fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// The room that a persistent request was made over, to be filled before it starts; none if that is the user's.
    #[inline]
    pub fn room_again(&mut self) -> Option<&mut [f64]> {
        self.check_idle();
        let own = self.place.is_at(self.memory.as_slice());
        own.then(|| self.memory.as_mut_slice())
    }

    /// Sends what is in the room.
    #[inline]
    pub fn send(
        &mut self,
        comm: Comm,
        items: &Doubles,
        to: Envelope,
        mode: &Mode,
    ) -> MpiResult<()> {
        self.request_send(comm, items, to, mode.start)
    }

    /// Makes a persistent request that sends what is in the room.
    pub fn send_init(
        &mut self,
        comm: Comm,
        items: &Doubles,
        to: Envelope,
        mode: &Mode,
    ) -> MpiResult<()> {
        self.request_send(comm, items, to, mode.init)?;
        self.life = Life::Resting;
        Ok(())
    }

    #[inline]
    fn request_send(
        &mut self,
        comm: Comm,
        items: &Doubles,
        to: Envelope,
        call: SendRequest,
    ) -> MpiResult<()> {
        self.check_null();
        let (from, count, datatype) = self.place.items(items);
        // SAFETY: the place holds the items and stays where it is until the request is null again: it belongs to
        // `self`, or was lent.
        check(unsafe {
            call(from, count, datatype, to.peer, to.tag, comm.raw(), &mut self.request)
        })
    }

    /// Receives into the room.
    #[inline]
    pub fn receive(&mut self, comm: Comm, items: &Doubles, from: Envelope) -> MpiResult<()> {
        self.request_receive(comm, items, from, raw::MPI_Irecv)
    }

    /// Makes a persistent request that receives into the room.
    pub fn receive_init(&mut self, comm: Comm, items: &Doubles, from: Envelope) -> MpiResult<()> {
        self.request_receive(comm, items, from, ffi::MPI_Recv_init)?;
        self.life = Life::Resting;
        Ok(())
    }

    #[inline]
    fn request_receive(
        &mut self,
        comm: Comm,
        items: &Doubles,
        from: Envelope,
        call: ReceiveRequest,
    ) -> MpiResult<()> {
        self.check_null();
        let (to, count, datatype) = self.place.items(items);
        // SAFETY: as in `request_send`.
        check(unsafe {
            call(to, count, datatype, from.peer, from.tag, comm.raw(), &mut self.request)
        })
    }

    /// Receives a matched message into the room.
    pub fn receive_matched(&mut self, message: &mut Message<'_>, items: &Doubles) -> MpiResult<()> {
        self.check_null();
        let (to, count, datatype) = self.place.items(items);
        // SAFETY: as in `request_send`.
        check(unsafe { ffi::MPI_Imrecv(to, count, datatype, message.place(), &mut self.request) })
    }

    /// Waits for completion.
    #[inline]
    pub fn wait(&mut self) -> MpiResult<Status> {
        let mut status = Status::default();
        // SAFETY: a request of this value, or null.
        let code = unsafe { raw::MPI_Wait(&mut self.request, status.as_mut_ptr()) };
        let told = self.completed();
        check(code)?;
        Ok(told.unwrap_or(status))
    }

    /// The status, once complete.
    pub fn test(&mut self) -> MpiResult<Option<Status>> {
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: as above.
        let code = unsafe { raw::MPI_Test(&mut self.request, &mut flag, status.as_mut_ptr()) };
        if code == raw::SUCCESS && flag == 0 {
            return Ok(None);
        }
        let told = self.completed();
        check(code)?;
        Ok(told.or(Some(status)))
    }

    #[inline]
    fn completed(&mut self) -> Option<Status> {
        if self.life == Life::Started {
            self.life = Life::Resting;
        }
        if self.is_told() { self.told.take() } else { None }
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
    unsafe fn update(&mut self, request: MPI_Request) -> Option<Status> {
        self.request = request;
        self.completed()
    }

    #[inline]
    pub fn is_null(&self) -> bool {
        self.request == null_request()
    }

    #[inline]
    pub fn memory(&self) -> &[f64] {
        self.memory.as_slice()
    }

    /// Gives the memory of a completed request back.
    #[inline]
    pub fn release(&mut self) {
        self.check_null();
        self.life = Life::Single;
        self.memory.shrink();
        if self.is_holding() {
            self.held = None;
        }
    }

    pub fn cancel(&mut self) -> MpiResult<()> {
        // SAFETY: a live request.
        check(unsafe { raw::MPI_Cancel(&mut self.request) })
    }

    /// Starts a persistent request; for any other MPI raises the error.
    pub fn start(&mut self) -> MpiResult<()> {
        // SAFETY: a live or null request.
        check(unsafe { raw::MPI_Start(&mut self.request) })?;
        if self.life == Life::Resting {
            self.life = Life::Started;
        }
        Ok(())
    }

    pub fn get_status(&mut self) -> MpiResult<Option<Status>> {
        if self.is_told() {
            return Ok(self.told);
        }
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: a live or null request and places for the answers.
        check(unsafe {
            raw::MPI_Request_get_status(self.request, &mut flag, status.as_mut_ptr())
        })?;
        let told = (flag != 0).then_some(status);
        if quirks::GET_STATUS_ENDS_PERSISTENT_REQUESTS && self.life == Life::Started {
            self.told = told;
        }
        Ok(told)
    }

    /// Whether MPI may take the request, which is complete, for one that is not active.
    #[inline]
    pub const fn is_told(&self) -> bool {
        quirks::GET_STATUS_ENDS_PERSISTENT_REQUESTS && self.told.is_some()
    }

    /// Gives the request to MPI to finish; the memory of one under way is kept from reuse for ever.
    pub fn free(&mut self) -> MpiResult<()> {
        let idle = self.is_idle();
        // SAFETY: a live request.
        check(unsafe { raw::MPI_Request_free(&mut self.request) })?;
        if !idle {
            self.abandon();
        }
        Ok(())
    }

    /// Leaves what MPI uses to it, for ever.
    fn abandon(&mut self) {
        let held = self.held.take();
        std::mem::forget((std::mem::take(&mut self.memory), held));
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if !self.is_idle() {
            self.abandon();
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

/// Requests copied side by side for MPI, with what it answers; kept from call to call. There are as many indices as
/// statuses.
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
        self.requests.push(transfer.map_or_else(null_request, Transfer::request));
    }

    /// How many requests the last call had.
    pub const fn requests(&self) -> usize {
        self.requests.len()
    }

    pub fn status(&self, i: usize) -> &Status {
        &self.statuses[i]
    }

    pub fn status_mut(&mut self, i: usize) -> &mut Status {
        &mut self.statuses[i]
    }

    pub fn statuses(&self, n: usize) -> &[Status] {
        &self.statuses[..n]
    }

    /// The request that the `i`th answer of a "some" call is about.
    pub fn index(&self, i: usize) -> usize {
        super::wide_int(self.indices[i])
    }

    /// Makes the `at`th answer one about the `i`th request.
    pub fn answer(&mut self, at: usize, i: usize, status: &Status) {
        self.indices[at] = c_int::try_from(i).unwrap_or(-1);
        self.statuses[at] = *status;
    }

    /// Puts back what MPI made of the `i`th request, of which the `at`th answer tells.
    pub fn update(&mut self, i: usize, at: usize, transfer: &mut Transfer) {
        // SAFETY: the request was copied from this transfer and completed since.
        if let Some(told) = unsafe { transfer.update(self.requests[i]) } {
            self.statuses[at] = told;
        }
    }

    /// For the answers. A call for any one answers in the first status, also where it has no requests.
    pub fn make_room(&mut self) {
        let n = self.requests.len().max(1);
        if self.statuses.len() < n {
            self.statuses.resize(n, Status::default());
            self.indices.resize(n, 0);
        }
    }

    /// Calls MPI. The answer is meaningful even beside an error in one of the statuses.
    pub fn complete(&mut self, call_form: Completion) -> (Found, c_int) {
        self.make_room();
        let n = self.requests.len();
        let requests = self.requests.as_mut_ptr();
        let statuses = self.statuses.as_mut_ptr().cast();
        let indices = self.indices.as_mut_ptr();
        let undefined = raw::constants().undefined;
        let count = c_int::try_from(n).unwrap_or(-1);
        let (mut flag, mut out) = (1, 0);
        // SAFETY: three arrays as long as the call has requests, and places for the answers.
        let code = unsafe {
            match call_form {
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
        let found = match call_form {
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
