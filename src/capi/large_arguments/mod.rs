//! What the arguments of the calls for large counts mean: handles, arrays and addresses that a C caller passed.

use crate::error::{Code, Error};
use crate::large::limit::limit;
use crate::large::movement::{self, Fitted, Side};
use crate::large::plan::Family;
use crate::large::reduction::{Counts, Room};
pub use crate::large::vector::{NEIGHBOURS_BY_RANK, neighbour_width};
use crate::large::vector::{Part, Parts, Traffic, among_neighbours};
use crate::large::{Call, defects, memory};
use crate::mpi::handle::{File, Object, Role, Win};
use crate::mpi::raw::{self, MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Op};
use crate::mpi::self_copy::{self, Items};
pub use crate::mpi::types::{shift, shift_mut};
use crate::mpi::{
    Comm, Datatype, Failure, List, MpiResult, check, ffi, is_in_place, quirks, wide_int,
};
use mpi_sys::{MPI_File, MPI_Win};
use std::ffi::{c_int, c_void};

/// # Safety
/// `comm` is what the caller passed.
#[inline(always)]
pub unsafe fn on_comm(name: &'static str, comm: MPI_Comm) -> Call {
    // SAFETY: handed on.
    Call::new(name, Object::Comm(unsafe { Comm::new(comm) }))
}

/// # Safety
/// `win` is what the caller passed.
#[inline(always)]
pub unsafe fn on_win(name: &'static str, win: MPI_Win) -> Call {
    // SAFETY: handed on.
    Call::new(name, Object::Win(unsafe { Win::new(win) }))
}

/// # Safety
/// `file` is what the caller passed.
#[inline(always)]
pub unsafe fn on_file(name: &'static str, file: MPI_File) -> Call {
    // SAFETY: handed on.
    Call::new(name, Object::File(unsafe { File::new(file) }))
}

#[inline(always)]
pub const fn on_nothing(name: &'static str) -> Call {
    Call::new(name, Object::None)
}

/// # Safety
/// `datatype` is what the caller passed.
#[inline(always)]
pub unsafe fn side(count: MPI_Count, datatype: MPI_Datatype) -> Side {
    // SAFETY: handed on.
    Side { count, datatype: unsafe { Datatype::new(datatype) } }
}

/// The address `offset` bytes behind a buffer's, which may be `MPI_IN_PLACE`.
#[inline(always)]
pub fn at(buffer: *const c_void, offset: i64) -> *const c_void {
    if offset == 0 || is_in_place(buffer) { buffer } else { shift(buffer, offset) }
}

#[inline(always)]
pub fn at_mut(buffer: *mut c_void, offset: i64) -> *mut c_void {
    shift_mut(buffer, offset)
}

pub fn in_place_address() -> *const c_void {
    // SAFETY: returns a constant.
    unsafe { raw::admpi_shim_in_place() }
}

/// `MPI_BOTTOM`, from which displacements are addresses.
pub const fn bottom() -> *const c_void {
    std::ptr::null()
}

/// The address of a buffer as a displacement from `MPI_BOTTOM`.
#[allow(clippy::cast_possible_wrap)] // addresses of users have the highest bit clear
pub fn address(buffer: *const c_void) -> i64 {
    buffer.expose_provenance() as i64
}

/// Buffers of calls that send or receive nothing: not NULL, not equal, since Open MPI takes two equal
/// buffers for a call in place.
static NOTHING: [u8; 2] = [0; 2];

pub const fn no_send() -> *const c_void {
    (&raw const NOTHING).cast()
}

pub fn no_receive() -> *mut c_void {
    no_send().cast_mut().wrapping_byte_add(1)
}

/// # Safety
/// `comm` is what the caller passed.
pub unsafe fn is_root(comm: MPI_Comm, root: c_int) -> bool {
    // SAFETY: handed on.
    matches!(unsafe { Comm::new(comm) }.role(root), Ok(Role::Root))
}

/// `n` elements that the caller passed; NULL is allowed for none.
///
/// # Safety
/// The pointer is NULL or leads to `n` elements.
unsafe fn elements<'a, T>((name, pointer): (&str, *const T), n: usize) -> MpiResult<&'a [T]> {
    match (n, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => {
            let message = format!("{name} is NULL, but there are {n} partners");
            Err(Error::new(Code::Null, message).into())
        }
        // SAFETY: the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer, n) }),
    }
}

/// # Safety
/// As for `elements`.
pub unsafe fn counts<'a>(name: &str, pointer: *const MPI_Count, n: usize) -> MpiResult<Counts<'a>> {
    // SAFETY: handed on.
    Ok(Counts::List(unsafe { elements((name, pointer), n) }?))
}

/// Counts and displacements, with the arguments' names.
///
/// # Safety
/// The arrays have `n` elements and live as long as the value.
pub unsafe fn v_parts<'a>(
    n: usize,
    counts: (&str, *const MPI_Count),
    displacements: (&str, *const MPI_Aint),
    datatype: MPI_Datatype,
) -> MpiResult<Parts<'a>> {
    // SAFETY: handed on.
    unsafe {
        let (counts, displacements) = (elements(counts, n)?, elements(displacements, n)?);
        Parts::items(n, counts, displacements, Datatype::new(datatype))
    }
}

/// # Safety
/// As for `v_parts`.
pub unsafe fn w_parts<'a>(
    n: usize,
    counts: (&str, *const MPI_Count),
    displacements: (&str, *const MPI_Aint),
    (name, datatypes): (&str, *const MPI_Datatype),
) -> MpiResult<Parts<'a>> {
    // SAFETY: handed on; `Datatype` is transparent.
    unsafe {
        let (counts, displacements) = (elements(counts, n)?, elements(displacements, n)?);
        let datatypes = elements((name, datatypes.cast::<Datatype>()), n)?;
        Ok(Parts::types(n, counts, displacements, datatypes))
    }
}

/// Parts of one length, one after the other, one for each of `n` partners.
///
/// # Safety
/// `datatype` is what the caller passed.
pub unsafe fn blocks<'a>(
    n: usize,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> MpiResult<Parts<'a>> {
    // SAFETY: handed on.
    let datatype = unsafe { Datatype::new(datatype) };
    let extent = datatype.bounds()?.extent();
    let part = |i: i64| {
        let displacement = i.checked_mul(count)?.checked_mul(extent)?;
        Some(Part { count, displacement, datatype })
    };
    let parts: List<_> = (0..).map_while(part).take(n).collect();
    if parts.len() < n {
        let message = format!("{n} blocks of {count} items are past 2^63 bytes");
        return Err(Error::new(Code::Argument, message).into());
    }
    Ok(Parts::given(parts))
}

/// The same items for each of `n` partners.
///
/// # Safety
/// `datatype` is what the caller passed.
pub unsafe fn repeated<'a>(n: usize, count: MPI_Count, datatype: MPI_Datatype) -> Parts<'a> {
    // SAFETY: handed on.
    Parts::same(n, Part { count, displacement: 0, datatype: unsafe { Datatype::new(datatype) } })
}

/// # Safety
/// `comm` is what the caller passed.
pub unsafe fn partners(comm: MPI_Comm) -> MpiResult<usize> {
    // SAFETY: handed on.
    Ok(wide_int(unsafe { Comm::new(comm) }.partners()?))
}

/// The exchange with all partners; in place, MPI ignores what is sent.
///
/// # Safety
/// `comm` is what the caller passed.
pub unsafe fn all_traffic<'a>(
    comm: MPI_Comm,
    in_place: bool,
    sends: impl FnOnce(usize) -> MpiResult<Parts<'a>>,
    receives: impl FnOnce(usize) -> MpiResult<Parts<'a>>,
) -> MpiResult<Traffic<'a>> {
    // SAFETY: handed on.
    let n = unsafe { partners(comm) }?;
    Ok(Traffic::new(if in_place { Parts::nothing(0) } else { sends(n)? }, receives(n)?))
}

/// A call of MPI-4, evaluated where this MPI has them; `large::plan` chooses it nowhere else.
#[cfg(admpi_large_count)]
macro_rules! large_call {
    ($call:expr) => {
        $call
    };
}
#[cfg(not(admpi_large_count))]
macro_rules! large_call {
    ($call:expr) => {
        no_large_call()
    };
}
pub(super) use large_call;

/// For calls whose form of MPI-4 is never chosen.
pub fn no_large_call() -> c_int {
    raw::constants().err_other
}

/// A call that takes another way where `wrong`.
pub const fn guarded(family: Family, wrong: bool) -> Family {
    if wrong { Family::GuardedVector } else { family }
}

/// `defects::large_allgatherv`, of what the caller passed.
///
/// # Safety
/// As for `v_parts`.
pub unsafe fn allgatherv_is_wrong(
    comm: MPI_Comm,
    counts: *const MPI_Count,
    datatype: MPI_Datatype,
    blocks: bool,
) -> bool {
    let items = |n| {
        // SAFETY: handed on.
        let counts = unsafe { elements(("recvcounts", counts), n) }?;
        Ok(counts.iter().fold(0_i64, |sum, n| sum.saturating_add(*n)))
    };
    // SAFETY: handed on.
    unsafe { defects::large_allgatherv(Comm::new(comm), Datatype::new(datatype), blocks, items) }
}

/// `defects::parts_take_one_type`, of what the caller passed.
///
/// # Safety
/// `comm` is what the caller passed.
#[inline(always)]
pub unsafe fn parts_take_one_type(comm: MPI_Comm) -> bool {
    // SAFETY: handed on.
    defects::parts_take_one_type(unsafe { Comm::new(comm) })
}

/// Whether MPI's own MPI_Alltoall is wrong. Of the types each rank knows its own only, and all must take the same way: the
/// address decides.
#[inline(always)]
pub fn alltoall_by_copy(sendbuf: *const c_void) -> bool {
    quirks::IN_PLACE_SENDS_PACKED_COPIES && is_in_place(sendbuf)
}

/// Whether MPI's own MPI_Sendrecv_replace is.
///
/// # Safety
/// `datatype` is what the caller passed.
#[inline(always)]
pub unsafe fn replaces_by_copy(datatype: MPI_Datatype) -> bool {
    // SAFETY: handed on.
    quirks::IN_PLACE_SENDS_PACKED_COPIES && unsafe { defects::is_mixed(Datatype::new(datatype)) }
}

/// `defects::gather`, of what the caller passed.
///
/// # Safety
/// `comm` and the datatypes are what the caller passed.
#[inline(always)]
pub unsafe fn is_cut(
    comm: MPI_Comm,
    root: c_int,
    (n, t): (MPI_Count, MPI_Datatype),
    (m, u): (MPI_Count, MPI_Datatype),
) -> bool {
    // SAFETY: handed on.
    unsafe { defects::gather(Comm::new(comm), root, side(n, t), side(m, u)) }
}

/// `defects::ibcast`, of what the caller passed.
///
/// # Safety
/// `comm` is what the caller passed.
#[inline(always)]
pub unsafe fn ibcast_is_wrong(comm: MPI_Comm) -> bool {
    // SAFETY: handed on.
    defects::ibcast(unsafe { Comm::new(comm) })
}

/// Whether MPI's own MPI_Reduce in place is wrong.
#[inline(always)]
pub fn reduces_by_copy(sendbuf: *const c_void, root: c_int) -> bool {
    quirks::REDUCE_IN_PLACE_CRASHES_OFF_RANK_0 && root > 0 && is_in_place(sendbuf)
}

/// `MPI_Reduce`, from a copy of the operands where it must be.
///
/// # Safety
/// As for `MPI_Reduce`.
#[allow(clippy::too_many_arguments)] // MPI's, and the call
pub unsafe fn plain_reduce(
    call: Call,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    if !reduces_by_copy(sendbuf, root) || count <= 0 {
        // SAFETY: handed on.
        return unsafe { ffi::MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm) };
    }
    // SAFETY: handed on; the copy has room for the items.
    let copy = call.prepare(|| unsafe {
        let items = Datatype::new(datatype);
        let mut copy = Room::new(count.into(), items)?;
        move_items(recvbuf, copy.address(), count, items)?;
        Ok(copy)
    });
    match copy {
        // SAFETY: handed on.
        Ok(mut copy) => unsafe {
            ffi::MPI_Reduce(copy.address(), recvbuf, count, datatype, op, root, comm)
        },
        Err(code) => code,
    }
}

/// Where a nonblocking exchange sends from, and the address that its displacements count from: `MPI_BOTTOM` where the
/// parts sent and received lie behind one address, since Open MPI takes two equal buffers for a call in place.
pub fn apart(sendbuf: *const c_void, recvbuf: *mut c_void) -> (*const c_void, i64) {
    if std::ptr::eq(sendbuf, recvbuf) { (bottom(), address(sendbuf)) } else { (sendbuf, 0) }
}

/// Packed copies are made in pieces of at most this many bytes.
const STAGED_BYTES: i64 = 1 << 28;

const COPIED: &str = "the copy of data sent in place";

/// A copy of some items, from which they are sent while others come to their place: the part of it, given by
/// address. Items are packed, since the gaps of their types may be large, or no memory at all. But MPICH cuts a long
/// message of bytes anywhere, also within what it receives as one structure or pair: such items keep their layout, and
/// predefined ones do on every MPI.
///
/// # Safety
/// The items lie at `buffer`.
pub unsafe fn copied(buffer: *const c_void, part: Part) -> MpiResult<(Vec<u8>, Part)> {
    let count = part.count.max(0);
    let size = part.datatype.size()?;
    let from = shift(buffer, part.displacement);
    if part.datatype.contents()?.is_none() {
        let end = part.datatype.true_bounds()?.upper;
        let bytes =
            (count - 1).saturating_mul(part.datatype.bounds()?.extent()).saturating_add(end);
        let mut copy = memory(if count > 0 { bytes } else { 0 }, COPIED)?;
        // SAFETY: the items, with the gaps between them, lie at `from`; the copy is as long.
        unsafe { from.cast::<u8>().copy_to_nonoverlapping(copy.as_mut_ptr(), copy.len()) };
        let displacement = address(copy.as_ptr().cast());
        return Ok((copy, Part { displacement, ..part }));
    }
    if quirks::IN_PLACE_SENDS_PACKED_COPIES && defects::is_mixed(part.datatype) {
        let mut room = Room::new(count, part.datatype)?;
        // SAFETY: as above; the room is for as many items.
        unsafe { copy_items(from, room.address(), count, part.datatype) }?;
        let displacement = address(room.address());
        return Ok((room.into_memory(), Part { displacement, ..part }));
    }
    let mut copy = memory(count.saturating_mul(size), COPIED)?;
    let to = copy.as_mut_ptr().cast();
    let bytes =
        Side { count: i64::try_from(copy.len()).unwrap_or(i64::MAX), datatype: Datatype::byte() };
    if size > i64::from(limit()) {
        // MPI_Pack counts its bytes in an int.
        let (items, bytes) = (Side { count, datatype: part.datatype }.fit()?, bytes.fit()?);
        // SAFETY: the items lie at `from`, and the copy has room for their bytes.
        unsafe { self_copy::copy(fitted(from.cast_mut(), &items), fitted(to, &bytes)) }?;
    } else {
        // SAFETY: as above.
        unsafe { pack_all(from, to, count, part.datatype) }?;
    }
    let displacement = address(copy.as_ptr().cast());
    Ok((copy, Part { count: bytes.count, displacement, datatype: bytes.datatype }))
}

/// Calls `f` with the first item and the number of each piece of some items, as many as packing calls take.
fn packed_pieces(
    count: i64,
    datatype: Datatype,
    mut f: impl FnMut(i64, c_int) -> MpiResult<()>,
) -> MpiResult<()> {
    let piece = (STAGED_BYTES / datatype.size()?.max(1)).max(1);
    let mut done = 0;
    while done < count {
        let now = piece.min(count - done);
        f(done, narrow(now))?;
        done += now;
    }
    Ok(())
}

/// Copies items to where none of them lies.
///
/// # Safety
/// The items lie at `from`, and there is room for them at `to`.
unsafe fn copy_items(
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: Datatype,
) -> MpiResult<()> {
    let extent = datatype.bounds()?.extent();
    if datatype.size()? > i64::from(limit()) {
        let items = Side { count, datatype }.fit()?;
        // SAFETY: handed on.
        return unsafe { self_copy::copy(fitted(from.cast_mut(), &items), fitted(to, &items)) };
    }
    packed_pieces(count, datatype, |done, n| {
        let (from, to) = (shift(from, done * extent), shift_mut(to, done * extent));
        // SAFETY: handed on.
        unsafe { move_items(from, to, n, datatype) }
    })
}

/// Packs items of at most `INT_MAX` bytes each.
///
/// # Safety
/// The items lie at `from`, and there is room for them at `to`.
unsafe fn pack_all(
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: Datatype,
) -> MpiResult<()> {
    let (size, extent) = (datatype.size()?, datatype.bounds()?.extent());
    packed_pieces(count, datatype, |done, n| {
        let (from, to) = (shift(from, done * extent), shift_mut(to, done * size));
        let (room, mut position, comm) = (narrow(i64::from(n) * size), 0, Comm::itself().raw());
        // SAFETY: the items lie at `from`, and `room` bytes are left at `to`.
        check(unsafe { ffi::MPI_Pack(from, n, datatype.raw(), to, room, &mut position, comm) })
    })
}

/// # Safety
/// `items` lives while the value is used.
pub unsafe fn fitted(address: *mut c_void, items: &Fitted) -> Items {
    // SAFETY: handed on.
    Items { address, count: items.count, datatype: unsafe { Datatype::new(items.datatype) } }
}

/// Why a persistent call cannot be in place where that needs copies.
pub fn no_copies() -> Failure {
    let why = "sendbuf = MPI_IN_PLACE: every start of this persistent call would need copies; give it two buffers";
    Error::new(Code::Unsupported, why).into()
}

/// The exchange of what lies at `buffer` with what comes there: sends are copies, given by address.
///
/// # Safety
/// The parts lie at `buffer`.
pub unsafe fn staged_traffic<'a>(
    buffer: *mut c_void,
    receives: Parts<'a>,
) -> MpiResult<Traffic<'a>> {
    let (mut sends, mut staging) = (List::default(), Vec::new());
    for part in receives.iter() {
        // SAFETY: handed on.
        let (copy, part) = unsafe { copied(buffer, part?) }?;
        sends.extend([part]);
        staging.push(copy);
    }
    Ok(Traffic { staging, ..Traffic::new(Parts::given(sends), receives) })
}

/// The exchange with neighbours.
///
/// # Safety
/// `comm` is what the caller passed.
pub unsafe fn neighbour_traffic<'a>(
    comm: MPI_Comm,
    sends: impl FnOnce(usize) -> MpiResult<Parts<'a>>,
    receives: impl FnOnce(usize) -> MpiResult<Parts<'a>>,
) -> MpiResult<Traffic<'a>> {
    // SAFETY: handed on.
    let comm = unsafe { Comm::new(comm) };
    let (sources, destinations) = comm.degrees()?;
    let traffic = Traffic::new(sends(wide_int(destinations))?, receives(wide_int(sources))?);
    among_neighbours(comm, traffic)
}

/// The ranks that share the result of a scattered reduction: those of the own group.
///
/// # Safety
/// `comm` is what the caller passed.
pub unsafe fn group_size(comm: MPI_Comm) -> MpiResult<usize> {
    // SAFETY: handed on.
    Ok(wide_int(unsafe { Comm::new(comm) }.size()?))
}

/// Which buffers of a gather a rank uses: those sent and those received.
///
/// # Safety
/// `comm` is what the caller passed.
pub unsafe fn gathered(comm: MPI_Comm, root: c_int, in_place: bool) -> MpiResult<(bool, bool)> {
    // SAFETY: handed on.
    movement::gathered(unsafe { Comm::new(comm) }, root, in_place)
}

/// As `gathered`, of a scatter.
///
/// # Safety
/// As for `gathered`.
pub unsafe fn scattered(comm: MPI_Comm, root: c_int, in_place: bool) -> MpiResult<(bool, bool)> {
    // SAFETY: handed on.
    movement::gathered(unsafe { Comm::new(comm) }, root, in_place)
        .map(|(leaf, at_root)| (at_root, leaf))
}

/// Counts that are known to fit.
pub fn narrow(count: i64) -> c_int {
    c_int::try_from(count).unwrap_or(-1)
}

/// Copies items within a buffer, through a buffer of its own since they may overlap. Local.
///
/// # Safety
/// `n` items of `datatype` may be read at `from` and written at `to`.
pub unsafe fn move_items(
    from: *const c_void,
    to: *mut c_void,
    n: c_int,
    datatype: Datatype,
) -> MpiResult<()> {
    let (comm, datatype) = (Comm::itself().raw(), datatype.raw());
    let (mut bytes, mut packed, mut position) = (0, 0, 0);
    // SAFETY: live handles and places for the answers; then a buffer as long as MPI asks for.
    unsafe {
        check(ffi::MPI_Pack_size(n, datatype, comm, &mut bytes))?;
        let mut room = memory(bytes.into(), "items that are moved")?;
        let room = room.as_mut_ptr().cast::<c_void>();
        check(ffi::MPI_Pack(from, n, datatype, room, bytes, &mut packed, comm))?;
        check(ffi::MPI_Unpack(room, packed, &mut position, to, n, datatype, comm))
    }
}
