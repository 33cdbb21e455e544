//! The adjoints of a tape: seeded, read, and cleared.

use super::cursors::Var;
use super::nest::Outside;
use super::{Dirty, Tape};
use crate::count::wide32;
use crate::error::{Code, Error, Result};
use crate::var_pack::move_out;
use std::ops::Range;

impl Tape {
    /// Commits the adjoints of all ids given out so far. Fresh ones are zero.
    #[inline(always)]
    pub(super) fn ensure_adjoints(&mut self) -> Result<()> {
        let bytes = wide32(self.cursors.next_id) * self.width * size_of::<f64>();
        if bytes > self.adjoint.committed() { self.commit_adjoints(bytes) } else { Ok(()) }
    }

    #[cold]
    fn commit_adjoints(&mut self, bytes: usize) -> Result<()> {
        let budget = self.budget();
        self.adjoint.commit(bytes, budget)
    }

    pub(super) fn adjoints_mut(&mut self, first: u32, n: usize) -> &mut [f64] {
        let start = wide32(first) * self.width;
        assert!(
            (start + n) * size_of::<f64>() <= self.adjoint.committed(),
            "ids beyond the adjoints"
        );
        if n == 0 {
            return &mut [];
        }
        // SAFETY: inside the committed part of the stream, which this tape owns.
        unsafe { std::slice::from_raw_parts_mut(self.adjoint.base().cast::<f64>().add(start), n) }
    }

    /// The first `n` adjoints, or as many as may differ from zero.
    pub(super) fn committed_adjoints(&self, n: usize) -> &[f64] {
        let n = n.min(self.adjoint.committed() / size_of::<f64>());
        if n == 0 {
            return &[];
        }
        // SAFETY: committed, hence zero or written.
        unsafe { std::slice::from_raw_parts(self.adjoint.base().cast::<f64>(), n) }
    }

    /// Adds `weight` to the adjoint of `y` in `direction`. A passive `y` has none.
    pub fn seed(&mut self, y: &Var, weight: f64, direction: usize) -> Result<()> {
        self.check_direction(direction)?;
        self.check_var("y", y)?;
        if y.id != 0 || weight == 0.0 {
            self.note_seeded();
        }
        if y.id != 0 {
            self.ensure_adjoints()?;
            self.adjoints_mut(y.id, self.width)[direction] += weight;
            self.dirty.below = self.dirty.below.max(y.id + 1);
            self.dirty.passed |= self.sweeps.last().is_some_and(|sweep| y.id < sweep.top.id);
        }
        Ok(())
    }

    /// The same for each of `ys`, whose weights in these directions lie side by side in `weights`. `name` is that of `ys` in
    /// errors.
    pub fn seed_each(
        &mut self,
        name: &str,
        ys: &[Var],
        weights: &[f64],
        directions: Range<usize>,
    ) -> Result<()> {
        self.check_vars(name, ys)?;
        let (mut rest, mut reaches) = (weights, weights.contains(&0.0));
        for run in ys.chunk_by(Var::is_followed_by) {
            let (weights, later) = rest.split_at(run.len() * directions.len());
            rest = later;
            self.add_adjoints(run[0].id, weights, directions.clone())?;
            reaches |= run[0].id != 0;
        }
        if reaches {
            self.note_seeded();
        }
        Ok(())
    }

    /// The same for values with consecutive ids from `first` on, which are this tape's; passive ones have the id 0.
    pub fn add_adjoints(
        &mut self,
        first: u32,
        weights: &[f64],
        directions: Range<usize>,
    ) -> Result<()> {
        fn add(adjoints: &mut [f64], weights: &[f64]) {
            adjoints.iter_mut().zip(weights).for_each(|(adjoint, weight)| *adjoint += weight);
        }
        if first == 0 {
            return Ok(());
        }
        self.ensure_adjoints()?;
        let (width, n) = (self.width, weights.len() / directions.len());
        let adjoints = self.adjoints_mut(first, n * width);
        if directions.len() == width {
            add(adjoints, weights);
        } else {
            let each = weights.chunks_exact(directions.len());
            for (adjoints, weights) in adjoints.chunks_exact_mut(width).zip(each) {
                add(&mut adjoints[directions.clone()], weights);
            }
        }
        let end = first + u32::try_from(n).expect("ids that were given out");
        self.dirty.below = self.dirty.below.max(end);
        self.dirty.passed |= self.sweeps.last().is_some_and(|sweep| first < sweep.top.id);
        Ok(())
    }

    /// Takes the adjoints of values with consecutive ids from `first` on, in the first `directions`, side by side.
    pub fn take_adjoints(&mut self, first: u32, out: &mut [f64], directions: usize) {
        let (width, n) = (self.width, out.len() / directions);
        let adjoints = self.adjoints_mut(first, n * width);
        if directions == width {
            return move_out(adjoints, out);
        }
        let each = adjoints.chunks_exact_mut(width);
        for (adjoint, out) in each.zip(out.chunks_exact_mut(directions)) {
            out.copy_from_slice(&adjoint[..directions]);
            adjoint.fill(0.0);
        }
    }

    /// The adjoints of values with consecutive ids from `first` on, as `adjoint` gives them. Not if some are kept.
    pub fn adjoints_of_range(&self, first: u32, direction: usize, out: &mut [f64]) -> bool {
        let n = u32::try_from(out.len()).expect("ids that were given out");
        let kept = self.kept.partition_point(|&id| id < first);
        if self.kept.get(kept).is_some_and(|&id| id < first + n) {
            return false;
        }
        let mut adjoints: &[f64] = &[];
        if first != 0 {
            let doubles = self.adjoint.committed() / size_of::<f64>();
            let from = (wide32(first) * self.width).min(doubles);
            let end = (from + out.len() * self.width).min(doubles);
            // SAFETY: committed, hence zero or written.
            adjoints = unsafe {
                std::slice::from_raw_parts(self.adjoint.base().cast::<f64>().add(from), end - from)
            };
        }
        let (there, beyond) = out.split_at_mut(adjoints.len() / self.width);
        beyond.fill(0.0);
        if self.width == 1 {
            there.copy_from_slice(adjoints);
        } else {
            let adjoints = adjoints.iter().skip(direction).step_by(self.width);
            there.iter_mut().zip(adjoints).for_each(|(out, adjoint)| *out = *adjoint);
        }
        true
    }

    /// Those of `xs`, as `adjoint` gives them.
    pub fn adjoints_of(&self, xs: &[Var], direction: usize, out: &mut [f64]) -> Result<()> {
        self.check_direction(direction)?;
        let mut rest = out;
        for run in xs.chunk_by(Var::is_followed_by) {
            let (out, later) = rest.split_at_mut(run.len());
            rest = later;
            if !self.adjoints_of_range(run[0].id, direction, out) {
                for (out, x) in out.iter_mut().zip(run) {
                    *out = self.adjoint(x, direction)?;
                }
            }
        }
        Ok(())
    }

    /// The adjoint of `x` in `direction`: what a kept value has gathered, and what is still to be swept.
    pub fn adjoint(&self, x: &Var, direction: usize) -> Result<f64> {
        self.check_direction(direction)?;
        self.check_var("x", x)?;
        let at = wide32(x.id) * self.width + direction;
        let mut adjoint = 0.0;
        if x.id != 0 && (at + 1) * size_of::<f64>() <= self.adjoint.committed() {
            // SAFETY: committed, hence zero or written.
            adjoint = unsafe { *self.adjoint.base().cast::<f64>().add(at) };
        }
        if !self.kept.is_empty()
            && let Ok(kept) = self.kept.binary_search(&x.id)
        {
            adjoint += self.kept_adjoint[kept * self.width + direction];
        }
        Ok(adjoint)
    }

    pub fn check_direction(&self, direction: usize) -> Result<()> {
        if direction < self.width {
            return Ok(());
        }
        Err(Error::new(
            Code::Argument,
            format!("direction = {direction} is not below the width, which is {}", self.width),
        ))
    }

    /// Lets the adjoint of `y` outlive the sweep that consumes it. That of an input does anyway.
    pub fn keep(&mut self, y: &Var) -> Result<()> {
        self.check_var("y", y)?;
        if y.id != 0
            && !self.is_input(y.id)
            && let Err(at) = self.kept.binary_search(&y.id)
        {
            self.kept.insert(at, y.id);
            let at = at * self.width;
            self.kept_adjoint.splice(at..at, std::iter::repeat_n(0.0, self.width));
        }
        Ok(())
    }

    pub(super) fn is_input(&self, id: u32) -> bool {
        let above = self.inputs.partition_point(|&(first, _)| first <= id);
        above > 0 && id - self.inputs[above - 1].0 < self.inputs[above - 1].1
    }

    /// Adds the adjoint of a kept value, complete now, to what it has gathered.
    pub(super) fn keep_adjoint(&mut self, kept: usize) {
        let (width, id) = (self.width, self.kept[kept]);
        let start = wide32(id) * width;
        for k in 0..width {
            // SAFETY: ids of this tape are committed during a sweep.
            let adjoint = unsafe { *self.adjoint.base().cast::<f64>().add(start + k) };
            self.kept_adjoint[kept * width + k] += adjoint;
        }
    }

    /// The same for the kept ones among an event's outputs, before it takes them.
    #[inline]
    pub(super) fn keep_outputs(&mut self, first: u32, end: u32) {
        if self.kept.is_empty() {
            return;
        }
        let range =
            self.kept.partition_point(|&id| id < first)..self.kept.partition_point(|&id| id < end);
        for kept in range {
            self.keep_adjoint(kept);
        }
    }

    /// Zeroes all adjoints that a sweep may write now: all, or those of the innermost isolated nest.
    pub fn clear_adjoints(&mut self) -> Result<()> {
        let isolated = self.nests.iter().rfind(|nest| nest.outside != Outside::Added);
        let floor = isolated.map_or(0, |nest| nest.base.id);
        if self.sweeps.last().is_some_and(|sweep| floor < sweep.top.id) {
            return Err(Error::new(
                Code::Nest,
                "clear_adjoints: a sweep of this tape is under way; a nest in its callback can be cleared if it is \
                 opened with ADMPI_NEST_ISOLATED",
            ));
        }
        if floor == 0 {
            self.clear_all_adjoints();
        } else {
            self.zero_adjoints_from(floor);
            let kept = self.kept.partition_point(|&id| id < floor);
            self.kept_adjoint[kept * self.width..].fill(0.0);
        }
        Ok(())
    }

    pub(super) fn clear_all_adjoints(&mut self) {
        self.seeded = false;
        self.zero_adjoints_from(0);
        self.dirty = Dirty::default();
        self.kept_adjoint.fill(0.0);
    }

    /// Zeroes the adjoints of `id` and all above it, touching only what may differ from zero.
    pub(super) fn zero_adjoints_from(&mut self, id: u32) {
        if self.dirty.inputs {
            for at in (0..self.inputs.len()).rev() {
                let (first, n) = self.inputs[at];
                if first + n <= id {
                    break;
                }
                self.zero_adjoints(first.max(id), first + n);
            }
        }
        if self.dirty.below > id {
            self.zero_adjoints(id, self.dirty.below);
            self.dirty.below = id;
        }
    }

    /// Adjoints that were never committed are zero already.
    fn zero_adjoints(&mut self, first: u32, end: u32) {
        let committed = self.adjoint.committed() / size_of::<f64>();
        let start = (wide32(first) * self.width).min(committed);
        let stop = (wide32(end) * self.width).min(committed);
        if start < stop {
            // SAFETY: inside the committed part of the stream.
            unsafe { self.adjoint.base().cast::<f64>().add(start).write_bytes(0, stop - start) };
        }
    }
}
