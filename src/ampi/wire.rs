//! How doubles travel between ranks: as many as there are. What fits goes by MPI's own call; past an int the layer for
//! large counts helps.
//!
//! - What is moved in equal parts, or reduced, all ranks know alike: they take types of many doubles, or several calls.
//! - Of parts that differ no rank knows whether another's are large. All take MPI's own call in the form with int
//!   counts, and one exchange with a type for each part in the form for counts past 2^31.

use super::counts::{Counts, Form};
use super::stamp;
use crate::datatype::SendBuffer;
use crate::error::{Code, Error};
use crate::large::limit::{REDUCTION_BYTES, limit, settled, small};
use crate::large::types::committed;
use crate::large::vector::{
    self, Lists, Part, Parts, Traffic, Width, among_neighbours, neighbour_width,
};
use crate::mpi::raw::SUCCESS;
use crate::mpi::{
    CallForm, Comm, Datatype, Doubles, Failure, Item, Listed, MpiResult, Op, Operation, Reach,
    Staging, Step, quirks, wide_int,
};
use std::ffi::c_int;

/// `n` doubles as MPI counts them.
#[inline]
pub fn doubles(n: usize) -> MpiResult<Doubles> {
    let n = signed(n);
    small(n).map_or_else(|| many(n), |count| Ok(Doubles::each(count)))
}

#[cold]
fn many(n: i64) -> MpiResult<Doubles> {
    match settled(n) {
        Some(count) => Ok(Doubles::each(count)),
        None => Doubles::bundled(committed(n, Datatype::double())?),
    }
}

/// What `words` of a message that leaves or fills `source` are: doubles, or bytes where passive parts lie between
/// them.
#[inline]
pub fn items(source: &SendBuffer, words: usize) -> MpiResult<Doubles> {
    match source.mixed_bytes() {
        Some(n) if words > 0 => bytes(n),
        _ => doubles(words),
    }
}

/// `n` bytes as MPI counts them.
#[cold]
pub fn bytes(n: usize) -> MpiResult<Doubles> {
    let n = signed(n);
    match settled(n) {
        Some(count) => Ok(Doubles::bytes(count)),
        None => Doubles::bundled(committed(n, Datatype::byte())?),
    }
}

/// No memory holds more than half of the address space.
fn signed(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Whether MPI counts so many.
fn fits(n: usize) -> bool {
    settled(signed(n)).is_some()
}

/// Turns a failure of a collective of adjoints into an error of the sweep. On a communicator where nothing else
/// travels, calls that fit do not fail.
#[cold]
pub fn failed(failure: Failure) -> Error {
    let code = if failure.code() == SUCCESS { Code::Mpi } else { Code::Mismatch };
    let Error { message, .. } = failure.into_error("a collective of adjoints");
    match code {
        Code::Mismatch => Error::new(code, format!("{message}: {}", stamp::ALIKE)),
        _ => Error::new(code, message),
    }
}

/// The doubles of a nonblocking broadcast at most.
const BROADCAST: c_int = if quirks::IBCAST_COUNTS_BYTES_IN_32_BITS { 1 << 27 } else { c_int::MAX };

/// What a call that does not block takes at a time: as much as MPI counts, since the pieces are under way together.
/// Blocking ones are faster in pieces that stay in cache.
fn step_of(item: Item, call_form: CallForm) -> Step {
    let cached = match call_form {
        CallForm::Blocking => REDUCTION_BYTES / 8 / signed(item.words()),
        CallForm::Nonblocking => i64::MAX,
    };
    Step::new(c_int::try_from(cached).unwrap_or(c_int::MAX).min(limit()))
}

/// The root's `data` goes to all, who have room for as much.
pub fn bcast(comm: Comm, data: Staging, root: c_int, call_form: CallForm) -> MpiResult<Operation> {
    let most = if call_form == CallForm::Nonblocking { BROADCAST } else { c_int::MAX };
    Operation::bcast(comm, data, root, Step::new(limit().min(most)), call_form)
}

/// The reduction of all `data` in `out` on the root; elsewhere `out` is empty.
pub fn reduce(
    comm: Comm,
    data: Staging,
    out: Staging,
    item: Item,
    op: Op,
    root: c_int,
    call_form: CallForm,
) -> MpiResult<Operation> {
    Operation::reduce(comm, data, out, item, op, root, step_of(item, call_form), call_form)
}

/// The reduction of all `data`, everywhere, in its own place.
pub fn allreduce(
    comm: Comm,
    data: Staging,
    item: Item,
    op: Op,
    call_form: CallForm,
) -> MpiResult<Operation> {
    Operation::allreduce(comm, data, item, op, step_of(item, call_form), call_form)
}

/// The reduction of all `data`, everywhere in `out`.
pub fn allreduce_apart(
    comm: Comm,
    data: Staging,
    out: Staging,
    item: Item,
    op: Op,
    call_form: CallForm,
) -> MpiResult<Operation> {
    Operation::allreduce_apart(comm, data, out, item, op, step_of(item, call_form), call_form)
}

/// The reduction of `data` up to this rank.
pub fn scan(
    comm: Comm,
    data: Staging,
    out: Staging,
    item: Item,
    op: Op,
    call_form: CallForm,
) -> MpiResult<Operation> {
    Operation::scan(comm, data, out, item, op, step_of(item, call_form), call_form)
}

/// The reduction of `data` over the ranks below; rank 0 keeps what `out` holds.
pub fn exscan(
    comm: Comm,
    data: Staging,
    out: Staging,
    item: Item,
    op: Op,
    call_form: CallForm,
) -> MpiResult<Operation> {
    Operation::exscan(comm, data, out, item, op, step_of(item, call_form), call_form)
}

/// The product, by `times`, of `data` over the ranks below; rank 0 keeps what `out` holds.
pub fn exscan_product(comm: Comm, data: Staging, out: Staging) -> MpiResult<Operation> {
    exscan(comm, data, out, Item::double(), Op::product_of_factors()?, CallForm::Nonblocking)
}

/// The union of the bits in `data` over the ranks below; rank 0 keeps what `out` holds.
pub fn exscan_bits(comm: Comm, data: Staging, out: Staging) -> MpiResult<Operation> {
    exscan(comm, data, out, Item::bits(), Op::bit_or(), CallForm::Nonblocking)
}

fn total_of(counts: &[u64]) -> usize {
    counts.iter().map(|&n| crate::count::wide(n)).sum()
}

/// Parts that differ, as one call of MPI takes them: in doubles, or else in items of `width` doubles.
fn listed(counts: &[u64], width: usize) -> MpiResult<Listed<'_>> {
    let total = total_of(counts);
    if fits(total * width) {
        return Ok(Listed { shares: counts, width, item: Item::double() });
    }
    if fits(total) {
        return Ok(Listed { shares: counts, width, item: Item::doubles(width)? });
    }
    Err(past(total))
}

#[cold]
fn past(total: usize) -> Failure {
    let why = format!(
        "counts: {total} active doubles in total are more than {}, the limit of int displacements: call the form whose name ends in _c, on all ranks",
        limit()
    );
    Error::new(Code::Argument, why).into()
}

/// The same parts for an exchange.
fn parts(counts: &[u64], width: usize) -> Parts<'static> {
    let mut at = 0;
    let part = |&n: &u64| {
        let count = signed(crate::count::wide(n) * width);
        let part = Part { count, displacement: 8 * at, datatype: Datatype::double() };
        at += count;
        part
    };
    Parts::given(counts.iter().map(part).collect())
}

/// All of an array.
fn own(data: &Staging) -> Part {
    Part { count: signed(data.len()), displacement: 0, datatype: Datatype::double() }
}

fn exchange(
    comm: Comm,
    out: Staging,
    back: Staging,
    mut traffic: Traffic<'_>,
    width: Width,
    call_form: CallForm,
) -> MpiResult<Operation> {
    let lists = Lists::new(&mut traffic, width)?;
    Operation::exchange(comm, out, back, lists, width, call_form)
}

/// `part` of each rank, one after the other in `whole` on the root (empty elsewhere, where a list is, too).
pub fn gather(
    comm: Comm,
    part: Staging,
    whole: Staging,
    counts: Counts<'_>,
    width: usize,
    root: c_int,
    call_form: CallForm,
) -> MpiResult<Operation> {
    match counts {
        Counts::Each(n) => {
            Operation::gather(comm, part, whole, &doubles(n * width)?, root, call_form)
        }
        Counts::List(list, Form::Int) => {
            let own = doubles(part.len())?;
            Operation::gatherv(comm, part, whole, &own, listed(list, width)?, root, call_form)
        }
        Counts::List(list, Form::Large) => {
            let all = |_| Ok(parts(list, width));
            let traffic = vector::gather(comm, root, false, own(&part), all)?;
            exchange(comm, part, whole, traffic, Width::Int, call_form)
        }
    }
}

/// Consecutive pieces of `whole` on the root (empty elsewhere), one to each rank's `part`; as `gather`.
pub fn scatter(
    comm: Comm,
    whole: Staging,
    part: Staging,
    counts: Counts<'_>,
    width: usize,
    root: c_int,
    call_form: CallForm,
) -> MpiResult<Operation> {
    match counts {
        Counts::Each(n) => {
            Operation::scatter(comm, whole, part, &doubles(n * width)?, root, call_form)
        }
        Counts::List(list, Form::Int) => {
            let own = doubles(part.len())?;
            Operation::scatterv(comm, whole, part, &own, listed(list, width)?, root, call_form)
        }
        Counts::List(list, Form::Large) => {
            let all = |_| Ok(parts(list, width));
            let traffic = vector::scatter(comm, root, false, own(&part), all)?;
            exchange(comm, whole, part, traffic, Width::Int, call_form)
        }
    }
}

fn allgatherv_is_right(total: usize) -> bool {
    fits(total) && (!quirks::ALLGATHERV_HANGS_PAST_2_GIB || fits(total * 8))
}

/// `part` of each rank, or neighbour, one after the other, everywhere in `whole`.
pub fn allgather(
    comm: Comm,
    part: Staging,
    whole: Staging,
    counts: Counts<'_>,
    width: usize,
    reach: Reach,
    call_form: CallForm,
) -> MpiResult<Operation> {
    let (list, form) = match counts {
        Counts::Each(n) => {
            let (sent, received) = (doubles(part.len())?, doubles(n * width)?);
            return Operation::allgather(comm, part, whole, (&sent, &received), reach, call_form);
        }
        Counts::List(list, form) => (list, form),
    };
    // All ranks know all counts, neighbours do not.
    let large = match reach {
        Reach::All => !allgatherv_is_right(total_of(list) * width),
        Reach::Neighbours => form == Form::Large,
    };
    if !large {
        let own = doubles(part.len())?;
        return Operation::allgatherv(
            comm,
            part,
            whole,
            &own,
            listed(list, width)?,
            reach,
            call_form,
        );
    }
    let own = own(&part);
    let (traffic, place) = match reach {
        Reach::All => (vector::allgather(comm, None, own, |_| Ok(parts(list, width)))?, Width::Int),
        Reach::Neighbours => {
            let sends = Parts::same(wide_int(comm.degrees()?.1), own);
            (among_neighbours(comm, Traffic::new(sends, parts(list, width)))?, neighbour_width())
        }
    };
    exchange(comm, part, whole, traffic, place, call_form)
}

/// A part of `out` for each rank, or neighbour, and one from each in `back`.
pub fn alltoall(
    comm: Comm,
    out: Staging,
    back: Staging,
    counts: (Counts<'_>, Counts<'_>),
    width: usize,
    reach: Reach,
    call_form: CallForm,
) -> MpiResult<Operation> {
    match counts {
        (Counts::Each(n), Counts::Each(m)) => {
            let (sent, received) = (doubles(n * width)?, doubles(m * width)?);
            Operation::alltoall(comm, out, back, (&sent, &received), reach, call_form)
        }
        (Counts::List(sent, Form::Int), Counts::List(received, Form::Int)) => {
            let lists = (listed(sent, width)?, listed(received, width)?);
            Operation::alltoallv(comm, out, back, lists, reach, call_form)
        }
        (Counts::List(sent, _), Counts::List(received, _)) => {
            let traffic = Traffic::new(parts(sent, width), parts(received, width));
            let (traffic, place) = match reach {
                Reach::All => (traffic, Width::Int),
                Reach::Neighbours => (among_neighbours(comm, traffic)?, neighbour_width()),
            };
            exchange(comm, out, back, traffic, place, call_form)
        }
        _ => unreachable!("both directions have counts, or neither"),
    }
}

/// The reduction of all `whole`, of which each rank gets its share in `part`: `width` items for each that `counts`
/// counts.
#[allow(clippy::too_many_arguments)] // MPI's own, and two
pub fn reduce_scatter(
    comm: Comm,
    whole: Staging,
    part: Staging,
    counts: Counts<'_>,
    width: usize,
    item: Item,
    op: Op,
    call_form: CallForm,
) -> MpiResult<Operation> {
    if !fits(whole.len() / item.words()) {
        let share = |rank| counts.of(rank) * width;
        let step = step_of(item, call_form);
        return Operation::reduce_to_each(comm, whole, part, share, item, op, step, call_form);
    }
    match counts {
        Counts::Each(n) => {
            // Less than what just fitted.
            let each = c_int::try_from(n * width).unwrap_or(0);
            Operation::reduce_scatter_block(comm, whole, part, each, item, op, call_form)
        }
        Counts::List(list, _) => {
            Operation::reduce_scatter(comm, whole, part, list, width, item, op, call_form)
        }
    }
}
