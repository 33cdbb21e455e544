//! Which value depends on which: the statements and events of a recording as one list of operands for each id.

use super::Tape;
use super::fence::Fence;
use super::position::Position;
use super::stored::Ids;
use super::sweep::Sweep;
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use std::borrow::Cow;
use std::marker::PhantomData;

/// The operands of every id from `base` on. Those of an id are older, and may repeat, or be older than `base`.
#[derive(Debug)]
pub struct Dependences<'t> {
    base: u32,
    /// Of id `base + k` from `start[k]` up to `start[k + 1]`.
    start: Vec<u32>,
    /// Those of the tape, unless events told of some.
    operand: Cow<'t, [u32]>,
}

impl Dependences<'_> {
    #[cfg(test)]
    pub fn new(base: u32) -> Self {
        Self { base, start: vec![0], operand: Cow::default() }
    }

    #[cfg(test)]
    pub fn push(&mut self, operands: &[u32]) {
        self.operand.to_mut().extend_from_slice(operands);
        self.start.push(u32::try_from(self.operand.len()).expect("operands of a test"));
    }

    /// The same for as long as wanted.
    pub fn into_owned(self) -> Dependences<'static> {
        let Self { base, start, operand } = self;
        Dependences { base, start, operand: Cow::Owned(operand.into_owned()) }
    }

    /// The first id.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// How many ids.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of an id, if it is one of them.
    pub fn node(&self, id: u32) -> Option<usize> {
        id.checked_sub(self.base).map(wide32).filter(|&k| k < self.len())
    }

    /// The operands of number `k`.
    #[inline(always)]
    fn ids(&self, k: usize) -> &[u32] {
        let &[from, to] = self.start[k..].first_chunk().expect("one more than numbers");
        &self.operand[wide32(from)..wide32(to)]
    }

    /// The same as numbers.
    #[inline(always)]
    pub fn operands(&self, k: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        self.ids(k).iter().filter_map(|&id| id.checked_sub(self.base).map(wide32))
    }

    /// What `of` has for each operand of number `k`.
    #[inline(always)]
    pub fn of_operands<'a, T: Copy>(
        &'a self,
        k: usize,
        of: &'a [T],
    ) -> impl Iterator<Item = T> + Clone + 'a {
        // What is older than `base` has a number that is larger than all.
        self.ids(k).iter().filter_map(|&id| of.get(wide32(id.wrapping_sub(self.base))).copied())
    }

    /// Of all of them together.
    pub fn operand_count(&self) -> usize {
        self.operand.len()
    }
}

/// What one event tells of its outputs.
struct Told {
    first: u32,
    /// How many operands each output has, and all of them.
    counts: Vec<u32>,
    operands: Vec<u32>,
}

/// An event whose outputs depend on values of other ranks, or values of which depend on its operands there.
#[derive(Debug, Clone, Copy)]
pub struct Across {
    pub(super) event: u32,
    pub(super) first: u32,
    pub(super) n: usize,
}

/// An event that tells on what its outputs depend.
pub struct Dependence<'s, 't> {
    sweep: &'s mut Sweep<'t>,
    /// The events that reach other ranks, where these are asked, too.
    across: Option<&'s mut Vec<Across>>,
    name: &'static str,
    told: Told,
    n: usize,
}

impl<'t> Dependence<'_, 't> {
    pub fn sweep(&mut self) -> &mut Sweep<'t> {
        self.sweep
    }

    /// The operands of the next output.
    pub fn next(&mut self, operands: impl IntoIterator<Item = u32>) {
        let before = self.told.operands.len();
        self.told.operands.extend(operands.into_iter().filter(|&id| id != 0));
        let n = self.told.operands.len() - before;
        self.told.counts.push(u32::try_from(n).expect("ids are 32 bits"));
    }

    /// Each output depends on all of these: the first does, and the others on it.
    pub fn all_on_ids(&mut self, operands: Vec<u32>) {
        if self.n == 0 || operands.is_empty() {
            return;
        }
        self.next(operands);
        let (first, n) = (self.told.first, self.n);
        (1..n).for_each(|_| self.next([first]));
    }

    pub fn all_on(&mut self, operands: &[Ids]) {
        let ids: Vec<u32> = operands.iter().flat_map(|ids| self.list(ids)).collect();
        self.all_on_ids(ids);
    }

    /// Each output depends on the operand in the same place, of each of these.
    pub fn each_on(&mut self, operands: &[Ids]) {
        let lists: Vec<Vec<u32>> = operands.iter().map(|ids| self.list(ids)).collect();
        for k in 0..self.n {
            self.next(lists.iter().map(|ids| ids[k]));
        }
    }

    /// The ids one by one; 0 for what is passive.
    pub fn list(&self, ids: &Ids) -> Vec<u32> {
        match ids {
            Ids::Passive(n) => vec![0; *n],
            Ids::Range { first, n } => (*first..first + n).collect(),
            Ids::List(list) => self.sweep.stored(list).to_vec(),
        }
    }

    /// Each output depends on all to which `reverse` would add if the adjoints of all outputs were 1.
    pub fn what_is_added_to(
        &mut self,
        reverse: impl FnOnce(&mut Sweep<'t>) -> Result<()>,
    ) -> Result<()> {
        if self.n == 0 {
            return Ok(());
        }
        let (first, n) = (self.told.first, self.n);
        let adjoints = self.sweep.adjoints(first, n);
        let seeded = adjoints.to_vec();
        adjoints.fill(1.0);
        let done = reverse(self.sweep);
        self.sweep.adjoints(first, n).copy_from_slice(&seeded);
        let mut operands = self.sweep.fence.take_noted();
        done?;
        operands.sort_unstable();
        operands.dedup();
        self.all_on_ids(operands);
        Ok(())
    }

    /// On what other ranks have: it is theirs to tell, if they are asked.
    pub fn across_ranks(&mut self, cure: &str) -> Result<()> {
        let (event, first, n) = (self.sweep.event_index(), self.told.first, self.n);
        match &mut self.across {
            Some(across) => {
                across.push(Across { event, first, n });
                Ok(())
            }
            None => self.unknown(cure),
        }
    }

    /// An error: this event cannot tell.
    pub fn unknown(&self, cure: &str) -> Result<()> {
        Err(Error::new(
            Code::Unsupported,
            format!(
                "sparsity: it is not known which results of {} depend on what; {cure}",
                self.name
            ),
        ))
    }
}

impl Sweep<'_> {
    /// What the events from `from` down to `to` tell, newest first. Assignments are undone on the way, as in a sweep.
    fn ask(
        &mut self,
        from: &Position,
        to: &Position,
        mut across: Option<&mut Vec<Across>>,
    ) -> Result<Vec<Told>> {
        let mut all = Vec::new();
        let mut top = from.id;
        let mut statement = from.statement;
        for index in (to.event..from.event).rev() {
            let header = *self.tape().header(index);
            let n = wide32(top - (statement - header.statement) - header.id);
            self.event = index;
            let told = Told { first: header.id, counts: Vec::new(), operands: Vec::new() };
            let (name, across) = (header.ops.name, across.as_deref_mut());
            let mut on = Dependence { sweep: self, across, name, told, n };
            let payload = on.sweep.tape().payload_at(header.payload);
            // SAFETY: the payload that `record` wrote for these operations.
            unsafe { (header.ops.depend)(payload, &mut on)? };
            if n > 0 {
                on.told.counts.resize(n, 0);
                all.push(on.told);
            }
            self.passed(index);
            (top, statement) = (header.id, header.statement);
        }
        Ok(all)
    }
}

impl Tape {
    /// What depends on what, from the base of the innermost nest on.
    ///
    /// # Safety
    /// `tape` is live, and nothing is recorded on it as long as they are in use.
    pub unsafe fn dependences<'t>(tape: *mut Self) -> Result<Dependences<'t>> {
        // SAFETY: the caller's promise.
        unsafe { Self::asked(tape, None) }
    }

    /// The same on ranks, with the events that reach others, newest first. Their outputs have no operands here.
    pub fn dependences_on_ranks(&mut self) -> Result<(Dependences<'static>, Vec<Across>)> {
        self.prepare()?;
        let mut across = Vec::new();
        // SAFETY: borrowed, and no code of the user's runs that could use its handle.
        let own = unsafe { Self::asked(self, Some(&mut across))? };
        Ok((own.into_owned(), across))
    }

    /// # Safety
    /// As for `dependences`.
    unsafe fn asked<'t>(
        tape: *mut Self,
        across: Option<&mut Vec<Across>>,
    ) -> Result<Dependences<'t>> {
        // SAFETY: the caller's promise; so below.
        let (from, to) = unsafe { (*tape).may_be_asked()? };
        let mut sweep = Sweep {
            tape,
            fence: Fence::that_notes(),
            event: from.event,
            depth: 0,
            undone: from.event,
            tape_borrow: PhantomData,
        };
        let told = sweep.ask(&from, &to, across);
        sweep.redo();
        // SAFETY: as above.
        unsafe { (*tape).joined(&from, &to, told?) }
    }

    /// From where to where it will be asked.
    fn may_be_asked(&mut self) -> Result<(Position, Position)> {
        self.check_recorded()?;
        self.not_in_sweep("sparsity")?;
        self.ensure_adjoints()?;
        // Elements of matrices are those of an earlier time meanwhile.
        self.mark();
        Ok((self.position(), self.base()))
    }

    /// Statements and what events told, newest first.
    fn joined(&self, from: &Position, to: &Position, told: Vec<Told>) -> Result<Dependences<'_>> {
        let ids = wide32(from.id - to.id);
        let n = wide32(from.statement - to.statement);
        let arguments = wide(from.argument - to.argument);
        // A tape without statements has no streams.
        let (mut counts, mut operands): (&[u8], &[u32]) = if n == 0 {
            (&[], &[])
        } else {
            // SAFETY: between two positions of this tape: written.
            unsafe {
                let count = self.statement.base().add(wide32(to.statement));
                let operand = self.argument.base().cast::<u32>().add(wide(to.argument));
                (
                    std::slice::from_raw_parts(count, n),
                    std::slice::from_raw_parts(operand, arguments),
                )
            }
        };
        let told_of = told.iter().map(|event| event.operands.len()).sum::<usize>();
        if u32::try_from(arguments + told_of).is_err() {
            let why = format!("sparsity: more than {} operands were recorded", u32::MAX);
            return Err(Error::new(Code::Limit, why));
        }
        let mut start = Vec::with_capacity(ids + 1);
        // Inputs at the base may belong to an event below it.
        let of_events: usize = told.iter().map(|event| event.counts.len()).sum();
        start.resize(ids - n - of_events + 1, 0);
        for event in told.iter().rev() {
            let (now, later) = counts.split_at(wide32(event.first - to.id) + 1 - start.len());
            counts = later;
            close(&mut start, now.iter().map(|&count| count.into()));
            close(&mut start, event.counts.iter().copied());
        }
        close(&mut start, counts.iter().map(|&count| count.into()));
        if told_of == 0 {
            return Ok(Dependences { base: to.id, start, operand: Cow::Borrowed(operands) });
        }
        let mut all = Vec::with_capacity(arguments + told_of);
        for event in told.iter().rev() {
            let (now, later) =
                operands.split_at(wide32(start[wide32(event.first - to.id)]) - all.len());
            operands = later;
            all.extend_from_slice(now);
            all.extend_from_slice(&event.operands);
        }
        all.extend_from_slice(operands);
        Ok(Dependences { base: to.id, start, operand: Cow::Owned(all) })
    }
}

/// Where the operands end of ids that have so many.
fn close(start: &mut Vec<u32>, counts: impl Iterator<Item = u32>) {
    let mut end = *start.last().expect("a first start");
    start.extend(counts.map(|count| {
        end += count;
        end
    }));
}
