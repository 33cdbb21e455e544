//! Calls with variables of another AD tool: each is one step of the tool's companion tape, in which the call is made with
//! active values in their place.

use super::super::support::arguments::null;
use super::calls::{Return, guarded, mpi_call};
use crate::ampi::argument::Many;
use crate::ampi::dispatch::Operands;
use crate::ampi::request::Completes;
use crate::ampi::user_op;
use crate::datatype::{
    Arguments, BufferTriple, Counts, Lists, Pieces, Stretch, Types, foreign_tool, has_tools,
};
use crate::error::{Code, Error, Result};
use crate::foreign::{Argument, Place, Steps, Tool, Variables};
use crate::mpi::raw::{self, MPI_Aint, MPI_Count, MPI_Datatype, constants};
use crate::mpi::{Comm, Datatype, MpiResult, Op, error, is_in_place, wide_int};
use crate::tape::Var;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::{Mutex, PoisonError};

thread_local! {
    /// By the number of the tool.
    static STEPS: RefCell<Vec<Steps>> = const { RefCell::new(Vec::new()) };
}

/// The names of calls that steps have, which are never many.
static CALLS: Mutex<Vec<&'static CStr>> = Mutex::new(Vec::new());

fn busy() -> Error {
    let why = "a function of the AD tool's table has called the library, or the thread ends";
    Error::new(Code::Nest, why)
}

fn with_all<R>(f: impl FnOnce(&mut Vec<Steps>) -> Result<R>) -> Result<R> {
    STEPS
        .try_with(|all| f(&mut *all.try_borrow_mut().map_err(|_| busy())?))
        .unwrap_or_else(|_| Err(busy()))
}

fn with_steps<R>(tool: &Tool, f: impl FnOnce(&mut Steps) -> Result<R>) -> Result<R> {
    with_all(|all| {
        if all.len() <= tool.index {
            all.resize_with(tool.index + 1, Steps::default);
        }
        f(&mut all[tool.index])
    })
}

/// The tool whose step has this handle, and its number.
fn owner(handle: i64) -> Result<&'static Tool> {
    let index = with_all(|all| Ok(all.iter().position(|steps| steps.has(handle))))?;
    index.and_then(crate::foreign::tool::tool).ok_or_else(|| {
        let why = format!(
            "handle = {handle} is that of no step of this thread: it was deleted, or never given out here"
        );
        Error::new(Code::Argument, why)
    })
}

/// Evaluates a step.
///
/// # Safety
/// `access` is what the functions of the tool's table expect.
pub unsafe fn evaluate(handle: i64, access: *mut c_void) -> Result<()> {
    let tool = owner(handle)?;
    // SAFETY: the caller's promise.
    with_steps(tool, |steps| unsafe { steps.evaluate(tool, handle, access) })
}

pub fn delete(handle: i64) -> Result<()> {
    let tool = owner(handle)?;
    with_steps(tool, |steps| steps.delete(handle))
}

/// What the steps of this thread hold, of all tools.
pub fn statistics(tool: &Tool) -> Result<(crate::tape::Statistics, usize)> {
    with_steps(tool, |steps| Ok((steps.statistics(), steps.len())))
}

fn interned(call: &str) -> &'static CStr {
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = calls.iter().find(|known| known.to_bytes() == call.as_bytes()) {
        return known;
    }
    let new: &'static CStr = Box::leak(CString::new(call).unwrap_or_default().into_boxed_c_str());
    calls.push(new);
    new
}

/// What a call does with the items of a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Read,
    Written,
    Both,
}

/// A call under way, with the arrays that it is made with.
pub struct Call {
    tool: &'static Tool,
    recorded: bool,
    open: bool,
    counts: Vec<Vec<c_int>>,
    wide: Vec<(Vec<MPI_Count>, Vec<MPI_Aint>)>,
    types: Vec<Vec<MPI_Datatype>>,
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.open {
            // SAFETY: nothing is written to what has failed.
            let _ = with_steps(self.tool, |steps| unsafe { steps.close(true) });
        }
    }
}

fn long(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl Call {
    fn open(tool: &'static Tool, call: &str) -> Result<Self> {
        let recorded = tool.is_recording();
        with_steps(tool, |steps| steps.open_as(interned(call), recorded))?;
        let (counts, wide, types) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { tool, recorded, open: true, counts, wide, types })
    }

    /// Active values in the place of variables.
    fn stage(
        &self,
        name: &'static CStr,
        stretches: &[Stretch],
        n: usize,
        used: Use,
    ) -> Result<*mut Var> {
        let runs = stretches
            .iter()
            .map(|one| Variables {
                base: std::ptr::with_exposed_provenance_mut(one.address),
                n: one.n,
            })
            .collect();
        let place = Place::Variables { tool: self.tool, runs };
        let (reads, writes) = (used != Use::Written, used != Use::Read);
        let argument = Argument { name, n, place, reads, writes, turned: false, lent: false };
        // SAFETY: MPI's contract of the buffer.
        with_steps(self.tool, |steps| unsafe { Ok(steps.argument(argument)?.cast()) })
    }

    /// A buffer of active values in the place of one of variables.
    pub fn buffer(
        &self,
        name: &'static CStr,
        data: &BufferTriple,
        used: Use,
    ) -> MpiResult<BufferTriple> {
        let mut stretches = Vec::new();
        let n = data.variables(&name.to_string_lossy(), self.tool, &mut stretches)?;
        Ok(BufferTriple::of_values(self.stage(name, &stretches, n, used)?, long(n)))
    }

    /// The same unless it is in place.
    pub fn buffer_or_in_place(
        &self,
        name: &'static CStr,
        data: &BufferTriple,
        used: Use,
    ) -> MpiResult<BufferTriple> {
        if data.is_in_place() { Ok(data.under_active()) } else { self.buffer(name, data, used) }
    }

    /// The same of a buffer with parts for `ranks`.
    pub fn many(
        &mut self,
        name: &'static CStr,
        data: &Many,
        ranks: usize,
        used: Use,
    ) -> MpiResult<Many> {
        if data.is_in_place() {
            return Ok(data.under_active());
        }
        let text = name.to_string_lossy();
        let (mut stretches, mut lengths) = (Vec::new(), Vec::with_capacity(ranks));
        for part in &*data.each(&text, ranks)? {
            lengths.push(part.variables(&text, self.tool, &mut stretches)?);
        }
        let values = self.stage(name, &stretches, lengths.iter().sum(), used)?;
        match data {
            Many::Each(argument) => {
                // Without ranks there are no parts, and the items of one tell how many each has.
                let each = match lengths.first() {
                    Some(&n) => n,
                    None => argument.variables(&text, self.tool, &mut stretches)?,
                };
                Ok(Many::Each(BufferTriple::of_values(values, long(each))))
            }
            Many::List(arguments) => {
                self.listed(&text, values, arguments, &lengths).map(Many::List)
            }
        }
    }

    /// Counts and displacements as the call has them, of parts that lie side by side.
    fn listed(
        &mut self,
        name: &str,
        values: *mut Var,
        arguments: &Arguments,
        lengths: &[usize],
    ) -> MpiResult<Arguments> {
        let bytes = arguments.has_types();
        let unit = if bytes { size_of::<Var>() } else { 1 };
        let displacements = lengths.iter().scan(0usize, |end, n| {
            *end += n;
            Some((*end - n) * unit)
        });
        let (_, lists, _) = arguments.parts();
        let narrow = |n: usize| {
            c_int::try_from(n).map_err(|_| {
                let why = format!("{name}: {n} is past 2^31: use the call for large counts");
                Error::new(Code::Limit, why)
            })
        };
        let lists = match lists {
            Lists::Int(..) => {
                let displs = displacements.map(narrow).collect::<Result<Vec<_>>>()?;
                let counts = lengths.iter().map(|&n| narrow(n)).collect::<Result<Vec<_>>>()?;
                let lists = Lists::Int(counts.as_ptr(), displs.as_ptr());
                self.counts.extend([counts, displs]);
                lists
            }
            Lists::Addresses(..) => {
                let displs = displacements.map(|n| crate::mpi::types::aint(long(n))).collect();
                let counts = lengths.iter().map(|&n| narrow(n)).collect::<Result<Vec<_>>>()?;
                self.wide.push((Vec::new(), displs));
                let displs = self.wide.last().map_or(std::ptr::null(), |wide| wide.1.as_ptr());
                let lists = Lists::Addresses(counts.as_ptr(), displs);
                self.counts.push(counts);
                lists
            }
            Lists::Large(..) => {
                let displs = displacements.map(|n| crate::mpi::types::aint(long(n))).collect();
                self.wide.push((lengths.iter().map(|&n| long(n)).collect(), displs));
                let (counts, displs) = self.wide.last().expect("just pushed");
                Lists::Large(counts.as_ptr(), displs.as_ptr())
            }
        };
        let types = if bytes {
            let all = vec![Datatype::active_double().raw(); lengths.len()];
            let types = Types::Each(all.as_ptr());
            self.types.push(all);
            types
        } else {
            Types::One(Datatype::active_double())
        };
        // SAFETY: arrays for all ranks, which live as long as this.
        Ok(unsafe { Arguments::new(values.cast(), lists, types) })
    }

    /// The buffers of a reduction, of which that of the result counts if `has_result`.
    pub fn operands(&self, operands: &Operands, has_result: bool) -> MpiResult<Operands> {
        self.known(operands.op, operands.send.datatype())?;
        let in_place = operands.send.is_in_place();
        let send = self.buffer_or_in_place(c"sendbuf", &operands.send, Use::Read)?;
        let used = if in_place { Use::Both } else { Use::Written };
        let receive = if has_result {
            self.buffer(c"recvbuf", &operands.receive, used)?
        } else {
            operands.receive.under_active()
        };
        let n = if in_place { receive.parts().1 } else { send.parts().1 };
        Ok(Operands { send: send.counted(n), receive: receive.counted(n), op: operands.op })
    }

    /// Those of a reduction at the root of an intercommunicator, which brings nothing.
    pub fn result(&self, operands: &Operands) -> MpiResult<Operands> {
        self.known(operands.op, operands.receive.datatype())?;
        let receive = self.buffer(c"recvbuf", &operands.receive, Use::Written)?;
        let send = operands.send.under_active().counted(receive.parts().1);
        Ok(Operands { send, receive, op: operands.op })
    }

    /// Those of a reduction of this rank's own.
    pub fn local(&self, operands: &Operands) -> MpiResult<Operands> {
        self.known(operands.op, operands.send.datatype())?;
        let send = self.buffer(c"inbuf", &operands.send, Use::Read)?;
        let receive = self.buffer(c"inoutbuf", &operands.receive, Use::Both)?;
        Ok(Operands { send, receive, op: operands.op })
    }

    /// Refuses operations whose functions would be called with the library's values.
    fn known(&self, op: Op, datatype: Datatype) -> MpiResult<()> {
        if user_op::find_for(op, datatype).is_some()
            || user_op::find_for(op, Datatype::active_double()).is_some()
        {
            let why = format!(
                "op is made by AMPI_Op_create: variables of {} are reduced by MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX only",
                self.tool.name
            );
            return Err(Error::new(Code::Unsupported, why).into());
        }
        Ok(())
    }

    /// The buffers of a reduction of which each of `ranks` gets a share.
    pub fn pieces(
        &mut self,
        pieces: &Pieces,
        op: Op,
        rank: usize,
        ranks: usize,
    ) -> MpiResult<Pieces> {
        self.known(op, pieces.datatype())?;
        let (send, _, counts, _) = pieces.parts();
        let in_place = is_in_place(send);
        let shares: Vec<i64> = (0..ranks)
            .map(|rank| self.variables_of(&pieces.share(rank, ranks)?))
            .collect::<MpiResult<_>>()?;
        let brought = pieces.operands(ranks)?;
        let (from, to) = if in_place {
            (send, self.buffer(c"recvbuf", &brought, Use::Both)?)
        } else {
            let from = self.buffer(c"sendbuf", &brought, Use::Read)?;
            (from.parts().0, self.buffer(c"recvbuf", &pieces.result(rank, ranks)?, Use::Written)?)
        };
        let counts = match counts {
            Counts::Each(_) => Counts::Each(shares.first().copied().unwrap_or(0)),
            Counts::List(_) => {
                let narrow = |&n: &i64| {
                    c_int::try_from(n).map_err(|_| {
                        Error::new(
                            Code::Limit,
                            format!("recvcounts: {n} is past 2^31: use the call for large counts"),
                        )
                    })
                };
                self.counts.push(shares.iter().map(narrow).collect::<Result<_>>()?);
                Counts::List(self.counts.last().map_or(std::ptr::null(), Vec::as_ptr))
            }
            Counts::Large(_) => {
                self.wide.push((shares, Vec::new()));
                Counts::Large(self.wide.last().map_or(std::ptr::null(), |wide| wide.0.as_ptr()))
            }
        };
        // SAFETY: values of all ranks, and arrays that live as long as this.
        Ok(unsafe { Pieces::new(from, to.parts().0, counts, Datatype::active_double().raw()) })
    }

    fn variables_of(&self, data: &BufferTriple) -> MpiResult<i64> {
        Ok(long(data.variables("recvbuf", self.tool, &mut Vec::new())?))
    }
}

/// What completes a call that was started.
struct Completion {
    tool: &'static Tool,
    call: &'static CStr,
    number: usize,
    recorded: bool,
}

impl Completes for Completion {
    fn complete(self: Box<Self>, finish: &mut dyn FnMut() -> MpiResult<()>) -> MpiResult<()> {
        let tool = self.tool;
        let stopped = !tool.is_recording() && self.recorded;
        with_steps(tool, |steps| {
            steps.started(self.number)?;
            steps.open_as(self.call, self.recorded)
        })?;
        let finished = finish();
        let handle = with_steps(tool, |steps| {
            if finished.is_err() || stopped {
                steps.abandon(self.number);
                // SAFETY: nothing is written to what has failed.
                return unsafe { steps.close(true) }.map(|()| None);
            }
            // SAFETY: MPI's contract of the buffers of the call that was started.
            unsafe {
                steps.completed(self.number)?;
                steps.close_for_tool()
            }
        });
        finished?;
        if stopped {
            let call = self.call.to_string_lossy();
            let why = format!(
                "{call} was recorded, but the tape of {} does not record its completion: complete it before recording stops",
                tool.name
            );
            return Err(Error::new(Code::NotRecording, why).into());
        }
        Ok(keep(tool, handle?)?)
    }

    fn fail(self: Box<Self>) {
        let _ = with_steps(self.tool, |steps| {
            steps.abandon(self.number);
            Ok(())
        });
    }
}

/// Lets the tool record a handle.
fn keep(tool: &Tool, handle: Option<i64>) -> Result<()> {
    let Some(handle) = handle else { return Ok(()) };
    tool.record(handle).inspect_err(|_| {
        let _ = with_steps(tool, |steps| steps.delete(handle));
    })
}

/// Makes a call with variables of a tool's: `stage` makes its arguments, of active values, and `make` is the call with them.
///
/// # Safety
/// The place of a request is NULL or may be written to; `make` does what the call does.
pub unsafe fn call<A>(
    name: &str,
    comm: Comm,
    end: Return,
    tool: &'static Tool,
    stage: impl FnOnce(&mut Call) -> MpiResult<A>,
    make: impl FnOnce(&A, Return) -> c_int,
) -> c_int {
    let mut staged = None;
    let code = mpi_call(name, comm, || {
        if matches!(end, Return::AtOnce(place) if place.is_null()) {
            return Err(null("request").into());
        }
        let mut call = Call::open(tool, name)?;
        let arguments = stage(&mut call)?;
        staged = Some((call, arguments));
        Ok(())
    });
    let Some((mut call, arguments)) = staged else { return code };
    let mut request = std::ptr::null_mut();
    let inner = match end {
        Return::WhenDone => Return::WhenDone,
        Return::AtOnce(_) => Return::AtOnce(&mut request),
    };
    let code = make(&arguments, inner);
    if code != raw::SUCCESS {
        return code;
    }
    call.open = false;
    let ended = guarded(|| {
        let handle = match end {
            // SAFETY: MPI's contract of the buffers.
            Return::WhenDone => with_steps(tool, |steps| unsafe { steps.close_for_tool() })?,
            Return::AtOnce(place) => {
                let (number, handle) =
                    with_steps(tool, |steps| steps.start_for_tool(request.cast()))?;
                let (call, recorded) = (interned(name), call.recorded);
                // SAFETY: the call has started a request, and its place may be written to.
                unsafe {
                    let completes = Completion { tool, call, number, recorded };
                    (*request).completing(Box::new(completes));
                    place.write(request);
                }
                handle
            }
        };
        Ok(keep(tool, handle)?)
    });
    match ended {
        Ok(()) => raw::SUCCESS,
        Err(failure) => error::raise(name, comm, failure),
    }
}

/// The tool of a buffer that is significant unless it is in place.
#[inline(always)]
pub fn tool_of(data: &BufferTriple) -> Option<&'static Tool> {
    foreign_tool(data.datatype())
}

/// The tool of the first that has one. Only significant buffers count.
pub fn tool_of_many(comm: Comm, buffers: &[(&Many, bool)]) -> Option<&'static Tool> {
    if !has_tools() {
        return None;
    }
    let ranks = partners(comm);
    buffers.iter().filter(|(_, counts)| *counts).find_map(|(data, _)| tool_of_parts(data, ranks))
}

/// The tool of the parts for `n` ranks or neighbours, unless the buffer is in place.
pub fn tool_of_parts(data: &Many, n: usize) -> Option<&'static Tool> {
    match data {
        _ if data.is_in_place() => None,
        Many::Each(argument) => tool_of(argument),
        Many::List(arguments) => arguments.types(n).find_map(foreign_tool),
    }
}

/// How many ranks a collective has parts for; none of a communicator that MPI will refuse.
pub fn partners(comm: Comm) -> usize {
    if comm.is_null() { 0 } else { comm.partners().map_or(0, wide_int) }
}

/// The ranks that share the result of a reduction, on an intercommunicator those of the own group.
pub fn members(comm: Comm) -> usize {
    if comm.is_null() { 0 } else { comm.size().map_or(0, wide_int) }
}

pub fn rank(comm: Comm) -> usize {
    if comm.is_null() { 0 } else { comm.rank().map_or(0, wide_int) }
}

/// Sources and destinations of a communicator with a topology.
pub fn degrees(comm: Comm) -> (usize, usize) {
    if comm.is_null() {
        return (0, 0);
    }
    comm.degrees()
        .map_or((0, 0), |(sources, destinations)| (wide_int(sources), wide_int(destinations)))
}

/// Which buffers of a call with a root are significant here: that of the root, and that of the others.
pub fn sides(comm: Comm, root: c_int) -> (bool, bool) {
    if comm.is_null() {
        return (false, false);
    }
    if comm.is_inter().unwrap_or(false) {
        let others = root >= 0;
        return (!others && root != constants().proc_null, others);
    }
    (comm.rank().is_ok_and(|rank| rank == root), true)
}
