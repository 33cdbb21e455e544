//! Ranks that do the jobs of a root.
//!
//! Root and workers have a communicator of their own. Jobs go to a worker by one order, with the parameters, and one answer
//! comes back; what is long travels in messages of its own behind them. Who has answered may get another order while jobs
//! are left. Whatever happens in a job, the answer comes: the next order finds every worker waiting for it. Where MPI fails, all
//! are told by a message of no words that nothing more comes.

use super::backend::Backend;
use super::data::{Data, DataHandle};
use super::failure::{Failure, MpiResult, both};
use super::function;
use super::job::Places;
use super::local::Local;
use super::room::{renew, reserve};
use super::schedule::{self, Schedule};
use super::shape::Parts;
use super::task::{Task, Wanted};
use super::threads::fold;
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
    /// Sums over the jobs of one rank, and derivatives on their way from packed.
    part: Vec<f64>,
    packed: Vec<u64>,
}

/// Messages to and from one worker.
#[derive(Default)]
struct Line {
    order: Parcel,
    answer: Parcel,
    /// The jobs that it has.
    block: Block,
}

/// Some jobs, and where their results stand: among those of all jobs, or for a sum in room of their own.
#[derive(Debug, Clone, Default)]
struct Block {
    jobs: Range<usize>,
    values: Range<usize>,
    derivatives: Range<usize>,
}

/// The jobs that nobody has yet.
struct Left {
    jobs: Range<usize>,
    /// Where their results begin.
    values: usize,
    derivatives: usize,
}

impl Left {
    fn of(task: &Task) -> Self {
        Self { jobs: 0..task.jobs, values: 0, derivatives: 0 }
    }

    /// The next `n` jobs.
    fn cut(&mut self, task: &Task, n: usize) -> Block {
        let jobs = self.jobs.start..self.jobs.start + n;
        let (values, derivatives) = task.sizes(&jobs);
        let block = Block {
            jobs,
            values: self.values..self.values + values,
            derivatives: self.derivatives..self.derivatives + derivatives,
        };
        self.jobs.start += n;
        if task.wanted != Wanted::Sum {
            (self.values, self.derivatives) = (block.values.end, block.derivatives.end);
        }
        block
    }

    /// Whoever is free gets this many.
    fn chunk(&self, task: &Task, workers: usize, least: usize) -> usize {
        schedule::chunk(self.jobs.len(), task.group, workers, least)
    }
}

/// All jobs of a task by the ranks of a service, some of them here.
pub struct Ranks<'a> {
    service: &'a mut Service,
    own: &'a mut dyn Backend,
}

impl<'a> Ranks<'a> {
    /// `own` does the jobs of this rank.
    pub fn new(service: &'a mut Service, own: &'a mut dyn Backend) -> Self {
        Self { service, own }
    }
}

impl Backend for Ranks<'_> {
    fn run(&mut self, task: &Task, jobs: Range<usize>, places: Places) -> MpiResult<()> {
        assert_eq!(jobs, 0..task.jobs, "all jobs of a call");
        self.service.run(task, self.own, places)
    }

    fn threads(&self) -> usize {
        self.own.threads()
    }
}

/// Calls `stop` as MPI ends. Failing that, who serves is let go by those who free their maps in time.
pub fn at_end(stop: fn(usize)) {
    let _ = mpi::finalize_hook::at_end(stop);
}

/// The two sides' communicator; collective.
fn private(comm: Comm, root: bool) -> mpi::MpiResult<Comm> {
    if !mpi::is_live() {
        return Err(Error::new(Code::Mpi, "MPI is not initialised, or has been finalised").into());
    }
    if comm.is_null() || comm.is_inter()? {
        let text = "comm is MPI_COMM_NULL or an intercommunicator";
        return Err(Error::new(Code::Argument, text).into());
    }
    let rank = comm.rank()?;
    if (rank == ROOT) != root {
        let text = if root {
            "only rank 0 of comm makes the map; the others call admpi_map_serve"
        } else {
            "rank 0 of comm makes the map"
        };
        return Err(
            Error::new(Code::Argument, format!("rank {rank}: {text}; the others serve")).into()
        );
    }
    comm.split(rank)
}

/// The words of an answer to a call, of which there are none where the worker has left.
fn answered(words: &[u64], epoch: u64, rank: i32) -> mpi::MpiResult<&[u64]> {
    let text = match words.first() {
        Some(&call) if call == epoch => return Ok(words),
        Some(call) => format!("rank {rank} answers call {call} instead of {epoch}"),
        None => return Err(worker_left(rank)),
    };
    Err(Error::new(Code::Mpi, text).into())
}

/// An order that has not left may find nobody who receives it. For a worker whose answer is not received yet.
fn worker_serves(comm: Comm, rank: i32) -> mpi::MpiResult<()> {
    if parcel::has_left(comm, rank)? { Err(worker_left(rank)) } else { Ok(()) }
}

#[cold]
fn worker_left(rank: i32) -> mpi::Failure {
    Error::new(Code::Mpi, format!("rank {rank} has left, since MPI failed there")).into()
}

fn mpi_failure(failure: mpi::Failure) -> Error {
    failure.into_error("map")
}

impl Service {
    /// Begins to serve; collective with `serve` on the other ranks.
    pub fn new(comm: Comm) -> mpi::MpiResult<Self> {
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
    fn guarded<R>(&mut self, f: impl FnOnce(&mut Self) -> mpi::MpiResult<R>) -> MpiResult<R> {
        if let Some(error) = &self.broken {
            return Err(error.clone().into());
        }
        self.epoch += 1;
        f(self).map_err(|failure| {
            let error = mpi_failure(failure);
            let text = format!("the map's workers are lost: {}", error.message);
            self.broken = Some(Error::new(Code::Mpi, text));
            // Those who are not would wait for orders for ever.
            for rank in self.workers() {
                parcel::leave(self.comm, rank);
            }
            error.into()
        })
    }

    /// Gives data to all workers.
    pub fn keep(&mut self, data: &Data) -> MpiResult<()> {
        let mut words = data.words()?;
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
                service.sent(rank)?;
                let comm = service.comm;
                parcel::send_while(comm, &mut words, rank, || worker_serves(comm, rank))?;
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
    pub fn forget(&mut self, handle: DataHandle) -> MpiResult<()> {
        self.guarded(|service| {
            let head = Head { data: handle, ..Head::of(Order::Forget, service.epoch) };
            for rank in service.workers() {
                service.send(rank, &head)?;
            }
            service.short_answers()
        })?
    }

    /// Ends the service.
    pub fn stop(mut self) -> MpiResult<()> {
        self.end()
    }

    fn end(&mut self) -> MpiResult<()> {
        let done = self.guarded(|service| {
            let head = Head::of(Order::Stop, service.epoch);
            for rank in service.workers() {
                service.send(rank, &head)?;
            }
            for rank in service.workers() {
                service.sent(rank)?;
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
    fn send(&mut self, rank: i32, head: &Head) -> mpi::MpiResult<()> {
        let comm = self.comm;
        let order = &mut self.line(rank).order;
        let words = order.words();
        words.clear();
        head.write(words);
        order.send(comm, rank)
    }

    /// Waits until the order has left.
    fn sent(&mut self, rank: i32) -> mpi::MpiResult<()> {
        let comm = self.comm;
        self.line(rank).order.wait_while(|| worker_serves(comm, rank))
    }

    /// Answers to orders that have no results.
    fn short_answers(&mut self) -> mpi::MpiResult<MpiResult<()>> {
        let (comm, epoch) = (self.comm, self.epoch);
        let mut done = Ok(());
        for rank in self.workers() {
            self.sent(rank)?;
            let line = self.line(rank);
            line.answer.receive(comm, LONGEST_FAILURE, rank)?;
            line.answer.wait()?;
            let words = answered(line.answer.arrived(), epoch, rank)?;
            done = both(done, wire::read_answer(words, rank).map(drop));
        }
        Ok(done)
    }

    /// Runs all jobs of a task, some of them here.
    fn run(&mut self, task: &Task, own: &mut dyn Backend, places: Places) -> MpiResult<()> {
        let (key, ranks) = (task.named.key, self.lines.len());
        let group = self.schedule.divide(key, task.jobs, ranks, own.threads());
        let task = Task { group, ..*task };
        let blocks = std::mem::take(&mut self.schedule.blocks);
        let mut seconds = std::mem::take(&mut self.schedule.seconds);
        let places = Places { seconds: &mut seconds, ..places };
        let done = self.guarded(|service| service.exchange(&task, own, &blocks, places));
        (self.schedule.blocks, self.schedule.seconds) = (blocks, seconds);
        done??;
        self.schedule.learn(key, task.jobs, group, ranks);
        Ok(())
    }

    fn exchange(
        &mut self,
        task: &Task,
        own: &mut dyn Backend,
        blocks: &[Range<usize>],
        mut places: Places,
    ) -> mpi::MpiResult<MpiResult<()>> {
        let n = own.threads();
        if task.wanted == Wanted::Sum {
            places.values.fill(0.0);
            places.derivatives.fill(0.0);
        }
        let (mut done, mut left) = (Ok(()), Left::of(task));
        let mut block = left.cut(task, blocks[0].len());
        for (rank, jobs) in self.workers().zip(&blocks[1..]) {
            let theirs = left.cut(task, jobs.len());
            done = done.and(self.order(rank, task, theirs, n)?);
        }
        // A long message leaves only while MPI is called, which it is not while jobs run here.
        for rank in self.workers() {
            self.carry(rank, task)?;
        }
        while done.is_ok() && !block.jobs.is_empty() {
            done = self.own(task, own, &block, &mut places);
            if left.jobs.is_empty() {
                break;
            }
            self.look(task, n, &mut left, &mut places, &mut done)?;
            let unit = (n * task.group).min(left.jobs.len());
            block = left.cut(task, unit);
        }
        let mut patience = Patience::default();
        while self.lines.iter().any(|line| !line.block.jobs.is_empty()) {
            if self.look(task, n, &mut left, &mut places, &mut done)? {
                patience = Patience::default();
            } else {
                patience.pause();
            }
        }
        Ok(done)
    }

    /// Takes the answers that have arrived, and gives jobs that are left to those who sent them. Whether there were any.
    fn look(
        &mut self,
        task: &Task,
        threads: usize,
        left: &mut Left,
        places: &mut Places,
        done: &mut MpiResult<()>,
    ) -> mpi::MpiResult<bool> {
        let (mut any, ranks) = (false, self.lines.len());
        for rank in self.workers() {
            let line = self.line(rank);
            if line.block.jobs.is_empty() || !line.answer.is_done()? {
                continue;
            }
            any = true;
            let mut so_far = both(std::mem::replace(done, Ok(())), self.take(rank, task, places)?);
            // Jobs that are left come after those that failed.
            if so_far.is_ok() && !left.jobs.is_empty() {
                let block = left.cut(task, left.chunk(task, ranks, threads));
                so_far = self.order(rank, task, block, threads)?;
                self.carry(rank, task)?;
            }
            *done = so_far;
        }
        Ok(any)
    }

    /// Gets the memory that jobs of a worker need here, while they can still be refused.
    fn reserve(&mut self, rank: i32, task: &Task, block: &Block) -> Result<()> {
        let answer = self.line(rank).answer.words();
        reserve(answer, answer_words(task, block).saturating_sub(answer.len()))?;
        let derivatives = block.derivatives.len();
        self.packed.clear();
        reserve(&mut self.packed, derivatives.max(carried(task, &block.jobs)))?;
        self.part.clear();
        let part = if task.wanted == Wanted::Sum { block.values.len() + derivatives } else { 0 };
        reserve(&mut self.part, part)
    }

    /// Tells a worker which jobs to do, if there are any.
    fn order(
        &mut self,
        rank: i32,
        task: &Task,
        block: Block,
        threads: usize,
    ) -> mpi::MpiResult<MpiResult<()>> {
        let jobs = &block.jobs;
        if jobs.is_empty() {
            return Ok(Ok(()));
        }
        if let Err(error) = self.reserve(rank, task, &block) {
            return Ok(Err(error.into()));
        }
        let (comm, epoch) = (self.comm, self.epoch);
        let (ragged_job, ragged_y) = ragged(task);
        let carries = carried(task, jobs);
        let head = Head {
            function: task.named.key,
            data: task.data.map_or(DataHandle::default(), |data| data.handle),
            jobs: jobs.len(),
            first: jobs.start,
            shared: task.shared.len(),
            job: task.job_parts.span(jobs).len(),
            y: block.values.len(),
            wanted: task.wanted,
            by_shared: task.by_shared,
            by_job: task.by_job,
            ragged_job,
            ragged_y,
            threads,
            group: task.group,
            carries,
            ..Head::of(Order::Jobs, epoch)
        };
        let line = self.line(rank);
        let words = line.order.words();
        words.clear();
        head.write(words);
        if carries <= INLINE {
            write_carried(task, jobs, words);
        }
        line.order.send(comm, rank)?;
        line.block = block;
        Ok(Ok(()))
    }

    /// Sends what an order carries, if it does not carry it in itself, and is ready for the answer.
    fn carry(&mut self, rank: i32, task: &Task) -> mpi::MpiResult<()> {
        self.sent(rank)?;
        let Self { comm, lines, packed, .. } = self;
        let (comm, line) = (*comm, &mut lines[mpi::wide_int(rank)]);
        if line.block.jobs.is_empty() {
            return Ok(());
        }
        if carried(task, &line.block.jobs) > INLINE {
            packed.clear();
            write_carried(task, &line.block.jobs, packed);
            parcel::send_while(comm, packed, rank, || worker_serves(comm, rank))?;
        }
        line.answer.receive(comm, answer_words(task, &line.block), rank)
    }

    /// Jobs that this rank does itself.
    fn own(
        &mut self,
        task: &Task,
        own: &mut dyn Backend,
        block: &Block,
        places: &mut Places,
    ) -> MpiResult<()> {
        let Block { jobs, values, derivatives } = block.clone();
        let seconds = &mut places.seconds[schedule::groups(&jobs, task.group)];
        if task.wanted != Wanted::Sum {
            let places = Places {
                values: &mut places.values[values],
                derivatives: &mut places.derivatives[derivatives],
                seconds,
            };
            return own.run(task, jobs, places);
        }
        renew(&mut self.part, values.len() + derivatives.len())?;
        let (value, rows) = self.part.split_at_mut(values.len());
        let part = Places { values: value, derivatives: rows, seconds };
        own.run(task, jobs.clone(), part)?;
        let (value, rows) = self.part.split_at(values.len());
        fold(task, &jobs, &(0..task.jobs), (value, rows), (places.values, places.derivatives));
        Ok(())
    }

    /// Takes a worker's answer, and the derivatives that follow it.
    fn take(
        &mut self,
        rank: i32,
        task: &Task,
        places: &mut Places,
    ) -> mpi::MpiResult<MpiResult<()>> {
        let (comm, epoch) = (self.comm, self.epoch);
        let Self { part, packed, lines, .. } = self;
        let line = &mut lines[mpi::wide_int(rank)];
        let Block { jobs, values: at, derivatives: row } = std::mem::take(&mut line.block);
        let (n_values, n_derivatives) = (at.len(), row.len());
        let words = answered(line.answer.arrived(), epoch, rank)?;
        let packed_words = match wire::read_answer(words, rank) {
            Ok(words) => words,
            Err(failure) => return Ok(Err(of_function(failure, task))),
        };
        let (values, words) = words[ANSWER..].split_at(n_values);
        let seconds = &mut places.seconds[schedule::groups(&jobs, task.group)];
        let (timed, words) = words.split_at(seconds.len());
        for (seconds, &word) in seconds.iter_mut().zip(timed) {
            *seconds = f32::from_bits(u32::try_from(word).unwrap_or(0));
        }
        let sum = task.wanted == Wanted::Sum;
        let derivatives = if sum {
            part.resize(n_values + n_derivatives, 0.0);
            wire::read_doubles(values, &mut part[..n_values]);
            &mut part[n_values..]
        } else {
            wire::read_doubles(values, &mut places.values[at]);
            &mut places.derivatives[row]
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
            fold(task, &jobs, &(0..task.jobs), (value, rows), (places.values, places.derivatives));
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
fn answer_words(task: &Task, block: &Block) -> usize {
    let derivatives = block.derivatives.len();
    let inline = if derivatives <= INLINE { derivatives } else { 0 };
    let timed = schedule::groups(&block.jobs, task.group).len();
    (ANSWER + block.values.len() + timed + inline).max(LONGEST_FAILURE)
}

/// An answer that has not left may find nobody who receives it.
fn root_waits(comm: Comm) -> mpi::MpiResult<()> {
    if parcel::has_left(comm, ROOT)? { Err(root_left()) } else { Ok(()) }
}

#[cold]
fn root_left() -> mpi::Failure {
    let text = "rank 0 has let its workers go, since MPI failed there or at one of them";
    Error::new(Code::Mpi, text).into()
}

/// A worker's side.
struct Worker {
    comm: Comm,
    order: Parcel,
    answer: Parcel,
    rest: Vec<u64>,
    local: Local,
    known: Vec<Arc<Data>>,
    parameters: Vec<f64>,
    ends: Vec<i64>,
    values: Vec<f64>,
    derivatives: Vec<f64>,
    seconds: Vec<f32>,
    packed: Vec<u64>,
}

/// Does the jobs of the root of `comm` until it stops; collective with `Service::new` there.
pub fn serve(comm: Comm) -> mpi::MpiResult<()> {
    let comm = private(comm, false)?;
    let mut worker = Worker {
        comm,
        order: Parcel::default(),
        answer: Parcel::default(),
        rest: Vec::new(),
        local: Local::default(),
        known: Vec::new(),
        parameters: Vec::new(),
        ends: Vec::new(),
        values: Vec::new(),
        derivatives: Vec::new(),
        seconds: Vec::new(),
        packed: Vec::new(),
    };
    loop {
        match worker.obey() {
            Ok(true) => {}
            Ok(false) => break,
            Err(failure) => {
                parcel::leave(comm, ROOT);
                return Err(failure);
            }
        }
    }
    drop(worker);
    comm.free()
}

impl Worker {
    /// One order; false if it was the last.
    fn obey(&mut self) -> mpi::MpiResult<bool> {
        self.order.receive(self.comm, HEAD + INLINE, ROOT)?;
        self.order.wait()?;
        if self.order.arrived().is_empty() {
            return Err(root_left());
        }
        let head = Head::read(self.order.arrived());
        let mut room: MpiResult<()> = Ok(());
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
    fn let_pass(&self, mut n: usize) -> mpi::MpiResult<()> {
        let mut piece = vec![0u64; n.min(PIECE)];
        while n > 0 {
            let words = n.min(PIECE);
            parcel::receive(self.comm, &mut piece[..words], ROOT)?;
            n -= words;
        }
        Ok(())
    }

    fn acknowledge(&mut self, epoch: u64, done: &MpiResult<()>) -> mpi::MpiResult<()> {
        let words = self.answer.words();
        words.clear();
        wire::write_answer(epoch, done, 0, words);
        self.answer.send(self.comm, ROOT)?;
        self.sent()
    }

    /// Waits until the answer has left.
    fn sent(&mut self) -> mpi::MpiResult<()> {
        let comm = self.comm;
        self.answer.wait_while(|| root_waits(comm))
    }

    /// Does the jobs of an order.
    fn work(&mut self, head: &Head, apart: bool) -> MpiResult<()> {
        let named = function::keyed(head.function)
            .ok_or_else(|| Error::new(Code::Argument, "not registered on this rank"))?;
        let data = self.known.iter().find(|data| data.handle == head.data).cloned();
        if data.is_none() && head.data != DataHandle::default() {
            let DataHandle { id, generation } = head.data;
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
            } else if head.wanted == Wanted::Sum {
                Parts::Equal(head.y)
            } else {
                equal(head.y)
            },
            jobs: head.jobs,
            first: head.first,
            wanted: head.wanted,
            by_shared: head.by_shared,
            by_job: head.by_job,
            group: head.group,
        };
        let jobs = 0..head.jobs;
        let (n_values, n_derivatives) = task.sizes(&jobs);
        renew(&mut self.values, n_values)?;
        renew(&mut self.derivatives, n_derivatives)?;
        renew(&mut self.seconds, schedule::groups(&jobs, head.group).len())?;
        let places = Places {
            values: &mut self.values,
            derivatives: &mut self.derivatives,
            seconds: &mut self.seconds,
        };
        self.local.with(head.threads).run(&task, jobs, places)
    }

    /// Sends what has come out.
    fn report(&mut self, head: &Head, mut done: MpiResult<()>) -> mpi::MpiResult<()> {
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
        let comm = self.comm;
        if packed {
            parcel::send_while(comm, &mut self.packed, ROOT, || root_waits(comm))?;
        } else if apart {
            parcel::send_while(comm, &mut self.derivatives, ROOT, || root_waits(comm))?;
        }
        self.sent()
    }
}
