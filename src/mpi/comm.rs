//! Communicators and their groups.

use super::handles::Comm;
use super::raw::{self, MPI_Group, constants, is_live};
use super::{Outcome, check};
use std::ffi::c_int;

impl Comm {
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
