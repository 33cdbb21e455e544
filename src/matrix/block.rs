//! Blocks: the values and ids of matrices, and the matrices that are bound to them.

use super::id::{Id, New, STALE, run};
use super::part::Part;
use super::runs::Runs;
use crate::count::product;
use crate::error::{Code, Error, Result};
use std::alloc::{Layout, alloc, alloc_zeroed};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

/// What inline element access reads, laid out as `admpi_block` in `include/admpi/matrix.h`. The id of element k is
/// `ids[k]`, or `id0 + k * step` where there is no array, unless `ids` is the address of `Runs` and `RUNS`.
#[repr(C)]
#[derive(Debug)]
pub struct Cells {
    pub value: *mut f64,
    pub ids: *mut Id,
    pub id0: u32,
    pub tag: u32,
    pub step: u32,
    /// Elements may be written in place, through `ids`, while this is the epoch of the thread's tape. 0 is none.
    pub epoch: u32,
}

laid_out!(admpi_block, Cells);

/// Marks the address of `Runs` in `Cells::ids`.
pub const RUNS: usize = 1;

/// Where the ids of elements are.
#[derive(Debug, Clone, Copy)]
pub enum Ids<'b> {
    /// Consecutive, or all passive.
    Range,
    Runs(&'b Runs),
    Listed(*mut Id),
}

impl Cells {
    /// What `ids`, of this block now or at another time, says.
    ///
    /// # Safety
    /// The runs live as long as the reference.
    pub unsafe fn read<'b>(ids: *mut Id) -> Ids<'b> {
        if ids.is_null() {
            Ids::Range
        } else if ids.addr() & RUNS != 0 {
            // SAFETY: the caller's promise.
            Ids::Runs(unsafe { &*ids.map_addr(|address| address & !RUNS).cast() })
        } else {
            Ids::Listed(ids)
        }
    }

    /// The id of element k, which is one, by `ids` of this block now or at another time.
    ///
    /// # Safety
    /// As for `read`.
    pub unsafe fn id(&self, ids: *mut Id, k: usize) -> Id {
        // SAFETY: the caller's promise.
        match unsafe { Self::read(ids) } {
            Ids::Range => {
                // Blocks of ids are no longer than the id space.
                let ahead = u32::try_from(k).unwrap_or(0) * self.step;
                Id { id: self.id0 + ahead, tag: self.tag }
            }
            Ids::Runs(runs) => runs.id(k),
            // SAFETY: an array is as long as the block.
            Ids::Listed(ids) => unsafe { *ids.add(k) },
        }
    }
}
/// The matrices bound to blocks of one tape.
pub type Bound = Vec<*mut Matrix>;

/// Where the values of a block are.
#[derive(Debug)]
pub enum Storage {
    /// `holder` is the serial number of the last tape whose events read the values. Threads may share such a block, of which
    /// they only read.
    Heap { holder: AtomicU64 },
    /// In the payload arena of the tape with this serial number.
    Arena { serial: u64, offset: u64, list: *mut Bound },
}
#[repr(C)]
#[derive(Debug)]
pub struct Block {
    pub cells: Cells,
    pub n: usize,
    /// How many matrices are bound to it and, on the heap, how many events and messages read its values.
    owners: AtomicUsize,
    pub storage: Storage,
    /// The elements that recorded events read again when they are reversed; an event below `used_until` did last.
    pub used: Range<usize>,
    pub used_until: u32,
    /// The tape's epoch when it was made: places marked since then need its elements as they were.
    pub born: u32,
    /// Where in the arena the last journal of its assignments is.
    pub journal: Option<u64>,
    /// What the matrix was bound to before its elements were assigned, if other matrices were as well.
    pub origin: *mut Self,
    /// Its copy on the heap, once the tape has forgotten it.
    pub moved: *mut Self,
}

impl Block {
    pub fn is_heap(&self) -> bool {
        matches!(self.storage, Storage::Heap { .. })
    }

    /// Whether both are in the arena of one tape, and a place that forgets this one forgets the other too.
    pub fn lies_below(&self, other: &Self) -> bool {
        match (&self.storage, &other.storage) {
            (
                Storage::Arena { serial, offset, .. },
                Storage::Arena { serial: others, offset: above, .. },
            ) => serial == others && offset < above,
            _ => false,
        }
    }

    pub fn is_stale(&self) -> bool {
        self.cells.id0 == STALE
    }

    /// Whether an element may be active.
    pub fn is_active(&self) -> bool {
        self.cells.id0 != 0 || !self.cells.ids.is_null()
    }

    pub fn values(&self) -> &[f64] {
        // SAFETY: a block owns `n` values.
        unsafe { std::slice::from_raw_parts(self.cells.value, self.n) }
    }

    pub fn id(&self, k: usize) -> Id {
        assert!(k < self.n, "an element beyond its block");
        // SAFETY: a live block has live runs.
        unsafe { self.cells.id(self.cells.ids, k) }
    }

    pub fn ids(&self) -> Ids<'_> {
        // SAFETY: as above.
        unsafe { Cells::read(self.cells.ids) }
    }

    /// The ids of the elements, where there is an array of them.
    pub fn listed(&self) -> Option<&[Id]> {
        match self.ids() {
            // SAFETY: the array is as long as the block.
            Ids::Listed(ids) => Some(unsafe { std::slice::from_raw_parts(ids, self.n) }),
            _ => None,
        }
    }

    pub fn is_listed(&self) -> bool {
        self.listed().is_some()
    }

    /// The first id of a part whose elements lie side by side and have consecutive ids, 0 if they are passive.
    pub fn range(&self, part: &Part) -> Option<u32> {
        if !part.is_contiguous() {
            return None;
        }
        match self.ids() {
            _ if part.is_empty() || !self.is_active() => Some(0),
            Ids::Listed(_) => {
                let ids = &self.listed()?[part.span()];
                (run(ids) == ids.len()).then_some(ids[0].id)
            }
            Ids::Runs(runs) => runs.one(part.span()).map(|first| first.id),
            Ids::Range => {
                let step = u32::from(self.cells.id0 != 0);
                (self.cells.step == step).then(|| self.id(part.offset).id)
            }
        }
    }

    /// The ids of a part, column by column; none if they are listed, or too many runs.
    pub fn runs(&self, part: &Part) -> Option<Runs> {
        let mut runs = Runs::new();
        for run in part.contiguous_spans()? {
            match self.ids() {
                Ids::Range => runs.push(run.len(), self.id(run.start))?,
                Ids::Runs(own) => own.each(run).try_for_each(|(n, id)| runs.push(n, id))?,
                Ids::Listed(_) => return None,
            }
        }
        Some(runs)
    }

    pub fn owners(&self) -> usize {
        self.owners.load(Ordering::Acquire)
    }

    /// One more; returns how many there are.
    pub fn own(&self) -> usize {
        if self.is_heap() {
            return self.owners.fetch_add(1, Ordering::Relaxed) + 1;
        }
        let owners = self.owners.load(Ordering::Relaxed) + 1;
        self.owners.store(owners, Ordering::Relaxed);
        owners
    }

    /// One less. What the heap has for nobody is freed.
    ///
    /// # Safety
    /// `block` is live, and is not used again by the owner that goes.
    pub unsafe fn disown(block: *mut Self) {
        // SAFETY: the caller's promise; made by `heap`, of these two boxes.
        unsafe {
            let owners = &(*block).owners;
            if !(*block).is_heap() {
                owners.store(owners.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
            } else if owners.fetch_sub(1, Ordering::AcqRel) == 1 {
                let values = std::ptr::slice_from_raw_parts_mut((*block).cells.value, (*block).n);
                drop(Box::from_raw(values));
                drop(Box::from_raw(block));
            }
        }
    }

    /// A passive block of `n` values, whatever they are, nothing of which is bound to a matrix yet.
    pub const fn new(value: *mut f64, n: usize, storage: Storage, epoch: u32) -> Self {
        Self {
            cells: Cells { value, ids: std::ptr::null_mut(), id0: 0, tag: 0, step: 0, epoch },
            n,
            owners: AtomicUsize::new(0),
            storage,
            used: 0..0,
            used_until: 0,
            born: epoch,
            journal: None,
            origin: std::ptr::null_mut(),
            moved: std::ptr::null_mut(),
        }
    }

    /// A passive block on the heap with these values.
    pub fn heap_copy(values: &[f64]) -> Result<*mut Self> {
        let mut copy = memory(values.len(), 1, alloc)?;
        // SAFETY: memory of its own, for as many.
        unsafe {
            let to = copy.as_mut_ptr().cast();
            std::ptr::copy_nonoverlapping(values.as_ptr(), to, values.len());
            Ok(Self::heap(copy.assume_init()))
        }
    }

    /// A passive block on the heap, for a matrix whose elements are written before any of them is read.
    pub fn heap_unwritten(rows: usize, cols: usize) -> Result<*mut Self> {
        let values = memory(rows, cols, alloc)?;
        // SAFETY: any bits are doubles, and nobody looks at them.
        Ok(Self::heap(unsafe { values.assume_init() }))
    }

    /// A passive block on the heap.
    pub fn heap(values: Box<[f64]>) -> *mut Self {
        let n = values.len();
        let storage = Storage::Heap { holder: AtomicU64::new(0) };
        Box::into_raw(Box::new(Self::new(Box::into_raw(values).cast(), n, storage, 0)))
    }
}
/// Zeros, from the system where they are many: those are not written.
pub fn zeros(rows: usize, cols: usize) -> Result<Box<[f64]>> {
    // SAFETY: zeros are doubles.
    memory(rows, cols, alloc_zeroed).map(|values| unsafe { values.assume_init() })
}
fn memory(
    rows: usize,
    cols: usize,
    allocate: unsafe fn(Layout) -> *mut u8,
) -> Result<Box<[MaybeUninit<f64>]>> {
    let n = product("rows * cols", rows, cols)?;
    if n == 0 {
        return Ok(Box::default());
    }
    let layout = Layout::array::<f64>(n).ok();
    // SAFETY: the layout is not empty; NULL, which is no memory, becomes none.
    let values = layout.and_then(|layout| NonNull::new(unsafe { allocate(layout) }));
    let Some(values) = values else {
        return Err(Error::new(
            Code::Memory,
            format!("no memory for {rows} x {cols} elements of 8 bytes"),
        ));
    };
    let values = std::ptr::slice_from_raw_parts_mut(values.as_ptr().cast(), n);
    // SAFETY: just allocated with the layout of this array.
    Ok(unsafe { Box::from_raw(values) })
}
/// A matrix: a block seen column by column. Laid out as `admpi_varmat`; what follows `references` is private.
#[repr(C)]
#[derive(Debug)]
pub struct Matrix {
    pub block: *mut Block,
    pub rows: i64,
    pub cols: i64,
    /// Views and owners: it lives as long as one of them. Threads may share it, of which they only read.
    pub references: AtomicI64,
    /// Its place in the list of the block's tape.
    pub listed: usize,
}

laid_out!(admpi_varmat, Matrix);
impl Matrix {
    pub const fn rows(&self) -> i64 {
        self.rows
    }

    pub const fn cols(&self) -> i64 {
        self.cols
    }
}
/// Binds `matrix` to `block`; what it was bound to loses it.
///
/// # Safety
/// Both are live, or `block` is null.
pub unsafe fn bind(matrix: *mut Matrix, block: *mut Block) {
    // SAFETY: the caller's promise; the lists of a tape outlive the blocks in its arena that are bound.
    unsafe {
        let before = (*matrix).block;
        if !block.is_null() && (*block).own() > 1 && (*block).cells.epoch != 0 {
            (*block).cells.epoch = 0;
        }
        (*matrix).block = block;
        if !before.is_null() {
            if let Storage::Arena { list, .. } = (*before).storage {
                let at = (*matrix).listed;
                (*list).swap_remove(at);
                if let Some(&moved) = (&*list).get(at) {
                    (*moved).listed = at;
                }
            }
            Block::disown(before);
        }
        if let Some(Block { storage: Storage::Arena { list, .. }, .. }) = block.as_ref() {
            (*matrix).listed = (&**list).len();
            (**list).push(matrix);
        }
    }
}
impl Block {
    /// Writes the ids of `n` elements from `first` on.
    ///
    /// # Safety
    /// `to` has room for as many.
    pub unsafe fn copy_ids(&self, first: usize, n: usize, mut to: *mut Id) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.ids() {
                Ids::Listed(ids) => to.copy_from_nonoverlapping(ids.add(first), n),
                Ids::Runs(runs) => {
                    for (n, id) in runs.each(first..first + n) {
                        id.number(n, u32::from(id.id != 0), to);
                        to = to.add(n);
                    }
                }
                Ids::Range if n > 0 => self.id(first).number(n, self.cells.step, to),
                Ids::Range => {}
            }
        }
    }

    /// The runs of a block whose ids are not listed, once the elements of `part` have new ones; none if they are too many.
    pub fn runs_with(&self, part: &Part, new: New<'_>) -> Option<Runs> {
        let mut runs = self.runs(&Part::whole(self.n, 1))?;
        let mut from = 0;
        for run in part.contiguous_spans()? {
            let end = from + run.len();
            runs = match new {
                New::From(id) => runs.with(run, std::iter::once((end - from, id.behind(from))))?,
                New::Each(id) => runs.with(run, (from..end).map(|i| (1, id(i))))?,
                New::Listed => return None,
            };
            from = end;
        }
        runs.are_few().then_some(runs)
    }

    /// Gives the elements of `part` new ids: those of the block are `ids` from now on, runs that say them already, or an array.
    pub fn number(&mut self, part: &Part, ids: *mut Id, new: New<'_>) {
        self.cells.ids = ids;
        let Ids::Listed(ids) = self.ids() else {
            // Nothing is to be written through runs.
            self.cells.epoch = 0;
            return;
        };
        let offset = part.offset;
        // SAFETY: the array is as long as the block, and the part lies within it.
        unsafe {
            match new {
                New::From(id) if part.is_contiguous() => {
                    id.number(part.len(), u32::from(id.id != 0), ids.add(offset));
                }
                New::From(id) => {
                    part.places().enumerate().for_each(|(i, k)| *ids.add(k) = id.behind(i));
                }
                New::Each(_) | New::Listed => {}
            }
        }
    }
}

const _: () = assert!(size_of::<Cells>() == 32);
