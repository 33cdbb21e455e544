//! The C interface of adjoint MPI: beginning and end, what ranks register and declare. `include/admpi/ampi.h` is
//! generated from this file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

use super::{give, mpi_call, mpi_status};
use crate::ampi::file::{self, Moving};
use crate::ampi::request::{Follows, Request};
use crate::ampi::{
    abandon, communicator, dispatch, lifecycle, peer_exchange, recording, statistics,
};
use crate::datatype::{BufferTriple, Detail, activity, bundle, describe, in_file, is_passive};
use crate::error::{Code, Error, with_last};
use crate::mpi::raw::{self, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Fint, MPI_Request, MPI_Status};
use crate::mpi::site::{Site, stand_at};
use crate::mpi::transfer::{Transfer, allreduce_min};
use crate::mpi::{Comm, Datatype, MpiResult, StatusSlot};
use crate::tape::{self, Cursors as admpi_tape, Var as admpi_var};
use std::ffi::{CStr, c_char, c_int, c_void};

use super::profile::admpi_profile;
use super::time_loop::admpi_time_loop;
use crate::profile::Profile;

/// Sizes that a program and the library compare; `include/admpi/abi.h`.
#[allow(non_camel_case_types)]
type admpi_mpi_sizes = c_void;

/// Messages and bytes that this process has sent for active data.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct admpi_mpi_statistics_t {
    /// messages of active values, and parts brought to collectives
    pub forward_messages: u64,
    /// their bytes: 8 an active double
    pub forward_bytes: u64,
    /// messages of adjoints, and parts brought to collectives of adjoints
    pub adjoint_messages: u64,
    /// their bytes: 8 a double and direction
    pub adjoint_bytes: u64,
}

laid_out!(admpi_mpi_statistics_t, admpi_mpi_statistics_t);

/// MPI_Init. Also initialises the library and registers MPI_COMM_WORLD and MPI_COMM_SELF with it. Collective over all
/// processes. `AMPI_Init` passes the sizes that its header saw.
/// @param[in,out] argc  as in MPI; may be NULL
/// @param[in,out] argv  as in MPI; may be NULL
/// @param sizes         what the program was compiled with
/// @return an MPI code
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_mpi_init(
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    sizes: *const admpi_mpi_sizes,
) -> c_int {
    mpi_call("AMPI_Init", Comm::world(), || {
        super::check_abi(sizes)?;
        // SAFETY: as the C contract says.
        crate::mpi::check(unsafe { raw::MPI_Init(argc, argv) })?;
        lifecycle::init(Comm::world())
    })
}

/// MPI_Init_thread. Also initialises the library; see admpi_detail_mpi_init.
/// @param[in,out] argc   as in MPI; may be NULL
/// @param[in,out] argv   as in MPI; may be NULL
/// @param required       the level of thread support that the program needs
/// @param[out] provided  the level that MPI provides
/// @param sizes          what the program was compiled with
/// @return an MPI code
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_mpi_init_thread(
    argc: *mut c_int,
    argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
    sizes: *const admpi_mpi_sizes,
) -> c_int {
    mpi_call("AMPI_Init_thread", Comm::world(), || {
        super::check_abi(sizes)?;
        // SAFETY: as the C contract says.
        crate::mpi::check(unsafe { raw::MPI_Init_thread(argc, argv, required, provided) })?;
        lifecycle::init(Comm::world())
    })
}

/// Initialises the library in a program that calls MPI_Init itself. Registers `comm` and MPI_COMM_SELF, which then may
/// carry active data. Collective over `comm`; may be called again for other communicators. `admpi_init` passes the sizes
/// that its header saw.
/// @param comm   an intracommunicator
/// @param sizes  what the program was compiled with
/// @return ADMPI_SUCCESS, ADMPI_ERR_ABI, ADMPI_ERR_ARGUMENT (MPI_COMM_NULL), ADMPI_ERR_MPI, ADMPI_ERR_UNSUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_init(
    comm: MPI_Comm,
    sizes: *const admpi_mpi_sizes,
) -> c_int {
    mpi_status("admpi_init", || {
        super::check_abi(sizes)?;
        // SAFETY: as the C contract says.
        lifecycle::init(unsafe { Comm::new(comm) })
    })
}

/// Frees the library's MPI objects: communicators, AMPI_ADOUBLE. Collective over all processes. MPI_Finalize does this
/// too.
/// @return ADMPI_SUCCESS, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_finalize() -> c_int {
    mpi_status("admpi_finalize", lifecycle::finalize)
}

/// MPI_Finalize. Collective over all processes.
/// @return an MPI code
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Finalize() -> c_int {
    // SAFETY: MPI removes the attribute on MPI_COMM_SELF first, which ends the library.
    let code = unsafe { raw::MPI_Finalize() };
    match crate::ampi::trace::failure() {
        Some(error) if code == raw::SUCCESS => {
            crate::error::set_last(&error);
            raw::constants().err_other
        }
        _ => code,
    }
}

/// Counts what this process has sent so far for active data. Local.
/// @param[out] statistics_out  counts of messages and bytes
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_mpi_statistics(
    statistics_out: *mut admpi_mpi_statistics_t,
) -> c_int {
    let s = statistics::get();
    let counts = admpi_mpi_statistics_t {
        forward_messages: s.forward_messages,
        forward_bytes: s.forward_bytes,
        adjoint_messages: s.adjoint_messages,
        adjoint_bytes: s.adjoint_bytes,
    };
    // SAFETY: as the C contract says.
    unsafe { give(("statistics_out", statistics_out), || Ok(counts)) }
}

/// Gathers the profiles of all ranks on rank 0 of `comm`, where the profile becomes that of all: each row has the least, the mean
/// and the most of a number. A region that a rank never entered counts as zeros there. On other ranks the profile has no
/// rows left, and its table is empty. Collective over `comm`.
/// @param profile  this rank's profile
/// @param comm     an intracommunicator
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_LIMIT, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_profile_gather(
    profile: *mut admpi_profile,
    comm: MPI_Comm,
) -> c_int {
    mpi_status("admpi_profile_gather", || {
        // SAFETY: as the C contract says.
        let (profile, comm) = unsafe { (super::out("profile", profile)?, Comm::new(comm)) };
        let gathered = crate::mpi::gather_words(comm, &profile.0.words(), 0)?;
        profile.0 = gathered.map_or_else(Profile::elsewhere, |ranks| {
            Profile::of_ranks(ranks.iter().map(Vec::as_slice))
        });
        Ok(())
    })
}

/// Seeds a value that all ranks of `comm` hold, such as the result of an Allreduce. The seed is set once, on rank 0, since
/// the objective is the sum of what the ranks seed. All ranks of `comm` call this function, which does not communicate.
/// @param tape       the tape of `y`
/// @param comm       a communicator over which `y` is replicated
/// @param y          the value
/// @param weight     added to its adjoint
/// @param direction  below the tape's width
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_seed_replicated(
    tape: *mut admpi_tape,
    comm: MPI_Comm,
    y: admpi_var,
    weight: f64,
    direction: c_int,
) -> c_int {
    mpi_status("admpi_tape_seed_replicated", || {
        // SAFETY: as the C contract says.
        let (tape, comm) = unsafe { (super::tape::tape(tape)?, Comm::new(comm)) };
        let direction = super::tape::direction(direction)?;
        if comm.rank()? != 0 {
            tape.check_direction(direction)?;
            return Ok(tape.check_var("y", &y)?);
        }
        tape.check_seeds("y", &[y], &[weight])?;
        Ok(tape.seed(&y, weight, direction)?)
    })
}

/// Says which ranks do a time loop together. They compare what they are going to do, once a run, and in checking mode a step that
/// is not repeatable on one rank ends the sweep on all.
/// @param loop  the loop
/// @param comm  a communicator of the ranks that run it; it lives as long as a tape holds a run
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_set_comm(
    r#loop: *mut admpi_time_loop,
    comm: MPI_Comm,
) -> c_int {
    mpi_status("admpi_time_loop_set_comm", || {
        // SAFETY: as the C contract says.
        let (it, comm) = unsafe { (super::time_loop::loop_of(r#loop)?, Comm::new(comm)) };
        let agree = move |numbers: &mut [i64; 8]| {
            allreduce_min(comm, numbers).map_err(|failure| failure.into_error("MPI_Allreduce"))
        };
        it.ranks = Some((comm.rank()?, std::rc::Rc::new(agree)));
        Ok(())
    })
}

/// Gives up, on all ranks, a sweep that stopped at a place which messages cross. Receives and drops the adjoints that are
/// in flight on `comm`, and forgets those that are held back. Clear the adjoints afterwards. In a callback of a sweep it
/// gives up a sweep that the callback began; the outer sweep goes on. Collective over `comm`.
/// @param tape  the calling process's tape
/// @param comm  the communicator whose messages cross the place
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_abandon_sweep(
    tape: *mut admpi_tape,
    comm: MPI_Comm,
) -> c_int {
    mpi_status("admpi_tape_abandon_sweep", || {
        // SAFETY: as the C contract says.
        let (tape, comm) = unsafe { (super::tape::tape(tape)?, Comm::new(comm)) };
        abandon::abandon(tape, comm)
    })
}

/// Registers a communicator that plain MPI_ calls made, so that it may carry active data. Collective over `comm`. Does
/// nothing if the library knows it already.
/// @param comm  a communicator; of an intercommunicator both groups call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Comm_register(comm: MPI_Comm) -> c_int {
    // SAFETY: as the C contract says.
    let on = unsafe { Comm::new(comm) };
    mpi_call("AMPI_Comm_register", on, || communicator::enter(on))
}

/// For AMPI_Comm_create_from_group and its kin (admpi/sessions.h): a communicator that MPI has made.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_detail_made_comm(call: *const c_char, comm: MPI_Comm) -> c_int {
    // SAFETY: a string, and a communicator or the null handle.
    let (name, comm) = unsafe { (super::name(call), Comm::new(comm)) };
    mpi_call(&name, Comm::world(), || communicator::enter_new(comm))
}

/// Declares that the program may poll, as ADMPI_POLLING=1 in the environment does: its next action may depend on what has
/// arrived by then, through Test or Iprobe, the completion that Waitany found, or the message that a wildcard matched.
/// From now on, the adjoints of collectives that do not make their members wait for each other (Bcast, Reduce, Gather,
/// Scatter, Scan, Exscan, the neighbourhood calls, and calls with counts of zero) are recorded to travel point to point.
/// This takes one message per rank, but never waits for a rank that is not involved. All ranks must set the same value,
/// at the same place among their collectives. Local.
/// @param on  0 or 1
/// @return ADMPI_SUCCESS
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_set_polling(on: c_int) -> c_int {
    super::entry(|| {
        peer_exchange::set_polling(on != 0);
        Ok(())
    })
}

/// Sets the source line of this thread's AMPI_ calls from now on, for errors, the messages of checking mode and profiles. If
/// ADMPI_SOURCE_LINES is defined before the headers are included, every differentiated call sets it, and ends it.
/// @param file  the source file: a string that lives as long as the program; NULL ends the line
/// @param line  the line
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_at(file: *const c_char, line: c_int) {
    if file.is_null() {
        return stand_at(None);
    }
    // SAFETY: as the C contract says.
    let file = unsafe { CStr::from_ptr(file) };
    let site = Site { file, line: crate::mpi::wide_int(line) };
    stand_at(Some(site));
    if tape::regions_are_wanted() {
        // A profile that cannot tell the line charges the region around it.
        let _ = tape::current(|tape| tape.begin_line(&site.short()));
    }
}

/// Checks that the C++ type of a buffer matches its datatype: active values need an active datatype, others a passive one.
/// For the overloads of `admpi.hpp`. Local.
/// @param call      the AMPI_ call, for the message
/// @param content   what the buffer contains: 0 plain numbers, 1 `admpi::var`, 2 an `admpi_varmat`, 3 an `admpi_view`,
///                  4 structures with active values under a type of bytes, 5 `admpi::float_var`
/// @param datatype  the datatype of the call
/// @param comm      where an error is raised
/// @return MPI_SUCCESS, or an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_check_buffer(
    call: *const c_char,
    content: c_int,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as the C contract says.
    let (name, datatype, on) =
        unsafe { (super::name(call), Datatype::new(datatype), Comm::new(comm)) };
    match recording::check_buffer(content, datatype) {
        Ok(()) => raw::SUCCESS,
        Err(failure) => crate::mpi::error::raise(&name, on, failure),
    }
}

/// Returns the datatype of a scalar with adjacent parts, such as the value and the derivatives of a tangent. For
/// `admpi::mpi_type`. The datatype belongs to the library. Local.
/// @param part           the type of each part: a predefined type, AMPI_ADOUBLE, or another such scalar
/// @param parts          their number
/// @param[out] type_out  the type, committed
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (no part, or less than one), ADMPI_ERR_MPI (also if the
///         library is not initialised)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_bundle_parts_type(
    part: MPI_Datatype,
    parts: c_int,
    type_out: *mut MPI_Datatype,
) -> c_int {
    mpi_status("admpi_detail_bundle_parts_type", || {
        // SAFETY: as the C contract says.
        let (part, type_out) = unsafe { (Datatype::new(part), super::out("type_out", type_out)?) };
        *type_out = bundle::bundle(parts, part)?.raw();
        Ok(())
    })
}

/// Returns the datatype of a scalar followed by an `int`, for MPI_MINLOC and MPI_MAXLOC. For `admpi::mpi_type`. The datatype
/// belongs to the library. Local.
/// @param part           the type of the scalar, as for admpi_detail_bundle_parts_type or made by it
/// @param extent         bytes from one pair to the next
/// @param[out] type_out  the type, committed
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the extent is too small for both),
///         ADMPI_ERR_MPI (also if the library is not initialised)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_pair_type(
    part: MPI_Datatype,
    extent: i64,
    type_out: *mut MPI_Datatype,
) -> c_int {
    mpi_status("admpi_detail_pair_type", || {
        // SAFETY: as the C contract says.
        let (part, type_out) = unsafe { (Datatype::new(part), super::out("type_out", type_out)?) };
        *type_out = bundle::pair(part, extent)?.raw();
        Ok(())
    })
}

/// Returns the datatype for a buffer of such scalars if the program passes one built from AMPI_ADOUBLE or from the scalar's
/// own type. For the overloads of `admpi.hpp`. It lives as long as `datatype`. Local.
/// @param call               the AMPI_ call, for the message
/// @param scalar             of admpi_detail_bundle_parts_type
/// @param datatype           what the program passed
/// @param comm               where an error is raised
/// @param[out] datatype_out  `datatype` with `scalar` instead of AMPI_ADOUBLE
/// @return MPI_SUCCESS, or an MPI code, raised on `comm`: nothing in `datatype` is such a scalar
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_bundle_buffer(
    call: *const c_char,
    scalar: MPI_Datatype,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    datatype_out: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as the C contract says.
    let (name, on) = unsafe { (super::name(call), Comm::new(comm)) };
    mpi_call(&name, on, || {
        // SAFETY: as above.
        let (scalar, datatype, datatype_out) = unsafe {
            let datatype_out = super::out("datatype_out", datatype_out)?;
            (Datatype::new(scalar), Datatype::new(datatype), datatype_out)
        };
        *datatype_out = bundle::with_scalar(datatype, scalar)?.raw();
        Ok(())
    })
}

/// # Safety
/// As for `admpi_detail_bundle_buffers`.
unsafe fn bundle_all<N: PartialEq + From<bool>>(
    call: *const c_char,
    scalar: MPI_Datatype,
    peers: c_int,
    counts: *const N,
    datatypes: *const MPI_Datatype,
    comm: MPI_Comm,
    datatypes_out: *mut *const MPI_Datatype,
) -> c_int {
    // SAFETY: as the C contract says.
    let (name, on) = unsafe { (super::name(call), Comm::new(comm)) };
    mpi_call(&name, on, || {
        // SAFETY: as above; handles are laid out as MPI has them.
        let (scalar, counts, datatypes, datatypes_out) = unsafe {
            let datatypes_out = super::out("datatypes_out", datatypes_out)?;
            let n = bundle::number_of_peers(peers, on)?;
            let counts = super::array("counts", counts, n)?;
            let datatypes = super::array("datatypes", datatypes.cast::<Datatype>(), n)?;
            (Datatype::new(scalar), counts, datatypes, datatypes_out)
        };
        let unused = counts.iter().map(|n| *n == N::from(false));
        *datatypes_out = bundle::list_with_scalar(unused, datatypes, scalar)?.cast();
        Ok(())
    })
}

/// admpi_detail_bundle_buffer for the datatypes of the peers of a collective call. Datatypes of peers with count 0 are not
/// checked. Local.
/// @param call                the AMPI_ call, for the message
/// @param scalar              of admpi_detail_bundle_parts_type
/// @param peers               which: 0 the ranks of `comm`, 1 the sources of its topology, 2 the destinations
/// @param counts              one per peer
/// @param datatypes           one per peer
/// @param comm                where an error is raised
/// @param[out] datatypes_out  one per peer; they may be read until the program ends
/// @return MPI_SUCCESS, or an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_bundle_buffers(
    call: *const c_char,
    scalar: MPI_Datatype,
    peers: c_int,
    counts: *const c_int,
    datatypes: *const MPI_Datatype,
    comm: MPI_Comm,
    datatypes_out: *mut *const MPI_Datatype,
) -> c_int {
    // SAFETY: as the C contract says.
    unsafe { bundle_all(call, scalar, peers, counts, datatypes, comm, datatypes_out) }
}

/// As admpi_detail_bundle_buffers, with counts past 2^31.
/// @param call                the AMPI_ call, for the message
/// @param scalar              of admpi_detail_bundle_parts_type
/// @param peers               which: 0 the ranks of `comm`, 1 the sources of its topology, 2 the destinations
/// @param counts              one per peer
/// @param datatypes           one per peer
/// @param comm                where an error is raised
/// @param[out] datatypes_out  one per peer; they may be read until the program ends
/// @return MPI_SUCCESS, or an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_bundle_buffers_c(
    call: *const c_char,
    scalar: MPI_Datatype,
    peers: c_int,
    counts: *const MPI_Count,
    datatypes: *const MPI_Datatype,
    comm: MPI_Comm,
    datatypes_out: *mut *const MPI_Datatype,
) -> c_int {
    // SAFETY: as the C contract says.
    unsafe { bundle_all(call, scalar, peers, counts, datatypes, comm, datatypes_out) }
}

/// Raises the error of a call that the overloads of `admpi.hpp` refuse. Local.
/// @param call  the AMPI_ call
/// @param why   the reason and the remedy
/// @param comm  where it is raised
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_refuse(
    call: *const c_char,
    why: *const c_char,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as the C contract says.
    let (name, why, on) = unsafe { (super::name(call), super::name(why), Comm::new(comm)) };
    mpi_call(&name, on, || Err(Error::new(Code::Unsupported, why).into()))
}

/// Raises the thread's last error, for functions outside the library that made a call of the kind of `admpi_`. Local.
/// @param call  the name of the call
/// @param code  what the call of the library returned
/// @param comm  where it is raised
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_raise(
    call: *const c_char,
    code: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as the C contract says.
    let (name, on) = unsafe { (super::name(call), Comm::new(comm)) };
    let text = with_last(|last| last.to_string_lossy().into_owned());
    let code = Code::from_c(code).unwrap_or(Code::Argument);
    mpi_call(&name, on, || Err(Error::new(code, text).into()))
}

/// Is told of items of a predefined type in an item of a datatype: where they begin, how many, and bytes from one to the next.
#[allow(non_camel_case_types)]
pub type admpi_part_function = Option<
    unsafe extern "C" fn(to: *mut c_void, offset: i64, n: i64, extent: i64, datatype: MPI_Datatype),
>;

/// Walks a datatype down to the predefined types that it is made of, in the order of its type map. Local.
/// @param datatype         a datatype
/// @param found            is called for each of them
/// @param to               its first argument
/// @param[out] extent_out  the extent of the datatype
/// @return an MPI code
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_parts(
    datatype: MPI_Datatype,
    found: admpi_part_function,
    to: *mut c_void,
    extent_out: *mut i64,
) -> c_int {
    mpi_status("admpi_detail_parts", || {
        // SAFETY: as the C contract says; so below.
        let (datatype, extent) =
            unsafe { (Datatype::new(datatype), super::out("extent_out", extent_out)?) };
        let found = found.ok_or_else(|| super::null("found"))?;
        let flat = describe(datatype, Detail::Named)?;
        if let Some(why) = flat.refused {
            return Err(Error::new(Code::Unsupported, why).into());
        }
        for part in &flat.named {
            // SAFETY: as above.
            unsafe { found(to, part.offset, part.n, part.extent, part.datatype.raw()) };
        }
        *extent = flat.extent;
        Ok(())
    })
}

/// For numbers of another AD tool that are lent (ADMPI_STEP_LENT): the datatype of the message.
#[unsafe(no_mangle)]
extern "C-unwind" fn admpi_detail_numbers_type() -> MPI_Datatype {
    Datatype::of_numbers().raw()
}

/// For the guards: whether `datatype` is active.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_active(datatype: MPI_Datatype) -> c_int {
    // SAFETY: the guards pass a handle that is significant.
    c_int::from(!is_passive(unsafe { Datatype::new(datatype) }))
}

/// For the guards: the same of what a call sends.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_sent(
    call: *const c_char,
    buffer: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: the guards pass a string and a buffer that is significant.
    let (name, sent) = unsafe { (super::name(call), BufferTriple::new(buffer, count, datatype)) };
    announced(&name, dispatch::left(&name, &sent))
}

/// For the guards: the same of what a call writes to a file, which may be active. Changes `buffer` and `datatype` if MPI does not find
/// the values there.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_written(
    call: *const c_char,
    buffer: *mut *const c_void,
    count: MPI_Count,
    datatype: *mut MPI_Datatype,
    moving: *mut *mut Moving,
) -> c_int {
    // SAFETY: the guards pass a string, a buffer that is significant, and places for what they get.
    unsafe {
        let name = super::name(call);
        let data = BufferTriple::new(buffer.read(), count, datatype.read());
        let made = Moving::from(&name, &data).map(|made| lend(made, buffer, datatype, moving));
        announced(&name, made)
    }
}

/// For the guards: the same of what a call is to read into, if it is active.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_read_into(
    call: *const c_char,
    buffer: *mut *mut c_void,
    count: MPI_Count,
    datatype: *mut MPI_Datatype,
    at_once: c_int,
    moving: *mut *mut Moving,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let name = super::name(call);
        let data = BufferTriple::new(buffer.read(), count, datatype.read());
        let made = Moving::into(&data, at_once != 0);
        announced(&name, made.map(|made| lend(made, buffer.cast(), datatype, moving)))
    }
}

/// # Safety
/// The places may be written to.
unsafe fn lend(
    made: Option<Moving>,
    buffer: *mut *const c_void,
    datatype: *mut MPI_Datatype,
    moving: *mut *mut Moving,
) {
    let Some(mut made) = made else { return };
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(instead) = made.buffer() {
            buffer.write(instead);
        }
        if let Some(instead) = made.datatype() {
            datatype.write(instead.raw());
        }
        moving.write(Box::into_raw(Box::new(made)));
    }
}

/// # Safety
/// NULL, or what `lend` gave and nobody has taken back.
unsafe fn taken(moving: *mut Moving) -> Option<Box<Moving>> {
    // SAFETY: the caller's promise.
    (!moving.is_null()).then(|| unsafe { Box::from_raw(moving) })
}

/// For the guards: the call returned `code`, and told `status`, which may be MPI_STATUS_IGNORE where nothing is read.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_moved(
    moving: *mut Moving,
    code: c_int,
    status: *mut MPI_Status,
) {
    // SAFETY: what `lend` gave, and a status or none.
    let (moving, mut place) = unsafe { (taken(moving), StatusSlot::new(status)) };
    // SAFETY: MPI has filled it.
    let status = unsafe { place.told() };
    if let (Some(moving), raw::SUCCESS, Some(status)) = (moving, code, status) {
        // MPI has told a count, and the buffer has its places.
        let _ = moving.finish(status);
    }
}

/// For the guards: the call returned `code`, and another is to end it.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_moved_at_end(
    moving: *mut Moving,
    code: c_int,
    file: MPI_Fint,
) {
    // SAFETY: what `lend` gave.
    let mut moving = unsafe { Box::from_raw(moving) };
    if code == raw::SUCCESS && moving.begin() {
        file::keep(file, moving);
    }
}

/// For the guards: what the call that ends another is to pass on, and its buffer.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_end_of_moving(
    file: MPI_Fint,
    buffer: *mut *const c_void,
) -> *mut Moving {
    let Some(mut moving) = file::take(file) else { return std::ptr::null_mut() };
    if let Some(instead) = moving.buffer() {
        // SAFETY: the guards pass a place.
        unsafe { buffer.write(instead) };
    }
    Box::into_raw(moving)
}

/// For the guards: the request of a call that does not wait, and that has begun.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_moving_request(
    moving: *mut Moving,
    request: MPI_Request,
) -> *mut Request {
    // SAFETY: what `lend` gave, and the request of a call that has just started.
    let (moving, transfer) = unsafe { (taken(moving), Transfer::adopt(request)) };
    let then = moving.and_then(|mut moving| {
        let more = moving.begin();
        more.then_some(moving as Box<dyn Follows>)
    });
    Request::of_mpi(transfer, then).map_or(std::ptr::null_mut(), Box::into_raw)
}

/// For the guards: the datatype that an active one has in a file; the caller frees it. A passive one stays, and nothing is made.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_in_file(
    call: *const c_char,
    argument: *const c_char,
    datatype: *mut MPI_Datatype,
    made: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the guards pass strings, a handle that is significant, and places for both.
    let (name, argument) = unsafe { (super::name(call), super::name(argument)) };
    // SAFETY: as above.
    let given = unsafe { Datatype::new(datatype.read()) };
    let done = match in_file(given) {
        Ok(twin) => {
            if let Some(twin) = twin {
                let twin = twin.into_raw();
                // SAFETY: as above.
                unsafe {
                    datatype.write(twin);
                    made.write(twin);
                }
            }
            Ok(())
        }
        Err(failure) => {
            let error = failure.into_error("MPI");
            Err(Error::new(error.code, format!("{argument}: {error}")).into())
        }
    };
    announced(&name, done)
}

/// An error's code, announced under the name of the call.
fn announced(call: &str, done: MpiResult<()>) -> c_int {
    match done {
        Ok(()) => raw::SUCCESS,
        Err(failure) => crate::mpi::error::announce(call, &failure.into_error("MPI")),
    }
}

/// For Fortran: whether all elements of the datatype are active doubles, however it is built.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpif_is_only_active(datatype: MPI_Datatype) -> c_int {
    // SAFETY: the shim passes a handle that is significant.
    let datatype = unsafe { Datatype::new(datatype) };
    let layout = activity(datatype).unwrap_or_default();
    c_int::from(layout.is_some_and(|layout| layout.is_only_active()))
}

/// For Fortran: whether no tape of this process made values of `tag`.
#[unsafe(no_mangle)]
extern "C-unwind" fn admpi_shim_is_foreign(tag: u32) -> c_int {
    c_int::from(tape::is_foreign_tag(tag))
}

/// For the guards: the error code of an argument that is NULL. Raises nothing.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_null(call: *const c_char, argument: *const c_char) -> c_int {
    // SAFETY: the guards pass strings.
    let (call, argument) = unsafe { (super::name(call), super::name(argument)) };
    crate::mpi::error::announce(&call, &super::null(&argument))
}
