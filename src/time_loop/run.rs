//! A loop: its first run, and the event that reverses it.
//!
//! The first run records each step and forgets it, so that the labels of the state at each block are known. A sweep then runs steps
//! without recording, up to the block that it records and reverses in a nest. Values from outside get their derivatives from the
//! nests, in the order in which a sweep of the whole loop would add them.

use super::labels::{Labeller, Labels};
use super::schedule::{Kind, Schedule};
use super::state::{Hook, Item, Saved, State};
use crate::error::{Code, Error, Result, of_users};
use crate::tape::{Event, NestToken, Outside, Sweep, Tape, Var, current};
use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;

/// What the first run records before it is forgotten: enough that forgetting costs nothing, and little beside a tape.
const FORGET_BYTES: u64 = 1 << 20;

/// Does step `step` on the user's state; 0, or the loop fails.
pub type StepFn = unsafe extern "C-unwind" fn(step: i64, ctx: *mut c_void) -> i32;

/// The user's function, with a context that is destroyed with it.
#[derive(Debug)]
pub struct Step {
    pub function: StepFn,
    pub ctx: *mut c_void,
    pub destroy: Option<unsafe extern "C-unwind" fn(*mut c_void)>,
}

impl Drop for Step {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the user's function, with its context, once.
            unsafe { destroy(self.ctx) };
        }
    }
}

impl Step {
    fn run(&self, step: u64) -> Result<()> {
        let number = i64::try_from(step).unwrap_or(i64::MAX);
        // SAFETY: the user's function, with its context.
        of_users(|| unsafe { (self.function)(number, self.ctx) }).map_err(|error| Error {
            code: error.code,
            message: format!("time_loop, step {step}: {}", error.message),
        })
    }
}

/// The ranks that do a loop together: the least of each number over all of them.
pub type Agree = Rc<dyn Fn(&mut [i64; 3]) -> Result<()>>;

/// What the loops of an object have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Steps of the first runs.
    pub first: u64,
    /// Steps run again without being recorded.
    pub advanced: u64,
    /// Steps recorded for sweeps.
    pub recorded: u64,
    /// Most states kept at a time by one run, and the bytes of their elements.
    pub snapshots: u64,
    pub snapshot_bytes: u64,
}

/// A user's loop, before it runs.
pub struct Loop {
    pub tape: *mut Tape,
    pub kind: Kind,
    pub state: State,
    pub parameters: State,
    /// With a number for messages: this rank's.
    pub ranks: Option<(i32, Agree)>,
    pub statistics: Rc<Cell<Statistics>>,
}

impl Loop {
    pub fn new(tape: *mut Tape) -> Self {
        Self {
            tape,
            kind: Kind::Binomial { snapshots: 100, block: 1 },
            state: State::default(),
            parameters: State::default(),
            ranks: None,
            statistics: Rc::default(),
        }
    }

    pub fn add_state(&mut self, item: Item) {
        self.state.items.push(item);
    }

    pub fn add_parameters(&mut self, item: Item) {
        self.parameters.items.push(item);
    }

    pub fn add_hook(&mut self, hook: Hook) {
        self.state.hooks.push(hook);
    }

    /// Runs `steps` steps. If the tape records, it gets one event for them, or all of them.
    ///
    /// # Safety
    /// The tape is live, and the user's objects are as long as the event is on the tape.
    pub unsafe fn run(&self, steps: u64, step: Step) -> Result<()> {
        if current(|tape| std::ptr::eq(tape, self.tape)) != Some(true) {
            return Err(Error::new(
                Code::Argument,
                "time_loop: its tape is not the thread's current one; activate it",
            ));
        }
        self.kind.check()?;
        let schedule = Schedule::new(self.kind, steps);
        self.check_agreement(steps, schedule)?;
        // SAFETY: the caller's promise.
        let recording = unsafe { (*self.tape).recording() };
        let Some(schedule) = schedule.filter(|_| recording && steps > 0) else {
            return (0..steps).try_for_each(|number| step.run(number));
        };
        // SAFETY: as above.
        unsafe { self.record(schedule, step) }
    }

    /// The ranks do the same steps by the same schedule, or none begins.
    fn check_agreement(&self, steps: u64, schedule: Option<Schedule>) -> Result<()> {
        let Some((_, agree)) = &self.ranks else { return Ok(()) };
        let (block, snapshots) =
            schedule.map_or((0, 0), |schedule| (schedule.block, schedule.snapshots));
        let mine = [steps, block, snapshots].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let (mut least, mut most) = (mine, mine.map(|n| -n));
        agree(&mut least)?;
        agree(&mut most)?;
        if least == most.map(|n| -n) {
            return Ok(());
        }
        let [steps, block, snapshots] = mine;
        Err(Error::new(
            Code::Mismatch,
            format!(
                "time_loop: the ranks differ in steps (here {steps}), block (here {block}) or snapshots (here {snapshots})"
            ),
        ))
    }

    /// # Safety
    /// As for `run`.
    unsafe fn record(&self, schedule: Schedule, step: Step) -> Result<()> {
        let (mut state, mut parameters) = (Vec::new(), Vec::new());
        // SAFETY: the caller's promise.
        unsafe {
            self.state.get(&mut state)?;
            self.parameters.get(&mut parameters)?;
            (*self.tape).check_vars("state", &state)?;
            (*self.tape).check_vars("parameters", &parameters)?;
        }
        let mut run = Box::new(Run {
            tape: self.tape,
            schedule,
            step,
            state: self.state.clone(),
            parameters: self.parameters.clone(),
            given: parameters,
            ranks: self.ranks.clone(),
            // SAFETY: the caller's promise.
            base: unsafe { (*self.tape).next_id() },
            labels: Vec::new(),
            kept: Vec::new(),
            sums: Vec::new(),
            labeller: Labeller::default(),
            scratch: state,
            adjoints: Vec::new(),
            statistics: Rc::clone(&self.statistics),
        });
        // SAFETY: the caller's promise; the nest is closed before this returns.
        unsafe {
            let (held, given) = (self.state.hold()?, self.parameters.hold()?);
            let done = run.in_nest(Run::first_run).and_then(|()| run.check_parameters());
            if let Err(error) = done {
                // The error is that of the loop, whatever else is wrong.
                let _ = self.state.release(&held).and(self.parameters.release(&given));
                return Err(error);
            }
            drop((held, given));
            let labels = run.labels_at(schedule.blocks());
            let mut state = run.scratch.clone();
            let n = labels.classes();
            let tape = self.tape;
            let first = (*tape).record(n, |first, _| Looped { first, n, run })?;
            labels.apply(&mut state, first, (*tape).tag());
            self.state.put(&state)
        }
    }
}

/// A state that is kept.
struct Kept {
    block: u64,
    values: Vec<f64>,
    saved: Vec<Saved>,
}

/// A loop that has run.
struct Run {
    tape: *mut Tape,
    schedule: Schedule,
    state: State,
    parameters: State,
    /// The parameters as they were.
    given: Vec<Var>,
    ranks: Option<(i32, Agree)>,
    /// The first id of the loop.
    base: u32,
    /// Those of the states before blocks, from each block on where they change; and those after the last.
    labels: Vec<(u64, Rc<Labels>)>,
    /// The states that are kept, oldest first. The first is that before the loop.
    kept: Vec<Kept>,
    /// In checking mode a checksum of the state before each block.
    sums: Vec<u64>,
    labeller: Labeller,
    /// The state as it was last read.
    scratch: Vec<Var>,
    /// Those of the classes of the state, direction by direction for each.
    adjoints: Vec<f64>,
    statistics: Rc<Cell<Statistics>>,
    /// Dropped last: its context may own what the states that are kept need.
    step: Step,
}

/// The event.
struct Looped {
    first: u32,
    n: usize,
    run: Box<Run>,
}

impl Event for Looped {
    const NAME: &'static str = "time_loop";
    const PAUSES: bool = true;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        self.run.adjoints.clear();
        self.run.adjoints.resize(self.n * width, 0.0);
        sweep.take(self.first, self.n, &mut self.run.adjoints);
        self.run.reverse(width)
    }
}

fn sum(state: &[Var]) -> u64 {
    let words = state.iter().map(|x| x.value.to_bits());
    words.fold(0xcbf2_9ce4_8422_2325, |sum, word| {
        (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}

impl Run {
    fn tape(&mut self) -> &mut Tape {
        // SAFETY: live as long as the loop runs, or its event is swept; no function of the user's runs while the reference lives.
        unsafe { &mut *self.tape }
    }

    fn count(&self, add: impl FnOnce(&mut Statistics)) {
        let mut statistics = self.statistics.get();
        add(&mut statistics);
        self.statistics.set(statistics);
    }

    fn close(&mut self, nest: NestToken) -> Result<()> {
        // SAFETY: live, and no reference to it is held.
        unsafe { Tape::recover_nested(self.tape, nest) }
    }

    /// Does something in a nest that records, and forgets it.
    fn in_nest(&mut self, f: impl FnOnce(&mut Self, &mut NestToken) -> Result<()>) -> Result<()> {
        let mut nest = self.open()?;
        let done = f(self, &mut nest);
        let closed = self.close(nest);
        done.and(closed)
    }

    fn open(&mut self) -> Result<NestToken> {
        let tape = self.tape();
        let nest = tape.start_nested(Outside::Added)?;
        tape.start();
        Ok(nest)
    }

    /// Reads the state into `scratch`.
    fn read(&mut self) -> Result<()> {
        let n = self.scratch.len();
        // SAFETY: the user's objects live, as he promised.
        unsafe { self.state.get(&mut self.scratch)? };
        if self.scratch.len() == n {
            return Ok(());
        }
        let text = format!(
            "time_loop: the state has {} elements and had {n} before; a step must not change their number",
            self.scratch.len()
        );
        Err(Error::new(Code::Argument, text))
    }

    fn write(&self) -> Result<()> {
        // SAFETY: as in `read`.
        unsafe { self.state.put(&self.scratch) }
    }

    fn labels_at(&self, block: u64) -> Rc<Labels> {
        let at = self.labels.partition_point(|&(from, _)| from <= block);
        Rc::clone(&self.labels[at - 1].1)
    }

    /// Makes the state, which is in `scratch`, what it is before `block`, with fresh inputs; the first of them.
    fn enter(&mut self, labels: &Labels) -> Result<u32> {
        let first = self.tape().input_ids(labels.classes())?;
        let tag = self.tape().tag();
        labels.apply(&mut self.scratch, first, tag);
        self.write()?;
        Ok(first)
    }

    fn first_run(&mut self, nest: &mut NestToken) -> Result<()> {
        let (base, blocks) = (self.base, self.schedule.blocks());
        let mut keep_at = 0;
        for block in 0..=blocks {
            self.read()?;
            let known = self.labels.last().map(|(_, labels)| Rc::clone(labels));
            let found = self.labeller.labels(&self.scratch, (base, base), known.as_deref());
            if let Some(labels) = found {
                self.labels.push((block, Rc::new(labels)));
            }
            if self.tape().checking() {
                self.sums.push(sum(&self.scratch));
            }
            if block == blocks {
                break;
            }
            if block == keep_at || block + 1 == blocks {
                self.keep(block);
                let kept = self.kept.len() as u64;
                keep_at = self.schedule.next(block, blocks - 1, kept);
            }
            for step in self.schedule.range(block) {
                self.step.run(step)?;
                if self.recorded_bytes() > FORGET_BYTES {
                    self.forget(nest)?;
                }
            }
        }
        let steps = self.schedule.steps;
        self.count(|statistics| statistics.first += steps);
        Ok(())
    }

    /// What stands on the tape since the loop began, in bytes.
    fn recorded_bytes(&mut self) -> u64 {
        let tape = self.tape();
        let (base, now) = (tape.base(), tape.position());
        (now.argument - base.argument) * 12
            + (now.payload - base.payload)
            + u64::from(now.id - base.id)
    }

    /// Begins the recording anew. What is one value stays one.
    fn forget(&mut self, nest: &mut NestToken) -> Result<()> {
        self.read()?;
        let base = self.base;
        let labels = self.labeller.labels(&self.scratch, (base, base), None);
        self.close(*nest)?;
        *nest = self.open()?;
        match labels {
            Some(labels) => self.enter(&labels).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Keeps the state in `scratch`, as that before `block`.
    fn keep(&mut self, block: u64) {
        let values: Vec<f64> = self.scratch.iter().map(|x| x.value).collect();
        self.kept.push(Kept { block, values, saved: self.state.save() });
        let (kept, bytes) = (self.kept.len() as u64, size_of_val(&*self.scratch) as u64 / 2);
        self.count(|statistics| {
            statistics.snapshots = statistics.snapshots.max(kept);
            statistics.snapshot_bytes = statistics.snapshot_bytes.max(kept * bytes);
        });
    }

    /// A step that changes a parameter makes it part of the state.
    fn check_parameters(&self) -> Result<()> {
        let mut now = Vec::new();
        // SAFETY: as in `read`.
        unsafe { self.parameters.get(&mut now)? };
        let same = |(a, b): (&Var, &Var)| a.id == b.id && a.value.to_bits() == b.value.to_bits();
        match now.iter().zip(&self.given).position(|pair| !same(pair)) {
            Some(at) => Err(Error::new(
                Code::Argument,
                format!("time_loop: a step changed parameter {at}; declare it as state"),
            )),
            None => Ok(()),
        }
    }

    /// The sweep: `adjoints` are those of the state after the loop.
    fn reverse(&mut self, width: usize) -> Result<()> {
        let tape = self.tape;
        if current(|current| std::ptr::eq(current, tape)) != Some(true) {
            let text = "time_loop: a sweep runs its steps again, on a tape that must be the thread's current one";
            return Err(Error::new(Code::Argument, text));
        }
        // SAFETY: as in `read`.
        let (state, parameters) = unsafe { (self.state.hold()?, self.parameters.hold()?) };
        // SAFETY: as above.
        let done = unsafe { self.parameters.put(&self.given) };
        let done = done.and_then(|()| {
            (0..self.schedule.blocks()).rev().try_for_each(|block| self.reverse_block(block, width))
        });
        // SAFETY: as above.
        let released =
            unsafe { self.state.release(&state).and(self.parameters.release(&parameters)) };
        done.and(released)
    }

    fn reverse_block(&mut self, target: u64, width: usize) -> Result<()> {
        while self.kept.len() > 1 && self.kept.last().is_some_and(|kept| kept.block > target) {
            self.kept.pop();
        }
        let mut result = self.in_nest(|run, _| {
            run.approach(target)?;
            run.record_block(target, width)
        });
        if let (Some((rank, agree)), false) = (&self.ranks, self.sums.is_empty()) {
            let mut all = [i64::from(result.is_ok()); 3];
            agree(&mut all)?;
            if all[0] == 0 && result.is_ok() {
                let text =
                    format!("time_loop, block {target}: it failed on another rank than {rank}");
                result = Err(Error::new(Code::Mismatch, text));
            }
        }
        result
    }

    /// Brings the state to that before block `target`, in `scratch`, without recording.
    fn approach(&mut self, target: u64) -> Result<()> {
        let newest = self.kept.last().expect("the state before the loop is kept");
        let mut block = newest.block;
        for (x, &value) in self.scratch.iter_mut().zip(&newest.values) {
            *x = Var { value, id: 0, tag: 0 };
        }
        newest.saved.iter().for_each(Saved::restore);
        if block == target {
            return Ok(());
        }
        self.write()?;
        self.tape().stop();
        let checks = !self.sums.is_empty();
        while block < target {
            let next = self.schedule.next(block, target, self.kept.len() as u64);
            for block in block..next {
                let steps = self.schedule.range(block);
                self.count(|statistics| statistics.advanced += steps.end - steps.start);
                for step in steps {
                    self.step.run(step)?;
                }
                if checks {
                    self.read()?;
                    self.check_sum(block)?;
                }
            }
            block = next;
            self.read()?;
            if block < target {
                self.keep(block);
            }
        }
        self.tape().start();
        Ok(())
    }

    /// The state after `block`, in `scratch`, is what it was in the first run.
    fn check_sum(&self, block: u64) -> Result<()> {
        let at = usize::try_from(block).unwrap_or(usize::MAX - 1);
        match self.sums.get(at + 1) {
            Some(&first) if first != sum(&self.scratch) => Err(self.not_repeatable(block)),
            _ => Ok(()),
        }
    }

    #[cold]
    fn not_repeatable(&self, block: u64) -> Error {
        let steps = self.schedule.range(block);
        let which = if steps.end - steps.start == 1 {
            format!("step {}", steps.start)
        } else {
            format!("steps {} to {}", steps.start, steps.end - 1)
        };
        let rank = self.ranks.as_ref().map_or(0, |(rank, _)| *rank);
        Error::new(
            Code::Mismatch,
            format!(
                "time_loop, {which}, rank {rank}: run again, it gave another state than the first time; declare as state all that \
                 a step changes, or keep it by save"
            ),
        )
    }

    /// Records `block` from the state in `scratch` on, and reverses it.
    fn record_block(&mut self, block: u64, width: usize) -> Result<()> {
        let labels = self.labels_at(block);
        let first = self.enter(&labels)?;
        // What the nest's own values are: those from its inputs on.
        let here = first;
        let steps = self.schedule.range(block);
        self.count(|statistics| statistics.recorded += steps.end - steps.start);
        for step in steps {
            self.step.run(step)?;
        }
        self.read()?;
        if !self.sums.is_empty() {
            self.check_sum(block)?;
        }
        let after = self.labels_at(block + 1);
        if self.labeller.labels(&self.scratch, (self.base, here), Some(&after)).is_some() {
            return Err(self.not_repeatable(block));
        }
        self.seed(width)?;
        // SAFETY: live, and no reference to it is held.
        unsafe { Tape::reverse(self.tape)? };
        self.take(first, labels.classes(), width);
        Ok(())
    }

    /// Gives the state's classes their adjoints.
    fn seed(&mut self, width: usize) -> Result<()> {
        // SAFETY: live; nothing of the user's runs.
        let tape = unsafe { &mut *self.tape };
        for (x, adjoints) in self.labeller.representatives().iter().zip(self.adjoints.chunks(width))
        {
            for (direction, &adjoint) in adjoints.iter().enumerate() {
                tape.seed(x, adjoint, direction)?;
            }
        }
        Ok(())
    }

    /// The adjoints of the `n` inputs from `first` on become those of the state.
    fn take(&mut self, first: u32, n: usize, width: usize) {
        // SAFETY: as in `seed`.
        let tape = unsafe { &mut *self.tape };
        self.adjoints.clear();
        self.adjoints.resize(n * width, 0.0);
        if width == 1 {
            tape.adjoints_of_range(first, 0, &mut self.adjoints);
            return;
        }
        let mut column = vec![0.0; n];
        for direction in 0..width {
            tape.adjoints_of_range(first, direction, &mut column);
            for (to, &from) in self.adjoints.iter_mut().skip(direction).step_by(width).zip(&column)
            {
                *to = from;
            }
        }
    }
}
