//! Buffers as a C caller passed them.

use super::layout::{Layout, Other, offset};
use super::recv_buffer::RecvBuffer;
use super::send_buffer::{SendBuffer, bad};
use crate::count::wide32;
use crate::error::Code;
use crate::mpi::list::listable;
use crate::mpi::raw::MPI_Datatype;
use crate::mpi::{Datatype, Function, List, MpiResult, is_in_place};
use crate::tape::Var;
use std::ffi::{c_int, c_void};

/// A buffer as a C caller passed it: pointer, count and datatype, none of which is looked at before it is
/// known to be significant.
#[derive(Clone, Copy)]
pub struct BufferTriple {
    pub(super) pointer: *mut c_void,
    pub(super) count: i64,
    pub(super) datatype: Datatype,
    /// Which element of a matrix or a view is the first item: an address does not lead to it.
    pub(super) first: i64,
}

impl BufferTriple {
    /// # Safety
    /// Where the call says that the argument is significant, it is `MPI_IN_PLACE` or leads to the items that
    /// `count` and `datatype` describe, which may be read, and written by calls that write, until the call of
    /// MPI completes. An active datatype describes items of 16 bytes.
    #[inline]
    pub unsafe fn new(
        pointer: *const c_void,
        count: impl Into<i64>,
        datatype: MPI_Datatype,
    ) -> Self {
        // SAFETY: the handle is used only where it is significant.
        let datatype = unsafe { Datatype::new(datatype) };
        Self { pointer: pointer.cast_mut(), count: count.into(), datatype, first: 0 }
    }

    /// The same `items` further on, in bytes `bytes`.
    #[must_use]
    pub(super) fn behind(self, items: i64, bytes: i64) -> Self {
        if self.datatype.is_of_elements() {
            return Self { first: self.first.wrapping_add(items), ..self };
        }
        Self { pointer: self.pointer.wrapping_byte_offset(offset(bytes)), ..self }
    }

    /// As the caller passed it, for calls of MPI's.
    pub const fn parts(&self) -> (*mut c_void, i64, MPI_Datatype) {
        (self.pointer, self.count, self.datatype.raw())
    }

    pub fn is_in_place(&self) -> bool {
        is_in_place(self.pointer)
    }

    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Such items `n` times, one behind the other.
    pub fn repeated(&self, n: usize) -> MpiResult<List<Self>> {
        let step = self.count.wrapping_mul(self.datatype.extent()?.1);
        let mut part = *self;
        Ok((0..n)
            .map(|_| {
                let next = part.behind(self.count, step);
                std::mem::replace(&mut part, next)
            })
            .collect())
    }

    /// Whether it has no items.
    pub const fn is_nothing(&self) -> bool {
        self.count == 0
    }

    /// Active doubles to read: the argument's items for each of `ranks`.
    #[inline]
    pub fn source(&self, name: &str, layout: Layout, ranks: usize) -> MpiResult<SendBuffer> {
        SendBuffer::new(name, self.pointer, self.count, self.first, layout, ranks)
    }

    /// The usual argument: active doubles one after the other, at an address, none too many.
    #[inline(always)]
    pub fn plain(&self) -> Option<SendBuffer> {
        let n = wide32(u32::try_from(self.count).ok()?);
        let usual = self.datatype == Datatype::active_double()
            && !self.pointer.is_null()
            && !self.is_in_place();
        usual.then(|| SendBuffer { base: self.pointer.cast(), layout: Layout::Plain, n })
    }

    /// As `plain`, and the same items for each of `ranks`, if they are none too many.
    #[inline(always)]
    pub fn plain_shares(&self, ranks: usize) -> Option<[SendBuffer; 2]> {
        let one = self.plain()?;
        let n = one.n.checked_mul(ranks).filter(|&n| u32::try_from(n).is_ok())?;
        let all = SendBuffer { n, ..one.clone() };
        Some([one, all])
    }

    /// As `plain_shares`, the others to be written.
    #[inline(always)]
    pub fn plain_sink_shares(&self, ranks: usize) -> Option<(SendBuffer, RecvBuffer)> {
        self.plain_shares(ranks).map(|[one, all]| (one, RecvBuffer(all)))
    }

    /// As `plain`, to be written.
    #[inline(always)]
    pub fn plain_sink(&self) -> Option<RecvBuffer> {
        self.plain().map(RecvBuffer)
    }

    /// Active doubles to write.
    pub fn sink(&self, name: &str, layout: Layout, ranks: usize) -> MpiResult<RecvBuffer> {
        Ok(RecvBuffer(self.source(name, layout, ranks)?))
    }
}

impl BufferTriple {
    /// How many items there are; a count that was negative has been refused.
    pub fn items(&self) -> usize {
        usize::try_from(self.count).unwrap_or(0)
    }

    /// Reduces this into `other`, which has as many items of the datatype, by a function of the user's.
    pub fn reduce_into(&self, other: &Self, function: Function) -> MpiResult<()> {
        assert!(self.count == other.count && self.datatype == other.datatype);
        let count = c_int::try_from(self.count).map_err(|_| {
            let why = "is past INT_MAX, but a user's operation counts by int";
            bad("count", Code::Unsupported, format_args!("{} {why}", self.count))
        })?;
        // SAFETY: the promise of `new`.
        unsafe { function.apply(self.pointer, other.pointer, count, self.datatype) };
        Ok(())
    }

    /// `n` of the items, from the `first` on.
    pub fn items_from(&self, first: usize, n: usize) -> MpiResult<Self> {
        assert!(first + n <= self.items());
        let step = i64::try_from(first).unwrap_or(i64::MAX).wrapping_mul(self.datatype.extent()?.1);
        let count = i64::try_from(n).unwrap_or(i64::MAX);
        Ok(Self { count, ..self.behind(i64::try_from(first).unwrap_or(i64::MAX), step) })
    }

    /// The same under a duplicate of its datatype.
    pub const fn under(self, duplicate: Datatype) -> Self {
        Self { datatype: duplicate, ..self }
    }

    /// Memory for the same items; what it holds is passive.
    pub fn twin(&self, source: &SendBuffer) -> Twin {
        let (mut lowest, mut n) = (0, source.n);
        if let Some(Other::Map(map) | Other::Passive(map, _)) = source.layout.other() {
            let last = map.extent * (self.count - 1).max(0);
            let (begin, end) = map.span();
            lowest = begin + last.min(0);
            n = usize::try_from(end + last.max(0) - lowest).unwrap_or(0).div_ceil(size_of::<Var>());
        }
        let mut memory = vec![Var::default(); n];
        let base = memory.as_mut_ptr().wrapping_byte_offset(offset(-lowest));
        Twin { argument: Self { pointer: base.cast(), ..*self }, _memory: memory }
    }
}

// SAFETY: the pointer is the user's promise, which holds on whichever thread completes the request; a twin's leads to its own
// memory.
unsafe impl Send for BufferTriple {}

listable!(BufferTriple);

/// Memory of the library's own that is laid out as a user's buffer, for functions of the user's.
pub struct Twin {
    argument: BufferTriple,
    _memory: Vec<Var>,
}

impl Twin {
    /// Leads to the memory, while the twin lives.
    pub const fn argument(&self) -> &BufferTriple {
        &self.argument
    }
}
