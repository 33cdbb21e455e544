//! Requests: what a user's handle leads to. They are recycled, so that a warm program allocates none. Long: all kinds, which
//! are completed together.

use super::message::{self, Again, Arrival, Route};
use super::partitioned::{End, Part, Registered, Sending, no_receive};
use super::traffic::Traffic;
use super::{bytes, exchange, late, lock};
use crate::datatype::{BufferTriple, SendBuffer};
use crate::error::{Code, Error};
use crate::mpi::message::{Envelope, Message, Mode};
use crate::mpi::raw::{self, constants};
use crate::mpi::serial::is_concurrent;
use crate::mpi::transfer::{Batch, Completion, Found, Transfer};
use crate::mpi::{Comm, Failure, MpiResult, Serial, Status, StatusSlot, StatusSlots, wide_int};
use crate::tape;
use crate::var_pack::fetch_ahead;
use std::ffi::c_int;
use std::sync::{Arc, Mutex};

/// A nonblocking collective, for the request that leads to it.
pub trait Pending: Send {
    /// The request of MPI. The memory stays here until it is complete.
    fn hand_over(&mut self) -> Transfer;
    /// It is complete.
    fn finish(&mut self) -> MpiResult<()>;
    /// It has failed.
    fn fail(&mut self);
}

/// What the completion of a call with variables of another AD tool does around the library's own.
pub trait Completes: Send {
    fn complete(self: Box<Self>, finish: &mut dyn FnMut() -> MpiResult<()>) -> MpiResult<()>;
    /// The call has failed.
    fn fail(self: Box<Self>);
}

/// What is to be done when a call of MPI's own is complete.
pub trait Follows: Send {
    /// Makes a status tell of items of the user's datatype.
    fn tell(&self, status: &mut Status) -> MpiResult<()>;
    /// The call is complete, and MPI tells `status`.
    fn finish(self: Box<Self>, status: &mut Status) -> MpiResult<()>;
}

/// A call with variables of another AD tool under way.
struct Foreign {
    /// What the request would be of the library's own values.
    kind: Kind,
    completes: Box<dyn Completes>,
}

#[derive(Default)]
enum Kind {
    /// Recycled: a handle that leads here has been completed already.
    #[default]
    Idle,
    Passive,
    /// A call of MPI's own after which something is to be done.
    Followed(Box<dyn Follows>),
    Sending,
    Receiving,
    Collective(Box<dyn Pending>),
    Foreign(Box<Foreign>),
    /// A partitioned send, whose transfer is null until its parts are ready.
    Partitioned(Arc<Sending>),
    /// A partitioned message that is here and has been accepted. MPI's request is to be completed.
    Arrived,
    /// Persistent and active, between two starts.
    Resting,
}

/// Makes a call that does not block: its request, or the code of an error that has been raised.
pub type Starter = Box<dyn Fn() -> Result<Box<Request>, c_int> + Send>;

/// What a start does of a persistent request that is active, or looks at of one that was made in checking mode.
enum Start {
    Active(Again),
    Passive(Vec<SendBuffer>),
    /// Of a call that the library makes: the request becomes what each start brings.
    Anew {
        start: Starter,
        is_collective: bool,
    },
    SendPartitioned {
        sending: Arc<Sending>,
        _registered: Registered,
    },
    ReceivePartitioned(Receiving),
}

/// A partitioned receive.
struct Receiving {
    /// None of data that are not active.
    again: Option<Again>,
    partitions: usize,
    registered: Registered,
}

/// A nonblocking call under way, or a persistent one.
pub struct Request {
    kind: Kind,
    transfer: Transfer,
    /// Of a receive: beside the kind, so that it is made in its place.
    arrival: Arrival,
    /// What a persistent request keeps for its starts.
    again: Option<Box<Start>>,
    comm: Comm,
    /// A cancellation was asked for: the status will tell.
    cancelled: bool,
    /// It stands in the array that a call is looking at.
    listed: bool,
    /// Fortran's number for the request, or 0.
    number: c_int,
}

/// Makes the persistent request of a message that is not differentiated.
pub type Native<'a> = &'a dyn Fn(&Route) -> MpiResult<Transfer>;

/// What a handle of the user holds.
pub type Slot = Option<Box<Request>>;

/// Idle requests that are kept at most.
const RETAINED: usize = 1 << 17;

// Boxes: users' handles are their addresses, which must not move.
#[allow(clippy::vec_box)]
static IDLE: Serial<Vec<Box<Request>>> = Serial::new(Vec::new());
static BATCH: Serial<Batch> = Serial::new(Batch::new());

impl Request {
    /// A request that is idle, or new.
    #[inline]
    fn idle(comm: Comm) -> Box<Self> {
        let mut request = IDLE.with(Vec::pop).unwrap_or_else(|| {
            Box::new(Self {
                kind: Kind::Idle,
                transfer: Transfer::default(),
                arrival: Arrival::default(),
                again: None,
                comm,
                cancelled: false,
                listed: false,
                number: 0,
            })
        });
        request.comm = comm;
        request
    }

    /// The request of a call that needs no adjoint.
    pub fn passive(transfer: Transfer, comm: Comm) -> Box<Self> {
        let mut request = Self::idle(comm);
        request.transfer.take_over(transfer);
        request.kind = Kind::Passive;
        request
    }

    /// The request of a call of MPI's own, and what is to be done after it. None if MPI gave none.
    pub fn of_mpi(transfer: Transfer, then: Option<Box<dyn Follows>>) -> Option<Box<Self>> {
        if transfer.is_null() {
            return None;
        }
        let mut request = Self::passive(transfer, Comm::world());
        if let Some(then) = then {
            request.kind = Kind::Followed(then);
        }
        Some(request)
    }

    #[inline(always)]
    fn begin(comm: Comm, begin: impl FnOnce(&mut Self) -> MpiResult<Kind>) -> MpiResult<Box<Self>> {
        let mut request = Self::idle(comm);
        match begin(&mut request) {
            Ok(kind) => {
                request.kind = kind;
                Ok(request)
            }
            Err(failure) => {
                // What MPI has begun keeps its memory, and nobody else gets it.
                recycle(&mut Some(request));
                Err(failure)
            }
        }
    }

    pub fn send(buf: &BufferTriple, to: Envelope, comm: Comm, mode: &Mode) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            message::isend(buf, to, comm, mode, &mut request.transfer)?;
            Ok(Kind::Sending)
        })
    }

    pub fn receive(buf: &BufferTriple, from: Envelope, comm: Comm) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            message::irecv(buf, from, comm, &mut request.transfer, &mut request.arrival)?;
            Ok(Kind::Receiving)
        })
    }

    /// A send and a receive, which completes the request.
    pub fn exchange(
        send: (&BufferTriple, Envelope),
        receive: (&BufferTriple, Envelope),
        comm: Comm,
    ) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            exchange::isendrecv(send, receive, comm, &mut request.transfer, &mut request.arrival)?;
            Ok(Kind::Receiving)
        })
    }

    /// The request of a collective that has started.
    pub fn collective(mut pending: Box<dyn Pending>, comm: Comm) -> Box<Self> {
        let mut request = Self::idle(comm);
        request.transfer.take_over(pending.hand_over());
        request.kind = Kind::Collective(pending);
        request
    }

    /// Lets a request complete a call with variables of another AD tool.
    pub fn completing(&mut self, completes: Box<dyn Completes>) {
        let kind = std::mem::take(&mut self.kind);
        self.kind = Kind::Foreign(Box::new(Foreign { kind, completes }));
    }

    pub fn receive_matched(
        buf: &BufferTriple,
        message: &mut Message<'_>,
        comm: Comm,
    ) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            request.arrival = message::imrecv(buf, message, &mut request.transfer)?;
            Ok(Kind::Receiving)
        })
    }

    pub fn send_init(
        buf: &BufferTriple,
        to: Envelope,
        comm: Comm,
        mode: &Mode,
    ) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            let route = Route::new(comm, to);
            let again = message::send_init(buf, route, mode, &mut request.transfer)?;
            request.again = Some(Box::new(Start::Active(again)));
            Ok(Kind::Resting)
        })
    }

    pub fn receive_init(buf: &BufferTriple, from: Envelope, comm: Comm) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            let route = Route::new(comm, from);
            let again = message::recv_init(buf, route, &mut request.transfer)?;
            request.again = Some(Box::new(Start::Active(again)));
            Ok(Kind::Resting)
        })
    }

    /// A partitioned send of all that `buf` has. `native` makes the persistent request of one that is passive.
    pub fn send_partitioned(
        buf: &BufferTriple,
        partitions: usize,
        end: End,
        comm: Comm,
        native: Option<Native<'_>>,
    ) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            let route = end.route(comm)?;
            let again = match native {
                None => {
                    let (mode, transfer) = (&Mode::STANDARD, &mut request.transfer);
                    Some(message::send_init(buf, route, mode, transfer)?)
                }
                Some(native) => {
                    request.transfer.take_over(native(&route)?);
                    None
                }
            };
            let sending = Arc::new(Sending::new(again, partitions));
            let part = Part::Sending(Arc::clone(&sending));
            let registered = Registered::new((&raw const *request).addr(), end, part);
            let start = Start::SendPartitioned { sending, _registered: registered };
            request.again = Some(Box::new(start));
            Ok(Kind::Resting)
        })
    }

    /// A partitioned receive; see `send_partitioned`.
    pub fn receive_partitioned(
        buf: &BufferTriple,
        partitions: usize,
        end: End,
        comm: Comm,
        native: Option<Native<'_>>,
    ) -> MpiResult<Box<Self>> {
        Self::begin(comm, |request| {
            let route = end.route(comm)?;
            let again = match native {
                None => Some(message::recv_init(buf, route, &mut request.transfer)?),
                Some(native) => {
                    request.transfer.take_over(native(&route)?);
                    None
                }
            };
            let registered = Registered::new((&raw const *request).addr(), end, Part::Receiving);
            let receiving = Receiving { again, partitions, registered };
            request.again = Some(Box::new(Start::ReceivePartitioned(receiving)));
            Ok(Kind::Resting)
        })
    }

    /// A persistent collective, or a message whose request MPI cannot start again.
    pub fn anew(start: Starter, is_collective: bool, comm: Comm) -> Box<Self> {
        let mut request = Self::idle(comm);
        request.again = Some(Box::new(Start::Anew { start, is_collective }));
        request.kind = Kind::Resting;
        request
    }

    fn is_anew(&self) -> bool {
        matches!(self.again.as_deref(), Some(Start::Anew { .. }))
    }

    fn is_persistent_collective(&self) -> bool {
        matches!(self.again.as_deref(), Some(Start::Anew { is_collective: true, .. }))
    }

    /// Starts a request that `start` has left. The call raises its own errors: nothing of the library's may stand around it.
    pub fn start_anew(&mut self) -> Result<(), c_int> {
        let Some(Start::Anew { start, .. }) = self.again.as_deref() else { return Ok(()) };
        let mut new = start()?;
        self.kind = std::mem::take(&mut new.kind);
        self.transfer.take_over(std::mem::take(&mut new.transfer));
        self.arrival = std::mem::take(&mut new.arrival);
        recycle(&mut Some(new));
        Ok(())
    }

    /// In checking mode each start of this passive request looks at `sent`, too.
    pub fn watch(&mut self, sent: &BufferTriple) {
        if !tape::checking() {
            return;
        }
        let start = self.again.get_or_insert_with(|| Box::new(Start::Passive(Vec::new())));
        if let Start::Passive(all) = &mut **start {
            all.extend(bytes::described(sent));
        }
    }

    /// Starts a persistent request, unless that is left to `start_anew`: tells whether it is.
    fn start(&mut self) -> MpiResult<bool> {
        let again = match (&self.kind, self.again.as_deref()) {
            // MPI says what it thinks of one that is not persistent, or active.
            (Kind::Resting, Some(Start::Anew { .. })) => return Ok(true),
            (Kind::Passive, watched) if !self.is_anew() => {
                if let Some(Start::Passive(sent)) = watched {
                    sent.iter().try_for_each(bytes::none_at)?;
                }
                return self.transfer.start().map(|()| false);
            }
            (Kind::Resting, Some(Start::Active(again))) => again,
            (Kind::Resting, Some(Start::SendPartitioned { sending, .. })) => {
                sending.start(&mut self.transfer)?;
                self.kind = Kind::Partitioned(Arc::clone(sending));
                return Ok(false);
            }
            (Kind::Resting, Some(Start::ReceivePartitioned(Receiving { again: None, .. }))) => {
                self.transfer.start()?;
                self.kind = Kind::Arrived;
                return Ok(false);
            }
            (
                Kind::Resting,
                Some(Start::ReceivePartitioned(Receiving { again: Some(again), .. })),
            ) => again,
            (_, again) => {
                let why = match again {
                    Some(_) => "the request is already active; complete it first",
                    None => "the request is not persistent",
                };
                return Err(Error::new(Code::Argument, why).into());
            }
        };
        let started = again.start(&mut self.transfer, &mut self.arrival);
        // Also a send that could not be recorded is under way.
        if !self.transfer.is_idle() {
            self.kind = Kind::Sending;
        }
        if started? {
            self.kind = Kind::Receiving;
        }
        Ok(false)
    }

    pub const fn comm(&self) -> Comm {
        self.comm
    }

    pub const fn is_passive(&self) -> bool {
        matches!(self.kind, Kind::Passive)
    }

    /// Whether it is persistent and active.
    const fn is_started(&self) -> bool {
        self.again.is_some()
            && matches!(
                self.kind,
                Kind::Sending
                    | Kind::Receiving
                    | Kind::Collective(_)
                    | Kind::Foreign(_)
                    | Kind::Partitioned(_)
                    | Kind::Arrived
            )
    }

    /// Whether it is a partitioned send whose parts are not all ready. If they are, its transfer is here now.
    #[inline]
    fn is_filling(&mut self) -> bool {
        matches!(self.kind, Kind::Partitioned(_)) && !self.collect()
    }

    #[cold]
    fn collect(&mut self) -> bool {
        if let (Kind::Partitioned(sending), true) = (&self.kind, self.transfer.is_null()) {
            let Some(transfer) = sending.collect() else { return false };
            self.transfer.take_over(transfer);
        }
        true
    }

    /// Waits until all parts of a partitioned send are ready.
    #[inline]
    fn await_parts(&mut self) -> MpiResult<()> {
        if let Kind::Partitioned(sending) = &self.kind
            && self.transfer.is_null()
        {
            self.transfer.take_over(sending.collect_when_sent()?);
        }
        Ok(())
    }

    /// Lets a status tell of the peer and the tag that the user knows.
    #[inline]
    fn rename(&self, status: &mut Status) {
        if let Some(Start::ReceivePartitioned(receiving)) = self.again.as_deref() {
            let with = receiving.registered.end.envelope;
            status.rename(with.peer, with.tag);
        }
    }

    /// `MPI_Parrived`: whether the message is here, which comes whole. Its values are in the buffer then.
    pub fn has_arrived(&mut self, partition: c_int) -> MpiResult<bool> {
        let Some(Start::ReceivePartitioned(receiving)) = self.again.as_deref() else {
            return Err(no_receive().into());
        };
        if partition < 0 || wide_int(partition) >= receiving.partitions {
            let why = format!("partition = {partition} is not below {}", receiving.partitions);
            return Err(Error::new(Code::Argument, why).into());
        }
        if matches!(self.kind, Kind::Resting) {
            return Ok(true);
        }
        if matches!(self.kind, Kind::Receiving) && self.arrival.is_elsewhere() {
            let why = "the request receives active values, which only the thread that started it can take";
            return Err(Error::new(Code::Thread, why).into());
        }
        let Some(status) = self.transfer.get_status()? else { return Ok(false) };
        if matches!(self.kind, Kind::Receiving) {
            self.kind = Kind::Arrived;
            self.arrival.accept(self.transfer.memory(), &status)?;
        }
        Ok(true)
    }

    pub const fn transfer(&mut self) -> &mut Transfer {
        &mut self.transfer
    }

    /// Asks for the memory that the completion will need, which comes while MPI looks at its own.
    #[inline]
    fn fetch_ahead(&self) {
        const LINE: usize = 64;
        let start = std::ptr::from_ref(self).cast::<u8>();
        for offset in (LINE..size_of::<Self>()).step_by(LINE) {
            fetch_ahead(start.wrapping_add(offset));
        }
        self.arrival.fetch_ahead();
    }

    /// Does what the completion of the request asks for.
    #[inline(always)]
    fn finish(&mut self, status: &mut Status) -> MpiResult<()> {
        match &mut self.kind {
            Kind::Receiving => {}
            Kind::Collective(collective) => {
                return collective.finish().map_err(|failure| failure.on(self.comm));
            }
            Kind::Idle | Kind::Passive | Kind::Sending | Kind::Resting | Kind::Arrived => {
                return Ok(());
            }
            Kind::Partitioned(sending) => return sending.settle().map_err(|f| f.on(self.comm)),
            Kind::Followed(_) | Kind::Foreign(_) => return self.finish_rarely(status),
        }
        if self.cancelled && status.cancelled()? {
            self.arrival.refuse();
            return Ok(());
        }
        self.arrival.accept(self.transfer.memory(), status).map_err(|f| f.on(self.comm))
    }

    #[cold]
    #[inline(never)]
    fn finish_rarely(&mut self, status: &mut Status) -> MpiResult<()> {
        match std::mem::take(&mut self.kind) {
            Kind::Followed(then) => then.finish(status),
            Kind::Foreign(foreign) => {
                self.kind = foreign.kind;
                foreign.completes.complete(&mut || self.finish(status))
            }
            kind => {
                self.kind = kind;
                Ok(())
            }
        }
    }

    /// The kind of the call, whoever's variables it has.
    const fn kind(&self) -> &Kind {
        match &self.kind {
            Kind::Foreign(foreign) => &foreign.kind,
            kind => kind,
        }
    }

    /// The request came to nothing: MPI gave `code`.
    fn fail(&mut self, code: c_int) {
        if let Kind::Foreign(_) = &self.kind
            && let Kind::Foreign(foreign) = std::mem::take(&mut self.kind)
        {
            self.kind = foreign.kind;
            foreign.completes.fail();
        }
        match &mut self.kind {
            Kind::Receiving => self.arrival.fail(code),
            Kind::Collective(collective) => collective.fail(),
            Kind::Partitioned(sending) => _ = sending.settle(),
            Kind::Idle
            | Kind::Passive
            | Kind::Followed(_)
            | Kind::Sending
            | Kind::Resting
            | Kind::Arrived
            | Kind::Foreign(_) => {}
        }
    }
}

/// Gives a completed request back. A persistent one stays the user's, to be started anew.
#[inline]
fn recycle(slot: &mut Slot) {
    let Some(mut request) = slot.take() else { return };
    request.cancelled = false;
    if !request.transfer.is_null() {
        if !matches!(request.again.as_deref(), None | Some(Start::Passive(_) | Start::Anew { .. }))
        {
            request.kind = Kind::Resting;
        }
        *slot = Some(request);
        return;
    }
    if request.again.is_some() {
        if request.is_anew() {
            request.kind = Kind::Resting;
            request.transfer.release();
            *slot = Some(request);
            return;
        }
        request.again = None;
    }
    if request.number != 0 {
        forget_number(request.number);
        request.number = 0;
    }
    request.kind = Kind::Idle;
    request.arrival.forget();
    request.transfer.release();
    IDLE.keep(request, RETAINED);
}

/// An error for a handle that was copied and has been completed through the copy.
#[inline]
fn check_live(slot: &Slot) -> MpiResult<()> {
    match slot {
        Some(request) if matches!(request.kind, Kind::Idle) => Err(not_live("request")),
        _ => Ok(()),
    }
}

#[cold]
fn not_live(name: &str) -> Failure {
    Error::new(Code::Argument, format!("{name} has been completed already")).into()
}

/// Marks the requests of an array as listed, which are live and differ.
#[inline]
fn list(slots: &mut [Slot]) -> MpiResult<()> {
    let fault = slots.iter_mut().position(|slot| {
        let Some(request) = slot else { return false };
        matches!(request.kind, Kind::Idle) || std::mem::replace(&mut request.listed, true)
    });
    match fault {
        None => Ok(()),
        Some(i) => Err(unlisted(slots, i)),
    }
}

/// Takes the marks of `list` back, which the `i`th request has stopped, and says why.
#[cold]
fn unlisted(slots: &mut [Slot], i: usize) -> Failure {
    slots.iter_mut().flatten().for_each(|request| request.listed = false);
    let is_same = |slot: &Slot| match (slot, &slots[i]) {
        (Some(one), Some(other)) => std::ptr::eq(&raw const **one, &raw const **other),
        _ => false,
    };
    match slots[..i].iter().position(is_same) {
        None => not_live(&format!("request[{i}]")),
        Some(first) => {
            let why = format!(
                "request[{first}] and request[{i}] are the same request, which an array may hold only once"
            );
            Error::new(Code::Argument, why).into()
        }
    }
}

/// `MPI_Wait`.
pub fn wait(slot: &mut Slot, place: &mut StatusSlot) -> MpiResult<()> {
    check_live(slot)?;
    let Some(request) = slot.as_mut() else {
        place.set(&Transfer::default().wait()?);
        return Ok(());
    };
    request.await_parts()?;
    request.fetch_ahead();
    let done = request.transfer.wait();
    settle_one(slot, done, place)
}

/// `MPI_Test`.
pub fn test(slot: &mut Slot, place: &mut StatusSlot) -> MpiResult<bool> {
    check_live(slot)?;
    let Some(request) = slot.as_mut() else {
        place.set(&Transfer::default().wait()?);
        return Ok(true);
    };
    if request.is_filling() {
        return Ok(false);
    }
    let Some(done) = request.transfer.test().transpose() else { return Ok(false) };
    settle_one(slot, done, place).map(|()| true)
}

#[inline(always)]
fn settle_one(slot: &mut Slot, done: MpiResult<Status>, place: &mut StatusSlot) -> MpiResult<()> {
    let Some(request) = slot.as_mut() else { return Ok(()) };
    let finished = match done {
        Ok(mut status) => {
            let finished = request.finish(&mut status);
            request.rename(&mut status);
            place.set(&status);
            finished
        }
        Err(failure) => {
            request.fail(failure.code());
            Err(failure)
        }
    };
    recycle(slot);
    finished
}

/// Completes listed requests by one of MPI's calls for arrays. The statuses stand in `batch`.
fn complete(slots: &mut [Slot], call_form: Completion, batch: &mut Batch) -> MpiResult<Found> {
    let (mut filling, mut told) = (false, false);
    batch.clear();
    for slot in slots.iter_mut() {
        batch.push(slot.as_mut().map(|request| {
            request.listed = false;
            filling |= request.is_filling();
            told |= request.transfer.is_told();
            &request.transfer
        }));
    }
    let all = matches!(call_form, Completion::WaitAll | Completion::TestAll);
    let (found, code) = if told && !all {
        (complete_started(slots, call_form, batch, Transfer::is_told)?, raw::SUCCESS)
    } else if filling {
        let Some(answer) = complete_filling(slots, call_form, batch)? else {
            return Ok(Found::Nothing);
        };
        answer
    } else {
        ask(slots, call_form, batch)?
    };
    let by_status = code == constants().err_in_status;
    let mut result = if code == raw::SUCCESS { Ok(found) } else { Err(Failure::Mpi(code)) };
    let mut one = |batch: &mut Batch, i: usize, at: usize| {
        let Some(request) = slots.get_mut(i).and_then(Option::as_mut) else { return };
        batch.update(i, at, &mut request.transfer);
        let code = match (by_status, code) {
            (true, _) => batch.status(at).error(),
            (false, code) => code,
        };
        if code == constants().err_pending {
            return;
        }
        let finished = if code == raw::SUCCESS {
            let finished = request.finish(batch.status_mut(at));
            request.rename(batch.status_mut(at));
            finished
        } else {
            request.fail(code);
            Ok(())
        };
        if let (Err(failure), true) = (finished, result.is_ok()) {
            result = Err(failure);
        }
        recycle(&mut slots[i]);
    };
    match found {
        Found::Nothing | Found::Inactive => {}
        // Without statuses nothing is known about which ones failed: all stay as they are.
        _ if code != raw::SUCCESS && !by_status && !matches!(found, Found::One(_)) => {}
        Found::All => (0..batch.requests()).for_each(|i| one(batch, i, i)),
        Found::One(i) => one(batch, i, 0),
        Found::Some(n) => (0..n).for_each(|at| one(batch, batch.index(at), at)),
    }
    result
}

/// Lets MPI look at the requests in `batch`: what it found, and its code.
fn ask(slots: &mut [Slot], call_form: Completion, batch: &mut Batch) -> MpiResult<(Found, c_int)> {
    let (found, code) = batch.complete(call_form);
    if found == Found::Inactive {
        return Ok((complete_started(slots, call_form, batch, |_| true)?, code));
    }
    Ok((found, code))
}

/// As `ask` where parts of a partitioned send were not ready when they were looked at: MPI does not know that it is active. None
/// where a test finds nothing.
#[cold]
fn complete_filling(
    slots: &mut [Slot],
    call_form: Completion,
    batch: &mut Batch,
) -> MpiResult<Option<(Found, c_int)>> {
    match call_form {
        Completion::WaitAll => {
            slots.iter_mut().flatten().try_for_each(|request| request.await_parts())?;
        }
        Completion::TestAll => return Ok(None),
        _ => {}
    }
    loop {
        batch.clear();
        for slot in slots.iter_mut() {
            batch.push(slot.as_mut().map(|request| {
                request.is_filling();
                &request.transfer
            }));
        }
        let (found, code) = ask(slots, call_form, batch)?;
        if found != Found::Inactive {
            return Ok(Some((found, code)));
        }
        match call_form {
            Completion::TestAny | Completion::TestSome => return Ok(None),
            _ => check_filling(slots)?,
        }
        std::thread::yield_now();
    }
}

/// An error if nobody can make a partitioned send ready, for which a call is about to wait.
#[cold]
fn check_filling(slots: &[Slot]) -> MpiResult<()> {
    let sending = slots.iter().flatten().find_map(|request| match &request.kind {
        Kind::Partitioned(sending) => Some(sending),
        _ => None,
    });
    match sending {
        Some(sending) if !is_concurrent() => Err(sending.unready().into()),
        _ => Ok(()),
    }
}

/// Completes requests that were started and that MPI takes for inactive, and so are complete: MPICH does so with persistent
/// ones to `MPI_PROC_NULL`, which only its calls for one or for all complete, and with those of which `get_status` told.
fn complete_started(
    slots: &mut [Slot],
    call_form: Completion,
    batch: &mut Batch,
    is_complete: fn(&Transfer) -> bool,
) -> MpiResult<Found> {
    batch.make_room();
    let mut n = 0;
    for (i, slot) in slots.iter_mut().enumerate() {
        let Some(request) = slot.as_mut().filter(|request| request.is_started()) else { continue };
        // MPI was not shown what has been sent since.
        if request.transfer.is_null() || !is_complete(&request.transfer) {
            continue;
        }
        let status = request.transfer.wait()?;
        batch.answer(n, i, &status);
        n += 1;
        if matches!(call_form, Completion::WaitAny | Completion::TestAny) {
            return Ok(Found::One(i));
        }
    }
    Ok(if n == 0 { Found::Inactive } else { Found::Some(n) })
}

/// Runs `complete` with arrays kept from call to call, then `report`.
fn completed(
    slots: &mut [Slot],
    call_form: Completion,
    report: impl FnOnce(&MpiResult<Found>, &Batch),
) -> MpiResult<Found> {
    list(slots)?;
    // Taken out, since an error handler may call back.
    let mut batch = BATCH.with(std::mem::take);
    let done = complete(slots, call_form, &mut batch);
    report(&done, &batch);
    BATCH.with(|place| *place = batch);
    done
}

/// `MPI_Waitall` and `MPI_Testall`; tells whether all are complete.
pub fn all(slots: &mut [Slot], call_form: Completion, places: &mut StatusSlots) -> MpiResult<bool> {
    let n = slots.len();
    let found = completed(slots, call_form, |found, batch| {
        let in_status =
            matches!(found, Err(Failure::Mpi(code)) if *code == constants().err_in_status);
        if in_status || matches!(found, Ok(Found::All) | Err(Failure::On(..) | Failure::Own(_))) {
            places.set(batch.statuses(n));
        }
    });
    Ok(found? == Found::All)
}

/// `MPI_Waitany` and `MPI_Testany`; tells which, or that none was active, or that none is complete.
pub fn any(slots: &mut [Slot], call_form: Completion, place: &mut StatusSlot) -> MpiResult<Found> {
    completed(slots, call_form, |found, batch| match found {
        Ok(Found::Nothing) => {}
        // MPICH 4.0 leaves the status of a Testany as it was where all requests are idle.
        Ok(Found::Inactive) => {
            if let Ok(empty) = Transfer::default().wait() {
                place.set(&empty);
            }
        }
        _ => place.set(batch.status(0)),
    })
}

/// `MPI_Waitsome` and `MPI_Testsome`; writes the indices of those complete.
pub fn some(
    slots: &mut [Slot],
    call_form: Completion,
    indices: &mut [c_int],
    places: &mut StatusSlots,
) -> MpiResult<Found> {
    completed(slots, call_form, |found, batch| {
        if let Ok(Found::Some(n)) = found {
            places.set(batch.statuses(*n));
            for (at, index) in indices.iter_mut().enumerate().take(*n) {
                *index = c_int::try_from(batch.index(at)).unwrap_or(-1);
            }
        }
    })
}

/// `MPI_Start`; tells whether it is left to `Request::start_anew`.
pub fn start(slot: &mut Slot) -> MpiResult<bool> {
    check_live(slot)?;
    match slot {
        // MPI has an error for that.
        None => Transfer::default().start().map(|()| false),
        Some(request) => request.start().map_err(|failure| failure.on(request.comm)),
    }
}

/// `MPI_Startall`, which is to be as if each were started, in any order: that of the array, `from` a place on. Stops behind one
/// that is left to `Request::start_anew`, and names it.
pub fn start_all(slots: &mut [Slot], from: usize) -> MpiResult<Option<usize>> {
    if from == 0 {
        list(slots)?;
        slots.iter_mut().flatten().for_each(|request| request.listed = false);
    }
    for (i, slot) in slots.iter_mut().enumerate().skip(from) {
        if start(slot)? {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

/// `MPI_Request_free`. The adjoint of a send needs no request; a receive without one could never be recorded.
pub fn free(slot: &mut Slot) -> MpiResult<()> {
    check_live(slot)?;
    let Some(request) = slot.as_mut() else {
        return Err(Error::new(Code::Argument, "request is AMPI_REQUEST_NULL").into());
    };
    if request.is_anew() && matches!(request.kind, Kind::Resting) {
        request.again = None;
        recycle(slot);
        return Ok(());
    }
    match &request.kind {
        Kind::Passive if request.is_persistent_collective() => {
            return Err(unfinished(request.comm));
        }
        Kind::Receiving => {
            let why = "the request receives active data, which only its completion records; complete it with a Wait or Test call";
            return Err(Failure::from(Error::new(Code::Unsupported, why)).on(request.comm));
        }
        Kind::Collective(_) => return Err(unfinished(request.comm)),
        Kind::Partitioned(_) | Kind::Arrived => {
            let why = "the request is partitioned and active; complete it with a Wait or Test call";
            return Err(Failure::from(Error::new(Code::Unsupported, why)).on(request.comm));
        }
        Kind::Foreign(_) => {
            let why = "the request is of a call with variables of another AD tool; complete it with a Wait or Test call";
            return Err(Failure::from(Error::new(Code::Unsupported, why)).on(request.comm));
        }
        Kind::Followed(_) => {
            let why = "the request moves values to a file or from it, which its completion ends; complete it with a Wait or Test call";
            return Err(Failure::from(Error::new(Code::Unsupported, why)).on(request.comm));
        }
        Kind::Sending => {
            if request.transfer.is_holding() {
                // Which looks whether it is through before it forgets what is held.
                tape::current(|tape| _ = tape.companion::<Traffic>());
            }
            late::orphan(std::mem::take(&mut request.transfer));
        }
        Kind::Resting | Kind::Passive | Kind::Idle => request.transfer.free()?,
    }
    request.again = None;
    recycle(slot);
    Ok(())
}

#[cold]
fn unfinished(comm: Comm) -> Failure {
    let why =
        "the request belongs to a collective, which must be completed; use a Wait or Test call";
    Failure::from(Error::new(Code::Unsupported, why)).on(comm)
}

/// `MPI_Cancel`. A receive that is cancelled is not recorded; a send has been recorded at its start.
pub fn cancel(slot: &mut Slot) -> MpiResult<()> {
    check_live(slot)?;
    let Some(request) = slot.as_mut() else {
        return Err(Error::new(Code::Argument, "request is AMPI_REQUEST_NULL").into());
    };
    let why = match request.kind() {
        Kind::Sending => "the request sends active data, which cannot be cancelled",
        Kind::Collective(_) => "the request belongs to a collective, which cannot be cancelled",
        Kind::Partitioned(_) | Kind::Arrived => "a partitioned request cannot be cancelled",
        Kind::Receiving
            if matches!(request.again.as_deref(), Some(Start::ReceivePartitioned(_))) =>
        {
            "a partitioned request cannot be cancelled"
        }
        Kind::Passive if request.is_persistent_collective() => {
            "the request belongs to a collective, which cannot be cancelled"
        }
        Kind::Resting => "the request is persistent and not active",
        _ => {
            request.cancelled = true;
            return request.transfer.cancel();
        }
    };
    Err(Failure::from(Error::new(Code::Unsupported, why)).on(request.comm))
}

/// `MPI_Request_get_status`.
pub fn peek(request: Option<&mut Request>) -> MpiResult<Option<Status>> {
    match request {
        None => Transfer::default().get_status(),
        Some(request) if matches!(request.kind, Kind::Idle) => Err(not_live("request")),
        Some(request) => {
            if request.is_filling() {
                return Ok(None);
            }
            let mut status = request.transfer.get_status().map_err(|f| f.on(request.comm))?;
            if let Some(status) = &mut status {
                if let Kind::Followed(then) = &request.kind {
                    then.tell(status)?;
                }
                request.rename(status);
            }
            Ok(status)
        }
    }
}

/// Requests that Fortran knows by number, which is their place less one.
struct Numbers {
    addresses: Vec<Option<usize>>,
    free: Vec<usize>,
}

static NUMBERS: Mutex<Numbers> = Mutex::new(Numbers { addresses: Vec::new(), free: Vec::new() });

/// The number of a request; it keeps one from its first conversion to its completion.
pub fn number_of(request: &mut Request, address: usize) -> c_int {
    if request.number == 0 {
        let mut numbers = lock(&NUMBERS);
        let at = numbers.free.pop().unwrap_or(numbers.addresses.len());
        if at == numbers.addresses.len() {
            numbers.addresses.push(None);
        }
        numbers.addresses[at] = Some(address);
        request.number = c_int::try_from(at + 1).unwrap_or(0);
    }
    request.number
}

/// The address of the request with a number; 0 is the null request, and so is a number never given.
pub fn address_of(number: c_int) -> usize {
    let at = crate::mpi::wide_int(number).checked_sub(1);
    at.and_then(|at| lock(&NUMBERS).addresses.get(at).copied().flatten()).unwrap_or(0)
}

fn forget_number(number: c_int) {
    let at = crate::mpi::wide_int(number).saturating_sub(1);
    let numbers = &mut *lock(&NUMBERS);
    if let Some(slot) = numbers.addresses.get_mut(at)
        && slot.take().is_some()
    {
        numbers.free.push(at);
    }
}
