//! A call: from the caller's parameters to active results on the caller's tape.

use super::backend::{Backend, Choice};
use super::data::{self, Data, DataHandle, Source};
use super::event::{Mapped, StoredParts};
use super::failure::{Failure, MpiResult};
use super::function::{self, Named};
use super::job::{self, Places};
use super::local::Local;
use super::ranks::{self, Ranks, Service};
use super::room::renew;
use super::serial::Serial;
use super::shape::Parts;
use super::task::{Task, Wanted};
use crate::error::{Code, Error, Result};
use crate::tape::{Ids, Lease, Position, Tape, Var, copy_values, current, with_current};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};

/// A function on jobs with their parameters.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub function: i32,
    pub data: DataHandle,
    pub jobs: usize,
    pub shared: &'a [Var],
    pub job: &'a [Var],
    pub job_parts: Parts<'a>,
    pub y_parts: Parts<'a>,
}

/// Those who do jobs, and what has been learned of what jobs cost.
pub struct Map {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    choice: Choice,
    local: Local,
    service: Option<Service>,
    /// Of the service, also when that has been stopped; 0: there was none.
    serial: u64,
}

/// Memory of a call, used again by the next one of the thread.
#[derive(Default)]
struct Buffers {
    shared: Vec<f64>,
    job: Vec<f64>,
    values: Vec<f64>,
    derivatives: Vec<f64>,
}

thread_local! {
    /// Those that no call uses: a call inside a job takes another one.
    static FREE: RefCell<Vec<Buffers>> = const { RefCell::new(Vec::new()) };
}

impl Map {
    /// With workers on other ranks, if there is a service.
    pub fn new(choice: Choice, service: Option<Service>) -> Self {
        let serial = service.as_ref().map_or(0, Service::serial);
        let serves = service.is_some();
        let inner =
            Arc::new(Mutex::new(Inner { choice, local: Local::default(), service, serial }));
        if serves {
            stop_at_end(&inner);
        }
        Self { inner }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be changed: not in a job, which the map may be waiting for.
    fn changing(&self) -> Result<MutexGuard<'_, Inner>> {
        if job::in_job() {
            return Err(Error::new(Code::Nest, "a job cannot change the back end of a map"));
        }
        Ok(self.lock())
    }

    /// Lets the workers go; from now on the jobs are done here.
    pub fn stop(&self) -> Result<()> {
        let mut inner = self.changing()?;
        inner.choice.ranks = false;
        inner.service.take().map_or(Ok(()), Service::stop).map_err(Failure::into_error)
    }

    /// `choice` is told whether there are workers on other ranks.
    pub fn set_backend(&self, choice: impl FnOnce(bool) -> Result<Choice>) -> Result<()> {
        let mut inner = self.changing()?;
        inner.choice = choice(inner.service.is_some())?;
        Ok(())
    }
}

/// Maps with workers on other ranks.
static SERVED: Mutex<Vec<Weak<Mutex<Inner>>>> = Mutex::new(Vec::new());

/// Lets a map's workers go when MPI ends, if they still serve then: the map may outlive MPI, and who serves would wait for ever.
fn stop_at_end(map: &Arc<Mutex<Inner>>) {
    let mut served = SERVED.lock().unwrap_or_else(PoisonError::into_inner);
    served.retain(|map| map.strong_count() > 0);
    served.push(Arc::downgrade(map));
    static HOOK: Once = Once::new();
    HOOK.call_once(|| ranks::at_end(stop_all));
}

fn stop_all(_: usize) {
    let served = std::mem::take(&mut *SERVED.lock().unwrap_or_else(PoisonError::into_inner));
    for map in served.iter().filter_map(Weak::upgrade) {
        // One that is at work would wait for this thread.
        let Ok(mut map) = map.try_lock() else { continue };
        map.choice.ranks = false;
        if let Some(service) = map.service.take() {
            let _ = service.stop(); // who is lost is not waited for
        }
    }
}

/// The map that a call is to go by: none inside a job, or if none is named.
fn by(map: Option<&Map>) -> Option<MutexGuard<'_, Inner>> {
    if job::in_job() { None } else { map.map(Map::lock) }
}

impl Inner {
    /// The workers, if they are to do the jobs.
    fn workers(&mut self) -> Option<&mut Service> {
        self.service.as_mut().filter(|_| self.choice.ranks)
    }

    fn run(&mut self, task: &Task, places: Places) -> MpiResult<()> {
        let own = self.local.with(self.choice.threads);
        let jobs = 0..task.jobs;
        match self.service.as_mut().filter(|_| self.choice.ranks) {
            Some(service) => Ranks::new(service, own).run(task, jobs, places),
            None => own.run(task, jobs, places),
        }
    }
}

/// Makes data, and lets the map's workers know them.
pub fn new_data(map: Option<&Map>, source: &Source) -> Result<DataHandle> {
    set_data(map, data::new_handle(), source)
}

/// Puts new data in the place of old ones.
pub fn update_data(map: Option<&Map>, handle: DataHandle, source: &Source) -> Result<DataHandle> {
    let Some((_, service)) = data::find(handle)? else {
        return Err(Error::new(
            Code::Argument,
            "data.id = 0 means no data, which cannot be updated",
        ));
    };
    check_service(map, handle, service)?;
    set_data(map, DataHandle { generation: handle.generation.wrapping_add(1), ..handle }, source)
}

/// Forgets data.
pub fn free_data(map: Option<&Map>, handle: DataHandle) -> Result<()> {
    let Some((_, service)) = data::find(handle)? else { return Ok(()) };
    if service != 0
        && let Some(workers) = by(map).as_mut().and_then(|inner| inner.service.as_mut())
    {
        check_same(handle, service, workers.serial())?;
        workers.forget(handle).map_err(Failure::into_error)?;
    }
    data::forget(handle);
    Ok(())
}

fn set_data(map: Option<&Map>, handle: DataHandle, source: &Source) -> Result<DataHandle> {
    let data = Arc::new(Data::new(handle, source)?);
    let mut service = 0;
    if let Some(workers) = by(map).as_mut().and_then(|inner| inner.service.as_mut()) {
        workers.keep(&data).map_err(Failure::into_error)?;
        service = workers.serial();
    }
    data::keep(data, service);
    Ok(handle)
}

/// Data are updated with the map that they were made with, whose workers have them. Maps of this process alone share theirs.
fn check_service(map: Option<&Map>, handle: DataHandle, service: u64) -> Result<()> {
    let inner = by(map);
    let asked = inner.as_ref().filter(|inner| service != 0 || inner.service.is_some());
    check_same(handle, service, asked.map_or(0, |inner| inner.serial))
}

fn check_same(handle: DataHandle, service: u64, asked: u64) -> Result<()> {
    if service == asked {
        return Ok(());
    }
    let text = format!("data.id = {}: the data were not made with this map", handle.id);
    Err(Error::new(Code::Mismatch, text))
}

/// The results of all jobs.
pub fn results(map: Option<&Map>, call: &Call, y_out: &mut [Var]) -> Result<()> {
    active(map, call, Wanted::Each, y_out).map_err(Failure::into_error)
}

/// The sum of the results of all jobs.
pub fn sum(map: Option<&Map>, call: &Call, y_out: &mut [Var]) -> Result<()> {
    active(map, call, Wanted::Sum, y_out).map_err(Failure::into_error)
}

/// Values, gradients and second derivatives by a function of pairs.
pub struct Second<'a> {
    pub value: Option<&'a mut [f64]>,
    pub gradient: Option<&'a mut [f64]>,
    pub hessian: Option<&'a mut [f64]>,
}

/// How many gradients' and second derivatives' numbers a call for those gives.
pub fn second_sizes(call: &Call) -> (usize, usize) {
    let sizes = (0..call.jobs).map(|i| {
        let (n, d) = (call.y_parts.length(i), call.shared.len() + call.job_parts.length(i));
        (n * d, n * d * d)
    });
    sizes.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

/// The second derivatives of all results of all jobs.
pub fn hessians(map: Option<&Map>, call: &Call, out: Second) -> Result<()> {
    with_buffers(|buffers| second(map, call, buffers, out)).map_err(Failure::into_error)
}

fn with_buffers<R>(f: impl FnOnce(&mut Buffers) -> R) -> R {
    let mut buffers = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
    let result = f(&mut buffers);
    FREE.with_borrow_mut(|free| free.push(buffers));
    result
}

fn active(map: Option<&Map>, call: &Call, wanted: Wanted, y_out: &mut [Var]) -> MpiResult<()> {
    with_buffers(|buffers| {
        let mut by = by(map);
        let (named, data) = prepare(by.as_mut().and_then(|by| by.workers()), call)?;
        let Buffers { shared, job, values, derivatives: _ } = buffers;
        let (mut task, in_a_row) = task(call, wanted, (&named, data.as_ref()), (shared, job))?;
        let mut pending = record_later(call, in_a_row, &mut task)?;
        renew(values, y_out.len())?;
        let derivatives = match &mut pending {
            Some(pending) => pending.lease.values(),
            None => &mut [],
        };
        let places = Places { values, derivatives, seconds: &mut [] };
        let done = match &mut by {
            Some(by) => by.run(&task, places),
            None => Serial.run(&task, 0..task.jobs, places),
        };
        let Some(pending) = pending else {
            done?;
            for (y, &value) in y_out.iter_mut().zip(&*values) {
                *y = Var { value, id: 0, tag: 0 };
            }
            return Ok(());
        };
        pending.end(done, values, y_out)
    })
}

fn second(map: Option<&Map>, call: &Call, buffers: &mut Buffers, out: Second) -> MpiResult<()> {
    let mut by = by(map);
    let (named, data) = prepare(by.as_mut().and_then(|by| by.workers()), call)?;
    let Buffers { shared, job, values, derivatives } = buffers;
    let (mut task, _) = task(call, Wanted::Hessians, (&named, data.as_ref()), (shared, job))?;
    (task.by_shared, task.by_job) = (true, true);
    let (n_values, n_derivatives) = task.sizes(&(0..task.jobs));
    renew(values, n_values)?;
    renew(derivatives, n_derivatives)?;
    let places = Places { values, derivatives, seconds: &mut [] };
    match &mut by {
        Some(by) => by.run(&task, places)?,
        None => Serial.run(&task, 0..task.jobs, places)?,
    }
    if let Some(out) = out.value {
        out.copy_from_slice(values);
    }
    let (mut gradients, mut hessians) = (out.gradient, out.hessian);
    let mut blocks = &derivatives[..];
    for i in 0..task.jobs {
        let d = task.columns(i);
        for _ in task.y_parts.range(i) {
            let (gradient, hessian);
            (gradient, blocks) = blocks.split_at(d);
            (hessian, blocks) = blocks.split_at(d * d);
            write_next(&mut gradients, gradient);
            write_next(&mut hessians, hessian);
        }
    }
    Ok(())
}

/// Copies to the beginning of what is left of an output, if there is one.
fn write_next(out: &mut Option<&mut [f64]>, values: &[f64]) {
    if let Some(place) = out.as_mut().and_then(|out| out.split_off_mut(..values.len())) {
        place.copy_from_slice(values);
    }
}

/// The function and the data of a call, which must fit.
fn prepare(workers: Option<&mut Service>, call: &Call) -> Result<(Arc<Named>, Option<Arc<Data>>)> {
    let named = function::numbered(call.function)?;
    let data = match (data::find(call.data)?, workers) {
        (None, _) => None,
        (Some((data, _)), None) => Some(data),
        (Some((data, service)), Some(workers)) => {
            check_same(call.data, service, workers.serial())?;
            Some(data)
        }
    };
    // Those of no job are what all share, whatever their number.
    if let Some(data) = data.as_ref().filter(|data| ![0, call.jobs].contains(&data.jobs)) {
        let text =
            format!("jobs = {}, but data.id = {} are for {}", call.jobs, call.data.id, data.jobs);
        return Err(Error::new(Code::Mismatch, text));
    }
    Ok((named, data))
}

/// Whether the ids of the shared parameters, and those of the jobs, are consecutive, or all passive.
type InARow = [bool; 2];

/// The task of a call, with the values of the parameters and without derivatives.
fn task<'a>(
    call: &Call<'a>,
    wanted: Wanted,
    (named, data): (&'a Named, Option<&'a Arc<Data>>),
    (shared, job): (&'a mut Vec<f64>, &'a mut Vec<f64>),
) -> MpiResult<(Task<'a>, InARow)> {
    let mut in_a_row = [true; 2];
    let parameters = [(&mut *shared, call.shared), (&mut *job, call.job)];
    for ((values, vars), in_a_row) in parameters.into_iter().zip(&mut in_a_row) {
        renew(values, vars.len())?;
        *in_a_row = copy_values(vars, values);
    }
    let task = Task {
        named,
        data,
        shared,
        job,
        job_parts: call.job_parts,
        y_parts: call.y_parts,
        jobs: call.jobs,
        first: 0,
        wanted,
        by_shared: false,
        by_job: false,
        group: 0,
    };
    Ok((task, in_a_row))
}

/// What a call is going to leave on the caller's tape.
struct PendingEvent {
    shared: Ids,
    job: Ids,
    y_parts: StoredParts,
    job_parts: StoredParts,
    jobs: usize,
    lease: Lease,
}

/// Finds out which derivatives are wanted, and makes room for them on the thread's tape.
fn record_later(call: &Call, in_a_row: InARow, task: &mut Task) -> Result<Option<PendingEvent>> {
    with_current(|tape| {
        let Some(tape) = tape else { return Ok(None) };
        tape.check_copied("shared", call.shared, in_a_row[0])?;
        tape.check_copied("job", call.job, in_a_row[1])?;
        let any = |vars: &[Var]| tape.recording() && vars.iter().any(|var| var.id != 0);
        (task.by_shared, task.by_job) = (any(call.shared), any(call.job));
        if !task.records() {
            return Ok(None);
        }
        let before = tape.position();
        let pending = PendingEvent::new(tape, call, in_a_row, task, &before);
        if pending.is_err() {
            tape.give_back(&before);
        }
        pending.map(Some)
    })
}

impl PendingEvent {
    fn new(
        tape: &mut Tape,
        call: &Call,
        in_a_row: InARow,
        task: &Task,
        before: &Position,
    ) -> Result<Self> {
        let mut ids = |vars: &[Var], in_a_row| match vars {
            [first, ..] if in_a_row => Ok(Ids::in_a_row(first.id, vars.len())),
            _ => tape.ids(vars.len(), vars.iter().map(|var| var.id)),
        };
        let (shared, job) = (ids(call.shared, in_a_row[0])?, ids(call.job, in_a_row[1])?);
        // A sum is one result of all parameters.
        let (jobs, y_parts, job_parts) = match task.wanted {
            Wanted::Sum => {
                (1, Parts::Equal(call.y_parts.longest(&(0..1))), Parts::Equal(call.job.len()))
            }
            _ => (call.jobs, call.y_parts, call.job_parts),
        };
        let y_parts = StoredParts::new(tape, &y_parts)?;
        let job_parts = StoredParts::new(tape, &job_parts)?;
        let n = task.sizes(&(0..task.jobs)).1;
        let lease = tape.lease(n, before)?;
        Ok(Self { shared, job, y_parts, job_parts, jobs, lease })
    }

    /// The jobs are done, or not: records the event, and makes the results active.
    fn end(self, done: MpiResult<()>, values: &[f64], y_out: &mut [Var]) -> MpiResult<()> {
        let Self { shared, job, y_parts, job_parts, jobs, lease } = self;
        let ended = current(|tape| {
            let derivatives = tape.end_lease(&lease, done.is_ok())?;
            done?;
            let outputs = y_out.len();
            let id = tape.record(outputs, |first, _| Mapped {
                first,
                outputs,
                jobs,
                shared,
                job,
                y_parts,
                job_parts,
                derivatives,
            })?;
            // Without an id, where the tape does not record any more, they are passive.
            let (tag, step) = if id == 0 { (0, 0) } else { (tape.tag(), 1) };
            let mut id = id;
            for (y, &value) in y_out.iter_mut().zip(values) {
                *y = Var { value, id, tag };
                id = id.wrapping_add(step);
            }
            Ok(())
        });
        ended.unwrap_or_else(|| {
            Err(Error::new(Code::Nest, "a job made another tape current than the caller's").into())
        })
    }
}
