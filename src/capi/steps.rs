//! The C interface of what other AD tools record. `include/admpi/steps.h` is generated from this file.

use super::{array, entry, give, null};
use crate::count::from_c;
use crate::error::{Code, Error, Result};
use crate::foreign::format::{Bytes, Item, Match, Number, describe, described};
use crate::foreign::{Argument, Format, Given, Place, Steps, Told};
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};

use crate::tape::{Statistics as admpi_statistics, Var as admpi_var};

/// The call reads the numbers.
pub const ADMPI_STEP_READ: i32 = 1;
/// The call writes the numbers.
pub const ADMPI_STEP_WRITTEN: i32 = 2;
/// The numbers are floats, not doubles.
pub const ADMPI_STEP_FLOAT: i32 = 4;
/// The adjoints are where admpi_step_turn tells, not where admpi_step_reverse does.
pub const ADMPI_STEP_TURNED: i32 = 8;
/// A message takes the numbers from where they lie, or brings them there. Of aligned doubles in a row that are read or written, not both;
/// the call is made with the datatype of admpi_detail_numbers_type.
pub const ADMPI_STEP_LENT: i32 = 16;
/// An item is a double.
pub const ADMPI_STEP_ITEM_DOUBLE: i64 = -1;
/// An item is a float.
pub const ADMPI_STEP_ITEM_FLOAT: i64 = -2;
/// A part of an item is of doubles.
pub const ADMPI_STEP_PART_DOUBLE: i32 = 0;
/// A part of an item is of floats.
pub const ADMPI_STEP_PART_FLOAT: i32 = 1;
/// A part of an item is of bytes that are no numbers.
pub const ADMPI_STEP_PART_BYTES: i32 = 2;

// In a box: the library's thread-local memory is short. See scripts/check-symbols.
thread_local!(static STEPS: RefCell<Box<Steps>> = RefCell::default());

fn with_steps<R>(f: impl FnOnce(&mut Steps) -> Result<R>) -> Result<R> {
    let busy =
        || Error::new(Code::Nest, "a step of this thread is being reversed, or the thread ends");
    STEPS
        .try_with(|steps| f(&mut **steps.try_borrow_mut().map_err(|_| busy())?))
        .unwrap_or_else(|_| Err(busy()))
}

/// # Safety
/// `text` is NULL or a string that is there for ever.
unsafe fn text(name: &str, text: *const c_char) -> Result<&'static CStr> {
    if text.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// Opens a step: until it is closed the thread's companion tape is its current tape, and records. A step is one call of
/// communication with numbers of another AD tool's. See docs/tools.md.
/// @param call  the name of the call, a static string
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (another step is open), ADMPI_ERR_THREAD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_open(call: *const c_char) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { with_steps(|steps| steps.open(text("call", call)?)) })
}

/// Gives the numbers of the next argument of the call as active values, which the call is made with. Those that it reads
/// have fresh ids; what it writes is copied to the numbers when the call is complete.
/// @param name             the name of the argument, a static string
/// @param numbers          `n` numbers, which stay there until the call is complete
/// @param n                how many
/// @param flags            sum of ADMPI_STEP_READ, ADMPI_STEP_WRITTEN, ADMPI_STEP_FLOAT and ADMPI_STEP_TURNED
/// @param[out] values_out  `n` active values, until the call is complete
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_NEST (no step is open), ADMPI_ERR_IDS,
///         ADMPI_ERR_MEMORY, ADMPI_ERR_LIMIT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_argument(
    name: *const c_char,
    numbers: *mut c_void,
    n: i64,
    flags: i32,
    values_out: *mut *mut admpi_var,
) -> i32 {
    let float = flags & ADMPI_STEP_FLOAT != 0;
    let item = if float { ADMPI_STEP_ITEM_FLOAT } else { ADMPI_STEP_ITEM_DOUBLE };
    // SAFETY: as the C contract says.
    unsafe {
        give(("values_out", values_out), || Ok(stage((name, numbers, n), item, flags)?.cast()))
    }
}

/// The argument `n` items at `base`, whose `name` is a static string.
///
/// # Safety
/// As the C contract of `admpi_step_items` says.
unsafe fn stage(
    (name, base, n): (*const c_char, *mut c_void, i64),
    item: i64,
    flags: i32,
) -> Result<*mut c_void> {
    // SAFETY: the caller's promise; so below.
    let name = unsafe { text("name", name) }?;
    let format = format_of(item)?;
    let each = if let Format::Items(item) = format { item.places() } else { 1 };
    let n = usize::try_from(n)
        .ok()
        .filter(|n| n.checked_mul(each * size_of::<admpi_var>()).is_some())
        .ok_or_else(|| {
            Error::new(Code::Argument, format!("{}: {n} numbers", name.to_string_lossy()))
        })?;
    if base.is_null() && n > 0 {
        return Err(null(&name.to_string_lossy()));
    }
    let is = |flag: i32| flags & flag != 0;
    let (reads, writes) = (is(ADMPI_STEP_READ), is(ADMPI_STEP_WRITTEN));
    let (turned, lent) = (is(ADMPI_STEP_TURNED), is(ADMPI_STEP_LENT));
    let is_aligned = base.addr().is_multiple_of(align_of::<f64>());
    if lent && (format != Format::Double || reads == writes || !is_aligned) {
        let why = format!(
            "flags = {flags}: only aligned doubles that are read or written, not both, are lent"
        );
        return Err(Error::new(Code::Argument, why));
    }
    let place = Place::Array { base: base.cast(), format };
    let argument = Argument { name, n: n * format.each(), place, reads, writes, turned, lent };
    // SAFETY: as above.
    with_steps(|steps| unsafe { steps.argument(argument) })
}

fn format_of(item: i64) -> Result<Format> {
    match item {
        ADMPI_STEP_ITEM_DOUBLE => Ok(Format::Double),
        ADMPI_STEP_ITEM_FLOAT => Ok(Format::Float),
        _ => {
            usize::try_from(item).ok().and_then(described).map(Format::Items).ok_or_else(|| {
                Error::new(Code::Argument, format!("item = {item} was not described"))
            })
        }
    }
}

/// Describes items which are not one number each, as structures are. Of the same shape another time the number is the same.
/// @param offsets        where each part begins, in bytes behind the item's address
/// @param lengths        how many numbers, or bytes, each part has
/// @param kinds          of each part ADMPI_STEP_PART_DOUBLE, ADMPI_STEP_PART_FLOAT or ADMPI_STEP_PART_BYTES
/// @param n              how many parts
/// @param extent         bytes from one item to the next
/// @param[out] item_out  a number for the calls below
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (a kind or length, or an item without numbers)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_item(
    offsets: *const i64,
    lengths: *const i64,
    kinds: *const i32,
    n: i64,
    extent: i64,
    item_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("item_out", item_out), || {
            let n = from_c("n", n)?;
            let offsets = array("offsets", offsets, n)?;
            let (lengths, kinds) = (array("lengths", lengths, n)?, array("kinds", kinds, n)?);
            let mut item = Item { numbers: Vec::new(), bytes: Vec::new(), extent };
            for (i, ((&offset, &length), &kind)) in
                offsets.iter().zip(lengths).zip(kinds).enumerate()
            {
                append(&mut item, (offset, length, kind)).ok_or_else(|| {
                    let why = format!("parts[{i}]: {length} of the kind {kind}");
                    Error::new(Code::Argument, why)
                })?;
            }
            Ok(i64::try_from(describe(item)?).unwrap_or(i64::MAX))
        })
    }
}

fn append(item: &mut Item, (offset, length, kind): (i64, i64, i32)) -> Option<()> {
    let n = usize::try_from(length).ok()?;
    let float = match kind {
        ADMPI_STEP_PART_DOUBLE => false,
        ADMPI_STEP_PART_FLOAT => true,
        ADMPI_STEP_PART_BYTES => {
            item.bytes.push(Bytes { offset, n });
            return Some(());
        }
        _ => return None,
    };
    let bytes = if float { 4 } else { 8 };
    item.numbers.extend((0..length).map(|i| Number { offset: offset + i * bytes, float }));
    Some(())
}

/// Tells which numbers of an item have adjoints, or tangents, in items of another shape: in the same order if there are as
/// many; else that item has all doubles, or all floats.
/// @param item        an item
/// @param other       one of adjoints or tangents
/// @param[out] at_out of each number of the item its place in the other, or -1
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (an item was not described, or the shapes do not fit)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_match(item: i64, other: i64, at_out: *mut i64) -> i32 {
    entry(|| {
        if at_out.is_null() {
            return Err(null("at_out"));
        }
        let members = Match::members(format_of(item)?, format_of(other)?).ok_or_else(|| {
            let why = "the items of adjoints or tangents must have as many numbers as those that they belong to, or all of their doubles, or all of their floats";
            Error::new(Code::Argument, why)
        })?;
        for (i, at) in members.into_iter().enumerate() {
            let at = at.map_or(-1, |at| i64::try_from(at).unwrap_or(-1));
            // SAFETY: as the C contract says.
            unsafe { at_out.add(i).write(at) };
        }
        Ok(())
    })
}

/// As admpi_step_argument, of items that admpi_step_item has described.
/// @param name             the name of the argument, a static string
/// @param base             `n` items, which stay there until the call is complete
/// @param n                how many items
/// @param item             of admpi_step_item, or ADMPI_STEP_ITEM_DOUBLE or ADMPI_STEP_ITEM_FLOAT
/// @param flags            sum of ADMPI_STEP_READ, ADMPI_STEP_WRITTEN, ADMPI_STEP_TURNED and ADMPI_STEP_LENT
/// @param[out] values_out  of each item its numbers as active values, and behind them, in whole places of 16 bytes, its bytes
///                         that are no numbers; where they are lent what the call is made with
/// @return as for admpi_step_argument
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_items(
    name: *const c_char,
    base: *mut c_void,
    n: i64,
    item: i64,
    flags: i32,
    values_out: *mut *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { give(("values_out", values_out), || stage((name, base, n), item, flags)) }
}

/// Closes the step of a call that is complete, or has failed. The thread's tape is again the one before.
/// @param failed  whether the call failed: nothing is written, and the step is forgotten
/// @return ADMPI_SUCCESS, ADMPI_ERR_NEST (no step is open)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_close(failed: i32) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { with_steps(|steps| steps.close(failed != 0)) })
}

/// Closes the step of a call that was started, which another step will complete.
/// @param handle           the request of the call
/// @param[out] number_out  its number, from 0 on, for the calls below; the numbers of complete calls are used again
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (no step is open)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_close_started(
    handle: *mut c_void,
    number_out: *mut i64,
) -> i32 {
    let close = || with_steps(|steps| steps.close_started(handle));
    // SAFETY: as the C contract says.
    unsafe { give(("number_out", number_out), || Ok(i64::try_from(close()?).unwrap_or(i64::MAX))) }
}

fn number_of(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the request of a call that was started on this thread and is not complete.
/// @param number           its number
/// @param[out] handle_out  the request
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (there is no such call)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_started(
    number: i64,
    handle_out: *mut *mut c_void,
) -> i32 {
    let started = || with_steps(|steps| steps.started(number_of(number)));
    // SAFETY: as the C contract says.
    unsafe { give(("handle_out", handle_out), started) }
}

/// The call that the open step was to complete is complete: its numbers are written.
/// @param number  the number of the call
/// @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (there is no such call), ADMPI_ERR_NEST (no step is open)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_completed(number: i64) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { with_steps(|steps| steps.completed(number_of(number))) })
}

/// Tells where the adjoints of numbers are that a step has completed, such as those of a receive. This is for all steps that
/// are recorded now, until the last of them is reversed.
/// @param numbers  the numbers
/// @param bytes    how many bytes; 0: all of every argument that begins at `numbers`
/// @param adjoint  their adjoints
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_turn(
    numbers: *const c_void,
    bytes: i64,
    adjoint: *mut c_void,
) -> i32 {
    entry(|| {
        if numbers.is_null() {
            return Err(null("numbers"));
        }
        if adjoint.is_null() {
            return Err(null("adjoint"));
        }
        let bytes = usize::try_from(bytes)
            .map_err(|_| Error::new(Code::Argument, format!("bytes = {bytes} is negative")))?;
        with_steps(|steps| {
            steps.turn(numbers.addr(), bytes, adjoint.cast());
            Ok(())
        })
    })
}

/// Reverses the thread's last step and forgets it: takes the adjoints of what the call wrote, and adds to those of what it
/// read. Collective over the ranks that communicated in it, as far as the adjoint communication is.
/// @param call       the name of the call, as it was opened
/// @param adjoint    for each argument its adjoints, of which there are as many and of the same format
/// @param n          how many arguments
/// @param completed  the adjoints of what the call completed, if that was one argument; NULL: see admpi_step_turn
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_RANGE (the last step is another one, or there is none),
///         ADMPI_ERR_ARGUMENT (nobody told where adjoints are), ADMPI_ERR_NEST (a step is open), and as for
///         admpi_tape_reverse_range
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_reverse(
    call: *const c_char,
    adjoint: *const *mut c_void,
    n: i64,
    completed: *mut c_void,
) -> i32 {
    let none = std::ptr::null();
    // SAFETY: as the C contract says.
    entry(|| unsafe { reverse(call, (adjoint, none, none, n), completed) })
}

/// As admpi_step_reverse, where adjoints may lie otherwise than the numbers, and their counts are compared.
/// @param call       the name of the call, as it was opened
/// @param adjoint    for each argument its adjoints
/// @param items      for each argument how its adjoints lie: of admpi_step_item, ADMPI_STEP_ITEM_DOUBLE or
///                   ADMPI_STEP_ITEM_FLOAT. NULL: as the numbers
/// @param counts     for each argument how many such items there are; -1: as many. NULL: as many of all
/// @param n          how many arguments
/// @param completed  the adjoints of what the call completed, if that was one argument; NULL: see admpi_step_turn
/// @return as for admpi_step_reverse; ADMPI_ERR_ARGUMENT where a count is not that of the numbers
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_reverse_items(
    call: *const c_char,
    adjoint: *const *mut c_void,
    items: *const i64,
    counts: *const i64,
    n: i64,
    completed: *mut c_void,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { reverse(call, (adjoint, items, counts, n), completed) })
}

/// Reverses the last step with the adjoints of `n` arguments.
///
/// # Safety
/// As the C contract of `admpi_step_reverse_items` says.
unsafe fn reverse(
    call: *const c_char,
    (adjoint, items, counts, n): (*const *mut c_void, *const i64, *const i64, i64),
    completed: *mut c_void,
) -> Result<()> {
    // SAFETY: the caller's promise; so below.
    let (call, adjoint) =
        unsafe { (text("call", call)?, array("adjoint", adjoint, from_c("n", n)?)?) };
    let told = |(i, &base): (usize, &*mut c_void)| -> Result<Told> {
        let are_told = !items.is_null() && !counts.is_null();
        let (item, count) = if are_told {
            // SAFETY: as above: there are as many.
            unsafe { (*items.add(i), *counts.add(i)) }
        } else {
            (0, -1)
        };
        let shape = match usize::try_from(count) {
            Ok(count) => {
                let format = format_of(item)?;
                Some((format, count.saturating_mul(format.each())))
            }
            Err(_) => None,
        };
        Ok(Told { base: base.cast(), shape })
    };
    // Of a message there is one: no allocation for it.
    let mut one = [Told::default()];
    let several;
    let adjoints = match adjoint {
        [adjoint] => {
            one[0] = told((0, adjoint))?;
            &one[..]
        }
        _ => {
            several = adjoint.iter().enumerate().map(told).collect::<Result<Vec<_>>>()?;
            &several
        }
    };
    let given = Given { adjoints, completed: completed.cast() };
    // SAFETY: as above.
    with_steps(|steps| unsafe { steps.reverse(call, &given) })
}

/// Returns how many steps of this thread are recorded, and what its companion tape holds.
/// @param[out] statistics_out  what the tape holds
/// @param[out] steps_out       how many steps; may be NULL
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_statistics(
    statistics_out: *mut admpi_statistics,
    steps_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("statistics_out", statistics_out), || {
            let (statistics, steps) = with_steps(|steps| Ok((steps.statistics(), steps.len())))?;
            if let Some(steps_out) = steps_out.as_mut() {
                *steps_out = i64::try_from(steps).unwrap_or(i64::MAX);
            }
            Ok(statistics)
        })
    }
}
