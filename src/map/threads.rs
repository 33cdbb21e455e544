//! Jobs on the threads of a pool, in chunks that idle threads take from busy ones.

use super::backend::Backend;
use super::failure::{MpiResult, both};
use super::job::{self, Places};
use super::room::renew;
use super::task::{Task, Wanted};
use crate::error::{Code, Error};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Chunks for each thread: what is left of the last ones bounds the time that threads wait.
const CHUNKS: usize = 8;

/// To wake a thread takes as long: jobs that take less in all are done by the caller.
const WAKING: f64 = 20e-6;

/// What the jobs of a call do, as far as it tells how long they take. A function has one trial, by whatever name it is called.
type Work = (usize, Wanted, bool);

fn work(task: &Task) -> Work {
    (Arc::as_ptr(&task.named.trial).addr(), task.wanted, task.records())
}

/// Who does the chunks of a call, and for how long they have.
struct Crew {
    is_caller: bool,
    busy: AtomicU64,
}

/// Threads, made at their first use, and room for what is to be added up.
#[derive(Default)]
pub struct Threads {
    n: usize,
    /// What a job of each work took in the last call.
    seconds: HashMap<Work, f64>,
    pool: Option<ThreadPool>,
    chunks: Vec<Range<usize>>,
    values: Vec<f64>,
    derivatives: Vec<f64>,
}

impl Threads {
    /// From the next call on there are `n`, at least two.
    pub const fn resize(&mut self, n: usize) {
        self.n = n;
    }

    fn pool(&mut self) -> MpiResult<&ThreadPool> {
        let n = self.n;
        if self.pool.as_ref().is_none_or(|pool| pool.current_num_threads() != n) {
            self.pool = None;
            let made = ThreadPoolBuilder::new()
                .num_threads(n)
                .thread_name(|k| format!("admpi map {k}"))
                .stack_size(crate::arena::stack_size())
                .build()
                .map_err(|error| Error::new(Code::Thread, format!("threads = {n}: {error}")))?;
            self.pool = Some(made);
        }
        Ok(self.pool.as_ref().expect("made"))
    }

    /// Runs chunks on the pool, or here.
    fn each(
        &mut self,
        task: &Task,
        chunks: &[Range<usize>],
        places: Places,
        crew: &Crew,
    ) -> MpiResult<()> {
        if crew.is_caller {
            return spread(task, chunks, places, crew);
        }
        self.pool().and_then(|pool| pool.install(|| spread(task, chunks, places, crew)))
    }

    /// Each chunk has its own sum, so that the order of the additions is always the same.
    fn sum(
        &mut self,
        task: &Task,
        chunks: &[Range<usize>],
        places: Places,
        crew: &Crew,
    ) -> MpiResult<()> {
        let (mut values, mut derivatives) =
            (std::mem::take(&mut self.values), std::mem::take(&mut self.derivatives));
        let sizes = chunks.iter().map(|chunk| task.sizes(chunk));
        let (n_values, n_derivatives) = sizes.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        renew(&mut values, n_values)?;
        renew(&mut derivatives, n_derivatives)?;
        let Places { values: sum, derivatives: rows, seconds } = places;
        let each = Places { values: &mut values, derivatives: &mut derivatives, seconds };
        let result = self.each(task, chunks, each, crew);
        let (mut from_values, mut from_rows) = (&values[..], &derivatives[..]);
        sum.fill(0.0);
        rows.fill(0.0);
        let all = chunks[0].start..chunks[chunks.len() - 1].end;
        for chunk in chunks {
            let (a, b) = task.sizes(chunk);
            let (value, row);
            (value, from_values) = from_values.split_at(a);
            (row, from_rows) = from_rows.split_at(b);
            fold(task, chunk, &all, (value, row), (&mut *sum, &mut *rows));
        }
        (self.values, self.derivatives) = (values, derivatives);
        result
    }
}

impl Backend for Threads {
    fn threads(&self) -> usize {
        self.n
    }

    fn run(&mut self, task: &Task, jobs: Range<usize>, places: Places) -> MpiResult<()> {
        if jobs.len() < 2 {
            return job::run(task, jobs, places);
        }
        let n = jobs.len();
        let work = work(task);
        let is_caller = self.seconds.get(&work).is_some_and(|each| WAKING > each * n as f64);
        // A sum depends on the chunks.
        let all = if is_caller && task.wanted != Wanted::Sum { 1 } else { self.n * CHUNKS };
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.clear();
        divide(&jobs, task.group, all, &mut chunks);
        let crew = Crew { is_caller, busy: AtomicU64::new(0) };
        let result = match task.wanted {
            Wanted::Sum => self.sum(task, &chunks, places, &crew),
            _ => self.each(task, &chunks, places, &crew),
        };
        self.seconds.insert(work, 1e-9 * crew.busy.into_inner() as f64 / n as f64);
        self.chunks = chunks;
        result
    }
}

/// Adds the sum over some jobs to that over `all`, of which they are a part.
pub fn fold(
    task: &Task,
    jobs: &Range<usize>,
    all: &Range<usize>,
    from: (&[f64], &[f64]),
    to: (&mut [f64], &mut [f64]),
) {
    for (sum, value) in to.0.iter_mut().zip(from.0) {
        *sum += value;
    }
    let (n_shared, columns, stride) =
        (task.shared_columns(), task.sum_columns(jobs), task.sum_columns(all));
    if columns == 0 {
        return;
    }
    let at = task.sum_place(jobs.start, all);
    for (row, sums) in from.1.chunks_exact(columns).zip(to.1.chunks_exact_mut(stride)) {
        for (sum, value) in sums.iter_mut().zip(&row[..n_shared]) {
            *sum += value;
        }
        let own = &row[n_shared..];
        sums[at..][..own.len()].copy_from_slice(own);
    }
}

/// At most `n` chunks of whole groups.
fn divide(jobs: &Range<usize>, group: usize, n: usize, chunks: &mut Vec<Range<usize>>) {
    let group = group.max(1);
    let groups = jobs.len().div_ceil(group);
    let n = n.min(groups);
    let boundary = |k: usize| (jobs.start + groups * k / n * group).min(jobs.end);
    chunks.extend((0..n).map(|k| boundary(k)..boundary(k + 1)));
}

/// Runs chunks, of which other threads may take the later half.
fn spread(task: &Task, chunks: &[Range<usize>], places: Places, crew: &Crew) -> MpiResult<()> {
    if let [chunk] = chunks {
        let begin = Instant::now();
        let done = job::run(task, chunk.clone(), places);
        let busy = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        crew.busy.fetch_add(busy, Ordering::Relaxed);
        return done;
    }
    let (early, late) = chunks.split_at(chunks.len() / 2);
    let sizes = early.iter().map(|chunk| task.sizes(chunk));
    let (values, derivatives) = sizes.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let timed = if places.seconds.is_empty() {
        0
    } else {
        early.iter().map(|chunk| chunk.len().div_ceil(task.group)).sum()
    };
    let (values, late_values) = places.values.split_at_mut(values);
    let (derivatives, late_derivatives) = places.derivatives.split_at_mut(derivatives);
    let (seconds, late_seconds) = places.seconds.split_at_mut(timed);
    let one = Places { values, derivatives, seconds };
    let other =
        Places { values: late_values, derivatives: late_derivatives, seconds: late_seconds };
    let early = || spread(task, early, one, crew);
    let late = || spread(task, late, other, crew);
    let (one, other) =
        if crew.is_caller { (early(), late()) } else { rayon_core::join(early, late) };
    both(one, other)
}
