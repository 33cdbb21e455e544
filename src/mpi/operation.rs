//! Operations of the library's own, blocking or not: they own the memory that MPI uses until they complete.
//!
//! What is too much for one call of MPI is not decided here: callers say how many items a call takes at a time, or
//! bring types of many doubles and lists of parts.

use super::arrays::Lists;
use super::error::First;
use super::generalized::{Group, Report, RequestSlot};
use super::message::Envelope;
use super::payload::Payload;
use super::raw::{self, MPI_Request, null_request};
use super::transfer::Transfer;
use super::units::{CallForm, Listed, Step, narrow};
use super::{Comm, Doubles, List, MpiResult, Staging, Status, check, quirks};
use std::ffi::{c_int, c_void};

/// An operation under way, or finished.
#[derive(Debug)]
pub struct Operation {
    pub(super) request: MPI_Request,
    pub(super) send: Payload,
    pub(super) receive: Staging,
    /// Counts and displacements, for calls that take arrays of them.
    pub(super) counts: List<c_int>,
    /// The same with a datatype for each partner.
    pub(super) lists: Option<Lists>,
    /// A collective that does not block.
    pub(super) collective: bool,
}

// SAFETY: the request belongs to this value alone, and MPI serves every thread its level of support allows.
unsafe impl Send for Operation {}

pub(super) fn in_place() -> *mut c_void {
    // SAFETY: returns a constant.
    unsafe { raw::admpi_shim_in_place() }
}

/// Calls the blocking or the nonblocking twin. The memory belongs to the operation, which keeps it where it is
/// until its request is null again.
macro_rules! call {
    ($this:ident, $call_form:expr, $now:ident, $begin:ident, $($argument:expr),* $(,)?) => {{
        let request = $this.place($call_form);
        check(twins!(request, ffi::$now, ffi::$begin, $($argument),*))
    }};
}
pub(super) use call;

/// As `call`, for a call that has a twin among neighbours, with the same arguments.
macro_rules! call_within {
    ($this:ident, $call_form:expr, $reach:expr, [$now:ident, $begin:ident], [$near:ident, $begin_near:ident],
     $($argument:expr),* $(,)?) => {
        match $reach {
            Reach::All => call!($this, $call_form, $now, $begin, $($argument),*),
            Reach::Neighbours => call!($this, $call_form, $near, $begin_near, $($argument),*),
        }
    };
}
pub(super) use call_within;

/// Several calls of MPI that are one operation: each is complete before the next, or all start, behind one request.
pub(super) struct Series {
    group: Option<Group>,
    first: First,
}

impl Series {
    pub(super) fn new(call_form: CallForm) -> MpiResult<Self> {
        let group = match call_form {
            CallForm::Blocking => None,
            CallForm::Nonblocking => Some(Group::new(Report::Empty)?),
        };
        Ok(Self { group, first: First::default() })
    }

    /// Makes one more call, which is told where a request goes.
    pub(super) fn add(&mut self, call: impl FnOnce(Option<*mut MPI_Request>) -> c_int) {
        let Some(group) = &mut self.group else {
            return self.first.note(call(None));
        };
        group.start(|request| call(Some(request)));
    }

    /// `operation` has the memory of all calls.
    pub(super) fn finish(self, operation: &mut Operation) -> MpiResult<()> {
        let Some(group) = self.group else { return check(self.first.code()) };
        // SAFETY: a place in a live value.
        let slot = unsafe { RequestSlot::new(&raw mut operation.request) };
        // Those that have started use the memory.
        group.finish(slot).inspect_err(|_| operation.abandon_memory())
    }
}

impl Operation {
    pub(super) fn between(send: Staging, receive: Staging) -> Self {
        Self::of(Payload::Own(send), receive)
    }

    pub(super) fn of(send: Payload, receive: Staging) -> Self {
        Self {
            request: null_request(),
            send,
            receive,
            counts: List::default(),
            lists: None,
            collective: false,
        }
    }

    pub(super) fn from(&self) -> *const c_void {
        self.send.as_slice().as_ptr().cast()
    }

    pub(super) fn to(&mut self) -> *mut c_void {
        self.receive.as_mut_slice().as_mut_ptr().cast()
    }

    /// Where the request goes, if there will be one.
    pub(super) const fn place(&mut self, call_form: CallForm) -> Option<*mut MPI_Request> {
        self.collective = matches!(call_form, CallForm::Nonblocking);
        match call_form {
            CallForm::Blocking => None,
            CallForm::Nonblocking => Some(&raw mut self.request),
        }
    }

    /// Appends counts and displacements of `listed`, of which `whole` doubles have room.
    pub(super) fn add_counts(&mut self, listed: &Listed<'_>, whole: usize) -> MpiResult<()> {
        assert!(whole >= listed.total() * listed.width, "the parts fit");
        assert!(listed.width.is_multiple_of(listed.item.words), "the parts are whole items");
        // The last ends where the array does, which has as many as MPI counts.
        listed.items(listed.total())?;
        let items = |n: usize| listed.items(n).unwrap_or(0);
        self.counts.extend(listed.shares.iter().map(|&n| items(crate::count::wide(n))));
        let mut at = 0;
        self.counts.extend(listed.shares.iter().map(|&n| {
            let begin = items(at);
            at += crate::count::wide(n);
            begin
        }));
        Ok(())
    }

    /// Reduces the `items` of the memory sent into that received, a `step` at a time: `call` is told where a piece
    /// begins and its length, in items, and where a request goes.
    pub(super) fn in_pieces(
        &mut self,
        items: usize,
        step: Step,
        call_form: CallForm,
        mut call: impl FnMut(usize, c_int, Option<*mut MPI_Request>) -> c_int,
    ) -> MpiResult<()> {
        if items <= step.items() {
            return check(call(0, narrow(items), self.place(call_form)));
        }
        let mut series = Series::new(call_form)?;
        for at in (0..items).step_by(step.items()) {
            let n = narrow(step.items().min(items - at));
            series.add(|request| call(at, n, request));
        }
        series.finish(self)
    }

    pub fn send(comm: Comm, data: Payload, items: &Doubles, to: Envelope) -> MpiResult<Self> {
        assert!(items.len() <= data.as_slice().len());
        let mut this = Self::of(data, Staging::default());
        let from = this.from();
        // SAFETY: see `call`.
        check(unsafe {
            raw::MPI_Isend(
                from,
                items.count(),
                items.datatype(),
                to.peer,
                to.tag,
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// As `send`, of a message that may be small enough to have left at once: then its memory stays where it is, and
    /// nothing is under way.
    #[inline]
    pub fn send_off(
        comm: Comm,
        data: &mut Payload,
        items: &Doubles,
        to: Envelope,
    ) -> MpiResult<Option<Self>> {
        assert!(items.len() <= data.as_slice().len());
        let (mut request, mut flag) = (null_request(), 0);
        let (from, count, Envelope { peer, tag }) = (data.as_slice().as_ptr(), items.count(), to);
        // SAFETY: the memory holds the items; it is kept until the request is null again, or given up below.
        check(unsafe {
            let datatype = items.datatype();
            raw::MPI_Isend(from.cast(), count, datatype, peer, tag, comm.raw(), &mut request)
        })?;
        // SAFETY: the request just made; nobody asks for its status.
        let code = unsafe { raw::MPI_Test(&mut request, &mut flag, mpi_sys::RSMPI_STATUS_IGNORE) };
        if code == raw::SUCCESS && flag != 0 {
            return Ok(None);
        }
        let mut this = Self::of(std::mem::take(data), Staging::default());
        this.request = request;
        check(code)?;
        Ok(Some(this))
    }

    pub fn receive(comm: Comm, room: Staging, items: &Doubles, from: Envelope) -> MpiResult<Self> {
        assert!(items.len() <= room.len());
        let mut this = Self::between(Staging::default(), room);
        let to = this.to();
        // SAFETY: see `call`.
        check(unsafe {
            raw::MPI_Irecv(
                to,
                items.count(),
                items.datatype(),
                from.peer,
                from.tag,
                comm.raw(),
                &mut this.request,
            )
        })?;
        Ok(this)
    }

    /// The request, for a caller who completes it and keeps the operation, with its memory, until then.
    pub fn hand_over(&mut self) -> Transfer {
        // SAFETY: the request of this operation, which forgets it.
        unsafe { Transfer::adopt(std::mem::replace(&mut self.request, null_request())) }
    }

    /// The memory of what was sent and received. The operation must be complete.
    pub fn memory(&mut self) -> (&[f64], &mut [f64]) {
        assert!(self.request == null_request(), "the operation is still under way");
        (self.send.as_slice(), self.receive.as_mut_slice())
    }

    /// Whether the operation has been seen to be complete, as one that blocked is.
    pub fn is_complete(&self) -> bool {
        self.request == null_request()
    }

    /// Whether MPI would raise an error of the operation where it is the user's. Then what has arrived is to be looked at before the call that may raise it.
    pub fn raises_elsewhere(&self) -> bool {
        quirks::COLLECTIVES_RAISE_ON_WORLD && self.collective && self.request != null_request()
    }

    /// What has arrived, if the operation is over, which no call has been told yet.
    pub fn over(&self) -> MpiResult<Option<&[f64]>> {
        let (mut flag, mut status) = (0, Status::default());
        // SAFETY: a live request, which stays one, and places for the answers.
        check(unsafe {
            raw::MPI_Request_get_status(self.request, &mut flag, status.as_mut_ptr())
        })?;
        Ok((flag != 0).then(|| self.receive.as_slice()))
    }

    /// Whether the operation is complete, without waiting.
    pub fn test(&mut self) -> MpiResult<bool> {
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: a request of ours; a null one is complete.
        check(unsafe { raw::MPI_Test(&mut self.request, &mut flag, status.as_mut_ptr()) })?;
        Ok(flag != 0)
    }

    /// As `test`, with the status of the message once it is complete.
    pub fn test_status(&mut self) -> MpiResult<Option<Status>> {
        let mut flag = 0;
        let mut status = Status::default();
        // SAFETY: as above.
        check(unsafe { raw::MPI_Test(&mut self.request, &mut flag, status.as_mut_ptr()) })?;
        Ok((flag != 0).then_some(status))
    }

    pub fn wait(&mut self) -> MpiResult<Status> {
        if self.request == null_request() {
            return Ok(Status::default());
        }
        let mut status = Status::default();
        // SAFETY: as above.
        check(unsafe { raw::MPI_Wait(&mut self.request, status.as_mut_ptr()) })?;
        Ok(status)
    }

    /// Gives up a receive, whether or not its message has come by now.
    pub fn cancel(mut self) -> MpiResult<()> {
        if self.request != null_request() {
            // SAFETY: as above; the request of a receive.
            check(unsafe { raw::MPI_Cancel(&mut self.request) })?;
        }
        self.wait().map(|_| ())
    }

    /// What was received. The operation must be complete.
    pub fn into_received(mut self) -> Staging {
        assert!(self.request == null_request(), "the operation is still under way");
        std::mem::take(&mut self.receive)
    }
}

impl Operation {
    /// MPI may still use the memory: it is given up rather than reused.
    pub(super) fn abandon_memory(&mut self) {
        std::mem::forget(std::mem::take(&mut self.send));
        std::mem::forget(std::mem::take(&mut self.receive));
        std::mem::forget(std::mem::take(&mut self.counts));
        std::mem::forget(self.lists.take());
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        if self.request != null_request() {
            self.abandon_memory();
        }
    }
}

/// The address so many doubles behind another, in the same memory.
pub(super) const fn behind(address: *mut c_void, doubles: usize) -> *mut c_void {
    address.cast::<f64>().wrapping_add(doubles).cast()
}
