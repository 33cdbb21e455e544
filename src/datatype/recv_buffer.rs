//! Buffers of active doubles to write: values get their places, and ids.

use super::elements::Elements;
use super::layout::{Element, Map, Other};
use super::marks::{Mark, narrow};
use super::send_buffer::SendBuffer;
use crate::mpi::list::listable;
use crate::mpi::transfer::Transfer;
use crate::mpi::{MpiResult, Place, Writable};
use crate::tape::Var;
use crate::var_pack::{Words, fetch_ahead, mark_of, put_together, spread};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

/// Active doubles that a call writes (and may read, in place).
#[derive(Debug, Clone, Default)]
pub struct RecvBuffer(pub(super) SendBuffer);

listable!(RecvBuffer);

/// The buffer itself: the beginning of a plain one, which has room for twice as many doubles side by side.
impl<'a> From<&'a mut RecvBuffer> for Writable<'a> {
    #[inline]
    fn from(sink: &'a mut RecvBuffer) -> Self {
        // SAFETY: the promise of `BufferTriple::new`.
        unsafe { Self::at(sink.place()) }
    }
}

impl AsRef<SendBuffer> for RecvBuffer {
    fn as_ref(&self) -> &SendBuffer {
        &self.0
    }
}

impl RecvBuffer {
    pub const fn len(&self) -> usize {
        self.0.n
    }

    pub const fn is_empty(&self) -> bool {
        self.0.n == 0
    }

    /// Whether the active doubles lie one after the other.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.0.is_plain()
    }

    /// As `SendBuffer::in_doubles`.
    pub fn in_doubles(self) -> Self {
        Self(self.0.in_doubles())
    }

    /// The same memory, to be read.
    pub const fn source(&self) -> &SendBuffer {
        &self.0
    }

    /// Asks for the first double before it is needed.
    #[inline]
    pub fn fetch_ahead(&self) {
        fetch_ahead(self.0.base);
    }

    /// Prepares elements of a matrix for MPI to write the values where they are to stay; `is_direct` tells whether it
    /// can. `at_once`: the call waits for them.
    #[inline(always)]
    pub fn lend(&mut self, at_once: bool) -> MpiResult<()> {
        if self.is_plain() { Ok(()) } else { self.lend_elements(at_once) }
    }

    #[inline(never)]
    fn lend_elements(&mut self, at_once: bool) -> MpiResult<()> {
        if let Some(elements) = self.0.layout.elements_mut() {
            elements.lend(at_once)?;
        }
        Ok(())
    }

    /// Whether MPI writes to the buffer itself, so that `settle` is left to be done.
    #[inline]
    pub fn is_direct(&self) -> bool {
        self.is_plain() || self.0.layout.elements().is_some_and(Elements::is_lent)
    }

    /// The first `n` values are in the buffer itself: gives them their places, and ids from `mark`.
    #[inline(always)]
    pub fn settle(&mut self, n: usize, mark: Mark) -> MpiResult<()> {
        if self.is_plain() {
            self.spread(n, mark);
            return Ok(());
        }
        self.settle_elements(n, mark)
    }

    #[inline(never)]
    fn settle_elements(&mut self, n: usize, mark: Mark) -> MpiResult<()> {
        let elements = self.0.layout.elements_mut().expect("elements that were lent");
        Ok(elements.settle(n, mark.into())?)
    }

    /// What MPI has written to the buffer itself are no values of the program's.
    pub fn spoil(&mut self) {
        if self.is_plain() {
            self.spread(self.len(), Mark::PASSIVE);
        } else if let Some(elements) = self.0.layout.elements_mut() {
            elements.spoil();
        }
    }

    /// Lets `transfer` receive into the buffer itself.
    #[inline(always)]
    pub fn lend_to(&mut self, transfer: &mut Transfer) {
        // SAFETY: the promise of `BufferTriple::new`.
        unsafe { transfer.lend(self.place()) };
    }

    /// Where MPI may write the doubles of a plain buffer side by side, to be put in their places by `settle`: from its
    /// beginning on, so that what does not arrive is not touched. Or where those of a matrix are to stay.
    #[inline(always)]
    fn place(&mut self) -> Place {
        if self.0.is_plain() {
            Place::packed(self.0.base.cast(), 2 * self.0.n)
        } else {
            self.place_of_elements()
        }
    }

    #[inline(never)]
    fn place_of_elements(&mut self) -> Place {
        let elements = self.0.layout.elements_mut().expect("no gaps but those of active doubles");
        let place = elements.place().expect("lent before");
        Place::packed(place.cast(), self.0.n)
    }

    /// Gives the first `n` doubles, which lie side by side at the beginning of the buffer, their places and ids from
    /// `mark`.
    #[inline(always)]
    fn spread(&mut self, n: usize, mark: Mark) {
        assert!(self.0.is_plain() && n <= self.0.n);
        let run = self.0.base.cast::<Words>();
        let (first, step) = (mark_of(mark.first, mark.tag), mark.step());
        match n {
            // SAFETY: the promise of `BufferTriple::new`.
            1 => unsafe { run.write([run.cast::<u64>().read(), first]) },
            // SAFETY: as above.
            _ => unsafe { spread(run, n, first, step) },
        }
    }

    /// Writes what `SendBuffer::pack` has packed, or its beginning, with ids from `mark`.
    pub fn unpack(&mut self, values: &[f64], mark: Mark) -> MpiResult<()> {
        match self.0.layout.other() {
            None => self.unpack_runs(values, mark),
            Some(Other::Pairs) => self.unpack_pairs(values, mark),
            _ => return self.unpack_bytes(values, 8 * values.len(), mark),
        }
        Ok(())
    }

    /// As `unpack` of the first `bytes`.
    pub fn unpack_bytes(&mut self, values: &[f64], bytes: usize, mark: Mark) -> MpiResult<()> {
        if let Some(elements) = self.0.layout.elements_mut() {
            let n = (bytes / 8).min(self.0.n);
            return Ok(elements.put(0, &values[..n], mark.into())?);
        }
        match self.0.mixed() {
            None => self.unpack_runs(&values[..bytes / 8], mark),
            Some((map, items)) => self.unpack_mixed(map, items, values, bytes, mark),
        }
        Ok(())
    }

    fn unpack_mixed(&self, map: &Map, items: usize, values: &[f64], bytes: usize, mark: Mark) {
        let each = map.bytes();
        let mut left = bytes.min(8 * values.len()).min(items * each);
        let mut from = values.as_ptr().cast::<u8>();
        let mut done = 0;
        self.0.for_pieces(map, left.div_ceil(each), |to, piece| {
            if piece.is_active() {
                let n = piece.n.min(left / piece.element.bytes());
                let mut room = [0.0; 16];
                for first in (0..n).step_by(room.len()) {
                    let many = room.len().min(n - first);
                    let values = &mut room[..many];
                    // SAFETY: as many bytes are left.
                    unsafe { read(from, piece.element, first, values) };
                    write(to.cast::<Var>().wrapping_add(first), values, mark, done + first);
                }
                done += n;
            } else {
                // SAFETY: as above, and the promise of `BufferTriple::new`.
                unsafe { to.copy_from_nonoverlapping(from, piece.n.min(left)) };
            }
            from = from.wrapping_add(piece.bytes());
            left = left.saturating_sub(piece.bytes());
        });
    }

    fn unpack_pairs(&mut self, items: &[f64], mark: Mark) {
        for (i, item) in items.chunks_exact(2).take(self.0.n).enumerate() {
            write(self.0.pair(i).cast(), &item[..1], mark, i);
            // An index that has been an integer.
            #[allow(clippy::cast_possible_truncation)]
            let index = item[1] as c_int;
            // SAFETY: the promise of `BufferTriple::new`, of a buffer of pairs.
            unsafe { (&raw mut (*self.0.pair(i)).index).write(index) };
        }
    }

    fn unpack_runs(&mut self, values: &[f64], mark: Mark) {
        let mut left = values;
        let mut done = 0;
        self.0.for_runs(values.len().min(self.0.n), |run, n| {
            let (now, later) = left.split_at(n);
            write(run, now, mark, done);
            done += n;
            left = later;
        });
    }

    /// Copies items of the same datatype: values with what marks them, and what lies between.
    pub fn copy(&mut self, from: &SendBuffer) {
        let to = &self.0;
        let alike = match (to.layout.other(), from.layout.other()) {
            (None, None) | (Some(Other::Pairs), Some(Other::Pairs)) => true,
            (Some(Other::Map(to)), Some(Other::Map(from))) => to == from,
            (Some(Other::Passive(to, n)), Some(Other::Passive(from, m))) => (to, n) == (from, m),
            _ => false,
        };
        assert!(alike && to.n == from.n, "items of one datatype");
        let beside = |at: *mut u8| from.base.wrapping_add(at.addr().wrapping_sub(to.base.addr()));
        to.for_runs(to.n, |run, n| {
            // SAFETY: the promise of `BufferTriple::new`, of two buffers that are laid out alike.
            unsafe { run.copy_from_nonoverlapping(beside(run.cast()).cast(), n) };
        });
        let Some((map, items)) = to.mixed() else { return };
        to.for_pieces(map, items, |at, piece| {
            if !piece.is_active() {
                // SAFETY: as above.
                unsafe { at.copy_from_nonoverlapping(beside(at), piece.n) };
            }
        });
    }

    /// Writes values with what marks them.
    pub fn set_vars(&mut self, vars: &[Var]) -> MpiResult<()> {
        if let Some(elements) = self.0.layout.elements() {
            return Ok(elements.set(vars)?);
        }
        let mut left = vars;
        self.0.for_runs(vars.len().min(self.0.n), |run, n| {
            let (now, later) = left.split_at(n);
            // SAFETY: the promise of `BufferTriple::new`.
            unsafe { std::ptr::copy_nonoverlapping(now.as_ptr(), run, n) };
            left = later;
        });
        Ok(())
    }

    /// Gives ids from `mark` to the active doubles that still have the ids that count down from `first`, with `tag`. Each is
    /// changed only if it has not been overwritten meanwhile.
    pub fn claim(&self, first: u32, tag: u32, mark: Mark) {
        let mut done = 0;
        self.0.for_runs(self.0.n, |run, n| {
            for i in 0..n {
                let (old, new) = (mark_of(first - done, tag), mark_of(mark.id(done), mark.tag));
                let place = run.wrapping_add(i).cast::<AtomicU64>().wrapping_add(1);
                // SAFETY: the promise of `BufferTriple::new`. A `Var` is two words, of which the second one marks it.
                let place = unsafe { &*place };
                // What has another mark stays.
                let _ = place.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed);
                done += 1;
            }
        });
    }

    /// Makes the first `n` doubles passive; their values stay.
    pub fn end_derivatives(&mut self, n: usize) {
        self.0.for_runs(n.min(self.0.n), |run, n| {
            for i in 0..n {
                let value = run.wrapping_add(i).cast::<u64>();
                // SAFETY: the promise of `BufferTriple::new`. A `Var` is two words, of which the second one marks it.
                unsafe { value.add(1).write(mark_of(0, 0)) };
            }
        });
    }

    /// Copies the index of the `i`th pair of `from`.
    pub fn set_index(&mut self, i: usize, from: &SendBuffer) {
        assert!(i < self.0.n && i < from.n);
        let is_pairs = |source: &SendBuffer| matches!(source.layout.other(), Some(Other::Pairs));
        assert!(is_pairs(&self.0) && is_pairs(from));
        // SAFETY: the promise of `BufferTriple::new`, of buffers of pairs.
        unsafe { (&raw mut (*self.0.pair(i)).index).write((*from.pair(i)).index) };
    }

    /// Writes the doubles from `from` on, with the ids they have when all are numbered from `mark`.
    pub fn unpack_segment(&mut self, from: usize, values: &[f64], mark: Mark) -> MpiResult<()> {
        if let Some(elements) = self.0.layout.elements_mut() {
            return Ok(elements.put(from, values, mark.behind(narrow(from)).into())?);
        }
        let mut at = 0;
        self.0.segment(from, values.len()).for_runs(|run, n| {
            write(run, &values[at..at + n], mark, from + at);
            at += n;
        });
        Ok(())
    }
}

/// Reads values from the `first` on of those that have travelled as `element`.
///
/// # Safety
/// There are as many behind `from`.
unsafe fn read(from: *const u8, element: Element, first: usize, values: &mut [f64]) {
    // SAFETY: the caller's promise.
    unsafe {
        if element == Element::Float {
            let from = from.cast::<f32>().add(first);
            for (i, value) in values.iter_mut().enumerate() {
                *value = from.add(i).read_unaligned().into();
            }
        } else {
            let from = from.add(8 * first);
            from.copy_to_nonoverlapping(values.as_mut_ptr().cast(), 8 * values.len());
        }
    }
}

/// Writes a run whose first value is the `done`th from `mark`.
#[inline]
fn write(run: *mut Var, values: &[f64], mark: Mark, done: usize) {
    let first = mark_of(mark.id(narrow(done)), mark.tag);
    if let [value] = values {
        // SAFETY: the promise of `BufferTriple::new`: the run lies in the user's buffer. A `Var` is two words.
        return unsafe { run.cast::<Words>().write([value.to_bits(), first]) };
    }
    // SAFETY: as above.
    let run =
        unsafe { std::slice::from_raw_parts_mut(run.cast::<MaybeUninit<Words>>(), values.len()) };
    put_together(values, run, first, mark.step());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::layout::{Layout, Piece, Run};
    use crate::datatype::marks::Shape;

    fn vars(ids: &[u32]) -> Vec<Var> {
        ids.iter()
            .enumerate()
            .map(|(i, &id)| Var { value: i as f64 + 0.5, id, tag: u32::from(id != 0) })
            .collect()
    }

    fn source(vars: &mut [Var], layout: Layout, count: i64) -> SendBuffer {
        SendBuffer::new("buf", vars.as_mut_ptr().cast(), count, 0, layout, 1).expect("valid")
    }

    #[test]
    fn test_buffer_shapes() {
        for (ids, shape) in [
            (&[][..], Shape::Passive),
            (&[0, 0, 0], Shape::Passive),
            (&[4, 5, 6], Shape::Range(4)),
            (&[7], Shape::Range(7)),
            (&[4, 6, 5], Shape::Mixed),
            (&[0, 1, 2], Shape::Mixed),
            (&[4, 5, 0], Shape::Mixed),
            (&[4, 4], Shape::Mixed),
        ] {
            let mut vars = vars(ids);
            let n = i64::try_from(ids.len()).expect("small");
            let source = source(&mut vars, Layout::Plain, n);
            let mut out = vec![0.0; ids.len()];
            assert_eq!(source.pack(&mut out), shape, "{ids:?}");
            assert_eq!(source.shape(), shape);
            assert!(out.iter().enumerate().all(|(i, &x)| x == i as f64 + 0.5));
        }
    }

    #[test]
    fn test_buffer_range_across_blocks() {
        let ids: Vec<u32> = (3..3 + 1300).collect();
        let mut good = vars(&ids);
        let mut out = vec![0.0; 1300];
        assert_eq!(source(&mut good, Layout::Plain, 1300).pack(&mut out), Shape::Range(3));
        good[1024].id = 9;
        assert_eq!(source(&mut good, Layout::Plain, 1300).pack(&mut out), Shape::Mixed);
    }

    #[test]
    fn test_buffer_spread_in_place() {
        for n in [0_usize, 1, 2, 3, 4, 7, 8, 100, 128, 129, 1025] {
            for received in [0, 1, n / 3, n.saturating_sub(1), n] {
                let received = received.min(n);
                let ids: Vec<u32> = (50..).take(n).collect();
                let mut memory = vars(&ids);
                // As MPI leaves it: the values side by side.
                let at = memory.as_mut_ptr().cast::<f64>();
                for i in 0..received {
                    // SAFETY: fewer than the vars, of which each has room for two.
                    unsafe { at.add(i).write(i as f64 - 3.25) };
                }
                let count = i64::try_from(n).expect("small");
                let mut sink = RecvBuffer(source(&mut memory, Layout::Plain, count));
                sink.spread(received, Mark { first: 900, tag: 5 });
                for (i, var) in memory.iter().enumerate() {
                    let id = u32::try_from(i).expect("small");
                    let expected = if i < received {
                        Var { value: i as f64 - 3.25, id: 900 + id, tag: 5 }
                    } else {
                        Var { value: i as f64 + 0.5, id: 50 + id, tag: 1 }
                    };
                    assert_eq!(*var, expected, "{i} of {received} in {n}");
                }
            }
        }
    }

    #[test]
    fn test_buffer_map_runs_and_segments() {
        // Every second element of an item of four.
        let runs = vec![Run { offset: 0, n: 1 }, Run { offset: 32, n: 1 }];
        let map = Map { runs, extent: 64, n: 2, ..Map::default() };
        let mut memory = vars(&[1, 2, 3, 4, 5, 6, 7, 8]);
        let source = source(&mut memory, Other::Map(map.clone()).into(), 2);
        let mut values = [0.0; 4];
        assert_eq!(source.pack(&mut values), Shape::Mixed);
        assert_eq!(values, [0.5, 2.5, 4.5, 6.5]);
        let mut ids = [0; 2];
        source.segment(1, 2).ids(&mut ids);
        assert_eq!(ids, [3, 5]);
        let mut sink = RecvBuffer(self::source(&mut memory, Other::Map(map).into(), 2));
        let mark = Mark { first: 20, tag: 3 };
        assert!(sink.unpack(&[10.0, 11.0, 12.0], mark).is_ok());
        assert!(sink.unpack_segment(3, &[13.0], mark).is_ok());
        assert_eq!(memory.iter().map(|v| v.id).collect::<Vec<_>>(), [20, 2, 21, 4, 22, 6, 23, 8]);
        assert_eq!(memory[6].value, 13.0);
    }

    /// An item as `{var; int; var; short}` would be: its bytes on the wire do not fill words.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Item {
        a: Var,
        i: c_int,
        b: Var,
        s: i16,
    }

    fn items_map() -> Layout {
        let piece = |offset, n, element| Piece { offset, n, element };
        Layout::from(Other::Map(Map {
            runs: vec![Run { offset: 0, n: 1 }, Run { offset: 24, n: 1 }],
            extent: 48,
            n: 2,
            pieces: vec![
                piece(0, 1, Element::Double),
                piece(16, 4, Element::Passive),
                piece(24, 1, Element::Double),
                piece(40, 2, Element::Passive),
            ],
            complex: false,
        }))
    }

    #[test]
    fn test_buffer_items_with_passive_parts() {
        let var = |value, id| Var { value, id, tag: 7 };
        let mut out = [1, 2, 3].map(|i: i16| {
            let x = f64::from(i);
            Item { a: var(x, 10), i: i.into(), b: var(10.0 * x, 11), s: 100 * i }
        });
        let source =
            SendBuffer::new("buf", out.as_mut_ptr().cast(), 3, 0, items_map(), 1).expect("valid");
        assert_eq!((source.len(), source.mixed_bytes(), source.words()), (6, Some(66), 9));
        let mut words = [0.0; 9];
        assert_eq!(source.pack(&mut words), Shape::Mixed);
        let blank = Item { a: var(0.0, 0), i: -1, b: var(0.0, 0), s: -1 };
        // Whole items, then a part of the second one: its first double and some of the int behind it.
        for (bytes, doubles) in [(66, 6), (31, 3), (22, 2), (9, 1), (7, 0), (0, 0)] {
            let mut back = [blank; 3];
            let items = SendBuffer::new("buf", back.as_mut_ptr().cast(), 3, 0, items_map(), 1)
                .expect("valid");
            assert_eq!(items.doubles_in(bytes), doubles);
            let mark = Mark { first: 20, tag: 3 };
            assert!(RecvBuffer(items).unpack_bytes(&words, bytes, mark).is_ok());
            let mut id = 20;
            for (k, (item, sent)) in back.iter().zip(&out).enumerate() {
                for (at, got, value) in [(0, item.a, sent.a.value), (12, item.b, sent.b.value)] {
                    let came = 22 * k + at + 8 <= bytes;
                    let expected = if came { (value, id, 3) } else { (0.0, 0, 7) };
                    assert_eq!((got.value, got.id, got.tag), expected, "{bytes} bytes, item {k}");
                    id += u32::from(came);
                }
                assert_eq!(item.s, if 22 * (k + 1) <= bytes { sent.s } else { -1 });
            }
        }
        let mut copied = [blank; 3];
        let room = SendBuffer::new("buf", copied.as_mut_ptr().cast(), 3, 0, items_map(), 1)
            .expect("valid");
        RecvBuffer(room).copy(&source);
        assert!(copied.iter().zip(&out).all(|(x, y)| x.i == y.i && x.s == y.s && x.b.id == 11));
    }
}
