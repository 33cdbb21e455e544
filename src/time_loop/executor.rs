//! A loop that runs: it carries out what the plan says, in the first run and in sweeps.
//!
//! The first run records each step and forgets it, so that the labels of the state at each block are known. A sweep then runs steps
//! without recording, up to the block that it records and reverses in a nest. Values from outside get their derivatives from the
//! nests, in the order in which a sweep of the whole loop would add them.

use super::labels::{Labeller, Labels};
use super::plan::{Action, Kept, Place, Plan};
use super::state::State;
use super::statistics::Counts;
use super::step::Step;
use super::store::{Snapshot, Store};
use crate::clock;
use crate::error::{Code, Error, Result};
use crate::tape::{self, Dependence, Event, NestToken, Outside, Sweep, Tape, Var, current};
use crate::trace::{self, Kind, Link};
use std::rc::Rc;

/// What the first run records before it is forgotten: enough that forgetting costs nothing, and little beside a tape.
const FORGET_BYTES: u64 = 1 << 20;

/// The ranks that do a loop together: the least of each number over all of them.
pub type Agree = Rc<dyn Fn(&mut [i64; 8]) -> Result<()>>;

/// A block that is recorded, in a nest that is open.
#[derive(Debug)]
pub struct Recorded {
    nest: NestToken,
    /// The ids of the state before it: the first, and how many.
    first: u32,
    n: usize,
    /// The classes of the state after it.
    outputs: Vec<Var>,
}

/// What is kept.
#[derive(Debug)]
pub enum Data {
    State(Snapshot),
    Block(Recorded),
}

/// A loop that runs, or has run.
pub struct Run {
    pub tape: *mut Tape,
    pub plan: Plan<Data>,
    pub state: State,
    pub parameters: State,
    /// The parameters as they were.
    pub given: Vec<Var>,
    pub ranks: Option<(i32, Agree)>,
    /// The first id of the loop.
    pub base: u32,
    /// Those of the states before blocks, from each block on where they change; and those after the last.
    pub labels: Vec<(u64, Rc<Labels>)>,
    pub store: Store,
    /// The states before the loop and after its first step, if they are kept before the plan says where.
    pub initial: Option<Snapshot>,
    pub second: Option<(Vec<Var>, Snapshot)>,
    /// In checking mode a checksum of the state before each block.
    pub sums: Vec<u64>,
    pub labeller: Labeller,
    /// The receives that were under way before the loop.
    pub receiving: u64,
    /// The steps that there are for sure, where only the end tells.
    pub sure: u64,
    /// The state as it was last read.
    pub scratch: Vec<Var>,
    /// The nest that is open and has no recorded block.
    pub nest: Option<NestToken>,
    /// Memory of blocks that are not kept any more.
    pub spare: Vec<Vec<Var>>,
    /// Those of the classes of the state, direction by direction for each.
    pub adjoints: Vec<f64>,
    pub counts: Counts,
    /// Dropped last: its context may own what the states that are kept need.
    pub step: Step,
}

/// The event.
pub struct Looped {
    pub first: u32,
    pub n: usize,
    pub run: Box<Run>,
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

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.unknown(
            "choose the schedule that keeps everything on the tape (ADMPI_LOOP_ALL, loop.all())",
        )
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

    /// Opens a nest that records, unless there is an unused one.
    fn open(&mut self) -> Result<()> {
        if self.nest.is_none() {
            let tape = self.tape();
            let nest = tape.start_nested(Outside::Added)?;
            tape.start();
            self.nest = Some(nest);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        // SAFETY: live, and no reference to it is held.
        self.nest.take().map_or(Ok(()), |nest| unsafe { Tape::recover_nested(self.tape, nest) })
    }

    /// Closes the nests that are open, also those of recorded blocks.
    fn close_all(&mut self) -> Result<()> {
        let mut closed = self.close();
        let is_block = |kept: &Kept<Data>| kept.place == Place::Tape;
        while let Some(newest) = self.plan.kept.iter().rposition(is_block) {
            if let Data::Block(Recorded { nest, .. }) = self.plan.kept.remove(newest).data {
                self.nest = Some(nest);
                closed = closed.and(self.close());
            }
        }
        closed
    }

    /// Reads the state into `scratch`.
    pub fn read(&mut self) -> Result<()> {
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

    pub fn labels_at(&self, block: u64) -> Rc<Labels> {
        let at = self.labels.partition_point(|&(from, _)| from <= block);
        Rc::clone(&self.labels[at - 1].1)
    }

    /// Makes the state, which is in `scratch`, what it is before a block, with fresh inputs; the first of them.
    fn enter(&mut self, labels: &Labels) -> Result<u32> {
        let first = self.tape().input_ids(labels.classes())?;
        let tag = self.tape().tag();
        labels.apply(&mut self.scratch, first, tag);
        self.write()?;
        Ok(first)
    }

    /// What the state in `scratch` is on the tape in the first run; the newest labels themselves if they are these.
    fn first_labels(&mut self) -> Rc<Labels> {
        let known = self.labels.last().map(|(_, labels)| Rc::clone(labels));
        let base = (self.base, self.base);
        let found = self.labeller.labels(&self.scratch, base, known.as_deref());
        found.map(Rc::new).or(known).expect("labels that are not new are known")
    }

    /// Notes what the state before `block`, which is in `scratch`, is on the tape.
    pub fn note(&mut self, block: u64) {
        let labels = self.first_labels();
        if self.labels.last().is_none_or(|(_, known)| !Rc::ptr_eq(known, &labels)) {
            self.labels.push((block, labels));
        }
        if self.tape().checking() {
            self.sums.push(sum(&self.scratch));
        }
    }

    /// The same for the state after the first step, where the second is done already.
    fn note_second(&mut self, block: u64) {
        let Some((mut second, snapshot)) = self.second.take() else { return };
        std::mem::swap(&mut self.scratch, &mut second);
        self.note(block);
        std::mem::swap(&mut self.scratch, &mut second);
        self.second = Some((second, snapshot));
    }

    /// Keeps the state before the loop, before the plan says where.
    pub fn keep_initial(&mut self) -> Result<()> {
        self.initial = Some(self.keep_early()?);
        Ok(())
    }

    /// Keeps the state after the first step, too.
    pub fn keep_second(&mut self) -> Result<()> {
        self.second = Some((self.scratch.clone(), self.keep_early()?));
        Ok(())
    }

    fn keep_early(&mut self) -> Result<Snapshot> {
        self.store.keep(&self.scratch, self.state.save(), Place::Memory, 0)
    }

    /// The first run, of which `done` steps are done. The number of steps.
    pub fn first_run(&mut self, done: u64) -> Result<u64> {
        let run = self.open().and_then(|()| self.first_steps(done));
        let closed = self.close();
        self.second = None;
        let steps = run?;
        closed?;
        self.counts.add(|statistics| statistics.first += steps);
        Ok(steps)
    }

    fn first_steps(&mut self, mut done: u64) -> Result<u64> {
        if done > 0 {
            self.forget()?;
        }
        loop {
            let at = self.plan.at.unwrap_or(0);
            // What is kept depends on whether there is another block.
            if self.plan.schedule.range(at).start == done && !self.goes_on(done)? {
                self.end(done);
            }
            match self.plan.ahead() {
                None => return Ok(done),
                Some(Action::Store(place)) => {
                    let kept = self.keep(place);
                    self.agreed_on_disk(place, kept)?;
                }
                Some(Action::Drop(which)) => self.drop(which),
                Some(Action::Advance(to)) => {
                    for block in at..to {
                        if !self.first_block(block, &mut done)? {
                            break;
                        }
                    }
                    if self.plan.schedule.steps.is_none_or(|steps| done < steps) {
                        self.plan.advanced(to);
                    } else {
                        self.plan.advanced(self.plan.schedule.blocks());
                    }
                }
                // These are of sweeps.
                Some(Action::Restore | Action::Record | Action::Reverse) => {}
            }
        }
    }

    /// Whether there is a step `step`. A user is asked once.
    pub fn goes_on(&mut self, step: u64) -> Result<bool> {
        if self.plan.schedule.steps.is_some() || step < self.sure {
            return Ok(true);
        }
        let go_on = self.step.goes_on(step)?;
        self.sure += u64::from(go_on);
        Ok(go_on)
    }

    /// The loop has ended after `steps` steps.
    fn end(&mut self, steps: u64) {
        self.plan.schedule.end(steps);
        self.plan.advanced(self.plan.schedule.blocks());
    }

    /// Runs a block, of which steps may be done. False if the loop ended before it, or in it.
    fn first_block(&mut self, block: u64, done: &mut u64) -> Result<bool> {
        let steps = self.plan.schedule.range(block);
        if steps.start > 0 {
            // If the plan keeps the state after the first step, it has done so.
            self.second = None;
        }
        for step in steps.clone() {
            if step < *done {
                continue;
            }
            if !self.goes_on(step)? {
                self.end(*done);
                break;
            }
            self.step.run(step)?;
            self.check_complete(step)?;
            *done = step + 1;
            if self.recorded_bytes() > FORGET_BYTES {
                self.read()?;
                self.close()?;
                self.open()?;
                self.forget()?;
            }
        }
        if *done > steps.end {
            self.note_second(block + 1);
        } else if *done > steps.start {
            self.read()?;
            self.note(block + 1);
        }
        Ok(*done >= steps.end)
    }

    /// Run again, a step could not complete what another one has started. Of collectives the completion finds that.
    fn check_complete(&self, step: u64) -> Result<()> {
        if tape::receiving() <= self.receiving {
            return Ok(());
        }
        let text = format!(
            "time_loop, step {step}: a request of AMPI_Irecv, or of another receive that does not block, is open at the end of the step; \
             complete it in the step"
        );
        Err(Error::new(Code::Argument, text))
    }

    /// What stands on the tape since the nest began, in bytes.
    fn recorded_bytes(&mut self) -> u64 {
        let tape = self.tape();
        let (base, now) = (tape.base(), tape.position());
        (now.argument - base.argument) * 12
            + (now.payload - base.payload)
            + u64::from(now.id - base.id)
    }

    /// Begins the recording anew, from the state in `scratch`, whose ids may be gone. What is one value stays one.
    fn forget(&mut self) -> Result<()> {
        let labels = self.first_labels();
        self.enter(&labels).map(|_| ())
    }

    /// Keeps the state in `scratch`.
    fn keep(&mut self, place: Place) -> Result<()> {
        let number = self.plan.count(Place::Disk);
        let snapshot = match self.early() {
            None => self.store.keep(&self.scratch, self.state.save(), place, number)?,
            Some(early) if place == Place::Memory => early,
            Some(early) => {
                let mut state = self.scratch.clone();
                self.store.move_to_disk(early, &mut state, number)?
            }
        };
        self.plan.stored(place, Data::State(snapshot));
        let bytes = size_of_val(&*self.scratch) as u64 / 2;
        let (kept, on_disk) = (self.plan.count(Place::Memory), self.plan.count(Place::Disk));
        self.counts.add(|statistics| {
            statistics.snapshots = statistics.snapshots.max(kept);
            statistics.snapshot_bytes = statistics.snapshot_bytes.max(kept * bytes);
            statistics.disk_snapshots = statistics.disk_snapshots.max(on_disk);
            statistics.disk_bytes = statistics.disk_bytes.max(on_disk * bytes);
        });
        Ok(())
    }

    /// What was kept early, where the plan comes to keep it: the state before the loop, or after one step in a block of its own.
    fn early(&mut self) -> Option<Snapshot> {
        if self.initial.is_some() {
            return self.initial.take();
        }
        let (_, second) = self.second.take()?;
        if self.plan.at.map(|block| self.plan.schedule.range(block).start) == Some(1) {
            return Some(second);
        }
        self.store.forget(second);
        None
    }

    fn drop(&mut self, which: usize) {
        if let Data::State(snapshot) = self.plan.kept.remove(which).data {
            self.store.forget(snapshot);
        }
    }

    /// The same on all ranks: if it failed on one, all of them stop.
    fn agreed(&self, result: Result<()>) -> Result<()> {
        let Some((rank, agree)) = &self.ranks else { return result };
        let mut all = [i64::from(result.is_ok()); 8];
        agree(&mut all)?;
        if all[0] == 0 && result.is_ok() {
            let text = format!("time_loop: the loop failed on a rank other than {rank}");
            return Err(Error::new(Code::Mismatch, text));
        }
        result
    }

    /// A disk may be full on one rank alone.
    fn agreed_on_disk(&self, place: Place, result: Result<()>) -> Result<()> {
        if place == Place::Disk { self.agreed(result) } else { result }
    }

    /// In checking mode a step may be found not to be repeatable on one rank alone.
    fn agreed_in_checking_mode(&self, result: Result<()>) -> Result<()> {
        if self.sums.is_empty() { result } else { self.agreed(result) }
    }

    /// A step that changes a parameter makes it part of the state.
    pub fn check_parameters(&self) -> Result<()> {
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
        let done = unsafe { self.parameters.put(&self.given) }.and_then(|()| self.sweep(width));
        let closed = self.close_all();
        // SAFETY: as above.
        let released =
            unsafe { self.state.release(&state).and(self.parameters.release(&parameters)) };
        done.and(closed).and(released)
    }

    fn sweep(&mut self, width: usize) -> Result<()> {
        self.plan.turn();
        while let Some(action) = self.plan.back() {
            let begin = if trace::is_on() { clock::now() } else { 0 };
            let done = self.act(action, width);
            if begin != 0 {
                trace::add_span(Kind::Loop, action.name(), begin, clock::now(), Link::NONE);
            }
            done?;
        }
        Ok(())
    }

    fn act(&mut self, action: Action, width: usize) -> Result<()> {
        match action {
            Action::Store(place) => {
                let kept = self.keep(place);
                self.agreed_on_disk(place, kept)
            }
            Action::Restore => self.restore(),
            Action::Drop(which) => {
                self.drop(which);
                Ok(())
            }
            Action::Advance(to) => self.advance(to),
            Action::Record => self.record(),
            Action::Reverse => self.reverse_block(width),
        }
    }

    /// Brings the newest state that is kept to `scratch`.
    fn restore(&mut self) -> Result<()> {
        self.open()?;
        if let Some(newest) = self.plan.kept.last()
            && let Data::State(snapshot) = &newest.data
        {
            let restored = self.store.restore(snapshot, &mut self.scratch);
            self.agreed_on_disk(newest.place, restored)?;
        }
        self.plan.restored();
        Ok(())
    }

    /// Brings the state in `scratch` to that before block `to`, without recording.
    fn advance(&mut self, to: u64) -> Result<()> {
        self.open()?;
        for x in &mut self.scratch {
            (x.id, x.tag) = (0, 0);
        }
        self.write()?;
        self.tape().stop();
        let at = self.plan.at.unwrap_or(to);
        for block in at..to {
            let steps = self.plan.schedule.range(block);
            self.counts.add(|statistics| statistics.advanced += steps.end - steps.start);
            let run = self.run_block(block).and_then(|()| self.check_sum(block));
            self.agreed_in_checking_mode(run)?;
        }
        self.read()?;
        self.tape().start();
        self.plan.advanced(to);
        Ok(())
    }

    fn run_block(&self, block: u64) -> Result<()> {
        self.plan.schedule.range(block).try_for_each(|step| self.step.run(step))
    }

    /// In checking mode the state after `block` must be what it was in the first run.
    fn check_sum(&mut self, block: u64) -> Result<()> {
        if self.sums.is_empty() {
            return Ok(());
        }
        self.read()?;
        let at = usize::try_from(block).unwrap_or(usize::MAX - 1);
        match self.sums.get(at + 1) {
            Some(&first) if first != sum(&self.scratch) => Err(self.not_repeatable(block)),
            _ => Ok(()),
        }
    }

    #[cold]
    fn not_repeatable(&self, block: u64) -> Error {
        let steps = self.plan.schedule.range(block);
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

    /// Records the block after the state in `scratch`.
    fn record(&mut self) -> Result<()> {
        self.open()?;
        let block = self.plan.at.unwrap_or(0);
        let labels = self.labels_at(block);
        // The nest's own values are those from its inputs on.
        let first = self.enter(&labels)?;
        let steps = self.plan.schedule.range(block);
        self.counts.add(|statistics| statistics.recorded += steps.end - steps.start);
        let run = self.run_block(block).and_then(|()| self.check_recorded(block, first));
        self.agreed_in_checking_mode(run)?;
        let mut outputs = self.spare.pop().unwrap_or_default();
        outputs.clear();
        outputs.extend_from_slice(self.labeller.representatives());
        if let Some(nest) = self.nest.take() {
            let n = labels.classes();
            self.plan.recorded(Data::Block(Recorded { nest, first, n, outputs }));
        }
        let records = self.plan.count(Place::Tape);
        self.counts.add(|statistics| statistics.records = statistics.records.max(records));
        Ok(())
    }

    /// The state after a block depends on its inputs as it did in the first run.
    fn check_recorded(&mut self, block: u64, first: u32) -> Result<()> {
        self.read()?;
        self.check_sum(block)?;
        let after = self.labels_at(block + 1);
        match self.labeller.labels(&self.scratch, (self.base, first), Some(&after)) {
            Some(_) => Err(self.not_repeatable(block)),
            None => Ok(()),
        }
    }

    /// Reverses the newest recorded block, and closes its nest.
    fn reverse_block(&mut self, width: usize) -> Result<()> {
        let Some(Data::Block(Recorded { nest, first, n, outputs })) = self.plan.reversed() else {
            return Ok(());
        };
        self.nest = Some(nest);
        self.seed(&outputs, width)?;
        self.spare.push(outputs);
        // SAFETY: live, and no reference to it is held.
        unsafe { Tape::reverse(self.tape)? };
        self.take(first, n, width);
        self.close()
    }

    /// Gives the state's classes their adjoints.
    fn seed(&mut self, classes: &[Var], width: usize) -> Result<()> {
        // SAFETY: live; nothing of the user's runs.
        let tape = unsafe { &mut *self.tape };
        tape.seed_each("the state after a step", classes, &self.adjoints, 0..width)
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
