//! Operations that users define.
//!
//! A reduction of active data by one does not go through MPI's own, inside which nothing could be recorded: the
//! operation is applied to active values, so that the tape sees it; or to plain ones, if the user has registered its
//! derivative. In a blocking call a tree of messages in the order of ranks brings the operands together. A
//! nonblocking one must not need this rank between its start and its completion, as the nodes of a tree would: the
//! operands of all ranks are gathered, and what has come is reduced at the completion. That takes memory for the
//! operands of all ranks, and room on the tape for their adjoints.

use super::buffers::Sinks;
use super::builtin_op::{Extent, as_float};
use super::collective::Unfinished;
use super::counts::{Form, PartCounts};
use super::request::Pending;
use super::{AdjointComm, argument, check, communicator, exchange, movement, recording};
use crate::datatype::{BufferTriple, Mark, Pieces, RecvBuffer, SendBuffer, Shape, Sources, Twin};
use crate::datatype::{Lasting, Precision, is_installed, precision};
use crate::error::{Code, Error, Result};
use crate::mpi::raw::constants;
use crate::mpi::transfer::Transfer;
use crate::mpi::{
    CallForm, Comm, Datatype, Derivative, Function, List, MpiResult, Op, Serial, Staging, wide_int,
};
use crate::tape::{self, Dependence, Event, Ids, Stored, Sweep};
use std::ffi::c_int;

/// What a user has registered.
#[derive(Debug, Clone, Copy)]
pub struct Custom {
    function: Function,
    derivative: Option<Derivative>,
}

/// By the numbers of their handles.
static KNOWN: Serial<Vec<(usize, Custom)>> = Serial::new(Vec::new());

pub fn create(function: Function, derivative: Option<Derivative>, commute: c_int) -> MpiResult<Op> {
    let op = function.operation(commute)?;
    // One that was freed behind the library's back has left its number to this one.
    forget(op);
    KNOWN.with(|known| known.push((op.key(), Custom { function, derivative })));
    Ok(op)
}

pub fn forget(op: Op) {
    KNOWN.with(|known| known.retain(|&(key, _)| key != op.key()));
}

#[inline]
pub fn find(op: Op) -> Option<Custom> {
    if KNOWN.with(|known| known.is_empty()) { None } else { look_up(op) }
}

/// A call with a user's operation, by one of its two ways.
pub fn in_form(
    call_form: CallForm,
    now: impl FnOnce() -> MpiResult<()>,
    begin: impl FnOnce() -> MpiResult<Unfinished>,
) -> MpiResult<Unfinished> {
    match call_form {
        CallForm::Blocking => now().map(|()| None),
        CallForm::Nonblocking => begin(),
    }
}

/// What reduces items of `datatype` by `op` if MPI's own reduction of their doubles does not: a user's operation, or the
/// product of complex numbers.
#[inline]
pub fn find_for(op: Op, datatype: Datatype) -> Option<Custom> {
    if op == Op::product() { complex_product(datatype) } else { find(op) }
}

fn complex_product(datatype: Datatype) -> Option<Custom> {
    let function = if !is_installed() {
        return None;
    } else if datatype == Datatype::active_complex() {
        Function::COMPLEX_PRODUCT
    } else if datatype == Datatype::active_float_complex() {
        Function::FLOAT_COMPLEX_PRODUCT
    } else {
        return None;
    };
    Some(Custom { function, derivative: Some(Derivative::COMPLEX_PRODUCT) })
}

fn look_up(op: Op) -> Option<Custom> {
    let of_op = |known: &mut Vec<(usize, Custom)>| {
        known.iter().find(|&&(key, _)| key == op.key()).map(|&(_, custom)| custom)
    };
    let found = KNOWN.with(of_op)?;
    if !found.function.is_behind(op) {
        // Freed behind the library's back; its number is that of another one now.
        forget(op);
        return None;
    }
    Some(found)
}

/// An application of an operation whose derivative is known.
struct Applied {
    derivative: Derivative,
    items: usize,
    operands: [Ids; 2],
    values: [Stored<f64>; 2],
    first: u32,
}

impl Event for Applied {
    const NAME: &'static str = "operation";
    const PAUSES: bool = true;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width) = (self.operands[0].len(), sweep.width());
        let mut adjoints = Staging::take(n * width);
        sweep.take(self.first, n, adjoints.as_mut_slice());
        let mut results = [Staging::zeros(n * width), Staging::zeros(n * width)];
        let mut one = Staging::take(n);
        for direction in 0..width {
            for (i, one) in one.as_mut_slice().iter_mut().enumerate() {
                *one = adjoints.as_slice()[i * width + direction];
            }
            let mut parts = [Staging::zeros(n), Staging::zeros(n)];
            let [left, right] = &mut parts;
            self.derivative
                .apply(
                    self.values.map(|values| sweep.stored(&values)),
                    one.as_slice(),
                    [left.as_mut_slice(), right.as_mut_slice()],
                    self.items,
                )
                .map_err(|failure| failure.into_error("a user's operation"))?;
            for (part, result) in parts.iter().zip(&mut results) {
                for (i, part) in part.as_slice().iter().enumerate() {
                    result.as_mut_slice()[i * width + direction] = *part;
                }
            }
        }
        for (ids, result) in self.operands.iter().zip(&results) {
            sweep.add(ids, result.as_slice());
        }
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.all_on(&self.operands);
        Ok(())
    }
}

/// The members of a communicator, who send each other operands where no message of the user's travels.
struct Team {
    private: &'static AdjointComm,
}

impl Team {
    /// The members, who are in a call with `count` items, and with a root or -1.
    fn of(comm: Comm, root: c_int, count: usize) -> MpiResult<Self> {
        communicator::refuse_inter(comm)?;
        let private = communicator::of_collective(comm)?;
        let count = i64::try_from(count).unwrap_or(-1);
        let detail = recording::state().map(|_| [root.into(), -1, count, 0]);
        check::started(Some(private), detail).completed();
        Ok(Self { private })
    }

    fn rank(&self) -> usize {
        self.private.place()
    }

    fn ranks(&self) -> usize {
        self.private.ranks()
    }

    /// Sends to one member and receives from another; both at once, as far as there are any.
    fn exchange(
        &self,
        out: Option<(&BufferTriple, usize)>,
        back: Option<(&BufferTriple, usize)>,
    ) -> MpiResult<()> {
        let place = |rank: usize| c_int::try_from(self.ranks() - 1 - rank).unwrap_or(c_int::MAX);
        let (source, to) = match out {
            Some((data, rank)) => (read(data)?, place(rank)),
            None => (SendBuffer::default(), constants().proc_null),
        };
        let (sink, from) = match back {
            Some((room, rank)) => (write(room)?, place(rank)),
            None => (RecvBuffer::default(), constants().proc_null),
        };
        exchange::between_members(self.private.mirror(), &source, to, sink, from)
    }
}

fn read(argument: &BufferTriple) -> MpiResult<SendBuffer> {
    argument::source("sendbuf", argument)
}

fn write(argument: &BufferTriple) -> MpiResult<RecvBuffer> {
    argument::sink("recvbuf", argument)
}

/// Copies items, with what marks their values.
fn copy(from: &BufferTriple, to: &BufferTriple) -> MpiResult<()> {
    write(to)?.copy(&read(from)?);
    Ok(())
}

/// The same items, in memory of the library's.
fn copied(argument: &BufferTriple) -> MpiResult<Twin> {
    let twin = room(argument)?;
    copy(argument, twin.argument())?;
    Ok(twin)
}

/// Memory for as much.
fn room(argument: &BufferTriple) -> MpiResult<Twin> {
    Ok(argument.twin(&read(argument)?))
}

/// What this rank brings to a reduction to `root`.
fn operands_to<'a>(
    root: c_int,
    send: &'a BufferTriple,
    receive: &'a BufferTriple,
    comm: Comm,
) -> MpiResult<&'a BufferTriple> {
    if send.is_in_place() && comm.rank()? != root {
        let why = "sendbuf is MPI_IN_PLACE, which only the root may pass";
        return Err(Error::new(Code::Argument, why).into());
    }
    Ok(operands(send, receive))
}

/// What this rank brings.
fn operands<'a>(send: &'a BufferTriple, receive: &'a BufferTriple) -> &'a BufferTriple {
    if send.is_in_place() { receive } else { send }
}

impl Custom {
    pub const fn has_derivative(&self) -> bool {
        self.derivative.is_some()
    }

    /// Refuses operands that the operation would not see all of, before anybody waits for them.
    fn check(&self, own: &BufferTriple) -> MpiResult<()> {
        if own.datatype().is_of_elements() {
            let why = "op: a user's function works on AMPI_ADOUBLE, but the datatype is AMPI_VARMAT or AMPI_VIEW; copy the elements to an array";
            return Err(Error::new(Code::Unsupported, why).into());
        }
        if self.has_derivative() && read(own)?.in_doubles().mixed_bytes().is_some() {
            let why = "op: it was made by AMPI_Op_create_adjoint, whose function gets numbers of one kind, but the datatype has passive parts, or floats beside doubles; make one by AMPI_Op_create";
            return Err(Error::new(Code::Unsupported, why).into());
        }
        Ok(())
    }

    /// right = left op right.
    pub fn combine(&self, left: &BufferTriple, right: &BufferTriple) -> MpiResult<()> {
        self.check(left)?;
        let Some(derivative) = self.derivative else {
            return left.reduce_into(right, self.function);
        };
        let sources = [read(left)?.in_doubles(), read(right)?.in_doubles()];
        let mut sink = write(right)?.in_doubles();
        let (n, items) = (sink.len(), right.items());
        let mut values = [Staging::take(n), Staging::take(n)];
        let mut shapes = [Shape::Passive; 2];
        for ((source, values), shape) in sources.iter().zip(&mut values).zip(&mut shapes) {
            *shape = source.pack(values.as_mut_slice());
        }
        let mut result = Staging::take(n);
        result.as_mut_slice().copy_from_slice(values[1].as_slice());
        self.function.apply_doubles(values[0].as_slice(), result.as_mut_slice(), items)?;
        if precision(right.datatype()) == Some(Precision::Single) {
            result.as_mut_slice().iter_mut().for_each(|value| *value = as_float(*value));
        }
        let recorded = tape::current(|tape| -> Result<Mark> {
            if !tape.recording() || shapes == [Shape::Passive; 2] {
                return Ok(Mark::PASSIVE);
            }
            let operands = [
                recording::ids(tape, &sources[0], shapes[0])?,
                recording::ids(tape, &sources[1], shapes[1])?,
            ];
            let values =
                [tape.store_from(values[0].as_slice())?, tape.store_from(values[1].as_slice())?];
            let first =
                tape.record(n, |first, _| Applied { derivative, items, operands, values, first })?;
            Ok(Mark { first, tag: tape.tag() })
        });
        let Some(mark) = recorded.transpose()? else {
            for (source, shape) in sources.iter().zip(shapes) {
                recording::check_tape(source, || shape)?;
            }
            return sink.unpack(result.as_slice(), Mark::PASSIVE);
        };
        sink.unpack(result.as_slice(), mark)
    }

    /// The whole reduction on rank 0: a tree whose every node joins neighbouring ranks, the lower one on the left.
    fn join(&self, team: &Team, own: &BufferTriple) -> MpiResult<Twin> {
        let (rank, ranks) = (team.rank(), team.ranks());
        let mut left = copied(own)?;
        let mut step = 1;
        while step < ranks {
            if rank & step != 0 {
                team.exchange(Some((left.argument(), rank - step)), None)?;
                break;
            }
            if rank + step < ranks {
                let right = room(own)?;
                team.exchange(None, Some((right.argument(), rank + step)))?;
                self.combine(left.argument(), right.argument())?;
                left = right;
            }
            step *= 2;
        }
        Ok(left)
    }

    pub fn reduce(
        &self,
        send: &BufferTriple,
        receive: &BufferTriple,
        root: c_int,
        comm: Comm,
    ) -> MpiResult<()> {
        let own = operands_to(root, send, receive, comm)?;
        self.check(own)?;
        let team = Team::of(comm, root, own.items())?;
        let (rank, ranks) = (team.rank(), team.ranks());
        let Some(root) = usize::try_from(root).ok().filter(|&root| root < ranks) else {
            let why = format!("root = {root} is not one of the {ranks} ranks");
            return Err(Error::new(Code::Argument, why).into());
        };
        let joined = self.join(&team, own)?;
        let out = (rank == 0).then_some((joined.argument(), root));
        team.exchange(out, (rank == root).then_some((receive, 0)))
    }

    pub fn allreduce(
        &self,
        send: &BufferTriple,
        receive: &BufferTriple,
        comm: Comm,
    ) -> MpiResult<()> {
        let own = operands(send, receive);
        self.check(own)?;
        let team = Team::of(comm, -1, own.items())?;
        let joined = self.join(&team, own)?;
        if team.rank() == 0 {
            copy(joined.argument(), receive)?;
        }
        movement::bcast(receive, 0, comm, CallForm::Blocking).map(drop)
    }

    pub fn reduce_scatter(&self, pieces: &Pieces, comm: Comm) -> MpiResult<()> {
        let own = pieces.operands(wide_int(comm.size()?))?;
        self.check(&own)?;
        let team = Team::of(comm, -1, own.items())?;
        let (rank, ranks) = (team.rank(), team.ranks());
        let joined = self.join(&team, &own)?;
        let receive = pieces.result(rank, ranks)?;
        if rank > 0 {
            return team.exchange(None, Some((&receive, 0)));
        }
        let mut at = 0;
        for other in 0..ranks {
            let n = pieces.share(other, ranks)?.items();
            let share = joined.argument().items_from(at, n)?;
            if other == 0 {
                copy(&share, &receive)?;
            } else {
                team.exchange(Some((&share, other)), None)?;
            }
            at += n;
        }
        Ok(())
    }

    /// In each step a rank's reduction reaches twice as far down.
    pub fn scan(
        &self,
        send: &BufferTriple,
        receive: &BufferTriple,
        comm: Comm,
        extent: Extent,
    ) -> MpiResult<()> {
        let own = operands(send, receive);
        self.check(own)?;
        let team = Team::of(comm, -1, own.items())?;
        let (rank, ranks) = (team.rank(), team.ranks());
        let sum = copied(own)?;
        let upward = |step| (rank + step < ranks).then_some((sum.argument(), rank + step));
        let mut step = 1;
        while step < ranks {
            let below = room(sum.argument())?;
            let from = rank.checked_sub(step).map(|other| (below.argument(), other));
            team.exchange(upward(step), from)?;
            if from.is_some() {
                self.combine(below.argument(), sum.argument())?;
            }
            step *= 2;
        }
        match extent {
            Extent::Inclusive => copy(sum.argument(), receive),
            Extent::Exclusive => {
                team.exchange(upward(1), rank.checked_sub(1).map(|other| (receive, other)))
            }
        }
    }
}

/// Where the operands of all ranks go.
struct Gathering {
    operands: Operands,
    sinks: Sinks,
    parts: PartCounts,
}

/// Of the first ranks, in their order; those of the others fall into one more, which nobody reads.
struct Operands {
    memory: Vec<Twin>,
    used: usize,
}

impl Gathering {
    /// Items like those of `one` from each of `ranks`, of which those of the first `used` matter.
    fn of(one: &BufferTriple, ranks: usize, used: usize) -> MpiResult<Self> {
        let memory: Vec<Twin> =
            (0..ranks.min(used + 1)).map(|_| room(one)).collect::<MpiResult<_>>()?;
        let place = |rank: usize| write(memory[rank.min(used)].argument());
        let sinks = Sinks::List((0..ranks).map(place).collect::<MpiResult<_>>()?);
        let parts = PartCounts::each(&read(one)?);
        Ok(Self { operands: Operands { memory, used }, sinks, parts })
    }
}

/// A nonblocking reduction, whose operands are on their way.
struct Later {
    operation: Custom,
    gathering: Box<dyn Pending>,
    /// Recording was on at the start.
    recorded: bool,
    operands: Operands,
    receive: BufferTriple,
    datatype: Lasting,
}

impl Later {
    fn apply(&mut self) -> MpiResult<()> {
        let datatype = self.datatype.now();
        let Operands { memory, used } = &self.operands;
        let operands: Vec<BufferTriple> =
            memory.iter().take(*used).map(|twin| twin.argument().under(datatype)).collect();
        let Some(last) = operands.last() else { return Ok(()) };
        recording::as_started(self.recorded, || {
            for pair in operands.windows(2) {
                self.operation.combine(&pair[0], &pair[1])?;
            }
            copy(last, &self.receive.under(datatype))
        })
    }
}

impl Pending for Later {
    fn hand_over(&mut self) -> Transfer {
        self.gathering.hand_over()
    }

    fn finish(&mut self) -> MpiResult<()> {
        let gathered = self.gathering.finish();
        // The operands have arrived, whatever the tape says.
        let applied = self.apply();
        gathered.and(applied)
    }

    fn fail(&mut self) {
        self.gathering.fail();
    }
}

impl Custom {
    /// A reduction of the `operands` that `gathering` will bring.
    fn later(
        self,
        gathering: Unfinished,
        operands: Operands,
        receive: &BufferTriple,
        datatype: Datatype,
    ) -> MpiResult<Unfinished> {
        Ok(Some(Box::new(Later {
            operation: self,
            gathering: gathering.expect("a gathering that does not block"),
            recorded: recording::state().is_some(),
            operands,
            receive: *receive,
            datatype: Lasting::of(datatype)?,
        })))
    }

    pub fn ireduce(
        self,
        send: &BufferTriple,
        receive: &BufferTriple,
        root: c_int,
        comm: Comm,
    ) -> MpiResult<Unfinished> {
        let own = operands_to(root, send, receive, comm)?;
        self.check(own)?;
        if comm.rank()? != root {
            let all = argument::Many::Each(*own);
            return movement::gather(own, &all, root, comm, CallForm::Nonblocking);
        }
        let ranks = wide_int(comm.size()?);
        let Gathering { operands, sinks, parts } = Gathering::of(own, ranks, ranks)?;
        let source = Some(Sources::One(read(own)?));
        let gathered = movement::gather_to(source, sinks, &parts, comm, CallForm::Nonblocking)?;
        self.later(gathered, operands, receive, own.datatype())
    }

    /// The operands of the first `used` ranks make the result.
    fn after_allgather(
        self,
        own: &BufferTriple,
        receive: &BufferTriple,
        comm: Comm,
        used: usize,
    ) -> MpiResult<Unfinished> {
        self.check(own)?;
        let ranks = wide_int(comm.size()?);
        let Gathering { operands, sinks, parts } = Gathering::of(own, ranks, used)?;
        let source = Some(Sources::One(read(own)?));
        let gathered = movement::allgather_to(source, sinks, &parts, comm, CallForm::Nonblocking)?;
        self.later(gathered, operands, receive, own.datatype())
    }

    pub fn iallreduce(
        self,
        send: &BufferTriple,
        receive: &BufferTriple,
        comm: Comm,
    ) -> MpiResult<Unfinished> {
        self.after_allgather(operands(send, receive), receive, comm, wide_int(comm.size()?))
    }

    pub fn iscan(
        self,
        send: &BufferTriple,
        receive: &BufferTriple,
        comm: Comm,
        extent: Extent,
    ) -> MpiResult<Unfinished> {
        let below = wide_int(comm.rank()?);
        let used = below + usize::from(extent == Extent::Inclusive);
        self.after_allgather(operands(send, receive), receive, comm, used)
    }

    /// Each rank gets the operands of its own share.
    pub fn ireduce_scatter(self, pieces: &Pieces, comm: Comm) -> MpiResult<Unfinished> {
        let (rank, ranks) = (wide_int(comm.rank()?), wide_int(comm.size()?));
        let own = pieces.operands(ranks)?;
        self.check(&own)?;
        let mut at = 0;
        let shares: MpiResult<List<SendBuffer>> = (0..ranks)
            .map(|other| {
                let n = pieces.share(other, ranks)?.items();
                at += n;
                read(&own.items_from(at - n, n)?)
            })
            .collect();
        let shares = shares?;
        // The form that fits whatever the counts are.
        let sent = PartCounts::list(&shares, Form::Large);
        let share = pieces.share(rank, ranks)?;
        let Gathering { operands, sinks, .. } = Gathering::of(&share, ranks, ranks)?;
        let received = PartCounts::list(&vec![shares[rank].clone(); ranks], Form::Large);
        let sent = Some((Sources::List(shares), sent));
        let gathered = movement::alltoall_to(sent, (sinks, received), comm, CallForm::Nonblocking)?;
        self.later(gathered, operands, &pieces.result(rank, ranks)?, own.datatype())
    }
}
