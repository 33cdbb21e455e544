//! The C interface of profiles: what each region of a program costs. `include/admpi/profile.h` is generated from this file.

use super::tape::tape;
use super::{entry, free, get, give_handle, null, put};
use crate::count::{as_c, from_c};
use crate::error::{Code, Error, Result};
use crate::profile::{Profile, Row, Spread};
use std::ffi::{CStr, c_char};

// By the name under which C knows it: it is defined in `include/admpi/var.h`.
use crate::tape::Cursors as admpi_tape;

/// What a tape did, by region; or several tapes, one on each rank.
#[allow(non_camel_case_types)]
pub struct admpi_profile(pub(super) Profile);

/// A number on several ranks. In a profile of one rank all three are the same.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
#[allow(non_camel_case_types)]
pub struct admpi_profile_spread {
    pub least: f64,
    pub mean: f64,
    pub most: f64,
}

laid_out!(admpi_profile_spread, admpi_profile_spread);

impl From<Spread> for admpi_profile_spread {
    fn from(Spread { least, mean, most }: Spread) -> Self {
        Self { least, mean, most }
    }
}

/// What was done in a region, without the regions inside it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct admpi_profile_row {
    /// Its name, behind those that it is in: "step/advection". It lives as long as the profile.
    pub region: *const c_char,
    /// How often it was entered.
    pub count: admpi_profile_spread,
    /// Statements recorded. What is recorded again, as in a time loop, counts again.
    pub statements: admpi_profile_spread,
    /// Events recorded: messages, operations on matrices and the like.
    pub events: admpi_profile_spread,
    /// Bytes recorded, without adjoints.
    pub bytes: admpi_profile_spread,
    /// The time spent outside of sweeps.
    pub recording_seconds: admpi_profile_spread,
    /// The time that sweeps spent on what was recorded there.
    pub sweep_seconds: admpi_profile_spread,
}
laid_out!(admpi_profile_row, admpi_profile_row);

impl From<&Row> for admpi_profile_row {
    fn from(row: &Row) -> Self {
        Self {
            region: row.region.as_ptr(),
            count: row.count().into(),
            statements: row.statements().into(),
            events: row.events().into(),
            bytes: row.bytes().into(),
            recording_seconds: row.recording_seconds().into(),
            sweep_seconds: row.sweep_seconds().into(),
        }
    }
}

/// The name of a region.
///
/// # Safety
/// `name` is NULL or a string.
unsafe fn region_name(name: *const c_char) -> Result<String> {
    if name.is_null() {
        return Err(null("name"));
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    if name.is_empty() {
        return Err(Error::new(Code::Argument, "name is empty"));
    }
    Ok(name.into_owned())
}

/// Turns the profile of a tape on or off. From then on the tape counts what each region records, and measures its time and that
/// of its sweeps. Turning it on forgets what was counted before; regions that are open stay so. Turned off, it can still be read.
/// @param on  0 or 1
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST (in a callback of a sweep)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_set_profile(tape: *mut admpi_tape, on: i32) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.set_profile(on != 0) })
}

/// Begins a region of a tape, inside the one that is open. Without a profile it has no effect. A program calls
/// admpi_region_begin, which costs less where there is no profile. A region that begins in a nest, or in a callback of a sweep,
/// must end there.
/// @param name  its name, which is copied. Regions of one name in one region count as one
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (an empty name), ADMPI_ERR_NEST (the tape waits
///         for the jobs of a map, or runs its destructors), ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_region_begin(
    tape: *mut admpi_tape,
    name: *const c_char,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.begin_region(&region_name(name)?) })
}

/// Ends the innermost region of a tape. Without a profile it has no effect.
/// @param name  its name
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (an empty name), ADMPI_ERR_NEST (the innermost open
///         region has another name, began outside this nest or callback, or there is none), ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
///         (the region has ended all the same)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_region_end(
    tape: *mut admpi_tape,
    name: *const c_char,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.end_region(&region_name(name)?) })
}

/// Ends the region of a source line, if one is open. For the macros of admpi/lines.h.
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_line_end(tape: *mut admpi_tape) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { self::tape(tape)?.end_line() })
}

/// Reads the profile of a tape, which goes on. What stands outside of all regions is the region "(outside)".
/// @param[out] profile_out  the profile as it is now; free it with admpi_profile_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (the tape has never been profiled)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_profile(
    tape: *mut admpi_tape,
    profile_out: *mut *mut admpi_profile,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("profile_out", profile_out), || {
            Ok(admpi_profile(self::tape(tape)?.profile()?))
        })
    }
}

/// Frees a profile.
/// @param profile  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_profile_free(profile: *mut admpi_profile) {
    // SAFETY: as the C contract says.
    unsafe { free(profile) };
}

/// Tells the size of a profile.
/// @param[out] ranks_out  of how many ranks it is
/// @param[out] rows_out   how many regions it has
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_profile_size(
    profile: *const admpi_profile,
    ranks_out: *mut i64,
    rows_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let profile = &get("profile", profile)?.0;
        put("ranks_out", ranks_out, || Ok(as_c(profile.ranks())))?;
        put("rows_out", rows_out, || Ok(as_c(profile.rows().len())))
    })
}

/// Reads a row of a profile. The rows are in the order in which the regions were entered first.
/// @param row           its number, from 0
/// @param[out] row_out  the row
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_profile_read(
    profile: *const admpi_profile,
    row: i64,
    row_out: *mut admpi_profile_row,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let rows = get("profile", profile)?.0.rows();
        put("row_out", row_out, || {
            let found = usize::try_from(row).ok().and_then(|at| rows.get(at));
            found.map(Into::into).ok_or_else(|| {
                let text = format!("row = {row}: the profile has {} rows", rows.len());
                Error::new(Code::Argument, text)
            })
        })
    })
}

/// Prints a profile to a text: the regions whose sweeps take the longest, the sum of the others, and the sum of all. In a profile
/// of several ranks the numbers are means, and the sweeps' least and most follow.
/// @param most           how many regions; 0: all
/// @param[out] text_out  the text, which lives until the next call with this profile
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (most < 0)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_profile_table(
    profile: *mut admpi_profile,
    most: i64,
    text_out: *mut *const c_char,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let profile = profile.as_mut().ok_or_else(|| null("profile"))?;
        put("text_out", text_out, || Ok(profile.0.table(from_c("most", most)?).as_ptr()))
    })
}
