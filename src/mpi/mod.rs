//! A thin safe layer over MPI: handles that are values, buffers that own what MPI reads or writes, errors.
//!
//! Handles are made by `unsafe` constructors from what a C caller passed; from there on the calls are safe,
//! because every buffer is a slice or is owned by the operation that uses it.

pub mod alone;
pub mod arrays;
pub mod attribute;
pub mod buffer;
pub mod dimension;
pub mod ending;
pub mod error;
pub mod function;
pub mod generalized;
pub mod handle;
pub mod items;
pub mod list;
pub mod message;
pub mod operation;
pub mod own;
pub mod parcel;
pub mod place;
pub mod plain;
pub mod quirks;
pub mod raw;
pub mod serial;
pub mod staging;
pub mod status;
pub mod transfer;
pub mod types;
pub mod wrapped;

pub use attribute::{CommAttribute, TypeAttribute};
pub use buffer::{
    Argument, Arguments, Counts, Handle, Layout, Lists, Map, Mark, Other, Piece, Pieces, Run,
    Segment, Shape, Sink, Source, Sources, Twin, Types, Wide,
};
pub use error::{Failure, Outcome, check};
pub use function::{Derivative, Function};
pub use items::Doubles;
pub use list::List;
pub use operation::{How, Item, Listed, Operation, Payload, Reach, Step};
pub use own::times;
pub use place::{Readable, Writable};
pub use serial::Serial;
pub use staging::Staging;
pub use status::{Status, StatusSlot, StatusSlots};

use raw::{MPI_Comm, MPI_Datatype, MPI_Group, MPI_Op, constants};
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The call that blocks or, where a request goes, the one that makes it.
macro_rules! twins {
    ($request:expr, $now:expr, $begin:expr, $($argument:expr),* $(,)?) => {
        match $request {
            None => $now($($argument),*),
            Some(request) => $begin($($argument),*, request),
        }
    };
}
pub(crate) use twins;

/// A communicator's handle.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Comm(MPI_Comm);

// SAFETY: a handle names an object of MPI, which serves every thread its own level of support allows.
unsafe impl Send for Comm {}
// SAFETY: as above.
unsafe impl Sync for Comm {}

impl Comm {
    /// # Safety
    /// `handle` is the null handle or a communicator that lives while the value is used.
    #[inline(always)]
    pub const unsafe fn new(handle: MPI_Comm) -> Self {
        Self(handle)
    }

    pub const fn raw(self) -> MPI_Comm {
        self.0
    }

    pub fn world() -> Self {
        // SAFETY: constant data of the shim of mpi-sys.
        Self(unsafe { mpi_sys::RSMPI_COMM_WORLD })
    }

    pub fn itself() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_COMM_SELF })
    }

    pub fn null() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_COMM_NULL })
    }

    pub fn is_null(self) -> bool {
        self == Self::null()
    }

    pub fn rank(self) -> Outcome<c_int> {
        let mut rank = 0;
        // SAFETY: a live communicator and a place for the answer.
        check(unsafe { raw::MPI_Comm_rank(self.0, &mut rank) })?;
        Ok(rank)
    }

    pub fn size(self) -> Outcome<c_int> {
        let mut size = 0;
        // SAFETY: as in `rank`.
        check(unsafe { raw::MPI_Comm_size(self.0, &mut size) })?;
        Ok(size)
    }

    pub fn is_inter(self) -> Outcome<bool> {
        let mut flag = 0;
        // SAFETY: as in `rank`.
        check(unsafe { raw::MPI_Comm_test_inter(self.0, &mut flag) })?;
        Ok(flag != 0)
    }

    pub fn group(self) -> Outcome<Group> {
        // SAFETY: constant data; then a live communicator and a place for the answer.
        let mut group = unsafe { mpi_sys::RSMPI_GROUP_NULL };
        // SAFETY: as above.
        check(unsafe { raw::MPI_Comm_group(self.0, &mut group) })?;
        Ok(Group(group))
    }

    /// The members in the order of `key`, on a communicator of their own without the attributes of this one.
    pub fn split(self, key: c_int) -> Outcome<Self> {
        let mut new = Self::null().0;
        // SAFETY: as in `rank`.
        check(unsafe { raw::MPI_Comm_split(self.0, 0, key, &mut new) })?;
        // SAFETY: the communicator just made, and a predefined handler.
        check(unsafe { raw::MPI_Comm_set_errhandler(new, mpi_sys::RSMPI_ERRORS_RETURN) })?;
        Ok(Self(new))
    }

    pub fn free(mut self) -> Outcome<()> {
        // SAFETY: a communicator the library made and gives up.
        check(unsafe { raw::MPI_Comm_free(&mut self.0) })
    }

    /// The value of an info key of the communicator, as far as it is set.
    pub fn info(self, key: &std::ffi::CStr) -> Outcome<Option<String>> {
        // SAFETY: constant data.
        let mut info = unsafe { mpi_sys::RSMPI_INFO_NULL };
        // SAFETY: a live communicator and a place for the answer.
        check(unsafe { raw::MPI_Comm_get_info(self.0, &mut info) })?;
        let mut value = [0 as std::ffi::c_char; 64];
        let mut flag = 0;
        // SAFETY: the info object just made; `value` holds one byte more than the length passed.
        let got = check(unsafe {
            raw::MPI_Info_get(info, key.as_ptr(), 63, value.as_mut_ptr(), &mut flag)
        });
        // SAFETY: the info object is ours.
        check(unsafe { raw::MPI_Info_free(&mut info) })?;
        got?;
        // SAFETY: MPI_Info_get ends the string inside the buffer.
        let text = unsafe { std::ffi::CStr::from_ptr(value.as_ptr()) };
        Ok((flag != 0).then(|| text.to_string_lossy().into_owned()))
    }
}

/// A place for a communicator's handle that threads may read while another one changes it.
#[derive(Debug)]
pub struct SharedComm(AtomicUsize);

impl SharedComm {
    pub fn new(comm: Comm) -> Self {
        Self(AtomicUsize::new(comm.0.0.key()))
    }

    /// The handle; null after `take`.
    #[inline]
    pub fn get(&self) -> Comm {
        Comm(MPI_Comm(HandleKey::from_key(self.0.load(Ordering::Acquire))))
    }

    /// Puts `comm` in the place of what stood there.
    pub fn replace(&self, comm: Comm) -> Comm {
        Comm(MPI_Comm(HandleKey::from_key(self.0.swap(comm.0.0.key(), Ordering::AcqRel))))
    }
}

/// A group the library made; freed when dropped while MPI lives.
#[derive(Debug)]
pub struct Group(MPI_Group);

// SAFETY: as for `Comm`.
unsafe impl Send for Group {}
// SAFETY: as for `Comm`.
unsafe impl Sync for Group {}

impl Group {
    /// The same members in the same order.
    pub fn identical(&self, other: &Self) -> Outcome<bool> {
        let mut result = 0;
        // SAFETY: two live groups and a place for the answer.
        check(unsafe { raw::MPI_Group_compare(self.0, other.0, &mut result) })?;
        Ok(result == constants().ident)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if is_live() {
            // SAFETY: a live group of ours; an error would leave a handle behind, no more.
            unsafe { raw::MPI_Group_free(&mut self.0) };
        }
    }
}

/// MPI has been initialised and not yet finalised.
pub fn is_live() -> bool {
    let (mut initialised, mut finalised) = (0, 0);
    // SAFETY: both may be called at any time.
    unsafe {
        raw::MPI_Initialized(&mut initialised);
        raw::MPI_Finalized(&mut finalised);
    }
    initialised != 0 && finalised == 0
}

/// A datatype's handle.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Datatype(MPI_Datatype);

// SAFETY: as for `Comm`.
unsafe impl Send for Datatype {}
// SAFETY: as for `Comm`.
unsafe impl Sync for Datatype {}

impl Datatype {
    /// # Safety
    /// `handle` is the null handle or a datatype that lives while the value is used.
    #[inline(always)]
    pub const unsafe fn new(handle: MPI_Datatype) -> Self {
        Self(handle)
    }

    pub const fn raw(self) -> MPI_Datatype {
        self.0
    }

    pub fn double() -> Self {
        // SAFETY: constant data of the shim of mpi-sys.
        Self(unsafe { mpi_sys::RSMPI_DOUBLE })
    }

    /// 64 bits.
    pub fn word() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_UINT64_T })
    }

    pub fn null() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_DATATYPE_NULL })
    }

    /// The type of one active double; the null handle before the library is initialised.
    #[inline]
    pub fn active_double() -> Self {
        // SAFETY: a variable that is written when the library begins and ends, and then only.
        Self(unsafe { (&raw const raw::AMPI_ADOUBLE).read() })
    }

    pub fn set_active_double(self) {
        // SAFETY: called at initialisation and finalisation, when no other call of the library may run.
        unsafe { raw::admpi_shim_set_adouble(self.0) }
    }

    /// The type of an active double and an index; the null handle before the library is initialised.
    pub fn active_pair() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_ADOUBLE_INT).read() })
    }

    pub fn set_active_pair(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_adouble_int(self.0) }
    }

    /// The type of the elements of a matrix, where the buffer is the matrix; the null handle before the library is
    /// initialised.
    pub fn of_matrix() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_VARMAT).read() })
    }

    pub fn set_of_matrix(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_varmat(self.0) }
    }

    /// The same where the buffer is a view.
    pub fn of_view() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_VIEW).read() })
    }

    pub fn set_of_view(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_view(self.0) }
    }

    /// Whether a buffer of this type is a matrix or a view, which an address does not lead into.
    pub fn is_of_elements(self) -> bool {
        self != Self::null() && (self == Self::of_matrix() || self == Self::of_view())
    }

    /// The number behind the handle, for tables keyed by it.
    #[inline]
    pub fn key(self) -> usize {
        handle_key(&self.0)
    }

    pub fn contiguous(self, count: c_int) -> Outcome<Self> {
        let mut new = Self::null().0;
        // SAFETY: a live datatype and a place for the answer.
        check(unsafe { raw::MPI_Type_contiguous(count, self.0, &mut new) })?;
        Ok(Self(new))
    }

    pub fn commit(mut self) -> Outcome<Self> {
        // SAFETY: as above.
        check(unsafe { raw::MPI_Type_commit(&mut self.0) })?;
        Ok(self)
    }

    pub fn set_name(self, name: &std::ffi::CStr) -> Outcome<()> {
        // SAFETY: a live datatype and a string.
        check(unsafe { raw::MPI_Type_set_name(self.0, name.as_ptr()) })
    }

    pub fn free(mut self) -> Outcome<()> {
        // SAFETY: a datatype that the library made and gives up.
        check(unsafe { raw::MPI_Type_free(&mut self.0) })
    }

    pub fn extent(self) -> Outcome<(i64, i64)> {
        let (mut lower, mut extent) = (0, 0);
        // SAFETY: a live datatype and places for the answers.
        check(unsafe { raw::MPI_Type_get_extent(self.0, &mut lower, &mut extent) })?;
        Ok((widen(lower), widen(extent)))
    }

    /// How the type was made, or `None` for a predefined type.
    pub fn contents(self) -> Outcome<Option<Contents>> {
        let (mut integers, mut addresses, mut datatypes, mut combiner) = (0, 0, 0, 0);
        // SAFETY: as above.
        check(unsafe {
            raw::MPI_Type_get_envelope(
                self.0,
                &mut integers,
                &mut addresses,
                &mut datatypes,
                &mut combiner,
            )
        })?;
        if combiner == constants().named {
            return Ok(None);
        }
        let mut i = vec![0; wide_int(integers)];
        let mut a: Vec<raw::MPI_Aint> = vec![0; wide_int(addresses)];
        let mut d = vec![Self::null().0; wide_int(datatypes)];
        // SAFETY: the arrays have the sizes that the envelope gave.
        check(unsafe {
            raw::MPI_Type_get_contents(
                self.0,
                integers,
                addresses,
                datatypes,
                i.as_mut_ptr(),
                a.as_mut_ptr(),
                d.as_mut_ptr(),
            )
        })?;
        Ok(Some(Contents {
            combiner,
            integers: i,
            addresses: a.into_iter().map(widen).collect(),
            datatypes: d.into_iter().map(Part).collect(),
        }))
    }
}

/// What `MPI_Type_get_contents` tells.
pub struct Contents {
    pub combiner: c_int,
    pub integers: Vec<c_int>,
    pub addresses: Vec<i64>,
    pub datatypes: Vec<Part>,
}

/// A datatype that `MPI_Type_get_contents` handed out; freed when dropped, unless it is predefined.
pub struct Part(MPI_Datatype);

impl Part {
    pub fn datatype(&self) -> Datatype {
        Datatype(self.0)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let (mut integers, mut addresses, mut datatypes, mut combiner) = (0, 0, 0, 0);
        // SAFETY: a live handle. Predefined types may not be freed and were not made for us; a failing call
        // leaves a handle behind, no more.
        unsafe {
            let known = raw::MPI_Type_get_envelope(
                self.0,
                &mut integers,
                &mut addresses,
                &mut datatypes,
                &mut combiner,
            );
            if known == raw::SUCCESS && combiner != constants().named {
                raw::MPI_Type_free(&mut self.0);
            }
        }
    }
}

/// A reduction's operation.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Op(MPI_Op);

impl Op {
    /// The number behind the handle, for tables keyed by it.
    pub fn key(self) -> usize {
        self.0.0.key()
    }

    /// # Safety
    /// `handle` is an operation that lives while the value is used.
    #[inline(always)]
    pub const unsafe fn new(handle: MPI_Op) -> Self {
        Self(handle)
    }

    pub const fn raw(self) -> MPI_Op {
        self.0
    }
}

macro_rules! operations {
    ($($name:ident $shim:ident;)*) => {
        impl Op { $(pub fn $name() -> Self {
            // SAFETY: returns a constant handle.
            Self(unsafe { raw::$shim() })
        })* }
    };
}

operations! {
    sum admpi_shim_op_SUM;
    product admpi_shim_op_PROD;
    min admpi_shim_op_MIN;
    max admpi_shim_op_MAX;
    min_location admpi_shim_op_MINLOC;
    max_location admpi_shim_op_MAXLOC;
    bit_or admpi_shim_op_BOR;
    bit_and admpi_shim_op_BAND;
    bit_xor admpi_shim_op_BXOR;
    and admpi_shim_op_LAND;
    or admpi_shim_op_LOR;
    xor admpi_shim_op_LXOR;
    replace admpi_shim_op_REPLACE;
    no_op admpi_shim_op_NO_OP;
    null admpi_shim_op_OP_NULL;
}

// SAFETY: as for `Comm`.
unsafe impl Send for Op {}

/// Handles are pointers in one MPI and integers in another.
trait HandleKey: Sized {
    fn key(&self) -> usize;
    fn from_key(key: usize) -> Self;
}

impl<T> HandleKey for *mut T {
    #[inline]
    fn key(&self) -> usize {
        self.expose_provenance()
    }
    #[inline]
    fn from_key(key: usize) -> Self {
        std::ptr::with_exposed_provenance_mut(key)
    }
}

impl HandleKey for c_int {
    #[inline]
    fn key(&self) -> usize {
        crate::count::wide32(u32::from_ne_bytes(self.to_ne_bytes()))
    }
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // what `key` widened
    fn from_key(key: usize) -> Self {
        Self::from_ne_bytes((key as u32).to_ne_bytes())
    }
}

#[inline]
fn handle_key(handle: &MPI_Datatype) -> usize {
    handle.0.key()
}

impl Comm {
    /// The number behind the handle, for tables keyed by it.
    #[inline]
    pub fn key(self) -> usize {
        self.0.0.key()
    }
}

/// The largest tag that a message may have.
pub fn largest_tag() -> c_int {
    // SAFETY: MPI is initialised where communicators are made.
    unsafe { raw::admpi_shim_largest_tag() }
}

/// `MPI_Aint` in 64 bits.
#[allow(clippy::unnecessary_fallible_conversions, clippy::useless_conversion)]
fn widen(n: raw::MPI_Aint) -> i64 {
    i64::try_from(n).expect("addresses have 64 bits")
}

/// A count that MPI gave, which is never negative.
pub fn wide_int(n: c_int) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Whether `pointer` is `MPI_IN_PLACE`: to be asked before a slice is formed.
pub fn is_in_place(pointer: *const std::ffi::c_void) -> bool {
    pointer == constants().in_place
}

/// By the number of doubles.
static WIDE: Mutex<Vec<(usize, Datatype)>> = Mutex::new(Vec::new());

/// The committed type of `width` doubles, made once.
fn wide_type(width: usize) -> Outcome<Datatype> {
    let mut types = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, datatype)) = types.iter().find(|(w, _)| *w == width) {
        return Ok(*datatype);
    }
    let count = c_int::try_from(width).map_err(|_| error::too_many(1, width))?;
    let datatype = Datatype::double().contiguous(count)?.commit()?;
    types.push((width, datatype));
    Ok(datatype)
}

/// Frees the types of several doubles; MPI is about to end.
pub fn remove_wide_types() {
    for (_, datatype) in WIDE.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // A type that cannot be freed goes with MPI.
        let _ = datatype.free();
    }
}
