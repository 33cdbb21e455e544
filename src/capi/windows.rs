//! Windows: how they are made, and where their epochs begin and end. `include/admpi/windows.h` is generated from this file.
//!
//! Every function makes MPI's call. On a window for active data the library takes note of it, and where an epoch ends it
//! carries out the operations on active data.

use super::large_arguments::on_comm;
use super::support::large_types::with_unit;
use super::support::one_sided::{address, after_mpi, before_mpi, make_window, on_window, ranks};
use crate::ampi::window::{Hints, calls, create};
use crate::datatype::Exposed;
use crate::mpi::raw::{self, MPI_Aint, MPI_Comm, MPI_Group, MPI_Info, MPI_Win, widen};
use crate::mpi::types::aint;
use crate::mpi::{Win, ffi, mode};
use std::ffi::{c_int, c_void};

/// MPI_Win_create. The window may be accessed with active data if `disp_unit` is 1, or 16 and more, on some rank whose
/// part has 16 bytes or more. The info key `admpi_active`, `true` or `false`, decides otherwise. MPI's own key
/// no_locks=true saves what locks need; without it, a sweep of what was recorded while the window lives is collective over its
/// ranks. Collective over `comm`.
/// @param base       memory, `admpi_var`s for active data
/// @param size       its length in bytes
/// @param disp_unit  bytes from one displacement to the next, such as sizeof(admpi_var)
/// @param info       hints, or MPI_INFO_NULL
/// @param comm       an intracommunicator
/// @param[out] win   the window
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_create(
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: c_int,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { created("AMPI_Win_create", base, size, disp_unit, info, comm, win) }
}

/// # Safety
/// As MPI has it for MPI_Win_create.
unsafe fn created(
    name: &str,
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: c_int,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let make = || raw::MPI_Win_create(base, size, disp_unit, info, comm, win);
        make_window(name, (info, comm), win, make, |win, comm, hints| {
            let part = (widen(size), i64::from(disp_unit));
            create(win, comm, Exposed::new(base, part.0, part.1), part, hints, |_| {})
        })
    }
}

/// AMPI_Win_create with a displacement unit in 64 bits, as MPI-4 has it; it is at most INT_MAX.
/// @param base       memory, `admpi_var`s for active data
/// @param size       its length in bytes
/// @param disp_unit  bytes from one displacement to the next, such as sizeof(admpi_var)
/// @param info       hints, or MPI_INFO_NULL
/// @param comm       an intracommunicator
/// @param[out] win   the window
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_create_c(
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: MPI_Aint,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        with_unit(on_comm("AMPI_Win_create_c", comm), disp_unit, |unit| {
            created("AMPI_Win_create_c", base, size, unit, info, comm, win)
        })
    }
}

/// MPI_Win_allocate. For active data as AMPI_Win_create; then the memory holds zeros. Collective over `comm`.
/// @param size          length of the memory in bytes
/// @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
/// @param info          hints, or MPI_INFO_NULL
/// @param comm          an intracommunicator
/// @param[out] baseptr  the address of a pointer to the memory
/// @param[out] win      the window
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_allocate(
    size: MPI_Aint,
    disp_unit: c_int,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { allocated("AMPI_Win_allocate", size, disp_unit, info, comm, baseptr, win) }
}

/// # Safety
/// As MPI has it for MPI_Win_allocate.
unsafe fn allocated(
    name: &str,
    size: MPI_Aint,
    disp_unit: c_int,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let make = || raw::MPI_Win_allocate(rounded(size), disp_unit, info, comm, baseptr, win);
        make_window(name, (info, comm), win, make, |win, comm, hints| {
            let part = (widen(size), i64::from(disp_unit));
            let base = address(baseptr)?;
            // What it holds must not look like active values.
            create(win, comm, Exposed::new(base, part.0, part.1), part, hints, Exposed::clear)
        })
    }
}

/// AMPI_Win_allocate with a displacement unit in 64 bits, as MPI-4 has it; it is at most INT_MAX.
/// @param size          length of the memory in bytes
/// @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
/// @param info          hints, or MPI_INFO_NULL
/// @param comm          an intracommunicator
/// @param[out] baseptr  the address of a pointer to the memory
/// @param[out] win      the window
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_allocate_c(
    size: MPI_Aint,
    disp_unit: MPI_Aint,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        with_unit(on_comm("AMPI_Win_allocate_c", comm), disp_unit, |unit| {
            allocated("AMPI_Win_allocate_c", size, unit, info, comm, baseptr, win)
        })
    }
}

/// MPI_Win_allocate_shared. Processes of one node load and store each other's memory, but not its active values, whose ids mean
/// nothing to another tape. So the window is for active data only where the info key `admpi_active` is `true`, for calls such
/// as AMPI_Put and AMPI_Get; then the memory holds zeros. Collective over `comm`.
/// @param size          length of this rank's memory in bytes
/// @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
/// @param info          hints, or MPI_INFO_NULL
/// @param comm          an intracommunicator whose processes share memory
/// @param[out] baseptr  the address of a pointer to this rank's memory
/// @param[out] win      the window
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_allocate_shared(
    size: MPI_Aint,
    disp_unit: c_int,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        allocated_shared("AMPI_Win_allocate_shared", size, disp_unit, info, comm, baseptr, win)
    }
}

/// # Safety
/// As MPI has it for MPI_Win_allocate_shared.
unsafe fn allocated_shared(
    name: &str,
    size: MPI_Aint,
    disp_unit: c_int,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let make = || ffi::MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win);
        make_window(name, (info, comm), win, make, |win, comm, hints| {
            let part = (widen(size), i64::from(disp_unit));
            let base = address(baseptr)?;
            let active = Some(hints.active.unwrap_or(false));
            let hints = Hints { active, ..hints };
            create(win, comm, Exposed::new(base, part.0, part.1), part, hints, Exposed::clear)
        })
    }
}

/// AMPI_Win_allocate_shared with a displacement unit in 64 bits, as MPI-4 has it; it is at most INT_MAX.
/// @param size          length of this rank's memory in bytes
/// @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
/// @param info          hints, or MPI_INFO_NULL
/// @param comm          an intracommunicator whose processes share memory
/// @param[out] baseptr  the address of a pointer to this rank's memory
/// @param[out] win      the window
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_allocate_shared_c(
    size: MPI_Aint,
    disp_unit: MPI_Aint,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        with_unit(on_comm("AMPI_Win_allocate_shared_c", comm), disp_unit, |unit| {
            allocated_shared("AMPI_Win_allocate_shared_c", size, unit, info, comm, baseptr, win)
        })
    }
}

/// MPI_Win_shared_query. On a window for active data only this rank's own memory is told: active values of another rank
/// mean nothing on this rank's tape. Local.
/// @param win             a window of AMPI_Win_allocate_shared
/// @param rank            whose memory, or MPI_PROC_NULL for that of the first rank that has any
/// @param[out] size       its length in bytes
/// @param[out] disp_unit  that rank's bytes from one displacement to the next
/// @param[out] baseptr    the address of a pointer to it
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_shared_query(
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: *mut c_int,
    baseptr: *mut c_void,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { queried("AMPI_Win_shared_query", win, rank, size, disp_unit, baseptr) }
}

/// # Safety
/// As MPI has it for MPI_Win_shared_query.
unsafe fn queried(
    name: &str,
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: *mut c_int,
    baseptr: *mut c_void,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || ffi::MPI_Win_shared_query(win, rank, size, disp_unit, baseptr);
        after_mpi(name, win, mpi, |win| {
            let base = address(baseptr)?;
            calls::queried(win, rank, base)
        })
    }
}

/// AMPI_Win_shared_query with a displacement unit in 64 bits, as MPI-4 has it.
/// @param win             a window of AMPI_Win_allocate_shared
/// @param rank            whose memory, or MPI_PROC_NULL for that of the first rank that has any
/// @param[out] size       its length in bytes
/// @param[out] disp_unit  that rank's bytes from one displacement to the next
/// @param[out] baseptr    the address of a pointer to it
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_shared_query_c(
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: *mut MPI_Aint,
    baseptr: *mut c_void,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mut unit = 0;
        let code = queried("AMPI_Win_shared_query_c", win, rank, size, &raw mut unit, baseptr);
        if let Some(disp_unit) = disp_unit.as_mut().filter(|_| code == 0) {
            *disp_unit = aint(unit.into());
        }
        code
    }
}

/// MPICH misplaces operations on windows that it allocates in other sizes.
fn rounded(size: MPI_Aint) -> MPI_Aint {
    if size > 0 { size.saturating_add(15) / 16 * 16 } else { size }
}

/// MPI_Win_create_dynamic. The window may be accessed with active data, unless the info key `admpi_active` is `false`.
/// Collective over `comm`.
/// @param info      hints, or MPI_INFO_NULL
/// @param comm      an intracommunicator
/// @param[out] win  the window
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_create_dynamic(
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let make = || raw::MPI_Win_create_dynamic(info, comm, win);
        make_window("AMPI_Win_create_dynamic", (info, comm), win, make, |win, comm, hints| {
            let active = Some(hints.active.unwrap_or(true));
            create(win, comm, Exposed::dynamic(), (0, 1), Hints { active, ..hints }, |_| {})
        })
    }
}

/// MPI_Win_attach. Local.
/// @param win   a window of AMPI_Win_create_dynamic
/// @param base  memory, `admpi_var`s for active data
/// @param size  its length in bytes
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_attach(
    win: MPI_Win,
    base: *mut c_void,
    size: MPI_Aint,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_attach(win, base, size);
        after_mpi("AMPI_Win_attach", win, mpi, |win| {
            calls::exposed(win, |exposed| exposed.attach(base, widen(size)))
        })
    }
}

/// MPI_Win_detach. Local.
/// @param win   a window of AMPI_Win_create_dynamic
/// @param base  memory that was attached
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_detach(win: MPI_Win, base: *const c_void) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_detach(win, base);
        after_mpi("AMPI_Win_detach", win, mpi, |win| {
            calls::exposed(win, |exposed| exposed.detach(base))
        })
    }
}

/// MPI_Win_free. What was recorded on the window can still be reversed. Collective.
/// @param[in,out] win  MPI_WIN_NULL on return
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_free(win: *mut MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        if !win.is_null() {
            let on = Win::new(*win);
            let code = on_window("AMPI_Win_free", on, || calls::leave(on));
            if code != raw::SUCCESS {
                return code;
            }
        }
        raw::MPI_Win_free(win)
    }
}

/// MPI_Win_fence. Carries out the operations on active data since the last one, unless `assert` says that there are none.
/// Collective.
/// @param assert  MPI_MODE_..., or 0
/// @param win     the window
/// @return an MPI code, raised on `win`; ADMPI_ERR_MISMATCH where one rank records and another does not
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_fence(assert: c_int, win: MPI_Win) -> c_int {
    let (precedes, succeeds) = (assert & mode::NO_PRECEDE == 0, assert & mode::NO_SUCCEED == 0);
    // SAFETY: as MPI's contract says.
    unsafe {
        let library = |win| calls::fence(win, precedes, succeeds);
        before_mpi("AMPI_Win_fence", win, library, || raw::MPI_Win_fence(assert, win))
    }
}

/// MPI_Win_start.
/// @param group   the ranks whose windows are going to be accessed
/// @param assert  MPI_MODE_NOCHECK, or 0
/// @param win     the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_start(
    group: MPI_Group,
    assert: c_int,
    win: MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_start(group, assert, win);
        after_mpi("AMPI_Win_start", win, mpi, |win| calls::start(win, |comm| ranks(group, comm)))
    }
}

/// MPI_Win_complete. Hands the operations on active data since AMPI_Win_start over to their targets; what they
/// got has its values and ids.
/// @param win  the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_complete(win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_complete(win);
        let code = before_mpi("AMPI_Win_complete", win, calls::complete, mpi);
        after_mpi("AMPI_Win_complete", win, || code, calls::completed)
    }
}

/// MPI_Win_post.
/// @param group   the ranks that are going to access this rank's window
/// @param assert  MPI_MODE_..., or 0
/// @param win     the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_post(
    group: MPI_Group,
    assert: c_int,
    win: MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_post(group, assert, win);
        after_mpi("AMPI_Win_post", win, mpi, |win| calls::post(win, |comm| ranks(group, comm)))
    }
}

/// MPI_Win_wait. Carries out the operations on active data of those who have accessed this rank's window.
/// @param win  the window
/// @return an MPI code, raised on `win`; ADMPI_ERR_MISMATCH where one rank records and another does not
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_wait(win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { after_mpi("AMPI_Win_wait", win, || raw::MPI_Win_wait(win), calls::wait) }
}

/// MPI_Win_test. As AMPI_Win_wait if all have completed their accesses.
/// @param win        the window
/// @param[out] flag  whether they have
/// @return an MPI code, raised on `win`; ADMPI_ERR_MISMATCH where one rank records and another does not
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_test(win: MPI_Win, flag: *mut c_int) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        after_mpi(
            "AMPI_Win_test",
            win,
            || raw::MPI_Win_test(win, flag),
            |win| {
                if *flag == 0 { Ok(()) } else { calls::wait(win) }
            },
        )
    }
}

/// MPI_Win_lock.
/// @param lock_type  MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE
/// @param rank       whose window
/// @param assert     MPI_MODE_NOCHECK, or 0
/// @param win        the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_lock(
    lock_type: c_int,
    rank: c_int,
    assert: c_int,
    win: MPI_Win,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_lock(lock_type, rank, assert, win);
        after_mpi("AMPI_Win_lock", win, mpi, |win| calls::locked(win, Some(rank)))
    }
}

/// MPI_Win_lock_all.
/// @param assert  MPI_MODE_NOCHECK, or 0
/// @param win     the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_lock_all(assert: c_int, win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_lock_all(assert, win);
        after_mpi("AMPI_Win_lock_all", win, mpi, |win| calls::locked(win, None))
    }
}

/// MPI_Win_unlock. Completes this rank's operations on a rank's part, as AMPI_Win_flush does.
/// @param rank  whose window
/// @param win   the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_unlock(rank: c_int, win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_unlock(rank, win);
        before_mpi("AMPI_Win_unlock", win, |win| calls::unlocked(win, Some(rank)), mpi)
    }
}

/// MPI_Win_unlock_all. Completes this rank's operations on all ranks' parts, as AMPI_Win_flush_all does.
/// @param win  the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_unlock_all(win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_unlock_all(win);
        before_mpi("AMPI_Win_unlock_all", win, |win| calls::unlocked(win, None), mpi)
    }
}

/// MPI_Win_flush. Completes this rank's operations on a rank's part, those on active data too: what they got has its values and
/// ids.
/// @param rank  whose window
/// @param win   the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_flush(rank: c_int, win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_flush(rank, win);
        before_mpi("AMPI_Win_flush", win, |win| calls::flush(win, Some(rank), false), mpi)
    }
}

/// MPI_Win_flush_all. As AMPI_Win_flush, on all ranks' parts.
/// @param win  the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_flush_all(win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_flush_all(win);
        before_mpi("AMPI_Win_flush_all", win, |win| calls::flush(win, None, false), mpi)
    }
}

/// MPI_Win_flush_local. What operations on a rank's part got has its values and ids.
/// @param rank  whose window
/// @param win   the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_flush_local(rank: c_int, win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_flush_local(rank, win);
        before_mpi("AMPI_Win_flush_local", win, |win| calls::flush(win, Some(rank), true), mpi)
    }
}

/// MPI_Win_flush_local_all. As AMPI_Win_flush_local, on all ranks' parts.
/// @param win  the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_flush_local_all(win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_flush_local_all(win);
        before_mpi("AMPI_Win_flush_local_all", win, |win| calls::flush(win, None, true), mpi)
    }
}

/// MPI_Win_sync. What other ranks have put here under locks, and completed before this rank could learn of it, has ids of this
/// rank's tape. To be called after waiting for a flag in memory, before the values are used.
/// @param win  the window
/// @return an MPI code, raised on `win`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Win_sync(win: MPI_Win) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let mpi = || raw::MPI_Win_sync(win);
        before_mpi("AMPI_Win_sync", win, |_| Ok(()), mpi)
    }
}
