//! Jobs: functions that run on a tape of the library's own, are swept at once, and forgotten.
//!
//! The inputs are declared once, at the bottom. A job that records statements alone, as most do, is swept and
//! forgotten without what a tape has beside them: its cursors go back, and nothing else has changed.

use super::current::{activate, current};
use super::cursors::{Cursors, Var};
use super::fence::Fence;
use super::no_tape::checking;
use super::position::Position;
use super::stored::Stored;
use super::{Dirty, Tape, WIDEST};
use crate::count::{as_c, wide, wide32};
use crate::error::{Code, Error, Result};
use std::ffi::c_void;

/// A tape on which jobs run, one after the other.
pub struct JobTape {
    tape: *mut Tape,
    /// Where a job's recording begins: right above the inputs.
    base: Position,
    inputs: usize,
    /// The tag of the inputs, and the first of their ids.
    tag: u32,
    first: u32,
    bottom: Bottom,
    /// How many of the next jobs are on trial: their operands are checked as by ADMPI_CHECK=1.
    trial: usize,
}

/// The cursors at a job's beginning, and how far recorders may write then. They stay good until a stream is extended,
/// which moves that end.
#[derive(Clone, Copy)]
struct Bottom {
    jacobian: *mut f64,
    argument: *mut u32,
    argument_end: *mut u32,
    statement: *mut u8,
    /// What values get that are recorded then.
    tag: u32,
}

impl Bottom {
    const NONE: Self = Self {
        jacobian: std::ptr::null_mut(),
        argument: std::ptr::null_mut(),
        argument_end: std::ptr::null_mut(),
        statement: std::ptr::null_mut(),
        tag: 0,
    };

    /// Where the tape stands.
    fn of(tape: &Tape) -> Self {
        let Cursors { jacobian, argument, argument_end, statement, .. } = tape.cursors;
        Self { jacobian, argument, argument_end, statement, tag: tape.tag() }
    }
}

// SAFETY: the tape is the job tape's own, and a tape may move to another thread while it is nobody's current one.
unsafe impl Send for JobTape {}

impl Default for JobTape {
    fn default() -> Self {
        Self {
            tape: Box::into_raw(Box::default()),
            base: Position::BOTTOM,
            inputs: 0,
            tag: 0,
            first: 0,
            bottom: Bottom::NONE,
            trial: 0,
        }
    }
}

impl Drop for JobTape {
    fn drop(&mut self) {
        // SAFETY: the tape is ours, and current on no thread.
        unsafe { Tape::free(self.tape) };
    }
}

/// The job tape as the thread's current one; the one before comes back in the end.
pub struct ActiveJob<'t> {
    job: &'t mut JobTape,
    /// Whether the jobs record.
    recording: bool,
    previous: *mut Tape,
}

impl Drop for ActiveJob<'_> {
    fn drop(&mut self) {
        // Until there are jobs again nothing is recorded.
        self.job.tape().stop();
        // SAFETY: it was the current tape, and outlives the jobs.
        let _ = unsafe { activate(self.previous) };
    }
}

impl JobTape {
    fn tape(&mut self) -> &mut Tape {
        // SAFETY: live as long as `self`; no function of the user's runs while the reference lives.
        unsafe { &mut *self.tape }
    }

    /// Gets ready for jobs of `inputs` inputs, the first `trial` of them on trial, or for some that record nothing.
    pub fn enter(&mut self, inputs: Option<usize>, trial: usize) -> Result<ActiveJob<'_>> {
        self.trial = trial;
        self.tape().cursors.checking = u32::from(trial > 0 || checking());
        match inputs {
            None => self.tape().stop(),
            Some(n) => {
                if self.inputs != n || self.tag == 0 {
                    self.declare(n)?;
                }
                self.tape().start();
            }
        }
        // SAFETY: live as long as `self`, which is borrowed by what makes it current.
        let previous = unsafe { activate(self.tape)? };
        Ok(ActiveJob { job: self, recording: inputs.is_some(), previous })
    }

    fn declare(&mut self, n: usize) -> Result<()> {
        self.tag = 0;
        // SAFETY: live, and no destructor of a job's is left.
        unsafe { Tape::reset(self.tape)? };
        let tape = self.tape();
        tape.start();
        let first = tape.input_ids(n)?;
        let (tag, base) = (tape.tag(), tape.mark());
        (self.first, self.tag, self.base, self.inputs) = (first, tag, base, n);
        self.bottom = Bottom::NONE;
        Ok(())
    }
}

impl ActiveJob<'_> {
    /// Makes the first of every `step` places an input, from the `at`th on. Their values are the caller's to set.
    pub fn inputs(&self, at: usize, out: &mut [Var], step: usize) {
        let tag = self.job.tag;
        let first = self.job.first + u32::try_from(at).unwrap_or(0);
        for (out, id) in out.iter_mut().step_by(step).zip(first..) {
            (out.id, out.tag) = (id, tag);
        }
    }

    /// A job has run: the derivatives of the last of every `step` of `y` with respect to the first inputs, as many for each
    /// as `rows` has room for. Forgets the job. An error if it left the tape, or the thread, in a state of its own.
    #[inline(always)]
    pub fn end(&mut self, y: &[Var], step: usize, rows: &mut [f64]) -> Result<()> {
        let JobTape { tape: ours, base, first, inputs, bottom, .. } = &*self.job;
        let is_current = current(|tape| std::ptr::eq(tape, *ours)).unwrap_or(false);
        // SAFETY: as for `JobTape::tape`.
        let tape = unsafe { &mut **ours };
        let one = rows.is_empty() || (y.len() == step && rows.len() <= *inputs);
        if !(is_current && one && tape.has_statements_alone(base, bottom, self.recording)) {
            return self.end_any(y, step, rows);
        }
        if let (Some(y), false) = (y.last(), rows.is_empty()) {
            tape.derivatives_of_one(y, *first, rows, bottom)?;
        }
        tape.rewind_job(base, bottom);
        Ok(())
    }

    #[inline(never)]
    fn end_any(&mut self, y: &[Var], step: usize, rows: &mut [f64]) -> Result<()> {
        self.check()?;
        if !y.is_empty() && !rows.is_empty() {
            let quick = self.is_quick();
            self.all_derivatives(y, step, quick, rows)?;
        }
        self.forget()
    }

    /// Forgets a job that has failed; false if the tape cannot be used any more.
    pub fn abandon(&mut self) -> bool {
        self.check().and_then(|()| self.forget()).is_ok()
    }

    fn check(&mut self) -> Result<()> {
        let ours = self.job.tape;
        let is_current = current(|tape| std::ptr::eq(tape, ours)).unwrap_or(false);
        let tape = self.job.tape();
        if is_current && tape.nests.is_empty() && tape.failed.is_none() {
            return Ok(());
        }
        self.what_is_wrong()
    }

    #[cold]
    fn what_is_wrong(&mut self) -> Result<()> {
        let tape = self.job.tape();
        if let Some((_, error)) = tape.failed.take() {
            return Err(error);
        }
        if !tape.nests.is_empty() {
            let text = format!("the job left {} nests open", tape.nests.len());
            return Err(Error::new(Code::Nest, text));
        }
        Err(Error::new(
            Code::Argument,
            "the job left another tape current; make the previous one current again",
        ))
    }

    fn all_derivatives(
        &mut self,
        y: &[Var],
        step: usize,
        quick: bool,
        rows: &mut [f64],
    ) -> Result<()> {
        let n = y.len() / step;
        let mut y = y.iter().skip(step - 1).step_by(step);
        let first = self.job.first;
        let columns = rows.len() / n;
        let tape = self.job.tape;
        // SAFETY: live; the reference does not outlive a sweep, in which functions of the user's may run.
        unsafe {
            if !quick {
                (*tape).clear_all_adjoints();
            }
            (*tape).set_width(n.min(WIDEST).next_power_of_two())?;
            let width = (*tape).width;
            for rows in rows.chunks_mut(width * columns) {
                (*tape).ensure_adjoints()?;
                for (k, y) in y.by_ref().take(rows.len() / columns).enumerate() {
                    (*tape).seed_job(y, k, quick)?;
                }
                if quick {
                    (*tape).sweep_job()?;
                } else {
                    Tape::reverse(tape)?;
                }
                (*tape).take_columns(first, columns, rows);
            }
        }
        Ok(())
    }

    /// Whether nothing but statements stands above the inputs, and no adjoint may differ from zero.
    fn is_quick(&mut self) -> bool {
        let JobTape { base, bottom, .. } = *self.job;
        let tape = self.job.tape();
        tape.events == base.event
            && tape.tag() == bottom.tag
            && tape.next_id() - base.id == tape.statements()
            && tape.kept.is_empty()
            && tape.dirty == Dirty::default()
    }

    /// Forgets the job.
    fn forget(&mut self) -> Result<()> {
        self.forget_recorded()?;
        if self.job.trial > 0 {
            self.job.trial -= 1;
            if self.job.trial == 0 {
                let tape = self.job.tape();
                tape.cursors.checking = u32::from(checking());
                tape.sync();
                self.job.bottom = Bottom::of(self.job.tape());
            }
        }
        Ok(())
    }

    fn forget_recorded(&mut self) -> Result<()> {
        let (base, recording) = (self.job.base, self.recording);
        let quick = self.is_quick();
        let tape = self.job.tape();
        tape.cursors.recording = u32::from(recording);
        if !quick || tape.payload_used as u64 != base.payload || tape.checking() {
            return self.forget_all(&base);
        }
        tape.rewind(&base);
        tape.sync();
        self.job.bottom = Bottom::of(self.job.tape());
        Ok(())
    }

    /// With matrices, events, or a check for values that outlive their job: as a user's tape forgets.
    fn forget_all(&mut self, base: &Position) -> Result<()> {
        self.job.tape().clear_all_adjoints();
        // SAFETY: live; destructors may run, which are refused the tape.
        unsafe { Tape::reset_to(self.job.tape, base)? };
        self.job.bottom = Bottom::of(self.job.tape());
        Ok(())
    }
}

impl Tape {
    /// Whether a job has recorded statements alone, on streams that have not been extended since it began, and has left
    /// everything else as it was; then its sweep has one direction.
    #[inline(always)]
    fn has_statements_alone(&self, base: &Position, bottom: &Bottom, recording: bool) -> bool {
        let statements = self.cursors.statement.addr().wrapping_sub(bottom.statement.addr());
        self.cursors.argument_end == bottom.argument_end
            && self.cursors.checking == 0
            && self.tag() == bottom.tag
            && self.cursors.recording == u32::from(recording)
            && wide32(self.cursors.next_id) == wide32(base.id) + statements
            && self.events == base.event
            && self.payload_used as u64 == base.payload
            && self.width == 1
            && self.dirty == Dirty::default()
            && self.kept.is_empty()
            && self.nests.is_empty()
            && self.failed.is_none()
    }

    /// Back to where such a job began.
    #[inline(always)]
    fn rewind_job(&mut self, base: &Position, bottom: &Bottom) {
        self.cursors.jacobian = bottom.jacobian;
        self.cursors.argument = bottom.argument;
        self.cursors.statement = bottom.statement;
        self.cursors.next_id = base.id;
    }

    /// Sweeps all statements, above which and between which nothing stands.
    fn sweep_job(&mut self) -> Result<()> {
        let (mut top, statements) = (self.position(), self.statements());
        // SAFETY: the top of the tape, and all of its statements.
        let swept = unsafe { self.run_statements(&mut top, statements, &mut Fence::default()) };
        if swept.is_err() {
            self.dirty.below = self.next_id();
        }
        swept
    }

    /// The derivatives of the single result of such a job, with respect to the first inputs.
    #[inline(always)]
    fn derivatives_of_one(
        &mut self,
        y: &Var,
        first: u32,
        row: &mut [f64],
        bottom: &Bottom,
    ) -> Result<()> {
        if y.tag != self.tag() || y.id >= self.next_id() {
            self.check_var("y", y)?;
        }
        if y.id == 0 {
            row.fill(0.0);
            return Ok(());
        }
        self.ensure_adjoints()?;
        let adjoints = self.adjoint.base().cast::<f64>();
        // SAFETY: `y` is on this tape, and there are as many inputs as the row is long: their adjoints are committed. All
        // statements of a tape of width 1 stand above the bottom.
        unsafe {
            *adjoints.add(wide32(y.id)) = 1.0;
            if let Err(error) = self.run_all_statements(bottom.statement) {
                self.dirty.below = self.next_id();
                return Err(error);
            }
            let adjoints = adjoints.add(wide32(first));
            for (i, place) in row.iter_mut().enumerate() {
                *place = adjoints.add(i).replace(0.0);
            }
        }
        Ok(())
    }

    #[inline]
    fn seed_job(&mut self, y: &Var, direction: usize, quick: bool) -> Result<()> {
        self.check_var("y", y)?;
        self.seeded = true;
        if y.id != 0 {
            let width = self.width;
            self.adjoints_mut(y.id, width)[direction] += 1.0;
            if !quick {
                self.dirty.below = self.dirty.below.max(y.id + 1);
            }
        }
        Ok(())
    }

    /// Takes the adjoints of the ids from `first` on, direction by direction.
    #[inline]
    fn take_columns(&mut self, first: u32, columns: usize, rows: &mut [f64]) {
        let width = self.width;
        let adjoints = self.adjoints_mut(first, columns * width);
        for (j, adjoints) in adjoints.chunks_exact_mut(width).enumerate() {
            for (k, adjoint) in adjoints.iter_mut().enumerate() {
                if let Some(place) = rows.get_mut(k * columns + j) {
                    *place = *adjoint;
                }
                *adjoint = 0.0;
            }
        }
    }
}

/// A function of the user's that is a job, with its context.
pub struct JobFunction {
    pub function: unsafe extern "C-unwind" fn(
        *const Var,
        i64,
        *const Var,
        i64,
        *const f64,
        i64,
        *const i32,
        i64,
        *mut Var,
        i64,
        *mut c_void,
    ) -> i32,
    pub ctx: *mut c_void,
}

// SAFETY: the user promises that the function may run on several threads at once.
unsafe impl Send for JobFunction {}
// SAFETY: as above.
unsafe impl Sync for JobFunction {}

impl JobFunction {
    /// Writes the results `y`, which are passive zeros, and returns 0, or anything else for a failure.
    #[inline(always)]
    pub fn run(&self, shared: &[Var], job: &[Var], x_r: &[f64], x_i: &[i32], y: &mut [Var]) -> i32 {
        // SAFETY: the user's function, with arrays of the sizes that its contract names.
        unsafe {
            (self.function)(
                shared.as_ptr(),
                as_c(shared.len()),
                job.as_ptr(),
                as_c(job.len()),
                x_r.as_ptr(),
                as_c(x_r.len()),
                x_i.as_ptr(),
                as_c(x_i.len()),
                y.as_mut_ptr(),
                as_c(y.len()),
                self.ctx,
            )
        }
    }
}

/// Numbers in a tape's arena that are written while other tapes record. Until it ends, calls on the tape are refused.
#[derive(Debug)]
pub struct Lease {
    stored: Stored<f64>,
    place: *mut f64,
    serial: u64,
    before: usize,
    after: usize,
}

impl Lease {
    /// What is written there; at first it is unspecified.
    pub fn values(&mut self) -> &mut [f64] {
        if self.stored.is_empty() {
            return &mut [];
        }
        // SAFETY: in the arena of a tape that forgets nothing meanwhile.
        unsafe { std::slice::from_raw_parts_mut(self.place, self.stored.len()) }
    }
}

impl Tape {
    /// `n` numbers of the arena. `before` is where the arena stood before what belongs to them.
    pub fn lease(&mut self, n: usize, before: &Position) -> Result<Lease> {
        let stored = self.reserve::<f64>(n)?;
        let place = self.stored_mut(&stored).as_mut_ptr();
        self.leased += 1;
        Ok(Lease {
            stored,
            place,
            serial: self.serial,
            before: wide(before.payload),
            after: self.payload_used,
        })
    }

    /// Gives back what was taken of the arena since `position`, after which nothing was recorded.
    pub fn give_back(&mut self, position: &Position) {
        self.payload_used = wide(position.payload);
    }

    /// What was written is kept, or else given back.
    pub fn end_lease(&mut self, lease: &Lease, keep: bool) -> Result<Stored<f64>> {
        if self.serial != lease.serial {
            return Err(Error::new(
                Code::Nest,
                "a job made another tape current than the caller's",
            ));
        }
        self.leased -= 1;
        if !keep && self.payload_used == lease.after {
            self.payload_used = lease.before;
        }
        Ok(lease.stored)
    }

    /// Whether a map writes to the arena.
    pub const fn is_leased(&self) -> bool {
        self.leased != 0
    }
}
