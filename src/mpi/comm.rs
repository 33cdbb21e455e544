//! Communicators and their groups.

use super::handles::Comm;
use super::raw::{self, MPI_Group, MPI_Info, constants, is_live, wide_int};
use super::{MpiResult, check, quirks};
use std::ffi::{CStr, c_char, c_int};

impl Comm {
    pub fn rank(self) -> MpiResult<c_int> {
        let mut rank = 0;
        // SAFETY: a live communicator and a place for the answer.
        check(unsafe { raw::MPI_Comm_rank(self.0, &mut rank) })?;
        Ok(rank)
    }

    pub fn size(self) -> MpiResult<c_int> {
        let mut size = 0;
        // SAFETY: as in `rank`.
        check(unsafe { raw::MPI_Comm_size(self.0, &mut size) })?;
        Ok(size)
    }

    pub fn is_inter(self) -> MpiResult<bool> {
        let mut flag = 0;
        // SAFETY: as in `rank`.
        check(unsafe { raw::MPI_Comm_test_inter(self.0, &mut flag) })?;
        Ok(flag != 0)
    }

    pub fn group(self) -> MpiResult<Group> {
        // SAFETY: constant data; then a live communicator and a place for the answer.
        let mut group = unsafe { mpi_sys::RSMPI_GROUP_NULL };
        // SAFETY: as above.
        check(unsafe { raw::MPI_Comm_group(self.0, &mut group) })?;
        Ok(Group(group))
    }

    /// The members in the order of `key`, on a communicator of their own without the attributes of this one.
    pub fn split(self, key: c_int) -> MpiResult<Self> {
        let mut new = Self::null().0;
        // SAFETY: as in `rank`.
        check(unsafe { raw::MPI_Comm_split(self.0, 0, key, &mut new) })?;
        Self::returning_errors(new)
    }

    /// The communicator just made.
    fn returning_errors(made: raw::MPI_Comm) -> MpiResult<Self> {
        // SAFETY: a live communicator, and a predefined handler.
        check(unsafe { raw::MPI_Comm_set_errhandler(made, mpi_sys::RSMPI_ERRORS_RETURN) })?;
        Ok(Self(made))
    }

    /// The same members with the same neighbours, on a communicator of their own. Its errors are returned. Collective.
    pub fn twin(self) -> MpiResult<Self> {
        if self.topology()?.is_none() {
            return self.split(self.rank()?);
        }
        let mut new = Self::null().0;
        // SAFETY: as in `split`.
        check(unsafe { raw::MPI_Comm_dup(self.0, &mut new) })?;
        Self::returning_errors(new)
    }

    /// Lets `make` make a distributed graph of the members. The code is MPI's, as all errors are. Collective.
    pub fn make_dist_graph(self, make: impl FnOnce(raw::MPI_Comm) -> c_int) -> c_int {
        let made = || {
            if !quirks::GRAPHS_OF_GRIDS_SAY_CARTESIAN || !self.is_cartesian()? {
                return check(make(self.0));
            }
            let mut bare = Self::null().0;
            // SAFETY: as in `split`. The copy has the error handler of this one, as what is made of it will have.
            check(unsafe { raw::MPI_Comm_split(self.0, 0, self.rank()?, &mut bare) })?;
            let made = check(make(bare));
            Self(bare).free()?;
            made
        };
        made().map_or_else(|failure| failure.code(), |()| raw::SUCCESS)
    }

    /// How many of the members are on this rank's machine. Collective.
    pub fn ranks_here(self) -> MpiResult<c_int> {
        let mut here = Self::null().0;
        // SAFETY: as in `split`, with constant data.
        check(unsafe {
            raw::MPI_Comm_split_type(
                self.0,
                mpi_sys::RSMPI_COMM_TYPE_SHARED,
                0,
                mpi_sys::RSMPI_INFO_NULL,
                &mut here,
            )
        })?;
        let here = Self(here);
        let n = here.size();
        here.free()?;
        n
    }

    /// A communicator of these ranks, in this order. Collective over them alone.
    pub fn of_ranks(self, ranks: &[c_int]) -> MpiResult<Self> {
        // Open MPI's own messages within this call have its tag, on this communicator. Parcels that nobody has received yet have
        // another one.
        const TAG: c_int = 1;
        let all = self.group()?;
        let n = c_int::try_from(ranks.len()).expect("as many as there are ranks");
        let (mut group, mut new) = (all.0, Self::null().0);
        // SAFETY: a live group, so many ranks of it, and a place for the answer.
        check(unsafe { raw::MPI_Group_incl(all.0, n, ranks.as_ptr(), &mut group) })?;
        let group = Group(group);
        // SAFETY: a live communicator, a group of its members, and a place for the answer.
        check(unsafe { raw::MPI_Comm_create_group(self.0, group.0, TAG, &mut new) })?;
        Self::returning_errors(new)
    }

    /// Both groups of an intercommunicator, the one that is `high` behind the other.
    pub fn merge(self, high: bool) -> MpiResult<Self> {
        let mut new = Self::null().0;
        // SAFETY: as in `rank`.
        check(unsafe { raw::MPI_Intercomm_merge(self.0, high.into(), &mut new) })?;
        Ok(Self(new))
    }

    pub fn free(mut self) -> MpiResult<()> {
        // SAFETY: a communicator the library made and gives up.
        check(unsafe { raw::MPI_Comm_free(&mut self.0) })
    }

    /// The value of an info key of the communicator, as far as it is set.
    pub fn info(self, key: &CStr) -> MpiResult<Option<String>> {
        // SAFETY: constant data.
        let mut info = unsafe { mpi_sys::RSMPI_INFO_NULL };
        // SAFETY: a live communicator and a place for the answer.
        check(unsafe { raw::MPI_Comm_get_info(self.0, &mut info) })?;
        // SAFETY: the info object just made.
        let value = unsafe { hint(info, key) };
        // SAFETY: the info object is ours.
        check(unsafe { raw::MPI_Info_free(&mut info) })?;
        value
    }
}

/// The value of a key of `info`, as far as it is set.
///
/// # Safety
/// `info` is live, or the null handle.
pub unsafe fn hint(info: MPI_Info, key: &CStr) -> MpiResult<Option<String>> {
    // SAFETY: constant data.
    if info == unsafe { mpi_sys::RSMPI_INFO_NULL } {
        return Ok(None);
    }
    let mut value = [0 as c_char; 64];
    let mut flag = 0;
    // SAFETY: the caller's promise; `value` holds one byte more than the length passed.
    check(unsafe { raw::MPI_Info_get(info, key.as_ptr(), 63, value.as_mut_ptr(), &mut flag) })?;
    // SAFETY: MPI_Info_get ends the string inside the buffer.
    let text = unsafe { CStr::from_ptr(value.as_ptr()) };
    Ok((flag != 0).then(|| text.to_string_lossy().into_owned()))
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
    pub fn identical(&self, other: &Self) -> MpiResult<bool> {
        let mut result = 0;
        // SAFETY: two live groups and a place for the answer.
        check(unsafe { raw::MPI_Group_compare(self.0, other.0, &mut result) })?;
        Ok(result == constants().ident)
    }

    /// The ranks in this group of the members of `other`.
    ///
    /// # Safety
    /// `other` is a live group.
    pub unsafe fn ranks_of(&self, other: MPI_Group) -> MpiResult<Vec<c_int>> {
        let mut n = 0;
        // SAFETY: the caller's promise, and a place for the answer.
        check(unsafe { raw::MPI_Group_size(other, &mut n) })?;
        let theirs: Vec<c_int> = (0..n).collect();
        let mut ours = vec![0; wide_int(n)];
        // SAFETY: two live groups and as many ranks as there is room for.
        check(unsafe {
            raw::MPI_Group_translate_ranks(other, n, theirs.as_ptr(), self.0, ours.as_mut_ptr())
        })?;
        Ok(ours)
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
