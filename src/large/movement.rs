//! Calls that move data without looking at it: one large type instead of many items.

use super::Call;
use super::limit::settled;
use super::plan::{Family, Plan, choose};
use super::types::committed;
use crate::mpi::handle::Role;
use crate::mpi::raw::{self, MPI_Datatype};
use crate::mpi::types::Made;
use crate::mpi::{Comm, Datatype, MpiResult};
use std::ffi::c_int;

/// A count and a type, of one of a call's buffers.
#[derive(Clone, Copy)]
pub struct Side {
    pub count: i64,
    pub datatype: Datatype,
}

/// A count and a type as MPI takes them, and the large type if there is one.
pub struct Fitted {
    pub count: c_int,
    pub datatype: MPI_Datatype,
    /// Kept until the call has started.
    pub(super) made: Option<Made>,
}

impl Side {
    /// One item of a large type, unless the count fits.
    pub fn fit(self) -> MpiResult<Fitted> {
        if let Some(count) = settled(self.count) {
            return Ok(Fitted { count, datatype: self.datatype.raw(), made: None });
        }
        let made = committed(self.count, self.datatype)?;
        Ok(Fitted { count: 1, datatype: made.datatype().raw(), made: Some(made) })
    }

    /// As `fit`, of an argument that may be without meaning: then MPI does not read it either.
    fn fit_if(self, significant: bool) -> MpiResult<Fitted> {
        if significant {
            return self.fit();
        }
        Ok(Fitted { count: 0, datatype: self.datatype.raw(), made: None })
    }
}

impl Call {
    /// A call with one buffer; `large` is MPI-4's.
    #[cold]
    #[inline(never)]
    pub fn one(
        self,
        family: Family,
        side: Side,
        large: impl FnOnce() -> c_int,
        call: impl FnOnce(c_int, MPI_Datatype) -> c_int,
    ) -> c_int {
        if let Some(count) = settled(side.count) {
            return call(count, side.datatype.raw());
        }
        if choose(self.name, family) == Plan::LargeCall {
            return large();
        }
        match self.fitted(side) {
            Ok(fitted) => {
                let code = call(fitted.count, fitted.datatype);
                self.release(fitted.made);
                code
            }
            Err(code) => code,
        }
    }

    /// A call with two buffers; `significant` tells, where it matters, which of them this rank uses.
    #[cold]
    #[inline(never)]
    pub fn two(
        self,
        family: Family,
        send: Side,
        receive: Side,
        significant: impl FnOnce() -> MpiResult<(bool, bool)>,
        large: impl FnOnce() -> c_int,
        call: impl FnOnce(c_int, MPI_Datatype, c_int, MPI_Datatype) -> c_int,
    ) -> c_int {
        if let (Some(n), Some(m)) = (settled(send.count), settled(receive.count)) {
            return call(n, send.datatype.raw(), m, receive.datatype.raw());
        }
        if choose(self.name, family) == Plan::LargeCall {
            return large();
        }
        let fitted = self
            .prepare(significant)
            .and_then(|significant| self.both_fitted(send, receive, significant));
        match fitted {
            Ok((from, to)) => {
                let code = call(from.count, from.datatype, to.count, to.datatype);
                self.release((from.made, to.made));
                code
            }
            Err(code) => code,
        }
    }

    /// The items of a buffer by an `int` of them.
    pub(super) fn fitted(self, side: Side) -> Result<Fitted, c_int> {
        self.prepare(|| side.fit())
    }

    fn both_fitted(
        self,
        send: Side,
        receive: Side,
        (sends, receives): (bool, bool),
    ) -> Result<(Fitted, Fitted), c_int> {
        self.prepare(|| Ok((send.fit_if(sends)?, receive.fit_if(receives)?)))
    }

    /// Whether a persistent call that moves equal parts is one of parts, as for calls whose parts differ.
    pub fn persistent_by_parts(self) -> bool {
        choose(self.name, Family::PersistentMovement) == Plan::Alltoallw
    }

    /// `MPIX_Type_*_x`: `out` takes the type made.
    pub fn make(
        self,
        make: impl FnOnce() -> MpiResult<Made>,
        out: impl FnOnce(MPI_Datatype),
    ) -> c_int {
        match self.prepare(make) {
            Ok(made) => {
                out(made.into_raw());
                raw::SUCCESS
            }
            Err(code) => code,
        }
    }
}

/// Which buffers of a gather a rank uses: those sent and those received.
pub fn gathered(comm: Comm, root: c_int, in_place: bool) -> MpiResult<(bool, bool)> {
    Ok(match comm.role(root)? {
        Role::Root => (!in_place && !comm.is_inter()?, true),
        Role::Leaf => (true, false),
        Role::Bystander => (false, false),
    })
}
