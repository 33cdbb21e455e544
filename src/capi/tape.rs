//! The C interface of the tape. `include/admpi/tape.h` is generated from this file.

use super::{array, array_mut, entry, get, give, null, put};
use crate::count::from_c;
use crate::error::{Code, Error, Result, set_last, with_last};
use crate::tape::{self, Outside, Room, Tape};
use crate::trace;
use std::ffi::{c_char, c_void};

// By the names under which C knows them: they are defined in `include/admpi/var.h`.
use crate::tape::{
    Cursors as admpi_tape, NestToken as admpi_nest, Position as admpi_position,
    Statistics as admpi_statistics, Var as admpi_var,
};

/// The reverse function of a callback.
/// @param n_out        number of results
/// @param n_in         number of operands
/// @param width        directions of the sweep
/// @param out_adjoint  `n_out*width` doubles; the directions of a result are adjacent
/// @param in_adjoint   `n_in*width` doubles, zero on entry: set them to what is added to the operands' adjoints
/// @param payload      the copy in the arena, or the pointer given at recording
/// @return 0, or any other number: the sweep ends with ADMPI_ERR_CALLBACK
#[allow(non_camel_case_types)]
pub type admpi_reverse_fn = Option<
    unsafe extern "C-unwind" fn(
        n_out: i64,
        n_in: i64,
        width: i32,
        out_adjoint: *const f64,
        in_adjoint: *mut f64,
        payload: *mut c_void,
    ) -> i32,
>;

/// The tape behind a handle; the placeholder of a thread without one is refused.
///
/// # Safety
/// `handle` is NULL, the placeholder, or a live tape.
pub(super) unsafe fn tape<'a>(handle: *const admpi_tape) -> Result<&'a mut Tape> {
    // SAFETY: as the callers promise.
    unsafe { pointer(handle).map(|tape| &mut *tape) }
}

/// As `tape`, or null for the placeholder.
///
/// # Safety
/// As for `tape`.
pub(super) unsafe fn tape_or_none(handle: *const admpi_tape) -> Result<*mut Tape> {
    if !handle.is_null() && tape::is_no_tape(handle) {
        return Ok(std::ptr::null_mut());
    }
    // SAFETY: as the callers promise.
    unsafe { pointer(handle) }
}

/// The same for calls in which functions of the user's run, which may use the tape through its handle.
/// Not in destructors, though, which run while the tape is taken down.
///
/// # Safety
/// As for `tape`.
unsafe fn pointer(handle: *const admpi_tape) -> Result<*mut Tape> {
    if handle.is_null() {
        return Err(null("tape"));
    }
    if tape::is_no_tape(handle) {
        return Err(Error::new(Code::NoTape, "tape: the calling thread has none"));
    }
    // Cursors are the first field of their tape.
    let tape = handle.cast_mut().cast::<Tape>();
    // SAFETY: a live tape.
    if unsafe { (*tape).recovering() } {
        return Err(Error::new(Code::Nest, "tape: it is running its destructors"));
    }
    // SAFETY: as above.
    if unsafe { (*tape).is_leased() } {
        return Err(Error::new(Code::Nest, "tape: it waits for the jobs of a map"));
    }
    Ok(tape)
}

pub(super) fn direction(k: i32) -> Result<usize> {
    usize::try_from(k)
        .map_err(|_| Error::new(Code::Argument, format!("direction = {k} is negative")))
}

/// Returns the library's version.
/// @return a static string, "major.minor.patch"
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the calling thread's last error message.
/// @return a string that is valid until the thread's next failing call; "" before the first
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_last_error() -> *const c_char {
    with_last(std::ffi::CStr::as_ptr)
}

/// Sets the calling thread's last error message: for what is checked outside the library, in the Fortran modules.
/// @param code  an error code
/// @param text  the message, which names the call and the values
/// @return `code`, or ADMPI_ERR_ARGUMENT if there is no such code
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_refuse_call(code: i32, text: *const c_char) -> i32 {
    // SAFETY: as the C contract says.
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy();
    set_last(&Error::new(Code::from_c(code).unwrap_or(Code::Argument), text))
}

/// Turns checking mode on or off, like ADMPI_CHECK=1, for tapes made from now on. Call it before other threads record.
/// @param on  0 or 1
/// @return ADMPI_SUCCESS
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_set_check(on: i32) -> i32 {
    entry(|| {
        tape::set_checking(on != 0);
        Ok(())
    })
}

/// Makes a tape. It takes no memory before it is used, and does not become the thread's current tape.
/// @param[out] tape_out  the tape; free it with admpi_tape_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_DISK (the file of ADMPI_TRACE cannot be written)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_new(tape_out: *mut *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("tape_out", tape_out), || {
            trace::start_alone()?;
            let mut tape = Box::new(Tape::new());
            if trace::is_on() {
                tape.set_profile(true)?;
            }
            Ok(Box::into_raw(tape).cast())
        })
    }
}

/// Frees a tape. If it is the calling thread's current one, the thread has none afterwards. A tape cannot be freed while it
/// runs a user's callback or destructor; admpi_last_error then says so.
/// @param tape  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_free(tape: *mut admpi_tape) {
    entry(|| {
        if tape.is_null() || tape::is_no_tape(tape) {
            return Ok(());
        }
        // SAFETY: the tape was made by admpi_tape_new and is not used again.
        unsafe {
            let owned = pointer(tape)?;
            (*owned).not_in_sweep("free")?;
            tape::forget_current(tape);
            Tape::free(owned);
        }
        Ok(())
    });
}

/// Makes a tape the calling thread's current one. `admpi_tape_activate` passes the header's number.
/// @param tape               NULL: the thread has none from now on
/// @param abi                ADMPI_TAPE_ABI
/// @param[out] previous_out  the previous current tape, or NULL; may itself be NULL
/// @return ADMPI_SUCCESS, ADMPI_ERR_ABI, ADMPI_ERR_THREAD (the tape is active on another thread)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_tape_activate(
    tape: *mut admpi_tape,
    abi: u32,
    previous_out: *mut *mut admpi_tape,
) -> i32 {
    entry(|| {
        if abi != tape::TAPE_ABI {
            return Err(Error::new(
                Code::Abi,
                format!(
                    "the program's header has tape ABI {abi}, the library {}: recompile with the library's headers",
                    tape::TAPE_ABI
                ),
            ));
        }
        let tape =
            if tape.is_null() || tape::is_no_tape(tape) { std::ptr::null_mut() } else { tape };
        // SAFETY: as the C contract says.
        unsafe {
            let previous = tape::activate(tape.cast())?;
            if !previous_out.is_null() {
                previous_out.write(previous.cast());
            }
        }
        Ok(())
    })
}

/// Starts or resumes recording.
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_start(tape: *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape).map(Tape::start) })
}

/// Stops recording: results are passive until recording starts again.
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_stop(tape: *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape).map(Tape::stop) })
}

/// Declares inputs.
/// @param value       `n` doubles
/// @param n           number of inputs
/// @param[out] x_out  `n` active values; must not overlap value
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (n < 0),
///         ADMPI_ERR_NOT_RECORDING, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_input(
    tape: *mut admpi_tape,
    value: *const f64,
    n: i64,
    x_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        let n = from_c("n", n)?;
        let (values, inputs) = (array("value", value, n)?, array_mut("x_out", x_out, n)?);
        let (first, tag) = (tape.input_ids(n)?, tape.tag());
        for ((input, &value), id) in inputs.iter_mut().zip(values).zip(first..) {
            *input = admpi_var { value, id, tag };
        }
        Ok(())
    })
}

/// Reserves consecutive ids for inputs. The caller writes the ids, and the tape's tag, into its values.
/// @param n                   number of inputs
/// @param[out] first_id_out   the first of `n` ids
/// @return as admpi_tape_input
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_input_ids(
    tape: *mut admpi_tape,
    n: i64,
    first_id_out: *mut u32,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        put("first_id_out", first_id_out, || tape.input_ids(from_c("n", n)?))
    })
}

/// Sets the number of directions of a sweep. A change clears the adjoints.
/// @param width  1, 2, 4, 8 or 16
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT,
///         ADMPI_ERR_NEST (a change in a callback of a sweep, or in a nest where adjoints outside would be lost),
///         ADMPI_ERR_RANGE (a change while a partial sweep has messages in flight)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_set_width(tape: *mut admpi_tape, width: i32) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.set_width(tape::width_of(width)?) })
}

/// Adds to the adjoint of a result.
/// @param y          a value of this tape; a passive value is ignored, or refused in checking mode unless weight is 0
/// @param weight     what is added
/// @param direction  from 0, below the width
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE,
///         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_seed(
    tape: *mut admpi_tape,
    y: admpi_var,
    weight: f64,
    direction: i32,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (tape, direction) = (self::tape(tape)?, self::direction(direction)?);
        tape.check_seeds("y", &[y], &[weight])?;
        tape.seed(&y, weight, direction)
    })
}

/// Keeps the adjoint of an intermediate value after a sweep. It accumulates over sweeps, like those of inputs.
/// @param y  a value of this tape; a passive one is ignored
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_STALE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_keep(tape: *mut admpi_tape, y: admpi_var) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.keep(&y) })
}

/// Sweeps from the top of the tape to its bottom, or to the base of the innermost nest. Afterwards inputs and kept values
/// hold adjoints; all others are zero. Collective over all ranks that communicated in this range. In a callback of another
/// sweep of the tape, only what was recorded since that sweep began may be swept; open a nest for it.
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY,
///         ADMPI_ERR_STALE (a statement has an operand of another tape; clear the adjoints),
///         ADMPI_ERR_ARGUMENT (nothing was seeded, in checking mode),
///         ADMPI_ERR_NEST (a callback swept the range that is being swept, left a nest open, or used a value that was
///         made after the operation it reverses),
///         ADMPI_ERR_MISMATCH (the ranks did not record matching messages and collectives),
///         ADMPI_ERR_CALLBACK, ADMPI_ERR_MPI, or the error that a C operator could not return
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_reverse(tape: *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { Tape::reverse(pointer(tape)?) })
}

/// Sweeps from one position down to another.
/// @param from  the upper one
/// @param to    the lower one, not below the base of the innermost nest
/// @return as admpi_tape_reverse, and ADMPI_ERR_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_reverse_range(
    tape: *mut admpi_tape,
    from: *const admpi_position,
    to: *const admpi_position,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (from, to) = (*get("from", from)?, *get("to", to)?);
        Tape::reverse_range(pointer(tape)?, &from, &to)
    })
}

/// Reads an adjoint.
/// @param x                 an input, a kept value, or a value that no sweep has passed: the adjoint of any other is 0, and an
///                          error in checking mode
/// @param direction         from 0, below the width
/// @param[out] adjoint_out  the adjoint
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_adjoint(
    tape: *const admpi_tape,
    x: admpi_var,
    direction: i32,
    adjoint_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        put("adjoint_out", adjoint_out, || {
            let adjoint = tape.adjoint(&x, self::direction(direction)?)?;
            tape.check_answers("x", &[x], &[adjoint]).map(|()| adjoint)
        })
    })
}

/// Reads the adjoints of several values.
/// @param x                 `n` values of this tape
/// @param n                 how many
/// @param direction         from 0, below the width
/// @param[out] adjoint_out  `n` doubles
/// @return as admpi_tape_adjoint
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_adjoints(
    tape: *const admpi_tape,
    x: *const admpi_var,
    n: i64,
    direction: i32,
    adjoint_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        let n = from_c("n", n)?;
        let (values, adjoints) = (array("x", x, n)?, array_mut("adjoint_out", adjoint_out, n)?);
        tape.check_vars("x", values)?;
        tape.adjoints_of(values, self::direction(direction)?, adjoints)?;
        tape.check_answers("x", values, adjoints)
    })
}

/// Sets all adjoints to zero, including those of inputs and kept values. In an isolated nest, only those of values made in
/// it.
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE,
///         ADMPI_ERR_NEST (in a callback of a sweep, unless in an isolated nest opened there)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_clear_adjoints(tape: *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.clear_adjoints() })
}

/// Empties the tape. It keeps its memory for the next recording; its values become stale.
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE,
///         ADMPI_ERR_NEST (a nest is open, or a sweep is running),
///         ADMPI_ERR_RANGE (a partial sweep left messages in flight)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_reset(tape: *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { Tape::reset(pointer(tape)?) })
}

/// Returns the tape's current position.
/// @param[out] position_out  the position
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_position(
    tape: *const admpi_tape,
    position_out: *mut admpi_position,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        put("position_out", position_out, || Ok(tape.mark()))
    })
}

/// Goes back to a position. Values made since become stale.
/// @param position  not below the base of the innermost nest, nor below where a running sweep began, nor below where a
///                  partial sweep must continue
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_reset_to(
    tape: *mut admpi_tape,
    position: *const admpi_position,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let position = *get("position", position)?;
        Tape::reset_to(pointer(tape)?, &position)
    })
}

/// Opens a nest: what is recorded from now on is swept alone, and forgotten when the nest is recovered. Its sweeps add to
/// the adjoints of the values from outside that it uses; a later sweep outside propagates these. In a callback
/// of a sweep such values must be older than the operation that is being reversed; that sweep propagates their adjoints.
/// @param flags          0, or ADMPI_NEST_ISOLATED: values from outside are constants, and their adjoints do not change
/// @param[out] nest_out  the nest, for admpi_tape_recover_nested
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_start_nested(
    tape: *mut admpi_tape,
    flags: i32,
    nest_out: *mut admpi_nest,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        let outside = Outside::of_flags(flags)?;
        put("nest_out", nest_out, || tape.start_nested(outside))
    })
}

/// Closes the innermost nest and forgets what was recorded in it. Restores whether the tape recorded when the nest was
/// opened.
/// @param nest  the innermost open nest; if a sweep is running, a nest opened after it began
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST,
///         ADMPI_ERR_RANGE (a partial sweep left messages in flight)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_recover_nested(
    tape: *mut admpi_tape,
    nest: admpi_nest,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { Tape::recover_nested(pointer(tape)?, nest) })
}

/// Registers a destructor that runs when this place of the tape is forgotten, newest first.
/// @param fn       the destructor; it cannot use the tape: all calls on it return ADMPI_ERR_NEST
/// @param payload  its argument; NULL is fine
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_on_recover(
    tape: *mut admpi_tape,
    r#fn: Option<unsafe extern "C-unwind" fn(payload: *mut c_void)>,
    payload: *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.on_recover(r#fn.ok_or_else(|| null("fn"))?, payload) })
}

/// Records an operation with the user's own reverse function.
/// @param in             `n_in` operands, active or not; NULL if none
/// @param n_in           number of operands
/// @param value          `n_out` results
/// @param n_out          number of results; with 0 the function is only called when a sweep passes
/// @param fn             the reverse function
/// @param payload        its data
/// @param payload_size   bytes of payload to copy into the tape; 0 keeps the pointer itself
/// @param[out] y_out     `n_out` active results, passive if the tape does not record; NULL if none. May be the
///                       memory of the operands
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE,
///         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_callback(
    tape: *mut admpi_tape,
    r#in: *const admpi_var,
    n_in: i64,
    value: *const f64,
    n_out: i64,
    r#fn: admpi_reverse_fn,
    payload: *const c_void,
    payload_size: usize,
    y_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        let (n_in, n_out) = (from_c("n_in", n_in)?, from_c("n_out", n_out)?);
        let (operands, values) = (array("in", r#in, n_in)?, array("value", value, n_out)?);
        array("y_out", y_out, n_out)?;
        let reverse = r#fn.ok_or_else(|| null("fn"))?;
        if payload_size > 0 && payload.is_null() {
            return Err(null("payload"));
        }
        let first = tape.callback(operands, n_out, reverse, payload, payload_size)?;
        // Only now, since it may be where the operands are.
        let results = array_mut("y_out", y_out, n_out)?;
        for (i, (result, &value)) in results.iter_mut().zip(values).enumerate() {
            *result = tape.value(value, first, i);
        }
        Ok(())
    })
}

/// Records a value whose partial derivatives are known.
/// @param value       the value
/// @param operand     `n` operands, active or not
/// @param partial     `n` partial derivatives
/// @param n           how many
/// @param[out] y_out  the active value; passive if no operand is active or the tape does not record
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE,
///         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_precomputed(
    tape: *mut admpi_tape,
    value: f64,
    operand: *const admpi_var,
    partial: *const f64,
    n: i64,
    y_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        let n = from_c("n", n)?;
        let (operands, partials) = (array("operand", operand, n)?, array("partial", partial, n)?);
        put("y_out", y_out, || {
            let id = tape.precomputed(operands, partials)?;
            Ok(tape.value(value, id, 0))
        })
    })
}

/// Counts what the tape holds.
/// @param[out] statistics_out  counts and bytes
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_statistics(
    tape: *const admpi_tape,
    statistics_out: *mut admpi_statistics,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = self::tape(tape)?;
        put("statistics_out", statistics_out, || Ok(tape.statistics()))
    })
}

/// Sets the number of bytes that the tape may commit. Memory that it has committed stays.
/// @param bytes  0: the default of the process, 90 % of the memory, divided among the ranks of the node
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_set_limit(tape: *mut admpi_tape, bytes: u64) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape).map(|tape| tape.set_limit(bytes)) })
}

/// Returns unused memory to the system.
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_trim(tape: *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape).map(Tape::trim) })
}

/// For inline recorders: finds room for a statement of `n` arguments.
/// @param n  at most 254
/// @return 0: write the statement now; -1: not recording, the result is passive;
///         ADMPI_ERR_NULL, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY: nothing may be written
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_tape_grow(tape: *mut admpi_tape, n: u32) -> i32 {
    if !tape.is_null() && tape::is_no_tape(tape) {
        return -1;
    }
    let mut room = Room::Found;
    // SAFETY: as the C contract says.
    let code = entry(|| unsafe {
        room = self::tape(tape)?.grow(n)?;
        Ok(())
    });
    if code == 0 && room == Room::NotRecording { -1 } else { code }
}

/// For inline recorders in checking mode, or on a thread without a tape: whether an operand may be used now.
/// @param operand  an active or passive value
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE (active, on a thread without a tape: in
///         checking mode, or if the tape that made it records, whose next sweep fails then)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_tape_check(
    tape: *const admpi_tape,
    operand: *const admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let operand = get("operand", operand)?;
        if tape::is_no_tape(tape) {
            return tape::check_without_tape("operand", operand);
        }
        self::tape(tape)?.check_var("operand", operand)
    })
}

/// For recorders that cannot return an error: the next sweep returns it, with the present message. It is
/// forgotten with the place of the tape where it occurred.
/// @param code  what admpi_detail_tape_grow or admpi_detail_tape_check returned; ADMPI_SUCCESS does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_tape_fail(tape: *mut admpi_tape, code: i32) {
    // SAFETY: as the C contract says.
    let Ok(tape) = (unsafe { self::tape(tape) }) else { return };
    if code == 0 {
        return;
    }
    let message = with_last(|text| text.to_string_lossy().into_owned());
    let code = Code::from_c(code).unwrap_or(Code::Argument);
    set_last(&Error::new(code, message.clone()));
    tape.fail(Error::new(code, message));
}
