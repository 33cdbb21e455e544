//! The C interface of time loops. `include/admpi/time_loop.h` is generated from this file.

use super::{array_mut, entry, free, get, give_handle, null, put};
use crate::count::from_c;
use crate::error::{Code, Error, Result};
use crate::time_loop::{Disk, Hook, Item, Kind, Loop, Statistics, Step};
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;

// By the names under which C knows them: they are defined in `include/admpi/var.h` and `matrix.h`.
use crate::matrix::Matrix as admpi_varmat;
use crate::tape::{Cursors as admpi_tape, Var as admpi_var};

/// Everything on the tape.
pub const ADMPI_LOOP_ALL: i32 = 0;
/// The state is kept before every block of steps.
pub const ADMPI_LOOP_BLOCKS: i32 = 1;
/// States are kept so that the fewest blocks are run again.
pub const ADMPI_LOOP_BINOMIAL: i32 = 2;
/// States and recorded blocks are kept so that the fewest blocks are run again.
pub const ADMPI_LOOP_MIXED: i32 = 3;
/// What the first steps take, and the memory there is, decide.
pub const ADMPI_LOOP_AUTO: i32 = 4;

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

/// Tells whether there is another step. It is asked in the first run only.
/// @param step             the step's number, from 0
/// @param ctx              the context given with it
/// @param[out] go_on_out   0 ends the loop
/// @return 0, or any other number: the run ends with ADMPI_ERR_CALLBACK
#[allow(non_camel_case_types)]
pub type admpi_time_condition_fn =
    Option<unsafe extern "C-unwind" fn(step: i64, ctx: *mut c_void, go_on_out: *mut i32) -> i32>;

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
    /// Most states kept in memory at a time by one run.
    pub snapshots: u64,
    /// The bytes of these.
    pub snapshot_bytes: u64,
    /// Most states kept on disk at a time by one run.
    pub disk_snapshots: u64,
    /// The bytes of these.
    pub disk_bytes: u64,
    /// Most blocks that a sweep had recorded at a time.
    pub records: u64,
}
laid_out!(admpi_time_loop_statistics, admpi_time_loop_statistics);

/// # Safety
/// `handle` is NULL or live.
pub(super) unsafe fn loop_of<'a>(handle: *mut admpi_time_loop) -> Result<&'a mut Loop> {
    // SAFETY: as the C contract says.
    unsafe { handle.as_mut() }.map(|handle| &mut handle.0).ok_or_else(|| null("loop"))
}

/// Adds what `item` makes to the state, or to the parameters.
///
/// # Safety
/// As for `loop_of`.
unsafe fn declare(
    handle: *mut admpi_time_loop,
    add: fn(&mut Loop, Item),
    item: impl FnOnce() -> Result<Item>,
) -> i32 {
    entry(|| {
        // SAFETY: as the C contract says.
        let it = unsafe { loop_of(handle)? };
        add(it, item()?);
        Ok(())
    })
}

/// # Safety
/// As for `array_mut`.
unsafe fn array_item(name: &str, first: *mut admpi_var, n: i64) -> Result<Item> {
    let n = from_c("n", n)?;
    // SAFETY: as the C contract says.
    unsafe { array_mut(name, first, n)? };
    Ok(Item::Array { first, n })
}

/// # Safety
/// As for `get`.
unsafe fn matrix_item(name: &str, matrix: *mut admpi_varmat) -> Result<Item> {
    // SAFETY: as the C contract says.
    unsafe { get(name, matrix)? };
    Ok(Item::Matrix { locate: itself, object: matrix.cast() })
}

fn locator<T>(function: Option<T>) -> Result<T> {
    function.ok_or_else(|| null("locate"))
}

/// Makes a time loop, whose schedule is ADMPI_LOOP_AUTO. Loops already recorded outlive it.
/// @param tape            the tape that the loop runs on, or the handle of a thread without one: the steps run, and nothing is
///                        recorded
/// @param[out] loop_out   the loop; free it with admpi_time_loop_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_new(
    tape: *mut admpi_tape,
    loop_out: *mut *mut admpi_time_loop,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("loop_out", loop_out), || {
            Ok(admpi_time_loop(Loop::new(super::tape::tape_or_none(tape)?)))
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

/// Chooses a schedule for the runs to come. ADMPI_LOOP_AUTO does the first steps on the tape and measures them. Where all steps fit into
/// the budget they stay on the tape. Else it takes the schedule that runs the fewest steps again. In a program of several ranks it
/// needs admpi_time_loop_set_comm, and is ADMPI_LOOP_BINOMIAL with 100 snapshots without.
/// @param kind       ADMPI_LOOP_ALL, ADMPI_LOOP_BLOCKS, ADMPI_LOOP_BINOMIAL, ADMPI_LOOP_MIXED or ADMPI_LOOP_AUTO
/// @param snapshots  for ADMPI_LOOP_BINOMIAL: how many states may be kept in memory, beside the one before the last block; for
///                   ADMPI_LOOP_MIXED: how many states and recorded blocks, beside the state before the loop
/// @param block      for these and ADMPI_LOOP_BLOCKS: the steps that are recorded as a whole
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
            ADMPI_LOOP_MIXED => Kind::Mixed {
                units: number("snapshots", snapshots)?,
                block: number("block", block)?,
            },
            ADMPI_LOOP_AUTO => Kind::Auto,
            _ => {
                let text = format!("kind = {kind} is not an ADMPI_LOOP schedule");
                return Err(Error::new(Code::Argument, text));
            }
        };
        kind.check()?;
        it.kind = kind;
        Ok(())
    })
}

/// Says what schedule the last run had: what ADMPI_LOOP_AUTO chose, or what was set.
/// @param[out] kind_out       an ADMPI_LOOP schedule
/// @param[out] snapshots_out  its snapshots; 0 where it has no such number
/// @param[out] block_out      the steps of its blocks; 0 where it has none
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_schedule(
    r#loop: *const admpi_time_loop,
    kind_out: *mut i32,
    snapshots_out: *mut i64,
    block_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let kind = loop_of(r#loop.cast_mut())?.chosen.get();
        let (_, snapshots, block) = kind.words();
        let [snapshots, block] = [snapshots, block].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let number = i32::try_from(kind.number()).unwrap_or(ADMPI_LOOP_AUTO);
        get("snapshots_out", snapshots_out)?;
        get("block_out", block_out)?;
        put("kind_out", kind_out, || Ok(number))?;
        put("snapshots_out", snapshots_out, || Ok(snapshots))?;
        put("block_out", block_out, || Ok(block))
    })
}

/// Says how many bytes a run and its sweep may take, for ADMPI_LOOP_AUTO. The default is what the tape's limit leaves, or what the
/// machine has free, whichever is less.
/// @param bytes  the budget of this rank; 0 returns to the default
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_set_budget(
    r#loop: *mut admpi_time_loop,
    bytes: u64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        loop_of(r#loop)?.budget = (bytes != 0).then_some(bytes);
        Ok(())
    })
}

/// Lets the runs to come keep states on disk too, in a file of each rank that has no name once it is open. ADMPI_LOOP_BLOCKS keeps all
/// states there. ADMPI_LOOP_BINOMIAL keeps states in memory and on disk so that running, writing and reading together cost the least;
/// where the number of steps is not known, it keeps a state on disk after each of so many blocks, whatever `snapshots`.
/// @param directory  where the file is made; NULL: no disk
/// @param snapshots  how many states may be on disk at a time
/// @param write      what it costs to write a state, in runs of a step
/// @param read       what it costs to read one
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_set_disk(
    r#loop: *mut admpi_time_loop,
    directory: *const c_char,
    snapshots: i64,
    write: f64,
    read: f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let it = loop_of(r#loop)?;
        if directory.is_null() {
            it.disk = None;
            return Ok(());
        }
        let disk = Disk { snapshots: from_c("snapshots", snapshots)? as u64, write, read };
        disk.check()?;
        let directory = OsStr::from_bytes(CStr::from_ptr(directory).to_bytes());
        it.disk = Some((directory.into(), disk));
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
    unsafe { declare(r#loop, Loop::add_state, || array_item("x", x, n)) }
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
    unsafe {
        declare(r#loop, Loop::add_state, || Ok(Item::Located { locate: locator(locate)?, object }))
    }
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
    unsafe { declare(r#loop, Loop::add_state, || matrix_item("a", a)) }
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
    unsafe { declare(r#loop, Loop::add_parameters, || array_item("k", k, n)) }
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
    unsafe {
        declare(r#loop, Loop::add_parameters, || {
            Ok(Item::Located { locate: locator(locate)?, object })
        })
    }
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
    unsafe { declare(r#loop, Loop::add_parameters, || matrix_item("k", k)) }
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
    unsafe {
        declare(r#loop, Loop::add_state, || Ok(Item::Matrix { locate: locator(locate)?, object }))
    }
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
    unsafe {
        declare(r#loop, Loop::add_parameters, || {
            Ok(Item::Matrix { locate: locator(locate)?, object })
        })
    }
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
///         ADMPI_ERR_MISMATCH (the ranks differ in steps or schedule), ADMPI_ERR_DISK (a state cannot be kept there), ADMPI_ERR_IDS,
///         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
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
        let step = Step { function, condition: None, ctx, destroy };
        let steps = from_c("steps", steps)? as u64;
        loop_of(r#loop)?.run(Some(steps), step).map(|_| ())
    })
}

/// The same, where only a condition tells how many steps there are: `condition(0)`, `fn(0)`, `condition(1)` and so on. Sweeps do not
/// ask the condition. ADMPI_LOOP_BINOMIAL and ADMPI_LOOP_MIXED keep the states from which the fewest steps would be run again if
/// the loop ended with the next step.
/// @param condition        whether there is another step
/// @param fn               a step
/// @param ctx              the context of both
/// @param destroy          destroys the context, once, when nothing needs it any more, whatever this call returns; NULL is fine
/// @param[out] steps_out   the steps run; NULL is fine
/// @return as admpi_time_loop_run
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_time_loop_run_while(
    r#loop: *mut admpi_time_loop,
    condition: admpi_time_condition_fn,
    r#fn: admpi_time_step_fn,
    ctx: *mut c_void,
    destroy: Option<unsafe extern "C-unwind" fn(ctx: *mut c_void)>,
    steps_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let function = r#fn.ok_or_else(|| null("fn"))?;
        let condition = Some(condition.ok_or_else(|| null("condition"))?);
        let step = Step { function, condition, ctx, destroy };
        let steps = loop_of(r#loop)?.run(None, step)?;
        if let Some(out) = steps_out.as_mut() {
            *out = i64::try_from(steps).unwrap_or(i64::MAX);
        }
        Ok(())
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
            let did: Statistics = loop_of(r#loop)?.counts.get();
            Ok(admpi_time_loop_statistics {
                first: did.first,
                advanced: did.advanced,
                recorded: did.recorded,
                snapshots: did.snapshots,
                snapshot_bytes: did.snapshot_bytes,
                disk_snapshots: did.disk_snapshots,
                disk_bytes: did.disk_bytes,
                records: did.records,
            })
        })
    })
}
