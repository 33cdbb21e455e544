//! What the MPIs do that the standard does not say, each by its name: what goes wrong, in which MPI and version it was
//! seen, and a test. The code around asks by that name, never which MPI it is built for
//! (`tests/quirks.rs`).
//!
//! The versions seen are Open MPI 4.1.4 and 5.0.11, MPICH 4.0.2 and 5.0.2. The family is all that is known when the library
//! is built, so a quirk is taken to be in all versions of it. `build.rs` refuses an MPI of neither family: `status.rs` and
//! `include/admpi/abi.h` know these two alone. For one that it lets through some day each quirk has an answer:
//! `seen_in` assumes it wherever the way around it is right in every MPI, at the price of some speed or memory. The
//! others say what they assume and why.
//!
//! "Shown by" names a test that fails, in the MPI in which the quirk was seen, where the library does not go around it.
//! "Reached by" names one that takes the way around it, and passes without it in all tests so far.

#![forbid(unsafe_code)]

const OPEN_MPI: bool = cfg!(admpi_mpi = "openmpi");
const MPICH: bool = cfg!(admpi_mpi = "mpich");

/// Of a quirk seen in one family: whether the library goes around it. In an unknown MPI it does.
const fn seen_in(family: bool) -> bool {
    family || !(OPEN_MPI || MPICH)
}

// Calls of pairs of types.

/// MPICH 4.0: calls in place and Sendrecv_replace send a packed copy, and cut it within an item when it is long: it
/// cannot be received as a structure. The library makes the copies.
/// Shown by `test_large_structures_in_place` on three ranks.
pub const IN_PLACE_SENDS_PACKED_COPIES: bool = seen_in(MPICH);

/// MPICH 4.0: Gather and Scatter move parts over other ranks as bytes, and cut them within an item. The library moves
/// the parts from root to member.
/// Shown by `test_tangent_types_in_calls_that_an_mpi_gets_wrong`.
pub const GATHER_CUTS_PACKED_ITEMS: bool = seen_in(MPICH);

// Reductions.

/// MPICH 4.0: Reduce in place crashes beyond 2 KiB at every root but rank 0. The library reduces from a copy.
/// Reached by `test_tangent_types_reductions_in_place_on_every_root`.
pub const REDUCE_IN_PLACE_CRASHES_OFF_RANK_0: bool = seen_in(MPICH);

/// Open MPI 4.1: Ireduce, and so a persistent Reduce, puts operands of a commutative operation into a buffer that it
/// sizes by the type's size, not its extent. The library says that its own operations on large types do not commute.
/// Reached by `test_large_reduce_allreduce`.
pub const IREDUCE_REORDERS_BY_SIZE: bool = seen_in(OPEN_MPI);

// Two groups.

/// MPICH 4.0: Ibcast between two groups puts data of a type with gaps elsewhere, if the root is not the first of its
/// group. The library exchanges by Ialltoallw.
/// Shown by `test_intercommunicators_passive_types_with_gaps` on three ranks.
pub const IBCAST_BETWEEN_GROUPS_MISPLACES: bool = seen_in(MPICH);

/// Open MPI 4.1: Allgatherv, Gatherv and Scatterv between two groups collect the parts of a group at its first member,
/// who takes every count of items for one of its own type: types that differ within the group end in MPI_ERR_TRUNCATE, or
/// past the end of a buffer. The library exchanges by Alltoallw.
/// Shown by `test_intercommunicators_types_that_differ_within_a_group` on three ranks.
pub const PARTS_BETWEEN_GROUPS_TAKE_ONE_TYPE: bool = seen_in(OPEN_MPI);

// Bytes in 32 bits.

/// MPICH 4.0: Ibcast counts its bytes in 32 bits and reports a false error. The library sends pieces of 1 GiB at most.
/// Reached by `active_bcast` of the large tests at real size.
pub const IBCAST_COUNTS_BYTES_IN_32_BITS: bool = seen_in(MPICH);

/// MPICH 4.0: Allgatherv hangs past 2^31 bytes. The library exchanges by Alltoallw.
/// Reached by `allgatherv` of the large tests at real size.
pub const ALLGATHERV_HANGS_PAST_2_GIB: bool = seen_in(MPICH);

// Calls with an array of types, or of displacements.

/// MPICH 4.0: Allgatherv of a single rank ignores its displacement. The library exchanges by Alltoallw.
/// Shown by `test_tangent_types_in_calls_that_an_mpi_gets_wrong` on one rank.
pub const ALLGATHERV_OF_ONE_IGNORES_DISPLACEMENT: bool = seen_in(MPICH);

/// MPICH 4.0: an Allgatherv of so many bytes in all passes parts on in pieces, each rank by items of its own type: if the
/// ranks' types differ it hangs, after data have gone to wrong places. The library exchanges by Alltoallw.
/// Shown by `test_tangent_types_in_calls_that_an_mpi_gets_wrong` on two ranks.
pub const ALLGATHERV_CUTS_BY_OWN_ITEMS_FROM: Option<i64> =
    if seen_in(MPICH) { Some(80 << 10) } else { None };

/// Open MPI 4.1: Alltoallw of a single rank takes displacements for items instead of bytes. The library puts them into
/// the types.
/// Shown by `test_tangent_types_in_calls_that_an_mpi_gets_wrong` on one rank.
pub const ALLTOALLW_OF_ONE_DISPLACES_ITEMS: bool = seen_in(OPEN_MPI);

/// Open MPI 4.1: Ialltoallw keeps as many types as a rank has neighbours on its communicator's topology, not as it has
/// partners, and reads the arrays that far. The library makes arrays of that length, or keeps what it needs itself.
/// Shown by `test_large_exchange_on_a_communicator_with_a_topology`.
pub const IALLTOALLW_KEEPS_TYPES_OF_NEIGHBOURS: bool = seen_in(OPEN_MPI);

/// MPICH 4.0: Neighbor_alltoallw and Ineighbor_alltoallw deliver nothing to a rank without destinations. The library
/// exchanges among all ranks. It is not assumed of an unknown MPI: where a rank is another's neighbour twice, MPICH pairs
/// the edges alike in both calls (`directions_cross`: not alike in all versions), and Open MPI does not.
/// Shown by `test_large_neighbours_on_random_graphs`.
pub const NEIGHBOR_ALLTOALLW_LOSES_PARTS: bool = MPICH;

/// Open MPI 4.1: an Alltoallw that does not block reads its arrays of types until it has released all of them, used or
/// not, so the type whose end tells the library that the arrays may go is the last of the array. Else it is the last
/// that is used: an MPI need not keep others. No answer is right for an unknown MPI; this one is what the standard
/// suggests.
/// Reached by `test_large_alltoallv_alltoallw`.
pub const ALLTOALLW_RELEASES_UNUSED_TYPES: bool = OPEN_MPI;

// Communicators.

/// MPICH 5.0: to free a communicator for which messages are left is an error on MPI_COMM_WORLD, which ends the program; a
/// sweep that has failed leaves some. The library leaves its communicators to the end of MPI.
/// Shown by `test_checking_collectives`.
pub const COMMUNICATORS_ARE_FREED_EMPTY: bool = seen_in(MPICH);

// Topologies.

/// Open MPI 5.0: a distributed graph made of a Cartesian communicator says that it is Cartesian, too, and crashes when
/// asked for its dimensions. The library makes it of a copy without topology.
/// Shown by `test_tangent_types_in_calls_that_an_mpi_gets_wrong`.
pub const GRAPHS_OF_GRIDS_SAY_CARTESIAN: bool = seen_in(OPEN_MPI);

// Requests.

/// Open MPI 4.1: a persistent collective call keeps no references to its types and operations, since its request begins
/// as a complete one. The library keeps them until MPI ends. (Not under MPICH 4.0, which confuses types once some 1280
/// of them live.)
/// Shown by `test_large_persistent_parts`.
pub const PERSISTENT_COLLECTIVES_KEEP_NO_REFERENCES: bool = seen_in(OPEN_MPI);

/// MPICH 5.0: Request_get_status ends a persistent request that is complete, and the call that completes it finds nothing.
/// The library keeps what it told.
/// Shown by `test_point_to_point_persistent_completed_after_get_status`.
pub const GET_STATUS_ENDS_PERSISTENT_REQUESTS: bool = seen_in(MPICH);

/// Open MPI 4.1: from its second start on, a persistent buffered send sends what is in buffer space that it has given
/// back. The library makes a new request for each start.
/// Shown by `test_point_to_point_persistent` and `test_point_to_point_persistent_of_passive_data`.
pub const BSEND_INIT_STARTS_ONCE: bool = seen_in(OPEN_MPI);

/// Open MPI 4.1: an error of a collective call that does not block is raised on MPI_COMM_WORLD, which may end the
/// program. The library looks at what has arrived before the call that may raise it.
/// Shown by `test_checking_off_collectives_that_differ`.
pub const COLLECTIVES_RAISE_ON_WORLD: bool = seen_in(OPEN_MPI);

// Windows.

/// MPICH 4.0: the parts of an allocated window lie one behind the other, but are looked for at multiples of 16 bytes: a
/// put lands in front of its place. The library asks for such multiples.
/// Shown by `test_large_put_get_in_allocated_windows`.
pub const WINDOW_PARTS_ARE_SOUGHT_AT_16_BYTES: bool = seen_in(MPICH);

// What is not wrong, but differs.

/// From how many active doubles on MPI takes them from between what marks them faster than a pass over the memory makes
/// a copy: under MPICH 4.0. Nowhere else, as far as known: a copy is right in every MPI.
/// Measured by `bench_pingpong`.
pub const GAPS_ARE_FAST_FROM: Option<usize> = if MPICH { Some(1024) } else { None };

/// Of the ways that are right in Open MPI, and in MPICH, those that are right here. In an unknown MPI those that are in
/// both, which are the shorter list: `large::plan` tests that.
pub const fn right_here<'a, T>(openmpi: &'a [T], mpich: &'a [T]) -> &'a [T] {
    if OPEN_MPI || (!MPICH && openmpi.len() <= mpich.len()) { openmpi } else { mpich }
}
