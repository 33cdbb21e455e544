//! A user's loop, before it runs: what he declares and chooses, and how a run begins and ends.

use super::choose::{Sizes, choose};
use super::executor::{Agree, Looped, Run};
use super::labels::Labeller;
use super::plan::Plan;
use super::schedule::{Kind, Schedule};
use super::state::{Hook, Item, State};
use super::statistics::Counts;
use super::step::Step;
use super::store::Store;
use super::two_level::Disk;
use crate::arena;
use crate::error::{Code, Error, Result};
use crate::tape::{self, Position, Tape, Var, current};
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

/// What is chosen where nothing can be measured for all ranks.
const UNMEASURED: Kind = Kind::Binomial { snapshots: 100, block: 1 };

/// A user's loop.
pub struct Loop {
    /// Null on a thread that has none.
    pub tape: *mut Tape,
    pub kind: Kind,
    /// States may be kept on disk, in a directory.
    pub disk: Option<(PathBuf, Disk)>,
    /// The bytes that a run, with its sweep, may take; by default what the machine has.
    pub budget: Option<u64>,
    pub state: State,
    pub parameters: State,
    /// With a number for messages: this rank's.
    pub ranks: Option<(i32, Agree)>,
    pub counts: Counts,
    /// What the last run did.
    pub chosen: Rc<Cell<Kind>>,
}

impl Loop {
    pub fn new(tape: *mut Tape) -> Self {
        Self {
            tape,
            kind: Kind::Auto,
            disk: None,
            budget: None,
            state: State::default(),
            parameters: State::default(),
            ranks: None,
            counts: Counts::default(),
            chosen: Rc::new(Cell::new(Kind::Auto)),
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

    /// Runs `steps` steps, or as long as the step's condition holds. If the tape records, it gets one event for them, or all of
    /// them. The number of steps.
    ///
    /// # Safety
    /// The tape is live, and the user's objects are as long as the event is on the tape.
    pub unsafe fn run(&self, steps: Option<u64>, step: Step) -> Result<u64> {
        let is_current = current(|tape| std::ptr::eq(tape, self.tape));
        if !is_current.unwrap_or(self.tape.is_null()) {
            let text = if self.tape.is_null() {
                "time_loop: the thread had no tape where the loop was made, and has one now; make the loop after the tape"
            } else {
                "time_loop: the loop's tape is not the thread's current tape; activate it"
            };
            return Err(Error::new(Code::Argument, text));
        }
        let kind = self.kind_here()?;
        self.check_agreement(steps, kind)?;
        // SAFETY: the caller's promise.
        let recording = unsafe { self.tape.as_ref() }.is_some_and(Tape::recording);
        if !recording || steps == Some(0) {
            return run_plainly(&step, 0, steps);
        }
        // SAFETY: as above.
        unsafe { self.record(kind, steps, step) }
    }

    fn kind_here(&self) -> Result<Kind> {
        self.kind.check()?;
        if matches!(self.kind, Kind::Mixed { .. }) && self.disk.is_some() {
            let text = "time_loop: the mixed schedule keeps nothing on disk; choose another schedule, or no disk";
            return Err(Error::new(Code::Argument, text));
        }
        // Ranks that measure would choose, each for itself, what the others must do too.
        let alone = self.ranks.is_some() || !tape::is_accompanied();
        self.chosen.set(self.kind);
        Ok(if self.kind == Kind::Auto && !alone { UNMEASURED } else { self.kind })
    }

    /// The ranks do the same steps by the same schedule, or none begins.
    fn check_agreement(&self, steps: Option<u64>, kind: Kind) -> Result<()> {
        let Some((_, agree)) = &self.ranks else { return Ok(()) };
        let clamped = |n| i64::try_from(n).unwrap_or(i64::MAX);
        let number = steps.map_or(-1, clamped);
        let (name, units, block) = kind.words();
        let [kind, units, block] = [kind.number(), clamped(units), clamped(block)];
        let mut both = [number, kind, units, block, -number, -kind, -units, -block];
        agree(&mut both)?;
        if (0..4).all(|i| both[i] == -both[i + 4]) {
            return Ok(());
        }
        Err(Error::new(
            Code::Mismatch,
            format!(
                "time_loop: the ranks differ in steps (here {number}) or schedule (here {name}, {units} snapshots, blocks of {block})"
            ),
        ))
    }

    /// # Safety
    /// As for `run`.
    unsafe fn record(&self, kind: Kind, steps: Option<u64>, step: Step) -> Result<u64> {
        let (mut state, mut given) = (Vec::new(), Vec::new());
        // SAFETY: the caller's promise; no reference to the tape is held while functions of the user's run.
        unsafe {
            self.state.get(&mut state)?;
            self.parameters.get(&mut given)?;
            (*self.tape).check_vars("state", &state)?;
            (*self.tape).check_vars("parameters", &given)?;
            if steps.is_none() && !step.goes_on(0)? {
                return Ok(0);
            }
            let (held, held_parameters) = (self.state.hold()?, self.parameters.hold()?);
            let mark = (*self.tape).mark();
            let done = self.record_steps(kind, steps, step, &mark, state, given);
            if done.is_err() {
                // The error is that of the loop, whatever else is wrong.
                let _ = Tape::reset_to(self.tape, &mark)
                    .and(self.state.release(&held))
                    .and(self.parameters.release(&held_parameters));
            }
            done
        }
    }

    /// # Safety
    /// As for `run`.
    unsafe fn record_steps(
        &self,
        kind: Kind,
        mut steps: Option<u64>,
        step: Step,
        mark: &Position,
        state: Vec<Var>,
        given: Vec<Var>,
    ) -> Result<u64> {
        if kind == Kind::All {
            return self.run_on_tape(&step, 0, steps);
        }
        let disk = self.disk.as_ref().map(|&(_, disk)| disk);
        // A schedule that is chosen later takes the place of this one.
        let planned = if kind == Kind::Auto { UNMEASURED } else { kind };
        let Some(schedule) = Schedule::new(planned, steps, disk) else { return Ok(0) };
        let mut run = Box::new(Run {
            tape: self.tape,
            plan: Plan::new(schedule),
            state: self.state.clone(),
            parameters: self.parameters.clone(),
            given,
            ranks: self.ranks.clone(),
            // SAFETY: the caller's promise.
            base: unsafe { (*self.tape).next_id() },
            labels: Vec::new(),
            store: Store::new(self.disk.as_ref().map(|(directory, _)| directory.clone())),
            initial: None,
            second: None,
            sums: Vec::new(),
            labeller: Labeller::default(),
            receiving: tape::receiving(),
            sure: 1,
            scratch: state,
            nest: None,
            spare: Vec::new(),
            adjoints: Vec::new(),
            counts: self.counts.clone(),
            step,
        });
        run.note(0);
        let mut done = 0;
        if kind == Kind::Auto {
            // SAFETY: the caller's promise.
            let chosen = unsafe { self.measure(&mut run, &mut steps, &mut done)? };
            self.chosen.set(chosen);
            match Schedule::new(chosen, steps, disk) {
                None => {
                    let steps = self.run_on_tape(&run.step, done, steps)?;
                    return run.check_parameters().map(|()| steps);
                }
                Some(schedule) => run.plan = Plan::new(schedule),
            }
            // SAFETY: as above.
            unsafe { Tape::reset_to(self.tape, mark)? };
        }
        let steps = run.first_run(done)?;
        run.check_parameters()?;
        self.check_end(steps)?;
        let labels = run.labels_at(run.plan.schedule.blocks());
        let mut state = run.scratch.clone();
        let n = labels.classes();
        // SAFETY: the caller's promise.
        unsafe {
            let tape = self.tape;
            let first = (*tape).record(n, |first, _| Looped { first, n, run })?;
            labels.apply(&mut state, first, (*tape).tag());
            self.state.put(&state)?;
        }
        Ok(steps)
    }

    /// Runs the steps from `done` on, all of which stay on the tape.
    fn run_on_tape(&self, step: &Step, done: u64, steps: Option<u64>) -> Result<u64> {
        let ran = run_plainly(step, done, steps)?;
        self.counts.add(|statistics| statistics.first += ran);
        Ok(ran)
    }

    /// Does the first steps on the tape, and chooses by what they took. A state that is passive before the loop becomes active in
    /// its first step, and only the second one tells what a step records. A loop that ends after the first, where only its end
    /// tells, has one step from then on.
    ///
    /// # Safety
    /// As for `run`.
    unsafe fn measure(
        &self,
        run: &mut Run,
        steps: &mut Option<u64>,
        done: &mut u64,
    ) -> Result<Kind> {
        // SAFETY: the caller's promise.
        let used = || unsafe { (*self.tape).statistics().used_bytes };
        run.keep_initial()?;
        let (mut before, mut record) = (used(), 1);
        for step in 0..if steps.is_none_or(|steps| steps >= 3) { 2 } else { 1 } {
            if step == 1 {
                if !run.goes_on(step)? {
                    *steps = Some(step);
                    break;
                }
                run.keep_second()?;
            }
            run.step.run(step)?;
            run.read()?;
            *done = step + 1;
            record = record.max(used() - before);
            before = used();
        }
        // SAFETY: as above.
        let (after, width) = unsafe { ((*self.tape).statistics(), (*self.tape).width()) };
        let free = after.limit_bytes.saturating_sub(after.used_bytes).min(arena::available());
        // A sweep reads and writes a state at a time, in copies of its own.
        let state = size_of_val(&*run.scratch) as u64 / 2;
        let mut sizes = Sizes {
            state,
            record: record + 8 * width as u64,
            budget: self.budget.unwrap_or(free).saturating_sub(8 * state),
        };
        if let Some((_, agree)) = &self.ranks {
            let clamped = |n| i64::try_from(n).unwrap_or(i64::MAX);
            let mut all = [0; 8];
            (all[0], all[1], all[2]) =
                (-clamped(sizes.state), -clamped(sizes.record), clamped(sizes.budget));
            agree(&mut all)?;
            let [state, record] = [all[0], all[1]].map(i64::unsigned_abs);
            sizes = Sizes { state, record, budget: all[2].unsigned_abs() };
        }
        Ok(choose(sizes, *steps, self.disk.as_ref().map(|&(_, disk)| disk)))
    }

    /// The condition ended the loop after the same step on all ranks.
    fn check_end(&self, steps: u64) -> Result<()> {
        let Some((_, agree)) = &self.ranks else { return Ok(()) };
        let number = i64::try_from(steps).unwrap_or(i64::MAX);
        let mut all = [number, -number, 0, 0, 0, 0, 0, 0];
        agree(&mut all)?;
        if all[0] == -all[1] {
            return Ok(());
        }
        let text = format!("time_loop: the ranks differ in steps (here {steps})");
        Err(Error::new(Code::Mismatch, text))
    }
}

/// Runs the steps from `done` on, on the tape or without recording. How many there are.
fn run_plainly(step: &Step, done: u64, steps: Option<u64>) -> Result<u64> {
    let mut number = done;
    while match steps {
        Some(steps) => number < steps,
        None => step.goes_on(number)?,
    } {
        step.run(number)?;
        number += 1;
    }
    Ok(number)
}
