/* Generated from src/capi/tools.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_TOOLS_H
#define ADMPI_TOOLS_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/tool_table.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Registers an AD tool with a tape of its own: all differentiated AMPI_ calls then take buffers of its variables. Another time
 * with the same table is no error. See docs/tools.md.
 * @param tool  what the tool can do; the table is copied, and its address stays the name of the tool
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL (the table, its name or a function that it must have), ADMPI_ERR_ARGUMENT (its size or
 *         the size of a variable)
 */
int32_t admpi_tool_register(const admpi_tool *tool);

/**
 * Returns the MPI type of a variable of a registered tool: what stands in place of MPI_DOUBLE. Types may be built from it.
 * @param tool  the table
 * @return the type, which is the library's; MPI_DATATYPE_NULL if the tool is not registered or the library not initialised, of
 *         which admpi_last_error tells
 */
MPI_Datatype admpi_tool_datatype(const admpi_tool *tool);

/**
 * Evaluates the step of a handle: for the tool, where its sweep meets the handle. The table's functions take the adjoints of
 * the results and add to those of what went in. Collective over the ranks that communicated in the step, as far as the adjoint
 * communication is. A sweep goes from later handles to earlier ones; it may be repeated.
 * @param handle  from the table's function `record`, on the same thread
 * @param access  handed to the table's functions
 * @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (there is no such step, or the width of the sweep), ADMPI_ERR_NEST (a step is open),
 *         and as for admpi_tape_reverse_range
 */
int32_t admpi_tool_evaluate(int64_t handle,
                            void *access);

/**
 * Forgets the step of a handle: for the tool, where its tape is reset.
 * @param handle  from the table's function `record`, on the same thread
 * @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (there is no such step), ADMPI_ERR_NEST (a step is open)
 */
int32_t admpi_tool_delete(int64_t handle);

/**
 * Returns what the companion tape of a tool holds on this thread.
 * @param tool                 the table
 * @param[out] statistics_out  what the tape holds
 * @param[out] steps_out       how many steps; may be NULL
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the tool is not registered)
 */
int32_t admpi_tool_statistics(const admpi_tool *tool, admpi_statistics *statistics_out, int64_t *steps_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_TOOLS_H */
