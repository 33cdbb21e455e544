//! Blocks: the values and ids of matrices.
//!
//! A matrix is bound to a block. Copies of a matrix share its block until one of them is written to, so that a
//! copy records nothing. Blocks made while a tape records lie in its payload arena and are forgotten with it: a
//! matrix that is still bound then takes its values along to the heap, where also passive matrices live.

mod equations;
mod kernel;
mod operand;
mod operation;
mod runs;
mod stretch;
#[cfg(test)]
mod tests;
mod write;

pub use equations::{FixedPoint, LinearSystem, SolveCall, fixed_point, linear_solve};
pub use kernel::{Adjoints, Argument, Call, Forward, ForwardCall, Kernel, Values};
pub use operand::{Adjoint, Input, Operand, Operands};
pub use operation::{Operation, OperationCall, SeenOperand, SeenResult};
pub use stretch::{Loans, Stretch};

use super::{Event, Sweep, Tape, Var};
use crate::count::product;
use crate::error::{Code, Error, Result};
use runs::Runs;
use std::alloc::{Layout, alloc_zeroed};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

/// Id and tag of an element, side by side as in a `Var`; (0, 0) is passive.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Id {
    pub id: u32,
    pub tag: u32,
}

laid_out!(admpi_id, Id);

/// The id of a value that outlived its tape: no sweep accepts it.
const STALE: u32 = u32::MAX;

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
const RUNS: usize = 1;

/// Where the ids of elements are.
#[derive(Debug, Clone, Copy)]
enum Ids<'b> {
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
    unsafe fn read<'b>(ids: *mut Id) -> Ids<'b> {
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
    unsafe fn id(&self, ids: *mut Id, k: usize) -> Id {
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

/// Where a block lies.
#[derive(Debug)]
enum Home {
    /// `holder` is the serial number of the last tape whose events read the values. Threads may share such a block, of which
    /// they only read.
    Heap { holder: AtomicU64 },
    /// In the payload arena of the tape with this serial number.
    Arena { serial: u64, offset: u64, list: *mut Bound },
}

#[repr(C)]
#[derive(Debug)]
struct Block {
    cells: Cells,
    n: usize,
    /// How many matrices are bound to it and, on the heap, how many events and messages read its values.
    owners: AtomicUsize,
    home: Home,
    /// The elements that recorded events read again when they are reversed; an event below `used_until` did last.
    used: Range<usize>,
    used_until: u32,
    /// The tape's epoch when it was made: places marked since then need its elements as they were.
    born: u32,
    journal: *mut write::Journal,
    /// What the matrix was bound to before its elements were assigned, if other matrices were as well.
    origin: *mut Self,
    /// Its copy on the heap, once the tape has forgotten it.
    moved: *mut Self,
}

impl Block {
    fn is_heap(&self) -> bool {
        matches!(self.home, Home::Heap { .. })
    }

    /// Whether both are in the arena of one tape, and a place that forgets this one forgets the other too.
    fn lies_below(&self, other: &Self) -> bool {
        match (&self.home, &other.home) {
            (
                Home::Arena { serial, offset, .. },
                Home::Arena { serial: others, offset: above, .. },
            ) => serial == others && offset < above,
            _ => false,
        }
    }

    fn is_stale(&self) -> bool {
        self.cells.id0 == STALE
    }

    /// Whether an element may be active.
    fn is_active(&self) -> bool {
        self.cells.id0 != 0 || !self.cells.ids.is_null()
    }

    fn values(&self) -> &[f64] {
        // SAFETY: a block owns `n` values.
        unsafe { std::slice::from_raw_parts(self.cells.value, self.n) }
    }

    fn id(&self, k: usize) -> Id {
        assert!(k < self.n, "an element beyond its block");
        // SAFETY: a live block has live runs.
        unsafe { self.cells.id(self.cells.ids, k) }
    }

    fn ids(&self) -> Ids<'_> {
        // SAFETY: as above.
        unsafe { Cells::read(self.cells.ids) }
    }

    /// The ids of the elements, where there is an array of them.
    fn listed(&self) -> Option<&[Id]> {
        match self.ids() {
            // SAFETY: the array is as long as the block.
            Ids::Listed(ids) => Some(unsafe { std::slice::from_raw_parts(ids, self.n) }),
            _ => None,
        }
    }

    fn is_listed(&self) -> bool {
        self.listed().is_some()
    }

    /// The first id of a part whose elements lie side by side and have consecutive ids, 0 if they are passive.
    fn range(&self, part: &Part) -> Option<u32> {
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
    fn runs(&self, part: &Part) -> Option<Runs> {
        let mut runs = Runs::new();
        for run in part.stretches()? {
            match self.ids() {
                Ids::Range => runs.push(run.len(), self.id(run.start))?,
                Ids::Runs(own) => own.each(run).try_for_each(|(n, id)| runs.push(n, id))?,
                Ids::Listed(_) => return None,
            }
        }
        Some(runs)
    }

    fn owners(&self) -> usize {
        self.owners.load(Ordering::Acquire)
    }

    /// One more; returns how many there are.
    fn own(&self) -> usize {
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
    unsafe fn disown(block: *mut Self) {
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

    /// A passive block on the heap with these values.
    fn heap_copy(values: &[f64]) -> Result<*mut Self> {
        let mut copy = zeros(values.len(), 1)?;
        copy.copy_from_slice(values);
        Ok(Self::heap(copy))
    }

    /// A passive block on the heap.
    fn heap(values: Box<[f64]>) -> *mut Self {
        let n = values.len();
        Box::into_raw(Box::new(Self {
            cells: Cells {
                value: Box::into_raw(values).cast(),
                ids: std::ptr::null_mut(),
                id0: 0,
                tag: 0,
                step: 0,
                epoch: 0,
            },
            n,
            owners: AtomicUsize::new(0),
            home: Home::Heap { holder: AtomicU64::new(0) },
            used: 0..0,
            used_until: 0,
            born: 0,
            journal: std::ptr::null_mut(),
            origin: std::ptr::null_mut(),
            moved: std::ptr::null_mut(),
        }))
    }
}

/// How many of the elements, from the first on, have consecutive ids, or are passive as it is.
fn run(ids: &[Id]) -> usize {
    const SOME: usize = 16;
    let Some(&Id { id: first, .. }) = ids.first() else { return 0 };
    let step = u32::from(first != 0);
    let mut expected = first;
    let mut n = 0;
    for some in ids.chunks(SOME) {
        // All of them at once, and one by one where that does not end well.
        let others = (0..).zip(some).fold(0, |others, (i, id): (u32, _)| {
            others | (id.id ^ expected.wrapping_add(i * step))
        });
        if others != 0 {
            let same = (0..).zip(some);
            let same =
                same.take_while(|&(i, id): &(u32, _)| id.id == expected.wrapping_add(i * step));
            return n + same.count();
        }
        n += some.len();
        expected = expected.wrapping_add(step * u32::try_from(some.len()).unwrap_or(0));
    }
    n
}

/// Zeros, from the system where they are many: those are not written.
fn zeros(rows: usize, cols: usize) -> Result<Box<[f64]>> {
    let n = product("rows * cols", rows, cols)?;
    if n == 0 {
        return Ok(Box::default());
    }
    let layout = Layout::array::<f64>(n).ok();
    // SAFETY: the layout is not empty; NULL, which is no memory, becomes none.
    let values = layout.and_then(|layout| NonNull::new(unsafe { alloc_zeroed(layout) }));
    let Some(values) = values else {
        return Err(Error::new(
            Code::Memory,
            format!("no memory for {rows} x {cols} elements of 8 bytes"),
        ));
    };
    let values = std::ptr::slice_from_raw_parts_mut(values.as_ptr().cast(), n);
    // SAFETY: just allocated with the layout of this array; zeros are doubles.
    Ok(unsafe { Box::from_raw(values) })
}

/// A matrix: a block seen column by column. Laid out as `admpi_varmat`; what follows `references` is private.
#[repr(C)]
#[derive(Debug)]
pub struct Matrix {
    block: *mut Block,
    rows: i64,
    cols: i64,
    /// Views and owners: it lives as long as one of them. Threads may share it, of which they only read.
    references: AtomicI64,
    /// Its place in the list of the block's tape.
    listed: usize,
}

laid_out!(admpi_varmat, Matrix);

/// A rectangular part of a matrix, as C sees it: element (i, j) is element
/// `offset + i * row_step + j * col_step` of the block.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct View {
    pub of: *mut Matrix,
    pub offset: i64,
    pub rows: i64,
    pub cols: i64,
    pub row_step: i64,
    pub col_step: i64,
}

laid_out!(admpi_view, View);

/// The same, checked against its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub offset: usize,
    pub rows: usize,
    pub cols: usize,
    pub row_step: usize,
    pub col_step: usize,
}

impl Part {
    pub const fn whole(rows: usize, cols: usize) -> Self {
        Self { offset: 0, rows, cols, row_step: 1, col_step: rows }
    }

    pub const fn len(&self) -> usize {
        self.rows * self.cols
    }

    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From the first to the last element.
    fn span(&self) -> Range<usize> {
        if self.is_empty() {
            return self.offset..self.offset;
        }
        let last = self.offset + (self.rows - 1) * self.row_step + (self.cols - 1) * self.col_step;
        self.offset..last + 1
    }

    /// Whether the elements lie side by side, column by column.
    pub fn is_contiguous(&self) -> bool {
        (self.rows <= 1 || self.row_step == 1) && (self.cols <= 1 || self.col_step == self.rows)
    }

    /// Where elements lie side by side, in their order; none if that is in too many places.
    fn stretches(self) -> Option<impl Iterator<Item = Range<usize>>> {
        let Self { offset, rows, row_step, col_step, .. } = self;
        let length = match () {
            () if self.is_contiguous() => self.len(),
            () if rows == 1 || row_step == 1 => rows,
            () => 1,
        };
        let places = (0..self.len()).step_by(length.max(1)).map(move |k| {
            let first = offset + k % rows * row_step + k / rows * col_step;
            first..first + length
        });
        (places.len() <= runs::MOST).then_some(places)
    }

    /// Calls `f` for the runs of places among the first `n` that are not of the part.
    fn gaps(self, n: usize, mut f: impl FnMut(Range<usize>) -> Result<()>) -> Result<()> {
        let Self { offset, mut rows, mut cols, mut row_step, mut col_step } = self;
        if row_step > col_step {
            (rows, cols, row_step, col_step) = (cols, rows, col_step, row_step);
        }
        let run = if row_step == 1 { rows.max(1) } else { 1 };
        let starts = (0..cols).flat_map(|j| {
            (0..rows).step_by(run).map(move |i| offset + j * col_step + i * row_step)
        });
        let mut end = 0;
        let mut before = |start: usize| {
            let gap = end..start;
            end = start + run;
            f(gap)
        };
        let in_order = rows.saturating_sub(1) * row_step < col_step;
        if in_order || cols <= 1 {
            starts.clone().try_for_each(&mut before)?;
        } else {
            let mut starts: Vec<usize> = starts.collect();
            starts.sort_unstable();
            starts.into_iter().try_for_each(&mut before)?;
        }
        before(n)
    }

    /// The places of the elements, column by column.
    pub fn places(self) -> impl Iterator<Item = usize> {
        let Self { offset, rows, cols, row_step, col_step } = self;
        (0..cols).flat_map(move |j| (0..rows).map(move |i| offset + i * row_step + j * col_step))
    }
}

impl Matrix {
    pub const fn rows(&self) -> i64 {
        self.rows
    }

    pub const fn cols(&self) -> i64 {
        self.cols
    }
}

impl View {
    /// The first `n` elements of a matrix, still to be named.
    fn column(n: usize) -> Self {
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        Self { of: std::ptr::null_mut(), offset: 0, rows: n, cols: 1, row_step: 1, col_step: n }
    }

    /// The view of its element (i, j).
    ///
    /// # Safety
    /// `of` is NULL or a live matrix.
    pub unsafe fn element(&self, name: &str, i: i64, j: i64) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe { self.part(name)? };
        for (index, count, what) in [(i, self.rows, "i"), (j, self.cols, "j")] {
            if index < 0 || index >= count {
                return Err(Error::new(
                    Code::Range,
                    format!(
                        "{what} = {index} is not an index of {name}, which is {} x {}",
                        self.rows, self.cols
                    ),
                ));
            }
        }
        let offset = self.offset + i * self.row_step + j * self.col_step;
        Ok(Self { offset, rows: 1, cols: 1, ..*self })
    }

    /// The number of elements.
    ///
    /// # Safety
    /// As for `element`.
    pub unsafe fn count(&self, name: &str) -> Result<usize> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.part(name)? }.len())
    }

    /// An error unless the view has `n` elements.
    ///
    /// # Safety
    /// As for `element`.
    pub unsafe fn check_count(&self, name: &str, n: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        check_count(name, unsafe { self.part(name)? }.len(), n)
    }

    /// # Safety
    /// `of` is NULL or a live matrix.
    unsafe fn matrix(&self, name: &str) -> Result<*mut Matrix> {
        if self.of.is_null() {
            return Err(Error::new(Code::Null, format!("{name}.of is NULL")));
        }
        Ok(self.of)
    }

    /// The part, if it lies within the matrix as that is now.
    ///
    /// # Safety
    /// As for `matrix`.
    pub unsafe fn part(&self, name: &str) -> Result<Part> {
        // SAFETY: the caller's promise.
        let n = unsafe { (*(*self.matrix(name)?).block).n };
        let read = |what: &str, value: i64| {
            usize::try_from(value).map_err(|_| {
                Error::new(Code::Argument, format!("{name}.{what} = {value} is negative"))
            })
        };
        let mut part = Part {
            offset: read("offset", self.offset)?,
            rows: read("rows", self.rows)?,
            cols: read("cols", self.cols)?,
            row_step: read("row_step", self.row_step)?,
            col_step: read("col_step", self.col_step)?,
        };
        let last = |count: usize, step: usize| count.saturating_sub(1).checked_mul(step);
        let end = last(part.rows, part.row_step)
            .zip(last(part.cols, part.col_step))
            .and_then(|(i, j)| i.checked_add(j)?.checked_add(part.offset)?.checked_add(1));
        let empty = part.rows == 0 || part.cols == 0;
        if part.rows.checked_mul(part.cols).is_none() || !(empty || end.is_some_and(|end| end <= n))
        {
            return Err(Error::new(
                Code::Range,
                format!(
                    "{name} ({} x {} from element {}, steps {} and {}) is not within its matrix of {n} elements",
                    part.rows, part.cols, part.offset, part.row_step, part.col_step
                ),
            ));
        }
        if empty {
            // Behind the last element is as good a place for nothing, which nobody is to look up.
            part.offset = 0;
        }
        Ok(part)
    }
}

/// Binds `matrix` to `block`; what it was bound to loses it.
///
/// # Safety
/// Both are live, or `block` is null.
unsafe fn bind(matrix: *mut Matrix, block: *mut Block) {
    // SAFETY: the caller's promise; the lists of a tape outlive the blocks in its arena that are bound.
    unsafe {
        let before = (*matrix).block;
        if !block.is_null() && (*block).own() > 1 && (*block).cells.epoch != 0 {
            (*block).cells.epoch = 0;
        }
        (*matrix).block = block;
        if !before.is_null() {
            if let Home::Arena { list, .. } = (*before).home {
                let at = (*matrix).listed;
                (*list).swap_remove(at);
                if let Some(&moved) = (&*list).get(at) {
                    (*moved).listed = at;
                }
            }
            Block::disown(before);
        }
        if let Some(Block { home: Home::Arena { list, .. }, .. }) = block.as_ref() {
            (*matrix).listed = (&**list).len();
            (**list).push(matrix);
        }
    }
}

/// A matrix that this Rust code owns a reference to.
#[derive(Debug)]
pub struct Owned(*mut Matrix);

impl Owned {
    fn new(block: *mut Block, rows: usize, cols: usize) -> Self {
        let as_c = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let matrix = Box::into_raw(Box::new(Matrix {
            block: std::ptr::null_mut(),
            rows: as_c(rows),
            cols: as_c(cols),
            references: AtomicI64::new(1),
            listed: 0,
        }));
        // SAFETY: both are live.
        unsafe { bind(matrix, block) };
        Self(matrix)
    }

    /// A passive matrix of these values, column by column, or of as many as there are and zeros.
    pub fn passive(
        rows: usize,
        cols: usize,
        values: impl IntoIterator<Item = f64>,
    ) -> Result<Self> {
        let mut all = zeros(rows, cols)?;
        for (to, value) in all.iter_mut().zip(values) {
            *to = value;
        }
        Ok(Self::new(Block::heap(all), rows, cols))
    }

    pub fn zeros(rows: usize, cols: usize) -> Result<Self> {
        Self::passive(rows, cols, [])
    }

    /// One more reference to a matrix that somebody else owns.
    ///
    /// # Safety
    /// `matrix` is live.
    pub unsafe fn share(matrix: *mut Matrix) -> Self {
        // SAFETY: the caller's promise.
        unsafe { (*matrix).references.fetch_add(1, Ordering::Relaxed) };
        Self(matrix)
    }

    /// Takes over a reference that C held.
    ///
    /// # Safety
    /// `matrix` is live, and the reference is not used again.
    pub unsafe fn from_raw(matrix: *mut Matrix) -> Self {
        Self(matrix)
    }

    /// The reference, for C to hold.
    pub fn into_raw(self) -> *mut Matrix {
        std::mem::ManuallyDrop::new(self).0
    }

    /// The whole matrix.
    pub fn view(&self) -> View {
        // SAFETY: live.
        let (rows, cols) = unsafe { ((*self.0).rows, (*self.0).cols) };
        View { of: self.0, offset: 0, rows, cols, row_step: 1, col_step: rows }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        // SAFETY: live.
        let (rows, cols) = unsafe { ((*self.0).rows, (*self.0).cols) };
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        (count(rows), count(cols))
    }

    /// Whether its ids are a range, or none.
    pub fn is_compact(&self) -> bool {
        // SAFETY: live.
        unsafe { (*(*self.0).block).cells.ids.is_null() }
    }

    /// A matrix of its own with the same elements: it shares the block.
    pub fn copy(&self) -> Self {
        // SAFETY: live.
        unsafe {
            let (rows, cols) = ((*self.0).rows, (*self.0).cols);
            let copy = Self::new((*self.0).block, 0, 0);
            ((*copy.0).rows, (*copy.0).cols) = (rows, cols);
            copy
        }
    }

    /// Makes this matrix the same as `other`. Views of it see the new elements.
    pub fn rebind(&self, other: &Self) {
        // SAFETY: live.
        unsafe {
            bind(self.0, (*other.0).block);
            ((*self.0).rows, (*self.0).cols) = ((*other.0).rows, (*other.0).cols);
        }
    }

    /// Another shape for the same number of elements, column by column.
    pub fn reshape(&self, rows: usize, cols: usize) -> Result<()> {
        // SAFETY: live.
        let n = unsafe { (*(*self.0).block).n };
        if rows.checked_mul(cols) != Some(n) {
            return Err(Error::new(
                Code::Argument,
                format!("reshape: {rows} x {cols} is not the {n} elements of the matrix"),
            ));
        }
        let as_c = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        // SAFETY: live.
        unsafe { ((*self.0).rows, (*self.0).cols) = (as_c(rows), as_c(cols)) };
        Ok(())
    }

    /// The values, to be written by whoever has just made the matrix.
    pub fn fresh_values(&mut self) -> &mut [f64] {
        // SAFETY: live.
        unsafe {
            let block = &mut *(*self.0).block;
            assert!(block.owners() == 1 && block.used.is_empty(), "a matrix that others know");
            std::slice::from_raw_parts_mut(block.cells.value, block.n)
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: live until its last reference goes.
        unsafe {
            if (*self.0).references.fetch_sub(1, Ordering::AcqRel) == 1 {
                bind(self.0, std::ptr::null_mut());
                drop(Box::from_raw(self.0));
            }
        }
    }
}

/// A hold of a block on the heap, whose values the events of a tape read, or MPI.
#[derive(Debug)]
struct Hold {
    block: *mut Block,
    serial: u64,
}

impl Event for Hold {
    const NAME: &'static str = "passive matrix";
    fn reverse(&mut self, _sweep: &mut Sweep<'_>) -> Result<()> {
        Ok(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // SAFETY: live, since it is held.
        unsafe {
            if let Home::Heap { holder } = &(*self.block).home {
                let _ =
                    holder.compare_exchange(self.serial, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
            Block::disown(self.block);
        }
    }
}

impl Tape {
    /// A block of `n` values in the arena, whatever they are; passive.
    fn arena_block(&mut self, n: usize) -> Result<*mut Block> {
        const HEAD: usize = size_of::<Block>().next_multiple_of(64);
        let bytes = product("elements", n, size_of::<f64>())?;
        let bytes = bytes.checked_add(HEAD).ok_or_else(|| {
            Error::new(Code::Memory, format!("{n} elements pass the address space"))
        })?;
        let offset = self.allocate(bytes, 64)?;
        let place = self.payload_at(offset);
        // SAFETY: fresh bytes of the arena, aligned.
        unsafe {
            let block = place.cast::<Block>();
            block.write(Block {
                cells: Cells {
                    value: place.add(HEAD).cast(),
                    ids: std::ptr::null_mut(),
                    id0: 0,
                    tag: 0,
                    step: 0,
                    epoch: self.cursors.epoch,
                },
                n,
                owners: AtomicUsize::new(0),
                home: Home::Arena { serial: self.serial, offset, list: &raw mut *self.bound },
                used: 0..0,
                used_until: 0,
                born: self.cursors.epoch,
                journal: std::ptr::null_mut(),
                origin: std::ptr::null_mut(),
                moved: std::ptr::null_mut(),
            });
            Ok(block)
        }
    }

    /// A fresh matrix for the results of an operation, passive until `activate`: in the arena if the tape records. Its values
    /// are to be written.
    pub fn matrix(&mut self, rows: usize, cols: usize) -> Result<Owned> {
        let n = product("rows * cols", rows, cols)?;
        if !self.recording() {
            return Owned::zeros(rows, cols);
        }
        Ok(Owned::new(self.arena_block(n)?, rows, cols))
    }

    /// As `matrix`, one column in the arena also while the tape does not record.
    fn matrix_for_ids(&mut self, n: usize) -> Result<Owned> {
        Ok(Owned::new(self.arena_block(n)?, n, 1))
    }

    /// Gives the elements of a fresh matrix the ids from `first`, which an event has just been given.
    pub fn activate(&self, matrix: &Owned, first: u32) {
        // SAFETY: live.
        unsafe { self.activate_block((*matrix.0).block, first) };
    }

    /// # Safety
    /// `block` is live.
    unsafe fn activate_block(&self, block: *mut Block, first: u32) {
        // SAFETY: the caller's promise.
        let block = unsafe { &mut *block };
        assert!(!block.is_heap() && !block.is_active(), "a matrix that others know");
        block.cells.id0 = first;
        block.cells.tag = self.cursors.tag;
        block.cells.step = 1;
    }

    /// Lets go of the blocks from `offset` of the arena on. Matrices bound to them take their values along to the heap;
    /// if they were active, they are stale there. Those of which elements alone were assigned go back to what they were.
    pub(super) fn evacuate(&mut self, offset: u64) {
        let mut at = 0;
        while at < self.bound.len() {
            let matrix = self.bound[at];
            // SAFETY: matrices in the list are live, and so are their blocks.
            unsafe {
                let block = &mut *(*matrix).block;
                let stays = |block: &Block| matches!(block.home, Home::Arena { offset: own, .. } if own < offset);
                if stays(block) {
                    at += 1;
                    continue;
                }
                let mut origin = block.origin;
                while !origin.is_null() && !stays(&*origin) {
                    origin = (*origin).origin;
                }
                if !origin.is_null() {
                    bind(matrix, origin);
                    continue;
                }
                if block.moved.is_null() {
                    block.moved = Block::heap(block.values().into());
                    if block.is_active() && (0..block.n).any(|k| block.id(k).id != 0) {
                        (*block.moved).cells.id0 = STALE;
                        (*block.moved).cells.tag = block.cells.tag;
                    }
                }
                // Takes it off the list: another one is at this place now.
                bind(matrix, block.moved);
            }
        }
    }

    /// An error unless the elements of the block may be used with this tape now.
    fn check_block(&self, name: &str, block: &Block) -> Result<()> {
        let other = match block.home {
            Home::Heap { .. } => block.is_stale(),
            Home::Arena { serial, .. } => serial != self.serial,
        };
        if other {
            return Err(Error::new(
                Code::Stale,
                format!(
                    "{name} is stale: its elements belong to another tape, or outlived reset, reset_to or recover_nested"
                ),
            ));
        }
        Ok(())
    }

    /// The elements of a view as scalars, column by column.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix.
    pub unsafe fn elements(name: &str, view: &View) -> Result<Vec<Var>> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        let element = |k: usize| {
            let Id { id, tag } = block.id(k);
            Var { value: block.values()[k], id, tag }
        };
        Ok(part.places().map(element).collect())
    }

    /// The values of a view, column by column.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix; `out` does not overlap it.
    pub unsafe fn values_of(name: &str, view: &View, out: &mut [f64]) -> Result<()> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        check_count(name, part.len(), out.len())?;
        let values = block.values();
        for (out, k) in out.iter_mut().zip(part.places()) {
            *out = values[k];
        }
        Ok(())
    }

    /// A matrix with these elements, column by column, ids and all: nothing is recorded.
    pub fn matrix_with(
        tape: Option<&mut Self>,
        rows: usize,
        cols: usize,
        elements: &[Var],
    ) -> Result<Owned> {
        assert_eq!(elements.len(), rows * cols);
        if elements.iter().all(|element| element.id == 0) {
            return Owned::passive(rows, cols, elements.iter().map(|x| x.value));
        }
        let tape = tape.ok_or_else(write::no_tape)?;
        if tape.checking() {
            tape.check_vars("element", elements)?;
        }
        let block = tape.arena_block(elements.len())?;
        let ids = tape.allocate(product("ids", elements.len(), size_of::<Id>())?, 8)?;
        // SAFETY: just made, of as many values and ids.
        unsafe {
            (*block).cells.ids = tape.payload_at(ids).cast();
            for (k, &Var { value, id, tag }) in elements.iter().enumerate() {
                *(*block).cells.value.add(k) = value;
                *(*block).cells.ids.add(k) = Id { id, tag };
            }
        }
        Ok(Owned::new(block, rows, cols))
    }

    /// A matrix of its own with the elements of a view, ids and all: nothing is recorded.
    ///
    /// # Safety
    /// As for `elements`.
    pub unsafe fn matrix_of(tape: Option<&mut Self>, name: &str, view: &View) -> Result<Owned> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        if block.is_stale() || !block.is_active() || part.is_empty() {
            let values = part.places().map(|k| block.values()[k]);
            let copy = Owned::passive(part.rows, part.cols, values)?;
            if block.is_stale() {
                // SAFETY: just made.
                let cells = unsafe { &mut (*(*copy.0).block).cells };
                (cells.id0, cells.tag) = (STALE, block.cells.tag);
            }
            return Ok(copy);
        }
        let tape = tape.ok_or_else(write::no_tape)?;
        tape.check_block(name, block)?;
        let runs = block.runs(&part).filter(Runs::are_few);
        let copy = tape.arena_block(part.len())?;
        // SAFETY: just made, of as many values and ids.
        unsafe {
            for (i, k) in part.places().enumerate() {
                *(*copy).cells.value.add(i) = block.values()[k];
            }
            if let Some(runs) = runs {
                tape.number_fresh(&mut *copy, &runs)?;
            } else {
                let ids = tape.allocate(product("ids", part.len(), size_of::<Id>())?, 8)?;
                let ids: *mut Id = tape.payload_at(ids).cast();
                (*copy).cells.ids = ids;
                part.places().enumerate().for_each(|(i, k)| *ids.add(i) = block.id(k));
            }
        }
        Ok(Owned::new(copy, part.rows, part.cols))
    }
}

/// Whole matrices on a tape: what is seeded, read and declared is an element at a time for scalars.
impl Tape {
    /// Makes all elements of a matrix inputs, with consecutive ids.
    pub fn input_matrix(&mut self, matrix: &Owned) -> Result<()> {
        // SAFETY: live; the fresh one is as long.
        unsafe {
            if !self.recording() {
                return Err(Error::new(Code::NotRecording, "input: the tape does not record"));
            }
            let block = &*(*matrix.0).block;
            let mut fresh = self.matrix(block.n, 1)?;
            fresh.fresh_values().copy_from_slice(block.values());
            if block.n > 0 {
                let first = self.input_ids(block.n)?;
                self.activate(&fresh, first);
            }
            bind(matrix.0, (*fresh.0).block);
        }
        Ok(())
    }

    /// Adds `weights`, column by column, to the adjoints of a view's elements in `direction`.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix.
    pub unsafe fn seed_view(
        &mut self,
        name: &str,
        view: &View,
        weights: &[f64],
        direction: usize,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        check_count(name, part.len(), weights.len())?;
        self.check_direction(direction)?;
        self.note_seeded();
        if let Some(first) = self.held_range(block, &part) {
            return self.seed_range(first, weights, direction);
        }
        // SAFETY: as above.
        let elements = unsafe { Self::elements(name, view)? };
        self.check_vars(name, &elements)?;
        elements.iter().zip(weights).try_for_each(|(y, &weight)| self.seed(y, weight, direction))
    }

    /// As `check_answers`, for a view's elements. One may be passive: functions of matrices are written for both kinds.
    ///
    /// # Safety
    /// As for `seed_view`.
    pub unsafe fn check_view_answers(
        &self,
        name: &str,
        view: &View,
        adjoints: &[f64],
    ) -> Result<()> {
        if !self.is_strict() {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        let elements = unsafe { Self::elements(name, view)? };
        if elements.iter().all(|x| x.id == 0) {
            return Ok(());
        }
        self.check_answers(name, &elements, adjoints)
    }

    /// The first id of a part that has consecutive ids of this tape.
    fn held_range(&self, block: &Block, part: &Part) -> Option<u32> {
        let first = block.range(part).filter(|_| !block.is_listed() && !part.is_empty())?;
        let element = |k: usize| {
            let Id { id, tag } = block.id(k);
            Var { value: 0.0, id, tag }
        };
        let ends = [element(part.offset), element(part.span().end - 1)];
        self.check_vars("", &ends).is_ok().then_some(first)
    }

    /// The adjoints of a view's elements in `direction`, column by column.
    ///
    /// # Safety
    /// As for `seed_view`.
    pub unsafe fn adjoints_of(
        &self,
        name: &str,
        view: &View,
        direction: usize,
        out: &mut [f64],
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        check_count(name, part.len(), out.len())?;
        self.check_direction(direction)?;
        if let Some(first) = self.held_range(block, &part)
            && self.adjoints_of_range(first, direction, out)
        {
            return Ok(());
        }
        // SAFETY: as above.
        let elements = unsafe { Self::elements(name, view)? };
        self.check_vars(name, &elements)?;
        for (out, x) in out.iter_mut().zip(&elements) {
            *out = self.adjoint(x, direction)?;
        }
        Ok(())
    }
}

/// Calls `f`, which has no effect but to tell what is wrong, with the name of argument `k` of some. That is put together
/// only for an error.
pub fn numbered<T>(what: &str, k: usize, f: impl Fn(&str) -> Result<T>) -> Result<T> {
    f(what).or_else(|_| f(&format!("{what}[{k}]")))
}

fn check_count(name: &str, elements: usize, given: usize) -> Result<()> {
    if elements == given {
        return Ok(());
    }
    Err(Error::new(Code::Argument, format!("n = {given}, but {name} has {elements} elements")))
}

const _: () = assert!(size_of::<Cells>() == 32);
const _: () = assert!(size_of::<Id>() == 8);
