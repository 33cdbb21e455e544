//! The calls on windows: which of them are MPI's own, and what the others do.

use super::anchors::{may_record, release};
use super::operation::{Combine, Operation};
use super::passive::Passive;
use super::registry::{self, with};
use crate::ampi::argument;
use crate::ampi::builtin_op::{Kind, Operator};
use crate::ampi::bytes;
use crate::ampi::dispatch::Dispatched;
use crate::ampi::request::{Pending, Request};
use crate::ampi::tangents::check_accumulated;
use crate::datatype::{BufferTriple, Content, Exposed, Items, RecvBuffer, SendBuffer};
use crate::datatype::{Layout, Nest, active_tangents, not_initialised, tangents};
use crate::datatype::{activity, content, is_installed, is_of_bundles, is_passive};
use crate::error::{Code, Error};
use crate::mpi::raw::constants;
use crate::mpi::transfer::Transfer;
use crate::mpi::{Comm, Datatype, Failure, MpiResult, Op, Win};
use crate::tape;
use std::ffi::{c_int, c_void};

/// Items of a target's memory.
#[derive(Clone, Copy)]
pub struct Target {
    pub rank: c_int,
    pub displacement: i64,
    /// Their number and datatype: there is no address.
    pub items: BufferTriple,
}

/// Whether the call is MPI's own: no datatype is active.
pub fn are_passive<const N: usize>(all: [&BufferTriple; N]) -> bool {
    all.iter().all(|argument| content(argument.datatype()) != Content::Active)
}

#[cold]
fn without_books() -> Failure {
    if !is_installed() {
        return not_initialised().into();
    }
    let why = "the window is not for active data: make it by AMPI_Win_create, AMPI_Win_allocate or AMPI_Win_create_dynamic, with a disp_unit of 1 or of 16 and more, or with the info key admpi_active=true";
    Error::new(Code::Unsupported, why).into()
}

#[cold]
fn refused(name: &str, why: &str) -> Failure {
    Error::new(Code::Unsupported, format!("{name}: {why}")).into()
}

/// What the items at the target are, which those of `name` at the origin must be too.
fn items(name: &str, source: &SendBuffer, target: &Target) -> MpiResult<Items> {
    let datatype = target.items.datatype();
    let Some(layout) = activity(datatype)? else {
        let why = "the datatype is active, and target_datatype is passive: both must be active, or both passive";
        return Err(refused(name, why));
    };
    let items = target.items.describe("target_datatype", layout)?;
    let bytes = source.mixed_bytes().unwrap_or(8 * source.len());
    if (items.doubles(), items.bytes()) != (source.len(), bytes) {
        let why = format!(
            "{} active doubles in {bytes} bytes, and the items at the target have {} in {}",
            source.len(),
            items.doubles(),
            items.bytes()
        );
        return Err(Error::new(Code::Argument, format!("{name}: {why}")).into());
    }
    Ok(items)
}

/// What `op` does to items of the target, whatever they are.
fn combine_any(op: Op) -> Option<Combine> {
    match op {
        op if op == Op::no_op() => Some(Combine::Nothing),
        op if op == Op::replace() => Some(Combine::Replace),
        _ => None,
    }
}

/// What `op` does to items of the target, which are of `datatype`, as those at the origin are.
fn combine(op: Op, items: &Items, [datatype, there]: [Datatype; 2]) -> MpiResult<Combine> {
    if let Some(combine) = combine_any(op) {
        return Ok(combine);
    }
    if datatype.is_active_pair() || there.is_active_pair() {
        let kind = Operator::of(op, Datatype::active_pair())?.kind;
        if datatype != there {
            let why = "pairs of AMPI_ADOUBLE_INT, or of AMPI_AFLOAT_INT, are combined with such pairs only";
            return Err(refused("target_datatype", why));
        }
        let are_floats = there == Datatype::active_float_pair();
        return Ok(if are_floats { Combine::LocateFloats(kind) } else { Combine::Locate(kind) });
    }
    let are_floats = items.are_floats();
    if items.are_mixed() && !are_floats {
        let why = "the items have passive parts beside active ones, or floats beside doubles: only MPI_REPLACE and MPI_NO_OP take them";
        return Err(refused("target_datatype", why));
    }
    let kind = Operator::of(op, Datatype::active_double())?.kind;
    if is_of_bundles(there) && kind != Kind::Sum {
        let nest = whole_tangents(active_tangents(there)?)?;
        if datatype != there && active_tangents(datatype)? != nest {
            return Err(refused(
                "origin_datatype",
                "its tangents are not those of target_datatype",
            ));
        }
        return Ok(Combine::ActiveTangents(kind, nest));
    }
    Ok(if are_floats { Combine::Floats(kind) } else { Combine::Reduce(kind) })
}

/// What does more than add takes whole tangents.
fn whole_tangents(nest: Nest) -> MpiResult<Nest> {
    if nest.is_told() {
        return Ok(nest);
    }
    let why = "the datatype is of tangents of several kinds, of more than 254 directions or of floats, or has numbers beside tangents: only MPI_SUM, MPI_REPLACE and MPI_NO_OP take it";
    Err(refused("target_datatype", why))
}

/// Notes an operation, unless nobody is its target or it moves nothing.
fn note(win: Win, target: &Target, operation: Operation<'_>) -> MpiResult<Dispatched> {
    let is_nothing = operation.items.bytes() == 0;
    if target.rank == constants().proc_null || is_nothing {
        return Ok(Dispatched::Complete);
    }
    let noted = with(win, |window| window.note(win, target.rank, operation))?;
    noted.map(|()| Dispatched::Complete).ok_or_else(without_books)
}

/// MPI's own call, which sends `data`.
pub fn passive(data: Option<&BufferTriple>) -> MpiResult<Dispatched> {
    match data {
        Some(data) if tape::checking() => bytes::none_in(data)?,
        _ => {}
    }
    Ok(Dispatched::Passive)
}

pub fn put(origin: &BufferTriple, target: &Target, win: Win) -> MpiResult<Dispatched> {
    if are_passive([origin, &target.items]) {
        return passive(Some(origin));
    }
    let source = argument::source("origin_addr", origin)?;
    let items = items("origin_datatype", &source, target)?;
    let (combine, displacement) = (Combine::Replace, target.displacement);
    let operand = Some(&source);
    note(
        win,
        target,
        Operation { combine, is_atomic: false, result: None, operand, displacement, items },
    )
}

pub fn get(origin: &BufferTriple, target: &Target, win: Win) -> MpiResult<Dispatched> {
    if are_passive([origin, &target.items]) {
        return passive(None);
    }
    let sink = argument::sink("origin_addr", origin)?;
    let items = items("origin_datatype", sink.source(), target)?;
    fetch(sink, None, Combine::Read, items, target, win)
}

/// A read with a request.
struct Requested {
    window: u64,
    number: u64,
    transfer: Transfer,
}

impl Pending for Requested {
    fn hand_over(&mut self) -> Transfer {
        std::mem::take(&mut self.transfer)
    }

    fn finish(&mut self) -> MpiResult<()> {
        let number = self.number;
        registry::with_made(self.window, |window| {
            window.passive().map_or(Ok(()), |passive| passive.finish_read(number))
        })
    }

    fn fail(&mut self) {}
}

pub fn rget(origin: &BufferTriple, target: &Target, win: Win) -> MpiResult<Dispatched> {
    if are_passive([origin, &target.items]) {
        return passive(None);
    }
    let sink = argument::sink("origin_addr", origin)?;
    let items = items("origin_datatype", sink.source(), target)?;
    if target.rank == constants().proc_null || items.bytes() == 0 {
        return Ok(Dispatched::Complete);
    }
    let read = with(win, |window| {
        let (number, transfer) = window.read(win, target.rank, target.displacement, items, sink)?;
        Ok(Requested { window: window.made(), number, transfer })
    })?;
    let read: Box<dyn Pending> = Box::new(read.ok_or_else(without_books)?);
    Ok(Dispatched::Started(Request::collective(read, Comm::world())))
}

/// Runs an operation of `call`, which makes a request: only under a lock, unless it is left to MPI.
pub fn requesting(
    call: &str,
    win: Win,
    is_left: bool,
    operation: impl FnOnce() -> MpiResult<Dispatched>,
) -> MpiResult<Dispatched> {
    if !is_left {
        with(win, |window| window.require_lock(call))?;
    }
    operation()
}

fn fetch(
    sink: RecvBuffer,
    operand: Option<&SendBuffer>,
    combine: Combine,
    items: Items,
    target: &Target,
    win: Win,
) -> MpiResult<Dispatched> {
    let (result, displacement) = (Some(sink), target.displacement);
    let is_atomic = combine != Combine::Read;
    note(win, target, Operation { combine, is_atomic, result, operand, displacement, items })
}

/// Whether an accumulate is MPI's own.
pub fn are_accumulated_by_mpi(data: [&BufferTriple; 2]) -> bool {
    are_passive(data) && !are_tangents(data[1].datatype())
}

/// Whether the library accumulates items although they are passive: tangents, which MPI would combine number by number, so that
/// the value of one origin might meet the derivative of another.
fn are_tangents(datatype: Datatype) -> bool {
    is_of_bundles(datatype) && is_passive(datatype)
}

/// An accumulate of passive tangents: what it brings, if anything, and where what it fetches goes.
fn accumulate_tangents(
    brought: Option<&BufferTriple>,
    result: Option<&BufferTriple>,
    target: &Target,
    op: Op,
    win: Win,
) -> MpiResult<Dispatched> {
    let (layout, nest) = tangents(target.items.datatype())?;
    let items = target.items.describe("target_datatype", layout)?;
    let combine = if let Some(combine) = combine_any(op) {
        combine
    } else {
        match Operator::of(op, Datatype::active_double())?.kind {
            Kind::Sum => Combine::Tangents(Kind::Sum, Nest::NUMBER),
            kind => Combine::Tangents(kind, whole_tangents(nest)?),
        }
    };
    // How those of an argument lie, which are like those of the target.
    let alike = |name: &str, argument: &BufferTriple| -> MpiResult<Layout> {
        let (layout, own) = tangents(argument.datatype())?;
        let here = argument.describe(name, layout.clone())?;
        if (own, here.bytes()) == (nest, items.bytes()) {
            return Ok(layout.of_items(argument.items()));
        }
        let why = format!(
            "{name}: {} bytes of tangents, and the items at the target have {}, or are other tangents",
            here.bytes(),
            items.bytes()
        );
        Err(Error::new(Code::Argument, why).into())
    };
    let source = |argument: &BufferTriple| {
        argument.source("origin_addr", alike("origin_datatype", argument)?, 1)
    };
    let sink = |argument: &BufferTriple| {
        argument.sink("result_addr", alike("result_datatype", argument)?, 1)
    };
    let source = brought.map(source).transpose()?;
    let result = result.map(sink).transpose()?;
    let (operand, displacement) = (source.as_ref(), target.displacement);
    note(win, target, Operation { combine, is_atomic: true, result, operand, displacement, items })
}

pub fn accumulate(
    origin: &BufferTriple,
    target: &Target,
    op: Op,
    win: Win,
) -> MpiResult<Dispatched> {
    check_accumulated(op, [origin, &target.items].map(BufferTriple::datatype))?;
    if are_tangents(target.items.datatype()) {
        require_operation(op)?;
        return accumulate_tangents(Some(origin), None, target, op, win);
    }
    if are_passive([origin, &target.items]) {
        return passive(Some(origin));
    }
    let source = argument::source("origin_addr", origin)?;
    let items = items("origin_datatype", &source, target)?;
    let datatypes = [origin.datatype(), target.items.datatype()];
    let (combine, displacement) = (combine(op, &items, datatypes)?, target.displacement);
    require_operation(op)?;
    let (source, items) = match combine {
        Combine::Floats(_) => (source.in_doubles(), items.in_doubles()),
        _ => (source, items),
    };
    let operand = Some(&source);
    note(
        win,
        target,
        Operation { combine, is_atomic: true, result: None, operand, displacement, items },
    )
}

pub fn get_accumulate(
    origin: &BufferTriple,
    result: &BufferTriple,
    target: &Target,
    op: Op,
    win: Win,
) -> MpiResult<Dispatched> {
    check_accumulated(op, [origin, &target.items].map(BufferTriple::datatype))?;
    let brings = op != Op::no_op();
    if are_tangents(target.items.datatype()) {
        return accumulate_tangents(brings.then_some(origin), Some(result), target, op, win);
    }
    let passive_origin = !brings || are_passive([origin]);
    if passive_origin && are_passive([result, &target.items]) {
        return passive(brings.then_some(origin));
    }
    let sink = argument::sink("result_addr", result)?;
    let items_there = items("result_datatype", sink.source(), target)?;
    let [brought, there] = [origin, &target.items].map(BufferTriple::datatype);
    let datatypes = [if brings { brought } else { there }, there];
    let combine = combine(op, &items_there, datatypes)?;
    if !brings {
        return fetch(sink, None, combine, items_there, target, win);
    }
    let source = argument::source("origin_addr", origin)?;
    items("origin_datatype", &source, target)?;
    let Combine::Floats(_) = combine else {
        return fetch(sink, Some(&source), combine, items_there, target, win);
    };
    let (sink, source) = (sink.in_doubles(), source.in_doubles());
    fetch(sink, Some(&source), combine, items_there.in_doubles(), target, win)
}

fn require_operation(op: Op) -> MpiResult<()> {
    if op == Op::no_op() {
        let why = "MPI_NO_OP is for AMPI_Get_accumulate and AMPI_Fetch_and_op";
        return Err(refused("op", why));
    }
    Ok(())
}

/// What a rank was told of shared memory, which begins at `base`: an error where it is another rank's, and holds active values.
pub fn queried(win: Win, rank: c_int, base: *const c_void) -> MpiResult<()> {
    let is_own = with(win, |window| Ok(window.exposed().begins_at(base)))?;
    if is_own.unwrap_or(true) {
        return Ok(());
    }
    let why = format!(
        "rank = {rank} is another rank, and the window is for active data, whose ids mean nothing on this rank's tape: use AMPI_Get, which copies inside a node"
    );
    Err(Error::new(Code::Unsupported, why).into())
}

/// Takes note of what is exposed from now on.
pub fn exposed(win: Win, change: impl FnOnce(&mut Exposed)) -> MpiResult<()> {
    with(win, |window| {
        change(window.exposed());
        Ok(())
    })
    .map(|_| ())
}

/// The library's part of a fence.
pub fn fence(win: Win, precedes: bool, succeeds: bool) -> MpiResult<()> {
    with(win, |window| window.fence(precedes, succeeds)).map(|_| ())
}

/// `group` tells the ranks of the targets on a communicator.
pub fn start(win: Win, group: impl FnOnce(Comm) -> MpiResult<Vec<c_int>>) -> MpiResult<()> {
    with(win, |window| window.start(group(window.comm())?)).map(|_| ())
}

/// The same of the origins.
pub fn post(win: Win, group: impl FnOnce(Comm) -> MpiResult<Vec<c_int>>) -> MpiResult<()> {
    with(win, |window| window.post(group(window.comm())?)).map(|_| ())
}

pub fn complete(win: Win) -> MpiResult<()> {
    with(win, super::epoch::ActiveWindow::complete).map(|_| ())
}

/// MPI's own call has ended the accesses.
pub fn completed(win: Win) -> MpiResult<()> {
    with(win, super::epoch::ActiveWindow::completed).map(|_| ())
}

pub fn wait(win: Win) -> MpiResult<()> {
    with(win, super::epoch::ActiveWindow::wait).map(|_| ())
}

/// A lock is held from now on, on a rank's part or on all.
pub fn locked(win: Win, rank: Option<c_int>) -> MpiResult<()> {
    on_passive(win, |passive| {
        passive.lock(rank);
        Ok(())
    })
}

/// It is held no longer. Before MPI's own call.
pub fn unlocked(win: Win, rank: Option<c_int>) -> MpiResult<()> {
    on_passive(win, |passive| {
        let flushed = passive.flush(win, rank, false);
        passive.unlock(rank);
        flushed
    })
}

/// Completes operations on a rank's part, or on all; where `local`, here only.
pub fn flush(win: Win, rank: Option<c_int>, local: bool) -> MpiResult<()> {
    on_passive(win, |passive| passive.flush(win, rank, local))
}

fn on_passive(win: Win, f: impl FnOnce(&mut Passive) -> MpiResult<()>) -> MpiResult<()> {
    with(win, |window| window.passive().map_or(Ok(()), f)).map(|_| ())
}

/// Before a call by which others may learn of what this rank has.
pub fn tell() -> MpiResult<()> {
    Ok(tape::current(release).unwrap_or(Ok(()))?)
}

/// After a call by which this rank may learn of what others have done.
pub fn learn() -> MpiResult<()> {
    tape::with_current(|tape| {
        if tape.as_deref().is_none_or(may_record) { registry::learn(tape) } else { Ok(()) }
    })
}

/// Before a window is freed. Collective.
pub fn leave(win: Win) -> MpiResult<()> {
    with(win, |window| {
        window.require_quiet("AMPI_Win_free")?;
        window.close()
    })
    .map(|_| ())
}
