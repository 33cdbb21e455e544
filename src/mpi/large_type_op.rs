//! An operation of the library's own for reductions whose items are large types: each type carries, as an
//! attribute, what one item consists of and the user's operation, which is applied to it in pieces.
//!
//! An item so described needs neither its buffers' addresses nor a place outside them, so it works in place;
//! and the type travels with the operation, so its handle may be freed as soon as the call has started. A user's
//! operation must live: MPI has no second handle to one.

use super::ffi;
use super::raw::{MPI_Datatype, MPI_Op};
use super::types::{Made, shift_mut};
use super::{Datatype, MpiResult, Op, TypeAttribute, check};
use crate::error::{Code, Error};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What one item of a large type is.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub count: i64,
    pub datatype: Datatype,
    /// Bytes from one of the `count` to the next.
    pub extent: i64,
    /// How many of them one call may take.
    pub piece: c_int,
    pub op: Op,
}

// SAFETY: handles, as for `Datatype`.
unsafe impl Send for Item {}

/// The descriptions of the types that live, by the attribute's value.
static ITEMS: Mutex<(usize, Option<HashMap<usize, Item>>)> = Mutex::new((0, None));
static KEY: OnceLock<TypeAttribute> = OnceLock::new();

fn forget(number: usize) {
    let mut items = ITEMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = items.1.as_mut() {
        table.remove(&number);
    }
}

fn key() -> MpiResult<TypeAttribute> {
    if let Some(&key) = KEY.get() {
        return Ok(key);
    }
    let key = TypeAttribute::new(forget)?;
    Ok(*KEY.get_or_init(|| key))
}

/// Writes the description on the type.
pub fn describe(datatype: &Made, item: Item) -> MpiResult<()> {
    let key = key()?;
    let number = {
        let mut items = ITEMS.lock().unwrap_or_else(PoisonError::into_inner);
        items.0 += 1;
        let number = items.0;
        items.1.get_or_insert_with(HashMap::new).insert(number, item);
        number
    };
    key.set(datatype.datatype(), number).inspect_err(|_| forget(number))
}

fn description(datatype: Datatype) -> Option<Item> {
    let number = KEY.get()?.get(datatype).ok()??;
    let items = ITEMS.lock().unwrap_or_else(PoisonError::into_inner);
    items.1.as_ref()?.get(&number).copied()
}

/// What MPI calls. There is no way to report an error from here: MPI gives an operation none.
unsafe extern "C" fn apply(
    input: *mut c_void,
    inout: *mut c_void,
    length: *mut c_int,
    datatype: *mut MPI_Datatype,
) {
    // SAFETY: MPI passes two live values; some libraries call with a length of zero.
    let (length, datatype) = unsafe { (*length, Datatype(*datatype)) };
    let Some(item) = description(datatype) else { return };
    let mut left = i64::from(length.max(0)) * item.count;
    let mut offset = 0;
    while left > 0 {
        let now = left.min(i64::from(item.piece.max(1)));
        let (from, to) = (shift_mut(input, offset), shift_mut(inout, offset));
        #[allow(clippy::cast_possible_truncation)] // at most `piece`
        let count = now as c_int;
        // SAFETY: `length` items of the described type lie at both addresses; a local call.
        unsafe { ffi::MPI_Reduce_local(from, to, count, item.datatype.0, item.op.0) };
        offset += now * item.extent;
        left -= now;
    }
}

/// The library's operation; freed when dropped, which MPI allows while reductions with it are under way.
pub struct Wrapped(MPI_Op);

// SAFETY: a handle, as for `Datatype`.
unsafe impl Send for Wrapped {}

impl Wrapped {
    pub fn new(commutes: bool) -> MpiResult<Self> {
        let mut op = Op::null().0;
        // SAFETY: `apply` is an operation as MPI wants it, alive as long as the library.
        check(unsafe { ffi::MPI_Op_create(Some(apply), c_int::from(commutes), &mut op) })?;
        Ok(Self(op))
    }

    pub const fn op(&self) -> Op {
        Op(self.0)
    }
}

impl Drop for Wrapped {
    fn drop(&mut self) {
        // SAFETY: an operation of ours.
        unsafe { ffi::MPI_Op_free(&mut self.0) };
    }
}

impl Op {
    /// Refuses the null handle, which MPI itself would raise on `MPI_COMM_WORLD`, or once a piece.
    pub fn known(self) -> MpiResult<Self> {
        if self == Self::null() {
            return Err(Error::new(Code::Argument, "op is MPI_OP_NULL").into());
        }
        Ok(self)
    }

    pub fn free(self) -> MpiResult<()> {
        let mut handle = self.raw();
        // SAFETY: an operation that nobody uses any more.
        check(unsafe { ffi::MPI_Op_free(&mut handle) })
    }

    pub fn commutes(self) -> MpiResult<bool> {
        let mut flag = 0;
        // SAFETY: a live operation and a place for the answer.
        check(unsafe { ffi::MPI_Op_commutative(self.0, &mut flag) })?;
        Ok(flag != 0)
    }
}
