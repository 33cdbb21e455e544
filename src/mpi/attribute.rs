//! Attributes on communicators, datatypes and windows: a number that MPI keeps with an object, is not copied with it,
//! and is reported when the object goes.

use super::handle::Win;
use super::raw::{self, MPI_Comm, MPI_Datatype, MPI_Win};
use super::{Comm, Datatype, MpiResult, check};
use std::ffi::{c_int, c_void};

/// Called with the number when its object is freed.
pub type OnDelete = fn(usize);

macro_rules! attribute {
    ($name:ident, $object:ident, $handle:ident, $create:ident, $set:ident, $get:ident, $delete:ident, $trampoline:ident, $uncopied:ident) => {
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            keyval: c_int,
        }

        unsafe extern "C" fn $trampoline(
            _object: $handle,
            _keyval: c_int,
            value: *mut c_void,
            extra: *mut c_void,
        ) -> c_int {
            // SAFETY: `extra` is the function that `new` passed.
            let on_delete: OnDelete = unsafe { std::mem::transmute(extra) };
            let done = std::panic::catch_unwind(|| on_delete(value.addr()));
            if done.is_ok() { raw::SUCCESS } else { raw::constants().err_other }
        }

        /// Duplicates do not inherit. (MPI's own function for this has another name in each MPI.)
        unsafe extern "C" fn $uncopied(
            _object: $handle,
            _keyval: c_int,
            _extra: *mut c_void,
            _value: *mut c_void,
            _copy: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            // SAFETY: MPI passes a place for the answer.
            unsafe { flag.write(0) };
            raw::SUCCESS
        }

        impl $name {
            pub fn new(on_delete: OnDelete) -> MpiResult<Self> {
                let mut keyval = 0;
                let extra = on_delete as *const () as *mut c_void;
                // SAFETY: both functions are ours.
                check(unsafe {
                    raw::$create(Some($uncopied), Some($trampoline), &mut keyval, extra)
                })?;
                Ok(Self { keyval })
            }

            pub fn set(self, object: $object, value: usize) -> MpiResult<()> {
                // SAFETY: a live object; the number is never followed as a pointer.
                check(unsafe {
                    raw::$set(object.raw(), self.keyval, std::ptr::without_provenance_mut(value))
                })
            }

            pub fn get(self, object: $object) -> MpiResult<Option<usize>> {
                let mut value: *mut c_void = std::ptr::null_mut();
                let mut flag = 0;
                // SAFETY: a live object and places for the answers.
                check(unsafe {
                    raw::$get(object.raw(), self.keyval, (&raw mut value).cast(), &mut flag)
                })?;
                Ok((flag != 0).then(|| value.addr()))
            }

            /// Removes the number, with the report.
            pub fn delete(self, object: $object) -> MpiResult<()> {
                // SAFETY: a live object that carries the attribute.
                check(unsafe { raw::$delete(object.raw(), self.keyval) })
            }
        }
    };
}

attribute!(
    CommAttribute,
    Comm,
    MPI_Comm,
    MPI_Comm_create_keyval,
    MPI_Comm_set_attr,
    MPI_Comm_get_attr,
    MPI_Comm_delete_attr,
    comm_deleted,
    comm_uncopied
);
attribute!(
    TypeAttribute,
    Datatype,
    MPI_Datatype,
    MPI_Type_create_keyval,
    MPI_Type_set_attr,
    MPI_Type_get_attr,
    MPI_Type_delete_attr,
    type_deleted,
    type_uncopied
);
attribute!(
    WinAttribute,
    Win,
    MPI_Win,
    MPI_Win_create_keyval,
    MPI_Win_set_attr,
    MPI_Win_get_attr,
    MPI_Win_delete_attr,
    win_deleted,
    win_uncopied
);
