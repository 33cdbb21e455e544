//! Operations of the library's own, blocking or not: they own the memory that MPI uses until they complete.

use super::message::Envelope;
use super::raw::{self, MPI_Request};
use super::transfer::Transfer;
use super::{Comm, Datatype, Doubles, Op, Outcome, Staging, Status, check, count_of, plain};
use std::ffi::{c_int, c_void};

/// An operation under way, or finished.
#[derive(Debug)]
pub struct Operation {
    request: MPI_Request,
    send: Staging,
    receive: Staging,
    /// Counts and displacements, for calls that take arrays of them.
    counts: Vec<c_int>,
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

    /// How many items so many words are.
    fn count(self, words: usize) -> Outcome<c_int> {
        flat(words / self.words)
    }
}

/// Whom a call reaches: all ranks, or the neighbours of the communicator's topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    All,
    Neighbours,
}

/// What each rank has of a packed array, in doubles; the parts lie one behind the other in the order of ranks.
#[derive(Debug, Clone, Copy)]
pub enum Shares<'a> {
    Each(usize),
    List(&'a [u64]),
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
    ($this:ident, $how:expr, $now:ident, $begin:ident, $($argument:expr),* $(,)?) => {
        check(match $how {
            How::Now => plain::$now($($argument),*),
            How::Begin => plain::$begin($($argument),*, &raw mut $this.request),
        })
    };
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

/// `n` items of `width` doubles are what the collectives move.
impl Operation {
    fn over(send: Staging, receive: Staging) -> Self {
        Self { request: null(), send, receive, counts: Vec::new() }
    }

    fn from(&self) -> *const c_void {
        self.send.as_slice().as_ptr().cast()
    }

    fn to(&mut self) -> *mut c_void {
        self.receive.as_mut_slice().as_mut_ptr().cast()
    }

    /// Appends counts and displacements of `shares`, of which `whole` doubles have room. Tells the type of the
    /// items.
    fn add_counts(
        &mut self,
        shares: &[u64],
        width: usize,
        whole: usize,
    ) -> Outcome<raw::MPI_Datatype> {
        let total: usize = shares.iter().map(|&n| crate::count::wide(n)).sum();
        assert!(whole >= total * width, "the parts fit");
        let (_, datatype) = count_of(total, width)?;
        let items = if datatype == Datatype::double() { width } else { 1 };
        let narrow =
            |n: usize| c_int::try_from(n * items).map_err(|_| super::error::too_many(total, width));
        for &n in shares {
            self.counts.push(narrow(crate::count::wide(n))?);
        }
        let mut at = 0;
        for &n in shares {
            self.counts.push(narrow(at)?);
            at += crate::count::wide(n);
        }
        Ok(datatype.raw())
    }

    pub fn send(comm: Comm, data: Staging, items: &Doubles, to: Envelope) -> Outcome<Self> {
        assert!(items.len() <= data.len());
        let mut this = Self::over(data, Staging::default());
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

    /// As `send`, of a message that may be small enough to have left at once: then its memory comes back.
    #[inline]
    pub fn send_off(
        comm: Comm,
        data: Staging,
        items: &Doubles,
        to: Envelope,
    ) -> Outcome<Result<Staging, Self>> {
        assert!(items.len() <= data.len());
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
            return Ok(Ok(data));
        }
        let mut this = Self::over(data, Staging::default());
        this.request = request;
        check(code)?;
        Ok(Err(this))
    }

    pub fn receive(comm: Comm, room: Staging, items: &Doubles, from: Envelope) -> Outcome<Self> {
        assert!(items.len() <= room.len());
        let mut this = Self::over(Staging::default(), room);
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
    pub fn bcast(
        comm: Comm,
        data: Staging,
        n: usize,
        width: usize,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        let (count, datatype) = count_of(n, width)?;
        assert!(data.len() >= n * width);
        let mut this = Self::over(Staging::default(), data);
        let at = this.to();
        // SAFETY: see `call`.
        unsafe {
            call!(this, how, MPI_Bcast, MPI_Ibcast, at, count, datatype.raw(), root, comm.raw())?;
        }
        Ok(this)
    }

    /// The reduction of all `data` in `out` on the root; elsewhere `out` is empty. Never in place: MPICH 4.0
    /// crashes on that where the root is not rank 0.
    pub fn reduce(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        let count = item.count(data.len())?;
        let mut this = Self::over(data, out);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`; off the root the receive buffer is not significant.
        unsafe {
            call!(
                this,
                how,
                MPI_Reduce,
                MPI_Ireduce,
                from,
                to,
                count,
                item.datatype.raw(),
                op.raw(),
                root,
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// The reduction of all `data`, everywhere, in its own place.
    pub fn allreduce(comm: Comm, data: Staging, item: Item, op: Op, how: How) -> Outcome<Self> {
        let count = item.count(data.len())?;
        let mut this = Self::over(Staging::default(), data);
        let to = this.to();
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                how,
                MPI_Allreduce,
                MPI_Iallreduce,
                in_place(),
                to,
                count,
                item.datatype.raw(),
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// The reduction of all `data`, everywhere in `out`.
    pub fn allreduce_apart(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        how: How,
    ) -> Outcome<Self> {
        let count = item.count(data.len())?;
        assert!(out.len() >= data.len());
        let mut this = Self::over(data, out);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                how,
                MPI_Allreduce,
                MPI_Iallreduce,
                from,
                to,
                count,
                item.datatype.raw(),
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// `part` of each rank, one after the other in `whole` on the root (empty elsewhere). `shares` is a list if
    /// the call is the one with counts, and empty off the root.
    pub fn gather(
        comm: Comm,
        part: Staging,
        whole: Staging,
        shares: Shares<'_>,
        width: usize,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        let whole_len = whole.len();
        let mut this = Self::over(part, whole);
        let (from, to) = (this.from(), this.to());
        match shares {
            Shares::Each(n) => {
                let (count, datatype) = count_of(n, width)?;
                assert!(this.send.len() >= n * width);
                let datatype = datatype.raw();
                // SAFETY: see `call`; the root's caller brought room for all ranks.
                unsafe {
                    call!(
                        this,
                        how,
                        MPI_Gather,
                        MPI_Igather,
                        from,
                        count,
                        datatype,
                        to,
                        count,
                        datatype,
                        root,
                        comm.raw(),
                    )?;
                }
            }
            Shares::List(shares) => {
                let (count, sent) = count_of(this.send.len() / width, width)?;
                let received = this.add_counts(shares, width, whole_len)?;
                let counts = this.counts.as_ptr();
                let displs = counts.wrapping_add(this.counts.len() / 2);
                // SAFETY: see `call`; the arrays of the root have one entry a rank.
                unsafe {
                    call!(
                        this,
                        how,
                        MPI_Gatherv,
                        MPI_Igatherv,
                        from,
                        count,
                        sent.raw(),
                        to,
                        counts,
                        displs,
                        received,
                        root,
                        comm.raw(),
                    )?;
                }
            }
        }
        Ok(this)
    }

    /// Consecutive pieces of `whole` on the root (empty elsewhere), one to each rank's `part`; as `gather`.
    pub fn scatter(
        comm: Comm,
        whole: Staging,
        part: Staging,
        shares: Shares<'_>,
        width: usize,
        root: c_int,
        how: How,
    ) -> Outcome<Self> {
        let whole_len = whole.len();
        let mut this = Self::over(whole, part);
        let (from, to) = (this.from(), this.to());
        match shares {
            Shares::Each(n) => {
                let (count, datatype) = count_of(n, width)?;
                assert!(this.receive.len() >= n * width);
                let datatype = datatype.raw();
                // SAFETY: see `call`; the root's caller brought data for all ranks.
                unsafe {
                    call!(
                        this,
                        how,
                        MPI_Scatter,
                        MPI_Iscatter,
                        from,
                        count,
                        datatype,
                        to,
                        count,
                        datatype,
                        root,
                        comm.raw(),
                    )?;
                }
            }
            Shares::List(shares) => {
                let (count, received) = count_of(this.receive.len() / width, width)?;
                let sent = this.add_counts(shares, width, whole_len)?;
                let counts = this.counts.as_ptr();
                let displs = counts.wrapping_add(this.counts.len() / 2);
                // SAFETY: as in `gather`.
                unsafe {
                    call!(
                        this,
                        how,
                        MPI_Scatterv,
                        MPI_Iscatterv,
                        from,
                        counts,
                        displs,
                        sent,
                        to,
                        count,
                        received.raw(),
                        root,
                        comm.raw(),
                    )?;
                }
            }
        }
        Ok(this)
    }

    /// `part` of each rank, or neighbour, one after the other, everywhere in `whole`.
    pub fn allgather(
        comm: Comm,
        part: Staging,
        whole: Staging,
        shares: Shares<'_>,
        width: usize,
        reach: Reach,
        how: How,
    ) -> Outcome<Self> {
        let whole_len = whole.len();
        let mut this = Self::over(part, whole);
        let (from, to) = (this.from(), this.to());
        match shares {
            Shares::Each(n) => {
                let (count, datatype) = count_of(n, width)?;
                assert!(this.send.len() >= n * width);
                let datatype = datatype.raw();
                // SAFETY: see `call`; the caller brought room for all ranks.
                unsafe {
                    call_within!(
                        this,
                        how,
                        reach,
                        [MPI_Allgather, MPI_Iallgather],
                        [MPI_Neighbor_allgather, MPI_Ineighbor_allgather],
                        from,
                        count,
                        datatype,
                        to,
                        count,
                        datatype,
                        comm.raw(),
                    )?;
                }
            }
            Shares::List(shares) => {
                let (count, sent) = count_of(this.send.len() / width, width)?;
                let received = this.add_counts(shares, width, whole_len)?;
                let counts = this.counts.as_ptr();
                let displs = counts.wrapping_add(this.counts.len() / 2);
                // SAFETY: see `call`; one entry a rank.
                unsafe {
                    call_within!(
                        this,
                        how,
                        reach,
                        [MPI_Allgatherv, MPI_Iallgatherv],
                        [MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv],
                        from,
                        count,
                        sent.raw(),
                        to,
                        counts,
                        displs,
                        received,
                        comm.raw(),
                    )?;
                }
            }
        }
        Ok(this)
    }

    /// A part of `out` for each rank, or neighbour, and one from each in `back`.
    pub fn alltoall(
        comm: Comm,
        out: Staging,
        back: Staging,
        shares: (Shares<'_>, Shares<'_>),
        width: usize,
        reach: Reach,
        how: How,
    ) -> Outcome<Self> {
        let (out_len, back_len) = (out.len(), back.len());
        let mut this = Self::over(out, back);
        let (from, to) = (this.from(), this.to());
        match shares {
            (Shares::List(sent), Shares::List(received)) => {
                let (to_all, from_all) = (sent.len(), received.len());
                let sendtype = this.add_counts(sent, width, out_len)?;
                let recvtype = this.add_counts(received, width, back_len)?;
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
                        sendtype,
                        to,
                        recvcounts,
                        rdispls,
                        recvtype,
                        comm.raw(),
                    )?;
                }
            }
            (Shares::Each(n), Shares::Each(m)) => {
                let (count, datatype) = count_of(n, width)?;
                let (back, backtype) = count_of(m, width)?;
                // SAFETY: see `call`; the caller brought a part for each rank.
                unsafe {
                    call_within!(
                        this,
                        how,
                        reach,
                        [MPI_Alltoall, MPI_Ialltoall],
                        [MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall],
                        from,
                        count,
                        datatype.raw(),
                        to,
                        back,
                        backtype.raw(),
                        comm.raw(),
                    )?;
                }
            }
            _ => unreachable!("both directions have counts, or neither"),
        }
        Ok(this)
    }

    /// The reduction of all `whole`, of which each rank gets its share in `part`: `width` items for each that
    /// `shares` counts.
    #[allow(clippy::too_many_arguments)] // MPI's own, and two
    pub fn reduce_scatter(
        comm: Comm,
        whole: Staging,
        part: Staging,
        shares: Shares<'_>,
        width: usize,
        item: Item,
        op: Op,
        how: How,
    ) -> Outcome<Self> {
        item.count(whole.len())?;
        let mut this = Self::over(whole, part);
        let (from, to) = (this.from(), this.to());
        match shares {
            Shares::Each(n) => {
                let count = flat(n * width)?;
                assert!(this.receive.len() >= n * width * item.words);
                // SAFETY: see `call`; the caller brought one share a rank.
                unsafe {
                    call!(
                        this,
                        how,
                        MPI_Reduce_scatter_block,
                        MPI_Ireduce_scatter_block,
                        from,
                        to,
                        count,
                        item.datatype.raw(),
                        op.raw(),
                        comm.raw(),
                    )?;
                }
            }
            Shares::List(shares) => {
                let items = |&n: &u64| flat(crate::count::wide(n) * width);
                this.counts = shares.iter().map(items).collect::<Outcome<_>>()?;
                let total: usize = this.counts.iter().map(|&n| super::wide_int(n)).sum();
                assert!(this.send.len() >= total * item.words, "the parts fit");
                let counts = this.counts.as_ptr();
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
                        item.datatype.raw(),
                        op.raw(),
                        comm.raw(),
                    )?;
                }
            }
        }
        Ok(this)
    }

    /// The reduction of `data` up to this rank.
    pub fn scan(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        how: How,
    ) -> Outcome<Self> {
        let count = item.count(data.len())?;
        assert!(out.len() >= data.len());
        let mut this = Self::over(data, out);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                how,
                MPI_Scan,
                MPI_Iscan,
                from,
                to,
                count,
                item.datatype.raw(),
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// The reduction of `data` over the ranks below; rank 0 keeps what `out` holds.
    pub fn exscan(
        comm: Comm,
        data: Staging,
        out: Staging,
        item: Item,
        op: Op,
        how: How,
    ) -> Outcome<Self> {
        let count = item.count(data.len())?;
        assert!(out.len() >= data.len());
        let mut this = Self::over(data, out);
        let (from, to) = (this.from(), this.to());
        // SAFETY: see `call`.
        unsafe {
            call!(
                this,
                how,
                MPI_Exscan,
                MPI_Iexscan,
                from,
                to,
                count,
                item.datatype.raw(),
                op.raw(),
                comm.raw(),
            )?;
        }
        Ok(this)
    }

    /// The product, by `times`, of `data` over the ranks below; rank 0 keeps what `out` holds.
    pub fn exscan_product(comm: Comm, data: Staging, out: Staging) -> Outcome<Self> {
        let op = Op::product_of_factors()?;
        Self::exscan(comm, data, out, Item::double(), op, How::Begin)
    }

    /// The union of the bits in `data` over the ranks below; rank 0 keeps what `out` holds.
    pub fn exscan_bits(comm: Comm, data: Staging, out: Staging) -> Outcome<Self> {
        Self::exscan(comm, data, out, Item::bits(), Op::bit_or(), How::Begin)
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
            std::mem::forget(std::mem::take(&mut self.counts));
        }
    }
}

/// A count of doubles for operations that must see each double.
fn flat(n: usize) -> Outcome<c_int> {
    c_int::try_from(n).map_err(|_| super::error::too_many(n, 1))
}
