//! Jobs, one after the other, on a tape of the thread's.

use super::data::Data;
use super::failure::{Failure, MpiResult};
use super::room::renew;
use super::shape::Parts;
use super::task::{Task, Wanted};
use crate::error::{Code, Error};
use crate::tape::{ActiveJob, JobTape, Var};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

const NONE: usize = usize::MAX;

thread_local! {
    /// The number of the job that runs.
    static JOB: Cell<usize> = const { Cell::new(NONE) };
    /// The data that it may see.
    static DATA: RefCell<Option<Arc<Data>>> = const { RefCell::new(None) };
    /// What a job says about an error, and which.
    static TEXT: RefCell<(usize, String)> = const { RefCell::new((NONE, String::new())) };
    /// Those that no job uses: a map inside a job takes another one.
    static FREE: RefCell<Vec<Workspace>> = const { RefCell::new(Vec::new()) };
}

/// The tape and the arrays of a job, which the next one uses again.
#[derive(Default)]
struct Workspace {
    tape: JobTape,
    vars: Vec<Var>,
    rows: Vec<f64>,
}

/// Where results go: values, derivatives and, if that is not empty, the seconds of each group of jobs.
pub struct Places<'a> {
    pub values: &'a mut [f64],
    pub derivatives: &'a mut [f64],
    pub seconds: &'a mut [f32],
}

/// The number of the job that the thread runs.
pub fn job() -> Option<usize> {
    Some(JOB.get()).filter(|&job| job != NONE)
}

/// Whether the thread runs a job.
pub fn in_job() -> bool {
    JOB.get() != NONE
}

/// Says why the job is going to fail.
pub fn explain(text: &str) {
    TEXT.with_borrow_mut(|(job, kept)| {
        *job = JOB.get();
        text.clone_into(kept);
    });
}

/// Shows the data of the job that the thread runs.
pub fn with_data<R>(f: impl FnOnce(Option<&Data>) -> R) -> R {
    DATA.with_borrow(|data| f(data.as_deref()))
}

/// Why a job ended early: what its function returned, or an error of ours; and whether its tape may be used again.
struct Ended {
    status: i32,
    error: Error,
    clean: bool,
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self { status: 0, error, clean: false }
    }
}

/// Runs some jobs of a task in this thread.
pub fn run(task: &Task, jobs: Range<usize>, places: Places) -> MpiResult<()> {
    if jobs.is_empty() {
        places.values.fill(0.0);
        places.derivatives.fill(0.0);
        return Ok(());
    }
    let mut space = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
    let outer = JOB.replace(task.first + jobs.start);
    let outer_data = DATA.replace(task.data.cloned());
    let outer_text = TEXT.replace((NONE, String::new()));
    let ended = catch_unwind(AssertUnwindSafe(|| space.run(task, jobs, places)));
    let last = JOB.replace(outer);
    DATA.set(outer_data);
    let (of, said) = TEXT.replace(outer_text);
    // Otherwise it goes, with whatever the job has left on its tape.
    if matches!(ended, Ok(Ok(()) | Err(Ended { clean: true, .. }))) {
        FREE.with_borrow_mut(|free| free.push(space));
    }
    let failure = match ended {
        Ok(Ok(())) => return Ok(()),
        // A callback in the job's sweep.
        Ok(Err(Ended { status: 0, error, .. }))
            if error.code == Code::Callback && of == last && !said.is_empty() =>
        {
            Failure { text: said, ..error.into() }
        }
        Ok(Err(Ended { status, error, .. })) => Failure { status, ..error.into() },
        Err(panic) => Failure::panic(panic.as_ref()),
    };
    Err(Failure { job: Some(last), ..failure })
}

impl Workspace {
    fn run(&mut self, task: &Task, jobs: Range<usize>, places: Places) -> Result<(), Ended> {
        let step = if task.wanted == Wanted::Hessians { 2 } else { 1 };
        let (n_job, n_y) = (task.job_parts.longest(&jobs), task.y_parts.longest(&jobs));
        let n_shared = task.shared.len();
        renew(&mut self.vars, (n_shared + n_job + n_y) * step)?;
        let (shared, rest) = self.vars.split_at_mut(n_shared * step);
        let (job, y) = rest.split_at_mut(n_job * step);
        let inputs =
            task.records().then(|| task.shared_columns() + if task.by_job { n_job } else { 0 });
        let trial = inputs.map_or(0, |_| task.named.trial.begin());
        let mut runner = Runner {
            task,
            tape: self.tape.enter(inputs, trial)?,
            shared,
            job,
            y,
            rows: &mut self.rows,
        };
        runner.declare(step);
        let ended = JOB.with(|number| runner.all(number, jobs, places));
        if trial > 0 && ended.is_err() {
            task.named.trial.again();
        }
        ended
    }
}

/// The jobs of one block on their way.
struct Runner<'a> {
    task: &'a Task<'a>,
    tape: ActiveJob<'a>,
    shared: &'a mut [Var],
    job: &'a mut [Var],
    y: &'a mut [Var],
    rows: &'a mut Vec<f64>,
}

/// Not where it is called, or one place would be cleared by a call, too.
#[inline(never)]
fn clear(y: &mut [Var]) {
    y.fill(Var::default());
}

/// Writes values to the first of every `step` places.
#[inline(always)]
fn set(out: &mut [Var], values: &[f64], step: usize) {
    for (k, &value) in values.iter().enumerate() {
        out[k * step].value = value;
    }
}

impl Runner<'_> {
    /// Makes the parameters inputs, as far as they are active. Of each job only their values differ.
    fn declare(&mut self, step: usize) {
        let task = self.task;
        if task.by_shared {
            self.tape.inputs(0, self.shared, step);
        }
        if task.by_job {
            self.tape.inputs(task.shared_columns(), self.job, step);
        }
        set(self.shared, task.shared, step);
    }

    fn all(
        &mut self,
        number: &Cell<usize>,
        jobs: Range<usize>,
        places: Places,
    ) -> Result<(), Ended> {
        let task = self.task;
        let Places { mut values, mut derivatives, seconds } = places;
        if task.wanted == Wanted::Sum {
            values.fill(0.0);
            derivatives.fill(0.0);
        }
        // Groups, each of which is timed.
        let group = if seconds.is_empty() { jobs.len() } else { task.group };
        let mut seconds = seconds.iter_mut();
        let mut began = (seconds.len() > 0).then(Instant::now);
        for start in jobs.clone().step_by(group) {
            let group = start..jobs.end.min(start + group);
            match task.wanted {
                Wanted::Each => {
                    let places = (&mut values, &mut derivatives);
                    match (task.job_parts, task.y_parts) {
                        (Parts::Equal(p), Parts::Equal(n)) => {
                            let derivatives = n * task.columns(start);
                            let shape = |i| (i * p..(i + 1) * p, n, derivatives);
                            self.some(number, group, places, shape)?;
                        }
                        (job, y) => {
                            let shape = |i| {
                                let n = y.length(i);
                                (job.range(i), n, n * task.columns(i))
                            };
                            self.some(number, group, places, shape)?;
                        }
                    }
                }
                Wanted::Sum => self.add(number, group, &jobs, values, derivatives)?,
                Wanted::Hessians => self.second(number, group, &mut values, &mut derivatives)?,
            }
            if let (Some(before), Some(seconds)) = (began, seconds.next()) {
                let now = Instant::now();
                *seconds = (now - before).as_secs_f32();
                began = Some(now);
            }
        }
        Ok(())
    }

    /// Writes the parameters of a job, each to the first of `step` places, and returns how many places that is.
    #[inline(always)]
    fn fill(&mut self, parameters: Range<usize>, step: usize) -> usize {
        let values = &self.task.job[parameters];
        set(self.job, values, step);
        values.len() * step
    }

    /// Lets the function run on what has been filled in; `n_job` and `n_y` are what it sees.
    #[inline(always)]
    fn call(&mut self, i: usize, n_job: usize, n_y: usize) -> Result<(), Ended> {
        let task = self.task;
        let (x_r, x_i) = match task.data {
            None => (&[][..], &[][..]),
            Some(data) => data.of(task.first + i),
        };
        let y = &mut self.y[..n_y];
        match &mut *y {
            // Not worth a call.
            [y] => *y = Var::default(),
            y => clear(y),
        }
        let status = task.named.function.run(self.shared, &self.job[..n_job], x_r, x_i, y);
        if status != 0 {
            return Err(Ended { clean: self.tape.abandon(), ..failed(status) });
        }
        Ok(())
    }

    /// Runs job `i`: its results, and for each the derivatives.
    #[inline(always)]
    fn each(
        &mut self,
        i: usize,
        parameters: Range<usize>,
        values: &mut [f64],
        rows: &mut [f64],
    ) -> Result<(), Ended> {
        let n_job = self.fill(parameters, 1);
        self.call(i, n_job, values.len())?;
        let y = &self.y[..values.len()];
        match (values, y) {
            // Not worth a loop.
            ([value], [y]) => *value = y.value,
            (values, y) => values.iter_mut().zip(y).for_each(|(value, y)| *value = y.value),
        }
        Ok(self.tape.end(y, 1, rows)?)
    }

    /// Jobs with all their results; `shape` tells which parameters one has, and how many results and derivatives.
    #[inline(always)]
    fn some(
        &mut self,
        number: &Cell<usize>,
        jobs: Range<usize>,
        (values, rows): (&mut &mut [f64], &mut &mut [f64]),
        shape: impl Fn(usize) -> (Range<usize>, usize, usize),
    ) -> Result<(), Ended> {
        let first = self.task.first;
        for i in jobs {
            number.set(first + i);
            let (parameters, n, derivatives) = shape(i);
            self.each(i, parameters, next(values, n), next(rows, derivatives))?;
        }
        Ok(())
    }

    /// Adds the results of jobs to those of `all` before.
    #[inline(never)]
    fn add(
        &mut self,
        number: &Cell<usize>,
        jobs: Range<usize>,
        all: &Range<usize>,
        values: &mut [f64],
        sums: &mut [f64],
    ) -> Result<(), Ended> {
        let task = self.task;
        let (n, n_shared, stride) = (values.len(), task.shared_columns(), task.sum_columns(all));
        let mut rows = std::mem::take(self.rows);
        for i in jobs {
            number.set(task.first + i);
            let columns = task.columns(i);
            renew(&mut rows, n * (columns + 1))?;
            let (value, derivatives) = rows.split_at_mut(n);
            self.each(i, task.job_parts.range(i), value, derivatives)?;
            for (sum, value) in values.iter_mut().zip(value) {
                *sum += *value;
            }
            if columns == 0 {
                continue;
            }
            let at = task.sum_place(i, all);
            for (sums, row) in sums.chunks_exact_mut(stride).zip(derivatives.chunks_exact(columns))
            {
                for (sum, value) in sums.iter_mut().zip(&row[..n_shared]) {
                    *sum += value;
                }
                let own = &row[n_shared..];
                sums[at..][..own.len()].copy_from_slice(own);
            }
        }
        *self.rows = rows;
        Ok(())
    }

    /// Values, gradients and second derivatives of jobs: one run for each direction, in which the tangents of the
    /// parameters are constants, and the tangents of the results are swept.
    #[inline(never)]
    fn second(
        &mut self,
        number: &Cell<usize>,
        jobs: Range<usize>,
        values: &mut &mut [f64],
        blocks: &mut &mut [f64],
    ) -> Result<(), Ended> {
        let task = self.task;
        let mut rows = std::mem::take(self.rows);
        for i in jobs {
            number.set(task.first + i);
            let (n, d) = (task.y_parts.length(i), task.columns(i));
            let (values, blocks) = (next(values, n), next(blocks, n * (d + d * d)));
            renew(&mut rows, n * d)?;
            for direction in 0..d.max(1) {
                let n_job = self.fill(task.job_parts.range(i), 2);
                let parameters = self.shared.iter_mut().chain(&mut *self.job);
                for (k, tangent) in parameters.skip(1).step_by(2).enumerate() {
                    tangent.value = if k == direction { 1.0 } else { 0.0 };
                }
                self.call(i, n_job, 2 * n)?;
                let y = &self.y[..2 * n];
                for (value, pair) in values.iter_mut().zip(y.chunks_exact(2)) {
                    *value = pair[0].value;
                }
                self.tape.end(y, 2, &mut rows)?;
                if d > 0 {
                    let results = blocks.chunks_exact_mut(d + d * d).zip(rows.chunks_exact(d));
                    for ((block, row), pair) in results.zip(y.chunks_exact(2)) {
                        block[direction] = pair[1].value;
                        block[d + direction * d..][..d].copy_from_slice(row);
                    }
                }
            }
        }
        *self.rows = rows;
        Ok(())
    }
}

/// The next `n` places.
#[inline(always)]
fn next<'a>(places: &mut &'a mut [f64], n: usize) -> &'a mut [f64] {
    places.split_off_mut(..n).expect("places for all results")
}

#[cold]
fn failed(status: i32) -> Ended {
    let (job, said) = TEXT.replace((NONE, String::new()));
    // Of a job before that has ended well after all it is nobody's.
    let text = if job == JOB.get() && !said.is_empty() {
        said
    } else {
        format!("the function returned {status}")
    };
    Ended { status, error: Error::new(Code::Callback, text), clean: false }
}
