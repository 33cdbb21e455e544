"""include/admpi/ampi_guards.h and src/shim/mpi_guards.c: calls that refuse active data and else call MPI; those of files, which move
values; and partitioned messages, which are MPI's own where it has them and the data are passive.

In checking mode they look for active values in what is sent as bytes. They do not look at a partitioned message, which is filled after
its start.
"""

from model import MPI31, MPI4
from emit.text import NOTE, prototype, wrap

GUARDS = [one for one in MPI31 if one.status in ("refused", "values", "wrapped")]
GUARDS += [one for one in MPI4 if one.mark == "partitioned" or one.status == "wrapped" and one.mark == "mpi4"]


def header():
    text = NOTE + """
/* Calls that cannot be differentiated. Given active data they do nothing but raise an error, through
 * the error handler of their communicator or window; given passive data they are MPI's own calls.
 *
 * Calls of files move values: AMPI_File_write writes those of active data, and what AMPI_File_read has read is passive, so
 * that derivatives end there. Files and views are those of the program without derivatives: a double has 8 bytes and a float 4, and an
 * etype or a filetype that is built from AMPI_ADOUBLE, AMPI_AFLOAT or a type of tangents becomes one of MPI_DOUBLE or MPI_FLOAT.
 *
 * Partitioned messages, AMPI_Psend_init and AMPI_Precv_init, are differentiated. The message leaves whole, when the last
 * partition is ready, and AMPI_Parrived tells whether it has come. Any thread may call AMPI_Pready, given MPI_THREAD_MULTIPLE; only
 * the thread that started a receive of active data may call AMPI_Parrived. Tags are at most 32767. */
#ifndef ADMPI_AMPI_GUARDS_H
#define ADMPI_AMPI_GUARDS_H

#include <mpi.h>

#include "admpi/request.h"

#ifdef __cplusplus
extern "C" {
#endif

"""
    text += "".join(wrap(prototype(one) + ";") + "\n" for one in GUARDS)
    text += "\n/* With a count past 2^31. */\n"
    text += "".join(wrap(prototype(one, True) + ";") + "\n" for one in GUARDS if one.has_large_form)
    text += wrap(EXTENT + ";") + "\n"
    return text + """
#ifdef __cplusplus
}
#endif

#endif
"""


def source():
    text = NOTE + '#include "mpi_guards.h"\n\n/* Those of src/capi. */\n'
    text += "".join(wrap(by_library(prototype(one)) + ";") + "\n" for one in GUARDS if one.mark == "partitioned")
    text += "".join("\n" + guard(one) for one in GUARDS)
    text += "".join("\n" + guard(one, True) for one in GUARDS if one.has_large_form)
    return text + f"""
{EXTENT} {{
  MPI_Aint bytes = 0;
  int code = AMPI_File_get_type_extent(fh, datatype, &bytes);
  if (code == MPI_SUCCESS)
    *extent = bytes;
  return code;
}}
"""


EXTENT = "int AMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent)"


def by_library(code):
    """A call's code with the name of the library's own."""
    return code.replace("AMPI_", "admpi_shim_", 1)


def guard(call, has_large_counts=False):
    """The code of one guard: check what is significant, call MPI, wrap the request it made."""
    if call.status == "values":
        body = moved(call, has_large_counts) if call.datatypes() else ended(call) if call.named("buf") else viewed(call)
        return wrap(prototype(call, has_large_counts) + " {") + "\n" + "\n".join(body) + "\n}\n"
    if call.mark == "partitioned":
        return wrap(prototype(call) + " {") + "\n" + "\n".join(partitioned(call)) + "\n}\n"
    body = refusal(call) if call.datatypes() else []
    return wrap(prototype(call) + " {") + "\n" + "\n".join(body + call_of_mpi(call)) + "\n}\n"


def refusal(call):
    buffer, datatype = call.buffers()[0], call.datatypes()[0]
    code = f"int code = admpi_shim_sent(call, {buffer.name}, 1, {datatype.name});"
    return [named(call), wrap(code, "  "), *failing(call)]


def partitioned(call):
    """A call that is MPI's own where MPI has it and the data are passive."""
    ours = f"admpi_shim_active({call.datatypes()[0].name})" if call.datatypes() else "admpi_shim_is_partitioned(request)"
    lines = [f"  {line}" if line else line for part in call_of_mpi(call) for line in part.split("\n")]
    if call.datatypes():
        lines.insert(1, "    int code;")
    arguments = ", ".join(one.name for one in call.parameters)
    return ["#if GUARD_HAS_PARTITIONED", f"  if (!{ours}) {{", *lines, "  }", "#endif",
            wrap(f"return {by_library(call.ampi)}({arguments});", "  ")]


def named(call, ending=""):
    return f'  static const char call[] = "{call.ampi}{ending}";'


def moved(call, has_large_counts):
    """A call that writes to a file, or reads from one."""
    buffer, datatype = call.buffers()[0], call.datatypes()[0]
    count, waits = count_of(call, datatype), call.named("status")
    what = f"{buffer.name}, {count.name}, &{datatype.name}"
    if buffer.direction == "in":
        code = f"admpi_shim_written(call, &{what}, &moving);"
    else:
        code = f"admpi_shim_read_into(call, &{what}, {int(bool(waits))}, &moving);"
    native_call = native(call, ["&started" if one.kind == "request" else one.name for one in call.parameters], has_large_counts)
    body = [named(call, "_c" if has_large_counts else ""), "  void *moving = NULL;"]
    if not call.requests():
        body += [*(told(buffer) if waits else []), wrap(f"int code = {code}", "  "), *failing(call), wrap(f"code = {native_call};", "  ")]
        over = "  admpi_shim_moved(moving, code, status);"
        if not waits:
            over = "  if (moving != NULL)\n    admpi_shim_moved_at_end(moving, code, MPI_File_c2f(fh));"
        return [*body, over, "  return code;"]
    return [
        *body, "  MPI_Request started = MPI_REQUEST_NULL;", "  int code;", *no_request(call, has_large_counts), wrap(f"code = {code}", "  "),
        *failing(call), wrap(f"code = {native_call};", "  "),
        f"  if (code == MPI_SUCCESS)\n    *{call.requests()[0].name} = admpi_shim_moving_request(moving, started);",
        "  else\n    admpi_shim_moved(moving, code, NULL);", "  return code;",
    ]


def ended(call):
    """The end of what a call with `_begin` has begun."""
    return ["  void *moving = admpi_shim_end_of_moving(MPI_File_c2f(fh), &buf);", *told(call.named("buf")),
            wrap(f"int code = {native(call, [one.name for one in call.parameters])};", "  "),
            "  admpi_shim_moved(moving, code, status);", "  return code;"]


def told(buffer):
    """A place for what MPI tells of what it has read."""
    if buffer.direction == "in":
        return []
    return ["  MPI_Status told;\n  if (status == MPI_STATUS_IGNORE)\n    status = &told;"]


def viewed(call):
    """A call about a file that takes types."""
    types = [one for one in call.parameters if one.kind == "type"]
    body = [named(call), "  int code = MPI_SUCCESS;"]
    body += [f"  MPI_Datatype made_{one.name} = MPI_DATATYPE_NULL;" for one in types]
    for one in types:
        body.append("  if (code == MPI_SUCCESS)")
        body.append(f'    code = admpi_shim_in_file(call, "{one.name}", &{one.name}, &made_{one.name});')
    native_call = native(call, [one.name for one in call.parameters])
    body += ["  if (code != MPI_SUCCESS)", f"    code = {raised(call)};", "  else", wrap(f"code = {native_call};", "    ")]
    body += [f"  guard_free(&made_{one.name});" for one in types]
    return [*body, "  return code;"]


def failing(call):
    return [f"  if (code != MPI_SUCCESS)\n    return {raised(call)};"]


def count_of(call, datatype):
    """The count, or the counts, of a datatype: they stand before it."""
    before = call.parameters[:call.parameters.index(datatype)]
    return next((one for one in reversed(before) if one.kind in ("count", "counts", "big")), None)


def raised(call):
    for kind, raiser in (("comm", "guard_raise_comm"), ("win", "guard_raise_win"), ("file", "guard_raise_file")):
        if kind in call.takes:
            return f"{raiser}({next(one.name for one in call.parameters if one.kind == kind)}, code)"
    return "guard_raise_comm(MPI_COMM_WORLD, code)"


def call_of_mpi(call):
    if not call.requests():
        return [wrap(f"return {native(call, [one.name for one in call.parameters])};", "  ")]
    request = call.requests()[0]
    if request.direction == "in":
        names = [f"guard_handle({one.name})" if one is request else one.name for one in call.parameters]
        return [wrap(f"return {native(call, names)};", "  ")]
    names = ["&started" if one is request else one.name for one in call.parameters]
    return [
        "  MPI_Request started = MPI_REQUEST_NULL;",
        *([] if call.datatypes() else ["  int code;"]),
        *no_request(call),
        wrap(f"code = {native(call, names)};", "  "),
        f"  if (code == MPI_SUCCESS)\n    *{request.name} = admpi_shim_wrap_request(started);",
        "  return code;",
    ]


def no_request(call, has_large_counts=False):
    """An error where there is no place for the request."""
    request = call.requests()[0].name
    return [f"  if ({request} == NULL) {{", f'    code = admpi_shim_null("{call.ampi}{"_c" if has_large_counts else ""}", "{request}");', f"    return {raised(call)};",
            "  }"]


def native(call, names, has_large_counts=False):
    """The call of MPI's own, or for counts past 2^31 this library's."""
    name = f"MPIX{call.name[3:]}_x" if has_large_counts else call.name
    return f"{name}({', '.join(names)})"


OUTPUTS = {"include/admpi/ampi_guards.h": header, "src/shim/mpi_guards.c": source}
