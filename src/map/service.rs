//! Ranks that do the jobs of a root.
//!
//! Root and workers have a communicator of their own. A call is one order to each worker that has jobs, with the
//! parameters, and one answer back; what is long travels in messages of its own behind them. Whatever happens in a job, the
//! answer comes: the next order finds every worker waiting for it.

use super::data::{Data, Handle};
use super::failure::{Failure, Outcome, both};
use super::function;
use super::job::Places;
use super::room::{renew, reserve};
use super::schedule::Schedule;
use super::shape::Parts;
use super::task::{Kind, Task};
use super::threads::{Threads, fold};
use super::wire::{self, ANSWER, HEAD, Head, INLINE, LONGEST_FAILURE, Order};
use crate::error::{Code, Error, Result};
use crate::mpi::parcel::{self, PIECE, Parcel, Patience};
use crate::mpi::{self, Comm};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const ROOT: i32 = 0;

/// The root's side.
pub struct Service {
    comm: Comm,
    /// Unique in the process; never 0.
    serial: u64,
    epoch: u64,
    /// Why it can do nothing any more.
    broken: Option<Error>,
    /// One a rank, the root's own unused.
    lines: Vec<Line>,
    schedule: Schedule,
    waiting: Vec<i32>,
    /// Sums over the jobs of one rank, and derivatives on their way from packed.
    part: Vec<f64>,
    packed: Vec<u64>,
}

/// Messages to and from one worker.
#[derive(Default)]
struct Line {
    order: Parcel,
    /// What does not fit in the order.
    answer: Parcel,
}

/// The two sides' communicator; collective.
fn private(comm: Comm, root: bool) -> mpi::Outcome<Comm> {
    if !mpi::is_live() {
        return Err(Error::new(Code::Mpi, "MPI is not initialised, or finalised already").into());
    }
    if comm.is_null() || comm.is_inter()? {
        let text = "comm is MPI_COMM_NULL or an intercommunicator";
        return Err(Error::new(Code::Argument, text).into());
    }
    let rank = comm.rank()?;
    if (rank == ROOT) != root {
        let text =
            if root { "only rank 0 of comm makes the map" } else { "rank 0 of comm makes the map" };
        return Err(
            Error::new(Code::Argument, format!("rank {rank}: {text}; the others serve")).into()
        );
    }
    comm.split(rank)
}

fn mpi_failure(failure: mpi::Failure) -> Error {
    failure.into_error("map")
}

impl Service {
    /// Begins to serve; collective with `serve` on the other ranks.
    pub fn new(comm: Comm) -> mpi::Outcome<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let comm = private(comm, true)?;
        let size = mpi::wide_int(comm.size()?);
        Ok(Self {
            comm,
            serial: NEXT.fetch_add(1, Ordering::Relaxed),
            epoch: 0,
            broken: None,
            lines: std::iter::repeat_with(Line::default).take(size).collect(),
            schedule: Schedule::default(),
            waiting: Vec::new(),
            part: Vec::new(),
            packed: Vec::new(),
        })
    }

    pub fn serial(&self) -> u64 {
        self.serial
    }

    fn workers(&self) -> Range<i32> {
        1..i32::try_from(self.lines.len()).unwrap_or(i32::MAX)
    }

    /// Runs `f`, whose failure is one of MPI: then nothing is known of the workers any more.
    fn guarded<R>(&mut self, f: impl FnOnce(&mut Self) -> mpi::Outcome<R>) -> Outcome<R> {
        if let Some(error) = &self.broken {
            return Err(error.clone().into());
        }
        self.epoch += 1;
        f(self).map_err(|failure| {
            let error = mpi_failure(failure);
            let text = format!("the map's workers are lost: {}", error.message);
            self.broken = Some(Error::new(Code::Mpi, text));
            error.into()
        })
    }

    /// Gives data to all workers.
    pub fn keep(&mut self, data: &Data) -> Outcome<()> {
        let words = data.words()?;
        let kept = self.guarded(|service| {
            let head = Head {
                data: data.handle,
                carries: words.len(),
                ..Head::of(Order::Keep, service.epoch)
            };
            for rank in service.workers() {
                service.send(rank, &head)?;
            }
            for rank in service.workers() {
                service.line(rank).order.wait()?;
                parcel::send(service.comm, &words, rank)?;
            }
            service.short_answers()
        })?;
        // Those that had room for them.
        if kept.is_err() {
            self.forget(data.handle)?;
        }
        kept
    }

    /// Lets all workers forget data.
    pub fn forget(&mut self, handle: Handle) -> Outcome<()> {
        self.guarded(|service| {
            let head = Head { data: handle, ..Head::of(Order::Forget, service.epoch) };
            for rank in service.workers() {
                service.send(rank, &head)?;
            }
            service.short_answers()
        })?
    }

    /// Ends the service.
    pub fn stop(mut self) -> Outcome<()> {
        self.end()
    }

    fn end(&mut self) -> Outcome<()> {
        let done = self.guarded(|service| {
            let head = Head::of(Order::Stop, service.epoch);
            for rank in service.workers() {
                service.send(rank, &head)?;
            }
            for rank in service.workers() {
                service.line(rank).order.wait()?;
            }
            service.comm.free()
        });
        self.broken = Some(Error::new(Code::Mpi, "the map's service has been stopped"));
        done
    }

    fn line(&mut self, rank: i32) -> &mut Line {
        &mut self.lines[mpi::wide_int(rank)]
    }

    /// An order that carries nothing in itself.
    fn send(&mut self, rank: i32, head: &Head) -> mpi::Outcome<()> {
        let comm = self.comm;
        let order = &mut self.line(rank).order;
        let words = order.words();
        words.clear();
        head.write(words);
        order.send(comm, rank)
    }

    /// Answers to orders that have no results.
    fn short_answers(&mut self) -> mpi::Outcome<Outcome<()>> {
        let comm = self.comm;
        let mut done = Ok(());
        for rank in self.workers() {
            let line = self.line(rank);
            line.order.wait()?;
            line.answer.receive(comm, LONGEST_FAILURE, rank)?;
            line.answer.wait()?;
            done = both(done, wire::read_answer(line.answer.arrived(), rank).map(drop));
        }
        Ok(done)
    }

    /// Runs all jobs of a task, some of them here.
    pub fn run(
        &mut self,
        task: &Task,
        (threads, n): (&mut Threads, usize),
        places: Places,
    ) -> Outcome<()> {
        let key = task.named.key;
        let group = self.schedule.divide(key, task.jobs, self.lines.len());
        let task = Task { group, ..*task };
        let blocks = std::mem::take(&mut self.schedule.blocks);
        let mut seconds = std::mem::take(&mut self.schedule.seconds);
        let places = Places { seconds: &mut seconds, ..places };
        let done = self.reserve(&task, &blocks).map_err(Into::into).and_then(|()| {
            self.guarded(|service| service.exchange(&task, (threads, n), &blocks, places))?
        });
        (self.schedule.blocks, self.schedule.seconds) = (blocks, seconds);
        done?;
        self.schedule.learn(key, task.jobs, group);
        Ok(())
    }

    /// Gets the memory that an exchange needs, while it can still be refused.
    fn reserve(&mut self, task: &Task, blocks: &[Range<usize>]) -> Result<()> {
        let (mut part, mut packed) = (0, 0);
        for (line, block) in self.lines.iter_mut().zip(blocks) {
            let (values, derivatives) = task.sizes(block);
            part = part.max(values + derivatives);
            packed = packed.max(derivatives).max(carried(task, block));
            let answer = line.answer.words();
            answer.clear();
            reserve(answer, answer_words(task, block))?;
        }
        self.packed.clear();
        reserve(&mut self.packed, packed)?;
        self.part.clear();
        if task.kind == Kind::Sum {
            reserve(&mut self.part, part)?;
        }
        Ok(())
    }

    fn exchange(
        &mut self,
        task: &Task,
        (threads, n): (&mut Threads, usize),
        blocks: &[Range<usize>],
        mut places: Places,
    ) -> mpi::Outcome<Outcome<()>> {
        let comm = self.comm;
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.clear();
        waiting.extend(
            (1..).zip(&blocks[1..]).filter(|(_, block)| !block.is_empty()).map(|(rank, _)| rank),
        );
        for &rank in &waiting {
            self.order(rank, task, &blocks[mpi::wide_int(rank)], n)?;
        }
        // A long message leaves only while MPI is called, which it is not while jobs run here.
        for &rank in &waiting {
            self.line(rank).order.wait()?;
            self.carry(rank, task, &blocks[mpi::wide_int(rank)])?;
        }
        for &rank in &waiting {
            let words = answer_words(task, &blocks[mpi::wide_int(rank)]);
            self.line(rank).answer.receive(comm, words, rank)?;
        }
        if task.kind == Kind::Sum {
            places.values.fill(0.0);
            places.derivatives.fill(0.0);
        }
        let mut done = self.own(task, (threads, n), &blocks[0], &mut places);
        let mut patience = Patience::default();
        while !waiting.is_empty() {
            let mut failed = Ok(());
            waiting.retain(|&rank| {
                let arrived = failed.is_ok().then(|| self.line(rank).answer.is_done());
                match arrived {
                    None | Some(Ok(false)) => return true,
                    Some(Ok(true)) => {
                        let block = &blocks[mpi::wide_int(rank)];
                        match self.take(rank, task, block, &mut places) {
                            Ok(theirs) => done = both(std::mem::replace(&mut done, Ok(())), theirs),
                            Err(failure) => failed = Err(failure),
                        }
                        patience = Patience::default();
                    }
                    Some(Err(failure)) => failed = Err(failure),
                }
                false
            });
            failed?;
            patience.pause();
        }
        self.waiting = waiting;
        Ok(done)
    }

    /// Tells a worker which jobs to do.
    fn order(
        &mut self,
        rank: i32,
        task: &Task,
        block: &Range<usize>,
        threads: usize,
    ) -> mpi::Outcome<()> {
        let (comm, epoch) = (self.comm, self.epoch);
        let (ragged_job, ragged_y) = ragged(task);
        let carries = carried(task, block);
        let head = Head {
            function: task.named.key,
            data: task.data.map_or(Handle::default(), |data| data.handle),
            jobs: block.len(),
            first: block.start,
            shared: task.shared.len(),
            job: task.job_parts.span(block).len(),
            y: if task.kind == Kind::Sum {
                task.y_parts.length(0)
            } else {
                task.y_parts.span(block).len()
            },
            kind: task.kind,
            by_shared: task.by_shared,
            by_job: task.by_job,
            ragged_job,
            ragged_y,
            threads,
            group: task.group,
            carries,
            ..Head::of(Order::Jobs, epoch)
        };
        let order = &mut self.line(rank).order;
        let words = order.words();
        words.clear();
        head.write(words);
        if carries <= INLINE {
            write_carried(task, block, words);
        }
        order.send(comm, rank)
    }

    /// Sends what an order carries, if it does not carry it in itself.
    fn carry(&mut self, rank: i32, task: &Task, block: &Range<usize>) -> mpi::Outcome<()> {
        if carried(task, block) <= INLINE {
            return Ok(());
        }
        self.packed.clear();
        write_carried(task, block, &mut self.packed);
        parcel::send(self.comm, &self.packed, rank)
    }

    /// The jobs that this rank does itself.
    fn own(
        &mut self,
        task: &Task,
        (threads, n): (&mut Threads, usize),
        block: &Range<usize>,
        places: &mut Places,
    ) -> Outcome<()> {
        let (values, derivatives) = task.sizes(block);
        let seconds = &mut places.seconds[Schedule::groups(block, task.group)];
        if task.kind != Kind::Sum {
            let places = Places {
                values: &mut places.values[..values],
                derivatives: &mut places.derivatives[..derivatives],
                seconds,
            };
            return threads.run(task, block.clone(), n, places);
        }
        self.part.resize(values + derivatives, 0.0);
        let (value, rows) = self.part.split_at_mut(values);
        let part = Places { values: value, derivatives: rows, seconds };
        threads.run(task, block.clone(), n, part)?;
        let (value, rows) = self.part.split_at(values);
        fold(task, block, &(0..task.jobs), (value, rows), (places.values, places.derivatives));
        Ok(())
    }

    /// Takes a worker's answer, and the derivatives that follow it.
    fn take(
        &mut self,
        rank: i32,
        task: &Task,
        block: &Range<usize>,
        places: &mut Places,
    ) -> mpi::Outcome<Outcome<()>> {
        let (comm, epoch) = (self.comm, self.epoch);
        let Self { part, packed, lines, .. } = self;
        let words = lines[mpi::wide_int(rank)].answer.arrived();
        if words.first() != Some(&epoch) {
            let text = format!("rank {rank} answers call {:?} instead of {epoch}", words.first());
            return Err(Error::new(Code::Mpi, text).into());
        }
        let packed_words = match wire::read_answer(words, rank) {
            Ok(words) => words,
            Err(failure) => return Ok(Err(of_function(failure, task))),
        };
        let (n_values, n_derivatives) = task.sizes(block);
        let (values, words) = words[ANSWER..].split_at(n_values);
        let seconds = &mut places.seconds[Schedule::groups(block, task.group)];
        let (timed, words) = words.split_at(seconds.len());
        for (seconds, &word) in seconds.iter_mut().zip(timed) {
            *seconds = f32::from_bits(u32::try_from(word).unwrap_or(0));
        }
        let sum = task.kind == Kind::Sum;
        let derivatives = if sum {
            part.resize(n_values + n_derivatives, 0.0);
            wire::read_doubles(values, &mut part[..n_values]);
            &mut part[n_values..]
        } else {
            let before = 0..block.start;
            let (at, place) = task.sizes(&before);
            wire::read_doubles(values, &mut places.values[at..][..n_values]);
            &mut places.derivatives[place..][..n_derivatives]
        };
        if n_derivatives <= INLINE {
            wire::read_doubles(words, derivatives);
        } else if packed_words == 0 {
            parcel::receive(comm, derivatives, rank)?;
        } else {
            packed.resize(packed_words, 0);
            parcel::receive(comm, packed, rank)?;
            wire::unpack(packed, derivatives);
        }
        if sum {
            let (value, rows) = part.split_at(n_values);
            fold(task, block, &(0..task.jobs), (value, rows), (places.values, places.derivatives));
        }
        Ok(Ok(()))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if self.broken.is_none() && mpi::is_live() {
            // The workers of a map that is dropped return; if they cannot be reached, that has no consequence here.
            let _ = self.end();
        }
    }
}

/// What a worker cannot do for any job it says of the function, of which it may not know the name.
#[cold]
fn of_function(failure: Failure, task: &Task) -> Failure {
    if failure.job.is_some() {
        return failure;
    }
    Failure { text: format!("function {}: {}", task.named.name, failure.text), ..failure }
}

/// Whether the jobs' parameters and their results differ in number.
fn ragged(task: &Task) -> (bool, bool) {
    (matches!(task.job_parts, Parts::Ends(_)), matches!(task.y_parts, Parts::Ends(_)))
}

/// How many words a worker needs beside the head of an order: parameters, and where parts end.
fn carried(task: &Task, block: &Range<usize>) -> usize {
    let (ragged_job, ragged_y) = ragged(task);
    let ends = block.len() * (usize::from(ragged_job) + usize::from(ragged_y));
    task.shared.len() + task.job_parts.span(block).len() + ends
}

fn write_carried(task: &Task, block: &Range<usize>, words: &mut Vec<u64>) {
    wire::write_doubles(task.shared, words);
    wire::write_doubles(&task.job[task.job_parts.span(block)], words);
    wire::write_ends(&task.job_parts, block, words);
    wire::write_ends(&task.y_parts, block, words);
}

/// Room for any answer of a worker about some jobs.
fn answer_words(task: &Task, block: &Range<usize>) -> usize {
    let (values, derivatives) = task.sizes(block);
    let inline = if derivatives <= INLINE { derivatives } else { 0 };
    (ANSWER + values + block.len().div_ceil(task.group) + inline).max(LONGEST_FAILURE)
}

/// A worker's side.
struct Worker {
    comm: Comm,
    order: Parcel,
    answer: Parcel,
    rest: Vec<u64>,
    threads: Threads,
    known: Vec<Arc<Data>>,
    parameters: Vec<f64>,
    ends: Vec<i64>,
    values: Vec<f64>,
    derivatives: Vec<f64>,
    seconds: Vec<f32>,
    packed: Vec<u64>,
}

/// Does the jobs of the root of `comm` until it stops; collective with `Service::new` there.
pub fn serve(comm: Comm) -> mpi::Outcome<()> {
    let comm = private(comm, false)?;
    let mut worker = Worker {
        comm,
        order: Parcel::default(),
        answer: Parcel::default(),
        rest: Vec::new(),
        threads: Threads::default(),
        known: Vec::new(),
        parameters: Vec::new(),
        ends: Vec::new(),
        values: Vec::new(),
        derivatives: Vec::new(),
        seconds: Vec::new(),
        packed: Vec::new(),
    };
    while worker.obey()? {}
    drop(worker);
    comm.free()
}

impl Worker {
    /// One order; false if it was the last.
    fn obey(&mut self) -> mpi::Outcome<bool> {
        self.order.receive(self.comm, HEAD + INLINE, ROOT)?;
        self.order.wait()?;
        let head = Head::read(self.order.arrived());
        let mut room: Outcome<()> = Ok(());
        let apart = head.carries > INLINE || head.order == Order::Keep;
        if apart {
            room = renew(&mut self.rest, head.carries).map_err(Into::into);
            if room.is_ok() {
                parcel::receive(self.comm, &mut self.rest, ROOT)?;
            } else {
                self.let_pass(head.carries)?;
            }
        }
        match head.order {
            Order::Stop => return Ok(false),
            Order::Jobs => {
                let done = room.and_then(|()| self.work(&head, apart));
                self.report(&head, done)?;
            }
            Order::Keep => {
                self.known.retain(|data| data.handle.id != head.data.id);
                let kept = room.and_then(|()| Ok(Data::read(head.data, &self.rest)?));
                self.rest = Vec::new();
                let done = kept.map(|data| self.known.push(Arc::new(data)));
                self.acknowledge(head.epoch, &done)?;
            }
            Order::Forget => {
                self.known.retain(|data| data.handle.id != head.data.id);
                self.acknowledge(head.epoch, &Ok(()))?;
            }
        }
        Ok(true)
    }

    /// Takes words for which there is no room.
    fn let_pass(&self, mut n: usize) -> mpi::Outcome<()> {
        let mut piece = vec![0u64; n.min(PIECE)];
        while n > 0 {
            let words = n.min(PIECE);
            parcel::receive(self.comm, &mut piece[..words], ROOT)?;
            n -= words;
        }
        Ok(())
    }

    fn acknowledge(&mut self, epoch: u64, done: &Outcome<()>) -> mpi::Outcome<()> {
        let words = self.answer.words();
        words.clear();
        wire::write_answer(epoch, done, 0, words);
        self.answer.send(self.comm, ROOT)?;
        self.answer.wait()
    }

    /// Does the jobs of an order.
    fn work(&mut self, head: &Head, apart: bool) -> Outcome<()> {
        let named = function::keyed(head.function)
            .ok_or_else(|| Error::new(Code::Argument, "not registered on this rank"))?;
        let data = self.known.iter().find(|data| data.handle == head.data).cloned();
        if data.is_none() && head.data != Handle::default() {
            let Handle { id, generation } = head.data;
            let text = format!(
                "the data of id {id} and generation {generation} are not known to this rank"
            );
            return Err(Error::new(Code::Mismatch, text).into());
        }
        let carried = if apart { &self.rest[..] } else { &self.order.arrived()[HEAD..] };
        let (doubles, ends) = carried.split_at(head.shared + head.job);
        renew(&mut self.parameters, doubles.len())?;
        wire::read_doubles(doubles, &mut self.parameters);
        self.ends.clear();
        reserve(&mut self.ends, ends.len())?;
        self.ends.extend(ends.iter().map(|word| word.cast_signed()));
        let (job_ends, y_ends) = self.ends.split_at(if head.ragged_job { head.jobs } else { 0 });
        let equal = |n: usize| Parts::Equal(n / head.jobs.max(1));
        let (shared, job) = self.parameters.split_at(head.shared);
        let task = Task {
            named: &named,
            data: data.as_ref(),
            shared,
            job,
            job_parts: if head.ragged_job { Parts::Ends(job_ends) } else { equal(head.job) },
            y_parts: if head.ragged_y {
                Parts::Ends(y_ends)
            } else if head.kind == Kind::Sum {
                Parts::Equal(head.y)
            } else {
                equal(head.y)
            },
            jobs: head.jobs,
            first: head.first,
            kind: head.kind,
            by_shared: head.by_shared,
            by_job: head.by_job,
            group: head.group,
        };
        let jobs = 0..head.jobs;
        let (n_values, n_derivatives) = task.sizes(&jobs);
        renew(&mut self.values, n_values)?;
        renew(&mut self.derivatives, n_derivatives)?;
        renew(&mut self.seconds, head.jobs.div_ceil(head.group))?;
        let places = Places {
            values: &mut self.values,
            derivatives: &mut self.derivatives,
            seconds: &mut self.seconds,
        };
        self.threads.run(&task, jobs, head.threads, places)
    }

    /// Sends what has come out.
    fn report(&mut self, head: &Head, mut done: Outcome<()>) -> mpi::Outcome<()> {
        let words = self.answer.words();
        words.clear();
        let results = ANSWER + self.values.len() + self.seconds.len() + INLINE;
        done = done.and_then(|()| Ok(reserve(words, results)?));
        let apart = done.is_ok() && self.derivatives.len() > INLINE;
        let packed = apart && wire::pack(&self.derivatives, &mut self.packed);
        let packed_words = if packed { self.packed.len() } else { 0 };
        wire::write_answer(head.epoch, &done, packed_words, words);
        if done.is_ok() {
            wire::write_doubles(&self.values, words);
            words.extend(self.seconds.iter().map(|seconds| u64::from(seconds.to_bits())));
            if !apart {
                wire::write_doubles(&self.derivatives, words);
            }
        }
        self.answer.send(self.comm, ROOT)?;
        if packed {
            parcel::send(self.comm, &self.packed, ROOT)?;
        } else if apart {
            parcel::send(self.comm, &self.derivatives, ROOT)?;
        }
        self.answer.wait()
    }
}
