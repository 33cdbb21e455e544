//! Windows and files, on which errors are raised as on communicators; and what a communicator's calls mean
//! to this rank.

use super::ffi;
use super::handles::HandleKey;
use super::raw::{self, MPI_Aint, MPI_Win};
use super::types::from_aint;
use super::{Comm, Datatype, Failure, List, MpiResult, check, error};
use crate::error::{Code, Error};
use mpi_sys::MPI_File;
use std::ffi::{c_char, c_int};
use std::sync::OnceLock;

#[derive(Clone, Copy)]
pub struct Win(MPI_Win);

#[derive(Clone, Copy)]
pub struct File(MPI_File);

impl Win {
    /// # Safety
    /// `handle` is a window that lives while the value is used.
    pub const unsafe fn new(handle: MPI_Win) -> Self {
        Self(handle)
    }

    pub const fn raw(self) -> MPI_Win {
        self.0
    }

    pub fn is_null(self) -> bool {
        // SAFETY: constant data of the shim of mpi-sys.
        self.0 == unsafe { mpi_sys::RSMPI_WIN_NULL }
    }

    /// The number behind the handle, for tables keyed by it.
    #[inline]
    pub fn key(self) -> usize {
        self.0.0.key()
    }
}

impl File {
    /// # Safety
    /// `handle` is a file that is open while the value is used.
    pub const unsafe fn new(handle: MPI_File) -> Self {
        Self(handle)
    }

    /// The bytes of the view's elementary type, in which offsets are counted.
    pub fn unit(self) -> MpiResult<i64> {
        let mut displacement = 0;
        let mut name: [c_char; 256] = [0; 256]; // MPI_MAX_DATAREP_STRING is at most 128
        let (mut elementary, mut file_type) = (Datatype::null().0, Datatype::null().0);
        // SAFETY: an open file and places for the answers.
        check(unsafe {
            ffi::MPI_File_get_view(
                self.0,
                &mut displacement,
                &mut elementary,
                &mut file_type,
                name.as_mut_ptr(),
            )
        })?;
        // Freed unless they are predefined.
        let (elementary, _file_type) = (super::Part(elementary), super::Part(file_type));
        elementary.datatype().size()
    }
}

/// On what a call's own errors are raised.
#[derive(Clone, Copy)]
pub enum Object {
    Comm(Comm),
    Win(Win),
    File(File),
    /// Calls without an object raise on `MPI_COMM_WORLD`.
    None,
}

impl Object {
    pub fn is_null_comm(self) -> bool {
        matches!(self, Self::Comm(comm) if comm.is_null())
    }

    /// Ends a failed call; as `error::raise`.
    #[cold]
    pub fn raise(self, call: &str, failure: Failure) -> c_int {
        let own = match failure {
            Failure::Mpi(code) => return code,
            Failure::Own(own) => own,
            Failure::On(own) => Box::new(own.1),
        };
        match self {
            Self::Comm(comm) => error::raise(call, comm, Failure::Own(own)),
            Self::None => error::raise(call, Comm::world(), Failure::Own(own)),
            Self::Win(win) => {
                let code = error::announce(call, &own);
                // SAFETY: a live window and a code of ours.
                unsafe { raw::admpi_shim_raise_win(win.0, code) }
            }
            Self::File(file) => {
                let code = error::announce(call, &own);
                // SAFETY: an open file and a code of ours.
                unsafe { raw::admpi_shim_raise_file(file.0, code) }
            }
        }
    }
}

/// What a rank does in a collective call with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Root,
    /// One of those that the root serves.
    Leaf,
    /// In the root's group of an intercommunicator, beside it.
    Bystander,
}

impl Comm {
    pub fn role(self, root: c_int) -> MpiResult<Role> {
        let inter = self.is_inter()?;
        if inter && root == Self::root_here() {
            return Ok(Role::Root);
        }
        if inter && root == raw::constants().proc_null {
            return Ok(Role::Bystander);
        }
        let ranks = self.partners()?;
        if !(0..ranks).contains(&root) {
            let message = format!("root = {root} is not one of the {ranks} ranks");
            return Err(Error::new(Code::Argument, message).into());
        }
        Ok(if !inter && self.rank()? == root { Role::Root } else { Role::Leaf })
    }

    /// `MPI_ROOT`.
    pub fn root_here() -> c_int {
        // SAFETY: returns a constant.
        unsafe { admpi_shim_root() }
    }

    /// The number of ranks that a collective call exchanges data with.
    pub fn partners(self) -> MpiResult<c_int> {
        if !self.is_inter()? {
            return self.size();
        }
        let mut size = 0;
        // SAFETY: a live intercommunicator and a place for the answer.
        check(unsafe { ffi::MPI_Comm_remote_size(self.raw(), &mut size) })?;
        Ok(size)
    }

    /// Which topology it has, as MPI names it.
    fn kind_of_topology(self) -> MpiResult<c_int> {
        let mut kind = 0;
        // SAFETY: a communicator, which MPI looks at, and a place for the answer.
        check(unsafe { ffi::MPI_Topo_test(self.raw(), &mut kind) })?;
        Ok(kind)
    }

    pub fn is_cartesian(self) -> MpiResult<bool> {
        // SAFETY: constant data of the shim of mpi-sys.
        Ok(self.kind_of_topology()? == unsafe { mpi_sys::RSMPI_CART })
    }

    /// How many neighbours a rank receives from and sends to.
    pub fn degrees(self) -> MpiResult<(c_int, c_int)> {
        self.topology()?.ok_or_else(|| {
            Error::new(Code::Argument, "comm has no topology, so it has no neighbours; use a Cartesian, graph or distributed-graph communicator").into()
        })
    }

    /// As `degrees`; `None` without a topology.
    pub fn topology(self) -> MpiResult<Option<(c_int, c_int)>> {
        let topology = self.kind_of_topology()?;
        // SAFETY: constant data of the shim of mpi-sys.
        let (cart, graph, dist_graph) =
            unsafe { (mpi_sys::RSMPI_CART, mpi_sys::RSMPI_GRAPH, mpi_sys::RSMPI_DIST_GRAPH) };
        Ok(if topology == cart {
            let mut dimensions = 0;
            // SAFETY: a live communicator and a place for the answer; so below.
            check(unsafe { ffi::MPI_Cartdim_get(self.raw(), &mut dimensions) })?;
            Some((2 * dimensions, 2 * dimensions))
        } else if topology == graph {
            let mut degree = 0;
            // SAFETY: as above.
            check(unsafe {
                ffi::MPI_Graph_neighbors_count(self.raw(), self.rank()?, &mut degree)
            })?;
            Some((degree, degree))
        } else if topology == dist_graph {
            let (mut sources, mut destinations, mut weighted) = (0, 0, 0);
            // SAFETY: as above.
            check(unsafe {
                ffi::MPI_Dist_graph_neighbors_count(
                    self.raw(),
                    &mut sources,
                    &mut destinations,
                    &mut weighted,
                )
            })?;
            Some((sources, destinations))
        } else {
            None
        })
    }

    /// The ranks that a rank receives from and sends to, in the order of the neighbourhood calls.
    pub fn neighbours(self) -> MpiResult<(List<c_int>, List<c_int>)> {
        let (indegree, outdegree) = self.degrees()?;
        let zeros = |n: c_int| (0..n).map(|_| 0).collect::<List<c_int>>();
        let (mut sources, mut destinations) = (zeros(indegree), zeros(outdegree));
        let topology = self.kind_of_topology()?;
        // SAFETY: constant data of the shim of mpi-sys.
        let (cart, graph) = unsafe { (mpi_sys::RSMPI_CART, mpi_sys::RSMPI_GRAPH) };
        if topology == cart {
            for (dimension, pair) in (0..).zip(sources.chunks_exact_mut(2)) {
                let (lower, upper) = pair.split_at_mut(1);
                // SAFETY: a live communicator and places for the answers; so below, with arrays of the sizes given.
                check(unsafe {
                    ffi::MPI_Cart_shift(self.raw(), dimension, 1, &mut lower[0], &mut upper[0])
                })?;
            }
            destinations.copy_from_slice(&sources);
        } else if topology == graph {
            // SAFETY: as above.
            check(unsafe {
                ffi::MPI_Graph_neighbors(self.raw(), self.rank()?, indegree, sources.as_mut_ptr())
            })?;
            destinations.copy_from_slice(&sources);
        } else {
            let most = indegree.max(outdegree);
            let (mut weights, mut others) = (zeros(most), zeros(most));
            // SAFETY: as above.
            check(unsafe {
                ffi::MPI_Dist_graph_neighbors(
                    self.raw(),
                    indegree,
                    sources.as_mut_ptr(),
                    weights.as_mut_ptr(),
                    outdegree,
                    destinations.as_mut_ptr(),
                    others.as_mut_ptr(),
                )
            })?;
        }
        Ok((sources, destinations))
    }

    /// Whether MPI delivers what is sent in one direction of a grid from the opposite one, as MPI 4 has it, where two members are
    /// neighbours both ways. Else parts arrive in the order in which they are sent. It is tried once.
    pub fn directions_cross() -> MpiResult<bool> {
        static CROSS: OnceLock<bool> = OnceLock::new();
        if let Some(&known) = CROSS.get() {
            return Ok(known);
        }
        let (own, mut ring) = (Self::itself().raw(), Self::null().raw());
        let (sent, mut received) = ([0_u8, 1], [0_u8; 2]);
        let (counts, places, types) = ([1; 2], [0, 1], [Datatype::byte().raw(); 2]);
        // SAFETY: a ring of this rank alone, whose two neighbours are itself: two bytes for each, and as much room.
        check(unsafe { raw::MPI_Cart_create(own, 1, &1, &1, 0, &mut ring) })?;
        // SAFETY: as above.
        check(unsafe {
            ffi::MPI_Neighbor_alltoallw(
                sent.as_ptr().cast(),
                counts.as_ptr(),
                places.as_ptr(),
                types.as_ptr(),
                received.as_mut_ptr().cast(),
                counts.as_ptr(),
                places.as_ptr(),
                types.as_ptr(),
                ring,
            )
        })?;
        // SAFETY: made above.
        check(unsafe { raw::MPI_Comm_free(&mut ring) })?;
        Ok(*CROSS.get_or_init(|| received == [1, 0]))
    }
}

unsafe extern "C" {
    fn admpi_shim_root() -> c_int;
}

/// Arrays of counts and displacements that a C caller passed, in 64 bits.
pub fn aints(values: &[MPI_Aint]) -> Vec<i64> {
    values.iter().map(|&n| from_aint(n)).collect()
}
