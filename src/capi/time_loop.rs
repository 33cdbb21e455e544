//! The C interface of time loops. `include/admpi/time_loop.h` is generated from this file.

use super::{array_mut, entry, free, get, give_handle, null, put};
use crate::count::from_c;
use crate::error::{Code, Error, Result};
use crate::time_loop::{Hook, Item, Kind, Loop, Statistics, Step};
use std::ffi::c_void;

// By the names under which C knows them: they are defined in `include/admpi/var.h` and `matrix.h`.
use crate::matrix::Matrix as admpi_varmat;
use crate::tape::{Cursors as admpi_tape, Var as admpi_var};

/// Everything on the tape.
pub const ADMPI_LOOP_ALL: i32 = 0;
/// The state is kept before every block of steps.
pub const ADMPI_LOOP_BLOCKS: i32 = 1;
/// States are kept so that the fewest blocks are run again.
pub const ADMPI_LOOP_BINOMIAL: i32 = 2;

/// A time loop: its state, its schedule.
#[allow(non_camel_case_types)]
pub struct admpi_time_loop(Loop);

/// A step of a loop.
/// @param step  its number, from 0
/// @param ctx   the context given with it
/// @return 0, or any other number: the run, or the sweep, ends with ADMPI_ERR_CALLBACK
#[allow(non_camel_case_types)]
pub type admpi_time_step_fn =
    Option<unsafe extern "C-unwind" fn(step: i64, ctx: *mut c_void) -> i32>;

/// Tells where active values lie that may move.
/// @param object       what was given with the function
/// @param[out] n_out   how many
/// @return the first
#[allow(non_camel_case_types)]
pub type admpi_locate_fn =
    Option<unsafe extern "C-unwind" fn(object: *mut c_void, n_out: *mut i64) -> *mut admpi_var>;

/// Tells which matrix it is that may have been exchanged for another.
/// @param object  what was given with the function
/// @return the matrix
#[allow(non_camel_case_types)]
pub type admpi_locate_matrix_fn =
    Option<unsafe extern "C-unwind" fn(object: *mut c_void) -> *mut admpi_varmat>;

unsafe extern "C-unwind" fn itself(object: *mut c_void) -> *mut admpi_varmat {
    object.cast()
}

/// What the loops of an object have done.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
#[allow(non_camel_case_types)]
pub struct admpi_time_loop_statistics {
    /// Steps of first runs.
    pub first: u64,
    /// Steps run again without being recorded.
    pub advanced: u64,
    /// Steps recorded by sweeps.
    pub recorded: u64,
    /// Most states kept at a time by one run.
    pub snapshots: u64,
    /// The bytes of these.
    pub snapshot_bytes: u64,
}
laid_out!(admpi_time_loop_statistics, admpi_time_loop_statistics);

/// # Safety
/// `handle` is NULL or live.
pub(super) unsafe fn loop_of<'a>(handle: *mut admpi_time_loop) -> Result<&'a mut Loop> {
    // SAFETY: as the C contract says.
    unsafe { handle.as_mut() }.map(|handle| &mut handle.0).ok_or_else(|| null("loop"))
}

/// Makes a time loop, whose schedule is ADMPI_LOOP_BINOMIAL with 100 snapshots. Loops already recorded outlive it.
/// @param tape            the tape that the loop runs on
/// @param[out] loop_out   the loop; free it with admpi_time_loop_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_new(
    tape: *mut admpi_tape,
    loop_out: *mut *mut admpi_time_loop,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("loop_out", loop_out), || {
            Ok(admpi_time_loop(Loop::new(super::tape::tape(tape)?)))
        })
    }
}

/// Frees a time loop.
/// @param loop  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_free(r#loop: *mut admpi_time_loop) {
    // SAFETY: as the C contract says.
    unsafe { free(r#loop) };
}

/// Chooses a schedule for the runs to come.
/// @param kind       ADMPI_LOOP_ALL, ADMPI_LOOP_BLOCKS or ADMPI_LOOP_BINOMIAL
/// @param snapshots  for ADMPI_LOOP_BINOMIAL: how many states may be kept, beside the one before the last block
/// @param block      but for ADMPI_LOOP_ALL: the steps that are on the tape at a time
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_set_schedule(
    r#loop: *mut admpi_time_loop,
    kind: i32,
    snapshots: i64,
    block: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let it = loop_of(r#loop)?;
        let number = |name, n| from_c(name, n).map(|n| n as u64);
        let kind = match kind {
            ADMPI_LOOP_ALL => Kind::All,
            ADMPI_LOOP_BLOCKS => Kind::Blocks(number("block", block)?),
            ADMPI_LOOP_BINOMIAL => Kind::Binomial {
                snapshots: number("snapshots", snapshots)?,
                block: number("block", block)?,
            },
            _ => {
                let text = format!("kind = {kind} is no ADMPI_LOOP schedule");
                return Err(Error::new(Code::Argument, text));
            }
        };
        kind.check()?;
        it.kind = kind;
        Ok(())
    })
}

/// Declares an array as state: steps read and write it. It stays where it is, and lives as long as the tape holds a run.
/// @param x  `n` values
/// @param n  how many
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_state(
    r#loop: *mut admpi_time_loop,
    x: *mut admpi_var,
    n: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (it, n) = (loop_of(r#loop)?, from_c("n", n)?);
        array_mut("x", x, n)?;
        it.add_state(Item::Array { first: x, n });
        Ok(())
    })
}

/// Declares as state values that may move, such as those of a container. Their number stays the same.
/// @param locate  tells where they are
/// @param object  its argument
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_state_at(
    r#loop: *mut admpi_time_loop,
    locate: admpi_locate_fn,
    object: *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let locate = locate.ok_or_else(|| null("locate"))?;
        loop_of(r#loop)?.add_state(Item::Located { locate, object });
        Ok(())
    })
}

/// Declares a matrix as state. It lives as long as the tape holds a run.
/// @param a  the matrix
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_state_matrix(
    r#loop: *mut admpi_time_loop,
    a: *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        get("a", a)?;
        loop_of(r#loop)?.add_state(Item::Matrix { locate: itself, object: a.cast() });
        Ok(())
    })
}

/// Declares an array as parameters: steps read it, and none writes it. The loop keeps a copy, so that the program may change them
/// after it.
/// @param k  `n` values
/// @param n  how many
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_parameters(
    r#loop: *mut admpi_time_loop,
    k: *mut admpi_var,
    n: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (it, n) = (loop_of(r#loop)?, from_c("n", n)?);
        array_mut("k", k, n)?;
        it.add_parameters(Item::Array { first: k, n });
        Ok(())
    })
}

/// Declares as parameters values that may move.
/// @param locate  tells where they are
/// @param object  its argument
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_parameters_at(
    r#loop: *mut admpi_time_loop,
    locate: admpi_locate_fn,
    object: *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let locate = locate.ok_or_else(|| null("locate"))?;
        loop_of(r#loop)?.add_parameters(Item::Located { locate, object });
        Ok(())
    })
}

/// Declares a matrix as parameters.
/// @param k  the matrix
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_parameter_matrix(
    r#loop: *mut admpi_time_loop,
    k: *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        get("k", k)?;
        loop_of(r#loop)?.add_parameters(Item::Matrix { locate: itself, object: k.cast() });
        Ok(())
    })
}

/// Declares as state a matrix that may be exchanged for another.
/// @param locate  tells which one it is
/// @param object  its argument
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_state_matrix_at(
    r#loop: *mut admpi_time_loop,
    locate: admpi_locate_matrix_fn,
    object: *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let locate = locate.ok_or_else(|| null("locate"))?;
        loop_of(r#loop)?.add_state(Item::Matrix { locate, object });
        Ok(())
    })
}

/// Declares as parameters a matrix that may be exchanged for another.
/// @param locate  tells which one it is
/// @param object  its argument
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_parameter_matrix_at(
    r#loop: *mut admpi_time_loop,
    locate: admpi_locate_matrix_fn,
    object: *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let locate = locate.ok_or_else(|| null("locate"))?;
        loop_of(r#loop)?.add_parameters(Item::Matrix { locate, object });
        Ok(())
    })
}

/// Declares functions that keep what is not active, such as a random generator: each kept state has what `save` returned.
/// @param save     returns what is to be kept
/// @param restore  takes the program back to what was kept
/// @param free     frees what `save` returned; it cannot use the tape
/// @param ctx      the first argument of all three
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_save(
    r#loop: *mut admpi_time_loop,
    save: Option<unsafe extern "C-unwind" fn(ctx: *mut c_void) -> *mut c_void>,
    restore: Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, kept: *mut c_void)>,
    free: Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, kept: *mut c_void)>,
    ctx: *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let save = save.ok_or_else(|| null("save"))?;
        let restore = restore.ok_or_else(|| null("restore"))?;
        let free = free.ok_or_else(|| null("free"))?;
        loop_of(r#loop)?.add_hook(Hook { save, restore, free, ctx });
        Ok(())
    })
}

/// Runs the loop: `fn(0)`, `fn(1)` and so on. If the tape records, it gets one event, and a sweep that passes it runs steps
/// again. If a step fails, the state and the tape are what they were before.
/// @param steps    how many
/// @param fn       a step
/// @param ctx      its context
/// @param destroy  destroys the context, once, when nothing needs it any more, whatever this call returns; NULL is fine
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_CALLBACK (a step failed),
///         ADMPI_ERR_MISMATCH (the ranks differ in steps or schedule), ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_run(
    r#loop: *mut admpi_time_loop,
    steps: i64,
    r#fn: admpi_time_step_fn,
    ctx: *mut c_void,
    destroy: Option<unsafe extern "C-unwind" fn(ctx: *mut c_void)>,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let function = r#fn.ok_or_else(|| null("fn"))?;
        let step = Step { function, ctx, destroy };
        let steps = from_c("steps", steps)? as u64;
        loop_of(r#loop)?.run(steps, step)
    })
}

/// Counts what the runs of a loop, and their sweeps, have done.
/// @param[out] statistics_out  the counts
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_statistics_of(
    r#loop: *mut admpi_time_loop,
    statistics_out: *mut admpi_time_loop_statistics,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put("statistics_out", statistics_out, || {
            let Statistics { first, advanced, recorded, snapshots, snapshot_bytes } =
                loop_of(r#loop)?.statistics.get();
            Ok(admpi_time_loop_statistics { first, advanced, recorded, snapshots, snapshot_bytes })
        })
    })
}
