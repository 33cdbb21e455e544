//! The C interface of AD tools with tapes of their own. `include/admpi/tools.h` is generated from this file.

use super::support::tools;
use super::{entry, give, null};
use crate::datatype::tool_type;
use crate::error::set_last;
use crate::foreign::tool;
use crate::mpi::Datatype;
use crate::mpi::raw::MPI_Datatype;
use std::ffi::c_void;

// By the name under which C knows it: it is defined in `include/admpi/tool_table.h`.
use crate::foreign::tool::Table as admpi_tool;
use crate::tape::Statistics as admpi_statistics;

/// Registers an AD tool with a tape of its own: all differentiated AMPI_ calls then take buffers of its variables. Another time
/// with the same table is no error. See docs/tools.md.
/// @param tool  what the tool can do; the table is copied, and its address stays the name of the tool
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL (the table, its name or a function that it must have), ADMPI_ERR_ARGUMENT (its size or
///         the size of a variable)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tool_register(tool: *const admpi_tool) -> i32 {
    entry(|| {
        if tool.is_null() {
            return Err(null("tool"));
        }
        // SAFETY: as the C contract says.
        unsafe { tool::register(tool) }.map(|_| ())
    })
}

/// Returns the MPI type of a variable of a registered tool: what stands in place of MPI_DOUBLE. Types may be built from it.
/// @param tool  the table
/// @return the type, which is the library's; MPI_DATATYPE_NULL if the tool is not registered or the library not initialised, of
///         which admpi_last_error tells
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tool_datatype(tool: *const admpi_tool) -> MPI_Datatype {
    let made = tool::registered(tool).and_then(|tool| {
        tool_type(tool).map_err(|failure| failure.into_error("admpi_tool_datatype"))
    });
    match made {
        Ok(datatype) => datatype.raw(),
        Err(error) => {
            set_last(&error);
            Datatype::null().raw()
        }
    }
}

/// Evaluates the step of a handle: for the tool, where its sweep meets the handle. The table's functions take the adjoints of
/// the results and add to those of what went in. Collective over the ranks that communicated in the step, as far as the adjoint
/// communication is. A sweep goes from later handles to earlier ones; it may be repeated.
/// @param handle  from the table's function `record`, on the same thread
/// @param access  handed to the table's functions
/// @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (there is no such step, or the width of the sweep), ADMPI_ERR_NEST (a step is open),
///         and as for admpi_tape_reverse_range
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tool_evaluate(handle: i64, access: *mut c_void) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { tools::evaluate(handle, access) })
}

/// Forgets the step of a handle: for the tool, where its tape is reset.
/// @param handle  from the table's function `record`, on the same thread
/// @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (there is no such step), ADMPI_ERR_NEST (a step is open)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tool_delete(handle: i64) -> i32 {
    entry(|| tools::delete(handle))
}

/// Returns what the companion tape of a tool holds on this thread.
/// @param tool                 the table
/// @param[out] statistics_out  what the tape holds
/// @param[out] steps_out       how many steps; may be NULL
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the tool is not registered)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tool_statistics(
    tool: *const admpi_tool,
    statistics_out: *mut admpi_statistics,
    steps_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("statistics_out", statistics_out), || {
            let (statistics, steps) = tools::statistics(tool::registered(tool)?)?;
            if let Some(steps_out) = steps_out.as_mut() {
                *steps_out = i64::try_from(steps).unwrap_or(i64::MAX);
            }
            Ok(statistics)
        })
    }
}
