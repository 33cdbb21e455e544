//! Operations of the library's own, blocking or not: they own the memory that MPI uses until they complete.
//!
//! What is too much for one call of MPI is not decided here: callers say how many items a call takes at a time, or
//! bring types of many doubles and lists of parts.

use super::arrays::{Lists, Width};
use super::error::First;
use super::generalized::{Group, Report, RequestSlot};
use super::message::Envelope;
use super::raw::{self, MPI_Request};
use super::transfer::Transfer;
use super::{
    Comm, Datatype, Doubles, List, Op, Outcome, Staging, Status, check, plain, quirks, twins,
    wide_int,
};
use crate::tape::AdjointLoan;
use std::ffi::{c_int, c_void};

/// The doubles of a message that the library sends: its own, or adjoints where they lie.
#[derive(Debug)]
pub enum Payload {
    Own(Staging),
    Lent(AdjointLoan),
}

impl Default for Payload {
    fn default() -> Self {
        Self::Own(Staging::default())
    }
}

impl Payload {
    #[inline]
    fn as_slice(&self) -> &[f64] {
        match self {
            Self::Own(data) => data.as_slice(),
            Self::Lent(data) => data.as_slice(),
        }
    }
}

/// An operation under way, or finished.
#[derive(Debug)]
pub struct Operation {
    request: MPI_Request,
    send: Payload,
    receive: Staging,
    /// Counts and displacements, for calls that take arrays of them.
    counts: List<c_int>,
    /// The same with a datatype for each partner.
    lists: Option<Box<Lists>>,
    /// A collective that does not block.
    collective: bool,
}

/// Which of MPI's twins is called: the blocking one, or the nonblocking one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Now,
    Begin,
}

/// What MPI reduces at a time: a datatype of so many words of 8 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    datatype: Datatype,
    words: usize,
}

impl Item {
    pub fn double() -> Self {
        Self { datatype: Datatype::double(), words: 1 }
    }

    /// Several doubles as one, for an operation of the library's own.
    pub fn doubles(n: usize) -> Outcome<Self> {
        Ok(if n == 1 { Self::double() } else { Self { datatype: super::wide_type(n)?, words: n } })
    }

    /// 64 bits.
    pub fn bits() -> Self {
        Self { datatype: Datatype::word(), words: 1 }
    }

    pub const fn words(self) -> usize {
        self.words
    }
}

/// Whom a call reaches: all ranks, or the neighbours of the communicator's topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    All,
    Neighbours,
}

impl Reach {
    /// How many parts a rank receives.
    fn sources(self, comm: Comm) -> Outcome<usize> {
        match self {
            Self::All => Ok(wide_int(comm.size()?)),
            Self::Neighbours => Ok(wide_int(comm.degrees()?.0)),
        }
    }

    /// How many parts it sends.
    fn destinations(self, comm: Comm) -> Outcome<usize> {
        match self {
            Self::All => Ok(wide_int(comm.size()?)),
            Self::Neighbours => Ok(wide_int(comm.degrees()?.1)),
        }
    }
}

/// How many items of a reduction, or of a call that only moves them, MPI is given at a time.
#[derive(Debug, Clone, Copy)]
pub struct Step(c_int);

impl Step {
    /// At least one item.
    pub fn new(items: c_int) -> Self {
        Self(items.max(1))
    }

    fn items(self) -> usize {
        wide_int(self.0)
    }
}

/// The parts that ranks have of a packed array, one behind the other in their order: each so many times `width` doubles,
/// which are sent as items of `item`.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    pub shares: &'a [u64],
    pub width: usize,
    pub item: Item,
}

impl Listed<'_> {
    /// So many of the array as items.
    fn items(&self, n: usize) -> Outcome<c_int> {
        c_int::try_from(n * self.width / self.item.words)
            .map_err(|_| super::error::too_many(n, self.width))
    }

    fn total(&self) -> usize {
        self.shares.iter().map(|&n| crate::count::wide(n)).sum()
    }
}

// SAFETY: the request belongs to this value alone, and MPI serves every thread its level of support allows.
unsafe impl Send for Operation {}

fn null() -> MPI_Request {
    // SAFETY: constant data of the shim of mpi-sys.
    unsafe { mpi_sys::RSMPI_REQUEST_NULL }
}

fn in_place() -> *mut c_void {
    // SAFETY: returns a constant.
    unsafe { raw::admpi_shim_in_place() }
}

/// Calls the blocking or the nonblocking twin. The memory belongs to the operation, which keeps it where it is
/// until its request is null again.
macro_rules! call {
    ($this:ident, $how:expr, $now:ident, $begin:ident, $($argument:expr),* $(,)?) => {{
        let request = $this.place($how);
        check(twins!(request, plain::$now, plain::$begin, $($argument),*))
    }};
}

/// As `call`, for a call that has a twin among neighbours, with the same arguments.
macro_rules! call_within {
    ($this:ident, $how:expr, $reach:expr, [$now:ident, $begin:ident], [$near:ident, $begin_near:ident],
     $($argument:expr),* $(,)?) => {
        match $reach {
            Reach::All => call!($this, $how, $now, $begin, $($argument),*),
            Reach::Neighbours => call!($this, $how, $near, $begin_near, $($argument),*),
        }
    };
}

/// Several calls of MPI that are one operation: each is complete before the next, or all start, behind one request.
struct Series {
    group: Option<Group>,
    first: First,
}

impl Series {
    fn new(how: How) -> Outcome<Self> {
        let group = match how {
            How::Now => None,
            How::Begin => Some(Group::new(Report::Empty)?),
        };
        Ok(Self { group, first: First::default() })
    }

    /// Makes one more call, which is told where a request goes.
    fn add(&mut self, call: impl FnOnce(Option<*mut MPI_Request>) -> c_int) {
        let Some(group) = &mut self.group else {
            return self.first.note(call(None));
        };
        group.start(|request| call(Some(request)));
    }

    /// `operation` has the memory of all calls.
    fn finish(self, operation: &mut Operation) -> Outcome<()> {
        let Some(group) = self.group else { return check(self.first.code()) };
        // SAFETY: a place in a live value.
        let slot = unsafe { RequestSlot::new(&raw mut operation.request) };
        // Those that have started use the memory.
        group.finish(slot).inspect_err(|_| operation.abandon_memory())
    }
}

impl Operation {
    fn between(send: Staging, receive: Staging) -> Self {
        Self::of(Payload::Own(send), receive)
    }

    fn of(send: Payload, receive: Staging) -> Self {
        Self {
            request: null(),
            send,
            receive,
            counts: List::default(),
            lists: None,
            collective: false,
        }
    }

    fn from(&self) -> *const c_void {
        self.send.as_slice().as_ptr().cast()
    }

    fn to(&mut self) -> *mut c_void {
        self.receive.as_mut_slice().as_mut_ptr().cast()
    }

    /// Where the request goes, if there will be one.
    const fn place(&mut self, how: How) -> Option<*mut MPI_Request> {
        self.collective = matches!(how, How::Begin);
        match how {
            How::Now => None,
            How::Begin => Some(&raw mut self.request),
        }
    }

    /// Appends counts and displacements of `listed`, of which `whole` doubles have room.
    fn add_counts(&mut self, listed: &Listed<'_>, whole: usize) -> Outcome<()> {
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
    fn in_pieces(
        &mut self,
        items: usize,
        step: Step,
        how: How,
        mut call: impl FnMut(usize, c_int, Option<*mut MPI_Request>) -> c_int,
    ) -> Outcome<()> {
        if items <= step.items() {
            return check(call(0, narrow(items), self.place(how)));
        }
        let mut series = Series::new(how)?;
        for at in (0..items).step_by(step.items()) {
            let n = narrow(step.items().min(items - at));
            series.add(|request| call(at, n, request));
        }
        series.finish(self)
    }

    pub fn send(comm: Comm, data: Payload, items: &Doubles, to: Envelope) -> Outcome<Self> {
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
    ) -> Outcome<Option<Self>> {
        assert!(items.len() <= data.as_slice().len());
        let (mut request, mut flag) = (null(), 0);
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

    pub fn receive(comm: Comm, room: Staging, items: &Doubles, from: Envelope) -> Outcome<Self> {
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

    /// The root's `data` goes to all.
    pub fn bcast(comm: Comm, data: Staging, root: c_int, step: Step, how: How) -> Outcome<Self> {
        let (n, double) = (data.len(), Datatype::double().raw());
        let mut this = Self::between(Staging::default(), data);
        let at = this.to();
        // SAFETY: see `call`; so below.
        this.in_pieces(n, step, how, |from, n, request| unsafe {
            let at = behind(at, from);
            twins!(request, plain::MPI_Bcast, plain::MPI_Ibcast, at, n, double, root, comm.raw())
        })?;
        Ok(this)
    }

    /// The reduction of all `data` in `out` on the root; elsewhere `out` is empty. Never in place: MPICH 4.0
    /// crashes on that where the root is not rank 0.
    #[allow(clippy::too_many_arguments)] // MPI's own, and one
    pub fn reduce(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        root: c_int,
        step: Step,
        how: How,
    ) -> Outcome<Self> {
        let (items, words, t) = (data.len() / item.words, item.words, item.datatype.raw());
        let at_root = !out.is_empty();
        assert!(!at_root || out.len() >= data.len());
        let mut this = Self::between(data, out);
        let (from, to) = (this.from(), this.to());
        // SAFETY: off the root the receive buffer is not significant.
        this.in_pieces(items, step, how, |at, n, request| unsafe {
            let from = behind(from.cast_mut(), at * words).cast_const();
            let to = if at_root { behind(to, at * words) } else { to };
            let (now, begin) = (plain::MPI_Reduce, plain::MPI_Ireduce);
            twins!(request, now, begin, from, to, n, t, op.raw(), root, comm.raw())
        })?;
        Ok(this)
    }

    /// The reduction of all `data`, everywhere, in its own place.
    pub fn allreduce(
        comm: Comm,
        data: Staging,
        item: Item,
        op: Op,
        step: Step,
        how: How,
    ) -> Outcome<Self> {
        let (items, words, t) = (data.len() / item.words, item.words, item.datatype.raw());
        let mut this = Self::between(Staging::default(), data);
        let to = this.to();
        // SAFETY: as above.
        this.in_pieces(items, step, how, |at, n, request| unsafe {
            let (now, begin) = (plain::MPI_Allreduce, plain::MPI_Iallreduce);
            let to = behind(to, at * words);
            twins!(request, now, begin, in_place(), to, n, t, op.raw(), comm.raw())
        })?;
        Ok(this)
    }

    /// One of MPI's reductions of `data` that leave a result of the same length in `out`.
    fn reduced_apart(
        data: Staging,
        out: Staging,
        item: Item,
        step: Step,
        how: How,
        call: impl Fn(
            *const c_void,
            *mut c_void,
            c_int,
            raw::MPI_Datatype,
            Option<*mut MPI_Request>,
        ) -> c_int,
    ) -> Outcome<Self> {
        let (items, words, t) = (data.len() / item.words, item.words, item.datatype.raw());
        assert!(out.len() >= data.len());
        let mut this = Self::between(data, out);
        let (from, to) = (this.from(), this.to());
        this.in_pieces(items, step, how, |at, n, request| {
            let from = behind(from.cast_mut(), at * words).cast_const();
            call(from, behind(to, at * words), n, t, request)
        })?;
        Ok(this)
    }

    /// The reduction of all `data`, everywhere in `out`.
    pub fn allreduce_apart(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        step: Step,
        how: How,
    ) -> Outcome<Self> {
        // SAFETY: as above.
        Self::reduced_apart(data, out, item, step, how, |from, to, n, t, request| unsafe {
            let (now, begin) = (plain::MPI_Allreduce, plain::MPI_Iallreduce);
            twins!(request, now, begin, from, to, n, t, op.raw(), comm.raw())
        })
    }

    /// The reduction of `data` up to this rank.
    pub fn scan(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        step: Step,
        how: How,
    ) -> Outcome<Self> {
        // SAFETY: as above.
        Self::reduced_apart(data, out, item, step, how, |from, to, n, t, request| unsafe {
            let (now, begin) = (plain::MPI_Scan, plain::MPI_Iscan);
            twins!(request, now, begin, from, to, n, t, op.raw(), comm.raw())
        })
    }

    /// The reduction of `data` over the ranks below; rank 0 keeps what `out` holds.
    pub fn exscan(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        step: Step,
        how: How,
    ) -> Outcome<Self> {
        // SAFETY: as above.
        Self::reduced_apart(data, out, item, step, how, |from, to, n, t, request| unsafe {
            let (now, begin) = (plain::MPI_Exscan, plain::MPI_Iexscan);
            twins!(request, now, begin, from, to, n, t, op.raw(), comm.raw())
        })
    }

    /// `part` of each rank, as many doubles from each, one after the other in `whole` on the root (empty elsewhere).
    pub fn gather(
        comm: Comm,
        part: Staging,
        whole: Staging,
        each: &Doubles,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        assert!(part.len() >= each.len());
        assert!(whole.is_empty() || whole.len() >= each.len() * wide_int(comm.size()?));
        let (count, t) = (each.count(), each.datatype());
        let mut this = Self::between(part, whole);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                how,
                MPI_Gather,
                MPI_Igather,
                from,
                count,
                t,
                to,
                count,
                t,
                root,
                comm.raw()
            )?;
        }
        Ok(this)
    }

    /// As `gather`, of parts that differ: `own` of this rank, and `listed` on the root, where the list has all ranks.
    pub fn gatherv(
        comm: Comm,
        part: Staging,
        whole: Staging,
        own: &Doubles,
        listed: Listed<'_>,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        assert!(part.len() >= own.len());
        let (count, t, u) = (own.count(), own.datatype(), listed.item.datatype.raw());
        let room = whole.len();
        let mut this = Self::between(part, whole);
        this.add_counts(&listed, room)?;
        let (from, to) = (this.from(), this.to());
        let counts = this.counts.as_ptr();
        let displs = counts.wrapping_add(listed.shares.len());
        // SAFETY: see `call`; the arrays of the root have one entry a rank.
        unsafe {
            call!(
                this,
                how,
                MPI_Gatherv,
                MPI_Igatherv,
                from,
                count,
                t,
                to,
                counts,
                displs,
                u,
                root,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// Consecutive pieces of `whole` on the root (empty elsewhere), one to each rank's `part`; as `gather`.
    pub fn scatter(
        comm: Comm,
        whole: Staging,
        part: Staging,
        each: &Doubles,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        assert!(part.len() >= each.len());
        assert!(whole.is_empty() || whole.len() >= each.len() * wide_int(comm.size()?));
        let (count, t) = (each.count(), each.datatype());
        let mut this = Self::between(whole, part);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                how,
                MPI_Scatter,
                MPI_Iscatter,
                from,
                count,
                t,
                to,
                count,
                t,
                root,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `scatter`, of parts that differ; as `gatherv`.
    pub fn scatterv(
        comm: Comm,
        whole: Staging,
        part: Staging,
        own: &Doubles,
        listed: Listed<'_>,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        assert!(part.len() >= own.len());
        let (count, u, t) = (own.count(), own.datatype(), listed.item.datatype.raw());
        let data = whole.len();
        let mut this = Self::between(whole, part);
        this.add_counts(&listed, data)?;
        let (from, to) = (this.from(), this.to());
        let counts = this.counts.as_ptr();
        let displs = counts.wrapping_add(listed.shares.len());
        // SAFETY: as in `gatherv`.
        unsafe {
            call!(
                this,
                how,
                MPI_Scatterv,
                MPI_Iscatterv,
                from,
                counts,
                displs,
                t,
                to,
                count,
                u,
                root,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// `part` of each rank, or neighbour, as many doubles from each, one after the other, everywhere in `whole`.
    pub fn allgather(
        comm: Comm,
        part: Staging,
        whole: Staging,
        (sent, received): (&Doubles, &Doubles),
        reach: Reach,
        how: How,
    ) -> Outcome<Self> {
        assert!(part.len() >= sent.len() && whole.len() >= received.len() * reach.sources(comm)?);
        let (n, t, m, u) = (sent.count(), sent.datatype(), received.count(), received.datatype());
        let mut this = Self::between(part, whole);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call_within!(
                this,
                how,
                reach,
                [MPI_Allgather, MPI_Iallgather],
                [MPI_Neighbor_allgather, MPI_Ineighbor_allgather],
                from,
                n,
                t,
                to,
                m,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `allgather`, of parts that differ: `own` of this rank, and `listed` of all.
    pub fn allgatherv(
        comm: Comm,
        part: Staging,
        whole: Staging,
        own: &Doubles,
        listed: Listed<'_>,
        reach: Reach,
        how: How,
    ) -> Outcome<Self> {
        assert!(part.len() >= own.len() && listed.shares.len() >= reach.sources(comm)?);
        let (n, t, u) = (own.count(), own.datatype(), listed.item.datatype.raw());
        let room = whole.len();
        let mut this = Self::between(part, whole);
        this.add_counts(&listed, room)?;
        let (from, to) = (this.from(), this.to());
        let counts = this.counts.as_ptr();
        let displs = counts.wrapping_add(listed.shares.len());
        // SAFETY: see `call`; one entry a rank.
        unsafe {
            call_within!(
                this,
                how,
                reach,
                [MPI_Allgatherv, MPI_Iallgatherv],
                [MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv],
                from,
                n,
                t,
                to,
                counts,
                displs,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As many doubles of `out` for each rank, or neighbour, and as many from each in `back`.
    pub fn alltoall(
        comm: Comm,
        out: Staging,
        back: Staging,
        (sent, received): (&Doubles, &Doubles),
        reach: Reach,
        how: How,
    ) -> Outcome<Self> {
        assert!(out.len() >= sent.len() * reach.destinations(comm)?);
        assert!(back.len() >= received.len() * reach.sources(comm)?);
        let (n, t, m, u) = (sent.count(), sent.datatype(), received.count(), received.datatype());
        let mut this = Self::between(out, back);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call_within!(
                this,
                how,
                reach,
                [MPI_Alltoall, MPI_Ialltoall],
                [MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall],
                from,
                n,
                t,
                to,
                m,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `alltoall`, of parts that differ.
    pub fn alltoallv(
        comm: Comm,
        out: Staging,
        back: Staging,
        (sent, received): (Listed<'_>, Listed<'_>),
        reach: Reach,
        how: How,
    ) -> Outcome<Self> {
        let (to_all, from_all) = (sent.shares.len(), received.shares.len());
        assert!(to_all >= reach.destinations(comm)? && from_all >= reach.sources(comm)?);
        let (t, u) = (sent.item.datatype.raw(), received.item.datatype.raw());
        let (data, room) = (out.len(), back.len());
        let mut this = Self::between(out, back);
        this.add_counts(&sent, data)?;
        this.add_counts(&received, room)?;
        let (from, to) = (this.from(), this.to());
        let sendcounts = this.counts.as_ptr();
        let sdispls = sendcounts.wrapping_add(to_all);
        let recvcounts = sdispls.wrapping_add(to_all);
        let rdispls = recvcounts.wrapping_add(from_all);
        // SAFETY: see `call`; one entry a rank.
        unsafe {
            call_within!(
                this,
                how,
                reach,
                [MPI_Alltoallv, MPI_Ialltoallv],
                [MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv],
                from,
                sendcounts,
                sdispls,
                t,
                to,
                recvcounts,
                rdispls,
                u,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// Parts of `out` for ranks, or neighbours if displacements are wide, and parts of `back` from them.
    pub fn exchange(
        comm: Comm,
        out: Staging,
        back: Staging,
        lists: Box<Lists>,
        width: Width,
        how: How,
    ) -> Outcome<Self> {
        assert!(lists.fit(comm, out.len(), back.len(), width)?, "the parts fit");
        let mut this = Self::between(out, back);
        let (from, to) = (this.from(), this.to());
        let lists = this.lists.insert(lists);
        let (n, m) = (lists.send.counts.as_ptr(), lists.receive.counts.as_ptr());
        let t = lists.send.datatypes.as_ptr().cast();
        let u = lists.receive.datatypes.as_ptr().cast();
        let (at, into) = (lists.send.displacements.as_ptr(), lists.receive.displacements.as_ptr());
        let wide_at = lists.send.wide_displacements.as_ptr();
        let wide_into = lists.receive.wide_displacements.as_ptr();
        let request = this.place(how);
        // SAFETY: see `call`; arrays that live as long, with an entry for each partner, and parts inside the memory.
        check(unsafe {
            match width {
                Width::Int => {
                    let (now, begin) = (plain::MPI_Alltoallw, plain::MPI_Ialltoallw);
                    twins!(request, now, begin, from, n, at, t, to, m, into, u, comm.raw())
                }
                Width::Aint => {
                    let now = plain::MPI_Neighbor_alltoallw;
                    let begin = plain::MPI_Ineighbor_alltoallw;
                    twins!(
                        request,
                        now,
                        begin,
                        from,
                        n,
                        wide_at,
                        t,
                        to,
                        m,
                        wide_into,
                        u,
                        comm.raw()
                    )
                }
            }
        })?;
        Ok(this)
    }

    /// The reduction of all `whole`, of which each rank gets `each` items in `part`.
    pub fn reduce_scatter_block(
        comm: Comm,
        whole: Staging,
        part: Staging,
        each: c_int,
        item: Item,
        op: Op,
        how: How,
    ) -> Outcome<Self> {
        let words = wide_int(each) * item.words;
        assert!(part.len() >= words && whole.len() >= words * wide_int(comm.size()?));
        let t = item.datatype.raw();
        let mut this = Self::between(whole, part);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                how,
                MPI_Reduce_scatter_block,
                MPI_Ireduce_scatter_block,
                from,
                to,
                each,
                t,
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `reduce_scatter_block`, of shares that differ: `width` items for each that `shares` counts.
    #[allow(clippy::too_many_arguments)] // MPI's own, and two
    pub fn reduce_scatter(
        comm: Comm,
        whole: Staging,
        part: Staging,
        shares: &[u64],
        width: usize,
        item: Item,
        op: Op,
        how: How,
    ) -> Outcome<Self> {
        let total: usize = shares.iter().map(|&n| crate::count::wide(n) * width).sum();
        assert!(whole.len() >= total * item.words, "the shares fit");
        assert!(shares.len() >= wide_int(comm.size()?), "a share for each rank");
        let own = crate::count::wide(shares[wide_int(comm.rank()?)]) * width;
        assert!(part.len() >= own * item.words, "the own share fits");
        let t = item.datatype.raw();
        let mut this = Self::between(whole, part);
        this.counts.extend(shares.iter().map(|&n| narrow(crate::count::wide(n) * width)));
        let (from, to, counts) = (this.from(), this.to(), this.counts.as_ptr());
        // SAFETY: see `call`; one entry a rank.
        unsafe {
            call!(
                this,
                how,
                MPI_Reduce_scatter,
                MPI_Ireduce_scatter,
                from,
                to,
                counts,
                t,
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// As `reduce_scatter`, by a reduction to each rank: `share` tells how many items it gets.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn reduce_to_each(
        comm: Comm,
        whole: Staging,
        part: Staging,
        share: impl Fn(usize) -> usize,
        item: Item,
        op: Op,
        step: Step,
        how: How,
    ) -> Outcome<Self> {
        let (rank, ranks) = (wide_int(comm.rank()?), wide_int(comm.size()?));
        let (words, t) = (item.words, item.datatype.raw());
        let total: usize = (0..ranks).map(&share).sum();
        assert!(whole.len() >= total * words && part.len() >= share(rank) * words);
        let mut this = Self::between(whole, part);
        let (from, to) = (this.from(), this.to());
        let mut series = Series::new(how)?;
        let mut first = 0;
        for (root, other) in (0..).zip(0..ranks) {
            let items = share(other);
            for at in (0..items).step_by(step.items()) {
                let n = narrow(step.items().min(items - at));
                let from = behind(from.cast_mut(), (first + at) * words).cast_const();
                let to = if other == rank { behind(to, at * words) } else { to };
                // SAFETY: see `call`; off the root the receive buffer is not significant.
                series.add(|request| unsafe {
                    let (now, begin) = (plain::MPI_Reduce, plain::MPI_Ireduce);
                    twins!(request, now, begin, from, to, n, t, op.raw(), root, comm.raw())
                });
            }
            first += items;
        }
        series.finish(&mut this)?;
        Ok(this)
    }

    /// The request, for a caller who completes it and keeps the operation, with its memory, until then.
    pub fn hand_over(&mut self) -> Transfer {
        // SAFETY: the request of this operation, which forgets it.
        unsafe { Transfer::adopt(std::mem::replace(&mut self.request, null())) }
    }

    /// The memory of what was sent and received. The operation must be complete.
    pub fn memory(&mut self) -> (&[f64], &mut [f64]) {
        assert!(self.request == null(), "the operation is still under way");
        (self.send.as_slice(), self.receive.as_mut_slice())
    }

    /// Whether the operation has been seen to be complete, as one that blocked is.
    pub fn is_complete(&self) -> bool {
        self.request == null()
    }

    /// Whether MPI would raise an error of the operation where it is the user's. Then what has arrived is to be looked at before the call that may raise it.
    pub fn raises_elsewhere(&self) -> bool {
        quirks::COLLECTIVES_RAISE_ON_WORLD && self.collective && self.request != null()
    }

    /// What has arrived, if the operation is over, which no call has been told yet.
    pub fn over(&self) -> Outcome<Option<&[f64]>> {
        let (mut flag, mut status) = (0, Status::default());
        // SAFETY: a live request, which stays one, and places for the answers.
        check(unsafe {
            raw::MPI_Request_get_status(self.request, &mut flag, status.as_mut_ptr())
        })?;
        Ok((flag != 0).then(|| self.receive.as_slice()))
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
        if self.request == null() {
            return Ok(Status::default());
        }
        let mut status = Status::default();
        // SAFETY: as above.
        check(unsafe { raw::MPI_Wait(&mut self.request, status.as_mut_ptr()) })?;
        Ok(status)
    }

    /// Gives up a receive, whether or not its message has come by now.
    pub fn cancel(mut self) -> Outcome<()> {
        if self.request != null() {
            // SAFETY: as above; the request of a receive.
            check(unsafe { raw::MPI_Cancel(&mut self.request) })?;
        }
        self.wait().map(|_| ())
    }

    /// What was received. The operation must be complete.
    pub fn into_received(mut self) -> Staging {
        assert!(self.request == null(), "the operation is still under way");
        std::mem::take(&mut self.receive)
    }
}

impl Operation {
    /// MPI may still use the memory: it is given up rather than reused.
    fn abandon_memory(&mut self) {
        std::mem::forget(std::mem::take(&mut self.send));
        std::mem::forget(std::mem::take(&mut self.receive));
        std::mem::forget(std::mem::take(&mut self.counts));
        std::mem::forget(self.lists.take());
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        if self.request != null() {
            self.abandon_memory();
        }
    }
}

/// The address so many doubles behind another, in the same memory.
const fn behind(address: *mut c_void, doubles: usize) -> *mut c_void {
    address.cast::<f64>().wrapping_add(doubles).cast()
}

/// Counts that are known to fit.
fn narrow(n: usize) -> c_int {
    c_int::try_from(n).expect("a count that fits")
}
