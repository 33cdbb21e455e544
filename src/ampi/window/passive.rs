//! Locks: operations that take effect at once, without the target.
//!
//! A value that is put stands in the target's memory with a number of its origin's tape and with its rank instead of an id. Whoever
//! reads it knows whom to ask for an id. When the operation is complete, the target gets a note, and its counter tells how many
//! notes there are. Wherever the target may learn that the operation is complete, it reads the notes that are due, and gives ids of
//! its own tape to what still stands in its memory.

use super::anchors::{Anchors, Key, Named, Owed, Way, may_record, owe_put, owe_read, owner_of};
use super::anchors::{record_taken, release};
use super::ids::{IdRuns, check};
use super::operation::{Combine, Operation, number, word};
use super::read::{Read, wide_type};
use super::target::{FLOAT_PAIR, PAIR, combine_tangents, combined, displaced};
use crate::ampi::builtin_op::as_float;
use crate::ampi::late::leave_to_mpi;
use crate::ampi::recording::{check_tape, never_given};
use crate::ampi::statistics;
use crate::ampi::wire::{bytes, doubles};
use crate::count::narrow32;
use crate::datatype::{Exposed, Items, Mark, RecvBuffer, SendBuffer};
use crate::error::{Code, Error, Result};
use crate::mpi::message::{self, Envelope};
use crate::mpi::parcel::Patience;
use crate::mpi::raw::constants;
use crate::mpi::transfer::Transfer;
use crate::mpi::{Comm, Counters, Departing, Failure, MpiResult, Operation as Transmission};
use crate::mpi::{Payload, Staging, Win};
use crate::tape::{self, Tape, Var};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The tag of notes, on the window's own communicator.
const NOTES: c_int = 3;

/// How many windows live that may be locked.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Whether a window lives that may be locked.
#[inline(always)]
pub fn is_live() -> bool {
    LIVE.load(Ordering::Relaxed) != 0
}

/// What has been put, until it is complete.
struct Put {
    target: c_int,
    displacement: i64,
    items: Items,
    /// The first number, which the others count down from.
    first: u32,
    tag: u32,
    ids: IdRuns,
    recorded: bool,
    data: Departing,
}

/// Items of a target's memory.
pub struct Place {
    pub win: Win,
    pub target: c_int,
    pub displacement: i64,
    pub items: Items,
}

/// Items with values of this rank's tape.
#[derive(Default)]
struct Copies {
    vars: Vec<Var>,
    /// As they travel, where something lies between the values.
    wire: Staging,
}

/// What `combine` makes of `old` items by `new` ones.
fn renewed(combine: Combine, old: Copies, new: Copies) -> Result<Copies> {
    match combine {
        Combine::Replace | Combine::Nothing | Combine::Read => Ok(new),
        Combine::Reduce(kind) | Combine::Floats(kind) => {
            let pairs = old.vars.into_iter().zip(new.vars);
            let mut vars: Vec<Var> =
                pairs.map(|(old, new)| combined(kind, old, new)).collect::<Result<_>>()?;
            if let Combine::Floats(_) = combine {
                vars.iter_mut().for_each(|var| var.value = as_float(var.value));
            }
            Ok(Copies { vars, wire: new.wire })
        }
        Combine::Locate(kind) | Combine::LocateFloats(kind) => {
            let Copies { mut vars, mut wire } = old;
            let bytes = if let Combine::Locate(_) = combine { PAIR } else { FLOAT_PAIR };
            let which = displaced(kind, bytes, wire.as_mut_slice(), new.wire.as_slice());
            which.into_iter().for_each(|i| vars[i] = new.vars[i]);
            Ok(Copies { vars, wire })
        }
        Combine::Tangents(kind, nest) => {
            let Copies { vars, mut wire } = old;
            combine_tangents(kind, nest, wire.as_mut_slice(), new.wire.as_slice())?;
            Ok(Copies { vars, wire })
        }
        Combine::ActiveTangents(kind, nest) => {
            let Copies { mut vars, wire } = old;
            combine_tangents(kind, nest, &mut vars, &new.vars)?;
            Ok(Copies { vars, wire })
        }
    }
}

/// A window's part for locks.
pub struct Passive {
    way: Way,
    comm: Comm,
    rank: c_int,
    counters: Counters,
    /// Notes that have been read.
    read: u64,
    /// Whether all ranks are locked, and which are.
    all: bool,
    held: Vec<c_int>,
    puts: Vec<Put>,
    /// With a number each, by which one is finished.
    gets: Vec<(u64, Read)>,
    started: u64,
}

#[cold]
fn unsupported(why: impl Into<String>) -> Failure {
    Error::new(Code::Unsupported, why).into()
}

impl Passive {
    /// Collective over `comm`, the window's own.
    pub fn new(comm: Comm, way: Way) -> MpiResult<Self> {
        let (counters, rank) = (Counters::new(comm)?, comm.rank()?);
        LIVE.fetch_add(1, Ordering::Relaxed);
        let (held, puts, gets) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { way, comm, rank, counters, read: 0, all: false, held, puts, gets, started: 0 })
    }

    /// Collective.
    pub fn free(self) -> MpiResult<()> {
        LIVE.fetch_sub(1, Ordering::Relaxed);
        self.counters.free()
    }

    /// A rank is locked, or all of them are.
    pub fn lock(&mut self, rank: Option<c_int>) {
        match rank {
            Some(rank) => self.held.push(rank),
            None => self.all = true,
        }
    }

    pub fn unlock(&mut self, rank: Option<c_int>) {
        match rank {
            Some(rank) => self.held.retain(|&held| held != rank),
            None => self.all = false,
        }
    }

    /// Whether any rank is locked.
    pub const fn is_locking(&self) -> bool {
        self.all || !self.held.is_empty()
    }

    fn require_lock(&self, target: c_int) -> MpiResult<()> {
        if self.all || self.held.contains(&target) {
            return Ok(());
        }
        let why = format!("target_rank = {target} is not locked: call AMPI_Win_lock before");
        Err(Error::new(Code::Mpi, why).into())
    }

    /// Starts an operation under a lock.
    pub fn start(&mut self, win: Win, target: c_int, operation: Operation<'_>) -> MpiResult<()> {
        self.require_lock(target)?;
        if tape::current(|tape| !may_record(tape)).unwrap_or(false) {
            return Err(unsupported(
                "operations under locks on active data are not for a nest, nor for a callback of a sweep: use AMPI_Win_fence there",
            ));
        }
        let Operation { combine, is_atomic, result, operand, displacement, items } = operation;
        let place = Place { win, target, displacement, items };
        match (combine, operand, result) {
            (Combine::Replace, Some(source), None) if !is_atomic => {
                let brought = self.brought(source, &place.items)?;
                self.put(place, brought)
            }
            (Combine::Read, None, Some(sink)) => self.read_from(place, sink, None).map(|_| ()),
            (combine, operand, result) => self.update(place, combine, operand, result),
        }
    }

    /// What an operation brings to such items. Its active values are passive if the tape does not record.
    fn brought(&self, source: &SendBuffer, items: &Items) -> MpiResult<Copies> {
        let mut vars = source.vars();
        let records = tape::current(|tape| {
            check(tape, source)?;
            let (highest, next) =
                (vars.iter().map(|var| var.id).max().unwrap_or(0), tape.next_id());
            if highest >= next {
                return Err(never_given(highest, next));
            }
            Ok(tape.recording())
        });
        check_tape(source, || source.shape())?;
        if !records.transpose()?.unwrap_or(false) {
            vars.iter_mut().for_each(|var| *var = passive(var.value));
        }
        statistics::sent_forward(vars.len());
        let mut wire = Staging::default();
        if items.are_mixed() {
            wire = Staging::take(source.words());
            source.pack(wire.as_mut_slice());
        }
        Ok(Copies { vars, wire })
    }

    /// Puts items with values of this rank's tape.
    fn put(&mut self, place: Place, Copies { mut vars, wire }: Copies) -> MpiResult<()> {
        let mut ids = IdRuns::default();
        vars.iter().for_each(|var| ids.push(var.id, 1));
        let give = |tape: &mut Tape| {
            let mut kept = IdRuns::default();
            kept.append(&ids);
            let next = tape.next_id();
            tape.recording().then(|| tape.companion::<Anchors>().give(self.rank, next, kept))
        };
        // One that stays here needs no number.
        let given = if place.target == self.rank { None } else { tape::current(give).flatten() };
        let given = given.transpose()?;
        if let Some((first, tag)) = given {
            for (i, var) in (0..).zip(&mut vars).filter(|(_, var)| var.id != 0) {
                (var.id, var.tag) = (first - i, tag);
            }
        }
        let Place { win, target, displacement, items } = place;
        let n = items.wide_bytes();
        let mut wide = Staging::zeros(n.div_ceil(8));
        items.widen(&vars, wire.as_slice(), wide.as_mut_slice());
        let (here, there) = (bytes(n)?, wide_type(&items)?);
        let data = win.put(wide, &here, (target, displacement), &there)?;
        let (first, tag) = given.unwrap_or_default();
        let recorded = given.is_some();
        self.puts.push(Put { target, displacement, items, first, tag, ids, recorded, data });
        Ok(())
    }

    /// Reads, combines and writes while no other rank does so there.
    fn update(
        &mut self,
        place: Place,
        combine: Combine,
        operand: Option<&SendBuffer>,
        result: Option<RecvBuffer>,
    ) -> MpiResult<()> {
        let brought = operand.map(|source| self.brought(source, &place.items)).transpose()?;
        let target = place.target;
        self.counters.lock(target)?;
        let done = self.update_locked(place, combine, brought, result);
        self.counters.unlock(target)?;
        self.tell(done?)
    }

    fn update_locked(
        &mut self,
        place: Place,
        combine: Combine,
        brought: Option<Copies>,
        result: Option<RecvBuffer>,
    ) -> MpiResult<BTreeMap<c_int, Note>> {
        let (win, target) = (place.win, place.target);
        let reads = result.is_some() || combine != Combine::Replace;
        let (old, told) = if reads { self.read(&place)? } else { Default::default() };
        if let Some(mut sink) = result {
            if place.items.are_mixed() {
                sink.unpack_bytes(old.wire.as_slice(), place.items.bytes(), Mark::PASSIVE)?;
            }
            sink.set_vars(&old.vars)?;
        }
        if let Some(new) = brought {
            self.put(place, renewed(combine, old, new)?)?;
            win.flush(target)?;
            // Others may read it from now on.
            tape::current(release).unwrap_or(Ok(()))?;
        }
        Ok(told)
    }

    /// What lies at a place now, with values of this rank's tape.
    fn read(&self, place: &Place) -> MpiResult<(Copies, BTreeMap<c_int, Note>)> {
        let Place { win, target, displacement, items } = place;
        let room = Staging::take(items.wide_bytes().div_ceil(8));
        let (here, there) = (bytes(items.wide_bytes())?, wide_type(items)?);
        let wide = win.get(room, &here, (*target, *displacement), &there, None)?;
        win.flush(*target)?;
        let wide = wide.arrived();
        let mut wire = Staging::default();
        if items.are_mixed() {
            wire = Staging::take(items.bytes().div_ceil(8));
            items.narrow(wide.as_slice(), wire.as_mut_slice());
        }
        let vars = items.vars(wide.as_slice());
        let mut found = [Found { target: *target, sink: RecvBuffer::default(), vars }];
        let told = self.own(&mut found)?;
        let [Found { vars, .. }] = found;
        Ok((Copies { vars, wire }, told))
    }

    /// Makes values of this rank's tape of what was read: passive ones if it does not record.
    fn own(&self, found: &mut [Found]) -> MpiResult<BTreeMap<c_int, Note>> {
        let record = |tape: &mut Tape| tape.recording().then(|| self.name(tape, found));
        if let Some(told) = tape::current(record).flatten() {
            return Ok(told?);
        }
        for var in found.iter_mut().flat_map(|found| &mut found.vars) {
            *var = passive(var.value);
        }
        Ok(BTreeMap::new())
    }

    /// Tells other ranks what was read of theirs.
    fn tell(&self, told: BTreeMap<c_int, Note>) -> MpiResult<()> {
        told.into_iter().try_for_each(|(owner, note)| self.send_note(read_note(&note), owner))
    }

    /// Completes the operations on a rank's part, or on all of them. Those that are to be complete here only are those that read.
    pub fn flush(&mut self, win: Win, target: Option<c_int>, local: bool) -> MpiResult<()> {
        let mut targets: Vec<c_int> = self.gets.iter().map(|(_, get)| get.target).collect();
        if !local {
            targets.extend(self.puts.iter().map(|put| put.target));
        }
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|&one| target.is_none_or(|target| target == one));
        for &target in &targets {
            if local { win.flush_local(target)? } else { win.flush(target)? }
        }
        for &target in targets.iter().filter(|_| !local) {
            self.finish_puts(target)?;
        }
        self.finish_gets(|(_, get)| targets.contains(&get.target))
    }

    /// Tells the target what has been put.
    fn finish_puts(&mut self, target: c_int) -> MpiResult<()> {
        let (done, left) =
            std::mem::take(&mut self.puts).into_iter().partition(|put| put.target == target);
        self.puts = left;
        let done: Vec<Put> = done;
        if done.is_empty() {
            return Ok(());
        }
        let key = Key::new(false);
        let (note, ids) = put_note(key, &done);
        let recorded = done.iter().any(|put| put.recorded);
        let lowest = done.iter().filter(|put| put.recorded).map(last_number).min();
        done.into_iter().for_each(|put| put.data.departed());
        if target == self.rank {
            return Ok(());
        }
        if let Some(lowest) = lowest.filter(|_| recorded) {
            let owed = Owed { way: self.way, taker: target, key, ids };
            let owe = |tape: &mut Tape| {
                release(tape)?;
                owe_put(tape, lowest, owed)
            };
            tape::current(owe).unwrap_or_else(|| Err(without_tape()))?;
        }
        self.send_note(note, target)
    }

    fn send_note(&self, note: Staging, to: c_int) -> MpiResult<()> {
        let items = doubles(note.len())?;
        let sent =
            Transmission::send(self.comm, Payload::Own(note), &items, Envelope::new(to, NOTES))?;
        leave_to_mpi(std::iter::once(sent));
        self.counters.raise(to)
    }

    /// Starts to read. Others may not write there until this is over.
    pub fn read_from(
        &mut self,
        place: Place,
        sink: RecvBuffer,
        request: Option<&mut Transfer>,
    ) -> MpiResult<u64> {
        let Place { win, target, displacement, items } = place;
        self.require_lock(target)?;
        let read = Read::start(win, target, displacement, items, sink, request)?;
        self.started += 1;
        self.gets.push((self.started, read));
        Ok(self.started)
    }

    /// The read of that number is over. Others may have finished it before.
    pub fn finish_read(&mut self, number: u64) -> MpiResult<()> {
        self.finish_gets(|&(one, _)| one == number)
    }

    /// Gives what was read its values and ids.
    fn finish_gets(&mut self, is_over: impl Fn(&(u64, Read)) -> bool) -> MpiResult<()> {
        let (done, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.gets).into_iter().partition(is_over);
        self.gets = left;
        let mut found = Vec::new();
        for (_, get) in done {
            let target = get.target;
            let (sink, vars) = get.look()?;
            found.push(Found { target, sink, vars });
        }
        let told = self.own(&mut found)?;
        for Found { sink, vars, .. } in &mut found {
            sink.set_vars(vars)?;
        }
        self.tell(told)
    }

    /// Gives ids of this tape to values that other ranks have, and tells what each rank is to know of that.
    fn name(&self, tape: &mut Tape, found: &mut [Found]) -> Result<BTreeMap<c_int, Note>> {
        let mut all: BTreeMap<c_int, Note> = BTreeMap::new();
        for (i, Found { target, vars, .. }) in (0..).zip(&mut *found) {
            for (k, var) in (0..).zip(vars).filter(|(_, var)| var.id != 0) {
                match owner_of(var.tag) {
                    Some(owner) if owner == self.rank => {
                        let id = tape.companion::<Anchors>().own(var.id, var.tag, owner)?;
                        *var =
                            if id == 0 { passive(var.value) } else { tape.value_of(var.value, id) };
                    }
                    None if *target == self.rank => {}
                    owner => {
                        let note = all.entry(owner.unwrap_or(*target)).or_insert_with(Note::new);
                        note.add(var);
                        note.places.push((i, k));
                    }
                }
            }
        }
        for (&owner, note) in &all {
            let first = record_taken(tape, self.way, owner, note.key, note.places.len())?;
            for (id, &(i, k)) in (first..).zip(&note.places) {
                let var = &mut found[i].vars[k];
                (var.id, var.tag) = (id, tape.tag());
            }
        }
        Ok(all)
    }

    /// Whether notes are due.
    #[inline]
    pub fn is_told(&self) -> bool {
        self.counters.own() != self.read
    }

    /// Reads the notes that are due. `tape` gets what they bring.
    pub fn learn(&mut self, exposed: &Exposed, mut tape: Option<&mut Tape>) -> MpiResult<()> {
        let mut done = Ok(());
        let due = self.counters.own();
        while self.read < due {
            let (from, note) = self.next_note()?;
            self.read += 1;
            let learnt = if note.as_slice()[0].to_bits() & READ != 0 {
                self.learn_read(from, note.as_slice(), tape.as_deref_mut())
            } else {
                self.learn_put(from, note.as_slice(), exposed, tape.as_deref_mut())
            };
            done = done.and(learnt);
        }
        done
    }

    /// The next one, which has left its rank.
    fn next_note(&self) -> MpiResult<(c_int, Staging)> {
        let any = Envelope::new(constants().any_source, NOTES);
        let mut patience = Patience::default();
        let status = loop {
            match message::probe(self.comm, any)? {
                Some(status) => break status,
                None => patience.pause(),
            }
        };
        let n = status.doubles()?.unwrap_or(0);
        let mut note = Staging::take(n);
        let from = Envelope::new(status.source(), NOTES);
        message::receive(self.comm, note.as_mut_slice(), &doubles(n)?, from)?;
        Ok((from.peer, note))
    }

    fn learn_read(&self, from: c_int, note: &[f64], tape: Option<&mut Tape>) -> MpiResult<()> {
        let key = Key::of(note[1].to_bits());
        let values = note[READ_HEAD..].chunks_exact(2).map(|words| {
            let [run, tag] = [words[0].to_bits(), words[1].to_bits()].map(halves);
            Named { first: run[0], n: run[1], tag: tag[0] }
        });
        let tape = tape.ok_or_else(without_tape)?;
        Ok(owe_read(tape, self.rank, (self.way, from, key), values)?)
    }

    fn learn_put(
        &self,
        from: c_int,
        note: &[f64],
        exposed: &Exposed,
        tape: Option<&mut Tape>,
    ) -> MpiResult<()> {
        let (recorded, key) = (note[0].to_bits() & RECORDED != 0, Key::of(note[1].to_bits()));
        if !recorded {
            let records = tape.is_some_and(|tape| tape.recording());
            return if records { Err(unrecorded(from, true)) } else { Ok(()) };
        }
        let recorder = tape.filter(|tape| tape.recording() || tape.next_id() > 1);
        let tape = recorder.ok_or_else(|| unrecorded(from, false))?;
        let (puts, n) = (number(note[2]), number(note[3]));
        let [tag, _] = halves(note[4].to_bits());
        let first = record_taken(tape, self.way, from, key, n)?;
        let mut mark = Mark { first, tag: tape.tag() };
        let mut words = &note[PUT_HEAD..];
        for _ in 0..puts {
            let (head, behind) = words.split_at(PUT_EACH);
            let (layout, later) = behind.split_at(number(head[3]));
            words = later;
            let signed = |word: &f64| word.to_bits().cast_signed();
            let items = Items::read(layout.iter().map(signed), signed(&head[2]));
            let [number, n] = halves(head[0].to_bits());
            exposed.items(signed(&head[1]), &items)?.claim(number, tag, mark);
            mark = mark.behind(n);
        }
        release(tape)?;
        Ok(())
    }
}

/// What a Get has brought.
struct Found {
    target: c_int,
    sink: RecvBuffer,
    vars: Vec<Var>,
}

const fn passive(value: f64) -> Var {
    Var { value, id: 0, tag: 0 }
}

/// What a rank is to be told of what was read of its values.
struct Note {
    key: Key,
    runs: Vec<Named>,
    /// Of each value: in which buffer it is, and where there.
    places: Vec<(usize, usize)>,
}

impl Note {
    fn new() -> Self {
        Self { key: Key::new(true), runs: Vec::new(), places: Vec::new() }
    }

    fn add(&mut self, var: &Var) {
        let counts_down = owner_of(var.tag).is_some();
        if let Some(run) = self.runs.last_mut()
            && run.tag == var.tag
            && Some(var.id)
                == if counts_down {
                    run.first.checked_sub(run.n)
                } else {
                    run.first.checked_add(run.n)
                }
        {
            run.n += 1;
            return;
        }
        self.runs.push(Named { first: var.id, n: 1, tag: var.tag });
    }
}

// A note is words: what it is, its key, and the rest.
const READ: u64 = 1;
const RECORDED: u64 = 2;
const READ_HEAD: usize = 2;
/// Of a put's: also how many puts, how many active doubles, and their tag.
const PUT_HEAD: usize = 5;
/// Of each put: the first number and how many; displacement, count, words of the layout behind.
const PUT_EACH: usize = 4;

fn pair(low: u32, high: u32) -> f64 {
    f64::from_bits(u64::from(low) | u64::from(high) << 32)
}

/// Both numbers of a word.
#[allow(clippy::cast_possible_truncation)]
const fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

fn staged(words: &[f64]) -> Staging {
    let mut note = Staging::take(words.len());
    note.as_mut_slice().copy_from_slice(words);
    note
}

fn read_note(note: &Note) -> Staging {
    let mut words = vec![f64::from_bits(READ), f64::from_bits(note.key.word())];
    for run in &note.runs {
        words.extend([pair(run.first, run.n), pair(run.tag, 0)]);
    }
    staged(&words)
}

fn put_note(key: Key, puts: &[Put]) -> (Staging, IdRuns) {
    let mut ids = IdRuns::default();
    let recorded = puts.iter().any(|put| put.recorded);
    let puts: Vec<&Put> = puts.iter().filter(|put| put.recorded == recorded).collect();
    puts.iter().for_each(|put| ids.append(&put.ids));
    let kind = if recorded { RECORDED } else { 0 };
    let tag = puts.last().map_or(0, |put| put.tag);
    let mut words = vec![f64::from_bits(kind), f64::from_bits(key.word()), word(puts.len())];
    words.extend([word(ids.len()), pair(tag, 0)]);
    for put in puts {
        let n = narrow32(put.ids.len());
        let signed = |n: i64| f64::from_bits(n.cast_unsigned());
        words.extend([pair(put.first, n), signed(put.displacement), signed(put.items.count())]);
        words.push(word(put.items.words()));
        put.items.write(|n| words.push(signed(n)));
    }
    (staged(&words), ids)
}

/// The lowest number of a put.
fn last_number(put: &Put) -> u32 {
    let n = narrow32(put.ids.len());
    put.first.saturating_sub(n.saturating_sub(1))
}

#[cold]
fn without_tape() -> Error {
    Error::new(
        Code::NoTape,
        "operations under locks are recorded on a tape, and the calling thread has none now: keep it current until the window is freed",
    )
}

#[cold]
fn unrecorded(from: c_int, theirs: bool) -> Failure {
    let who = if theirs { "and this rank does" } else { "and this rank does not" };
    let does = if theirs { "does not record" } else { "records" };
    let why = format!(
        "rank {from} {does} what it puts under a lock on this rank's window, {who}: both must record it, or neither"
    );
    Error::new(Code::Mismatch, why).into()
}
