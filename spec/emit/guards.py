"""include/admpi/ampi_guards.h and src/shim/mpi_guards.c: calls that refuse active data and else call MPI; those of files, which move
values; and persistent collectives, which the library starts anew by calls that do not block where data are active, or MPI has no
such call.

In checking mode they look for active values in what is sent as bytes: at the call, or at each start of a persistent one. They do
not look at what is packed, since sending it looks at it, at a partitioned message, which is filled after its start, and at a
persistent call in place.
"""

from model import MPI31, MPI4
from emit.text import NOTE, prototype, wrap

GUARDS = [one for one in MPI31 if one.status in ("refused", "values", "wrapped")]
GUARDS += [one for one in MPI4 if one.status != "adjoint" or one.mark == "persistent"]
SIDES = {"root": "(side & GUARD_ROOT) != 0", "others": "(side & GUARD_OTHERS) != 0", "either": "side != 0"}


def header():
    text = NOTE + """
/* Calls that cannot be differentiated. Given active data they do nothing but raise an error, through
 * the error handler of their communicator or window; given passive data they are MPI's own calls.
 *
 * Calls of files move values: AMPI_File_write writes those of active data, 8 bytes each, and what AMPI_File_read has read is passive, so
 * that derivatives end there. Files and views are those of the program without derivatives: an etype or a filetype that is built
 * from AMPI_ADOUBLE becomes one of MPI_DOUBLE.
 *
 * Persistent collectives, AMPI_*_init, are differentiated: each start of one on active data is the call that does not block, and
 * recorded as such. It starts with what the arguments lead to by then: communicator, operation and arrays must live as long as
 * the request; datatypes need not. */
#ifndef ADMPI_AMPI_GUARDS_H
#define ADMPI_AMPI_GUARDS_H

#include <mpi.h>

#include "admpi/request.h"

#ifdef __cplusplus
extern "C" {
#endif

"""
    text += "".join(wrap(prototype(one) + ";") + "\n" for one in GUARDS)
    return text + """
#ifdef __cplusplus
}
#endif

#endif
"""


def source():
    text = NOTE + '#include "mpi_guards.h"\n\n/* Those of src/capi. */\n'
    text += "".join(wrap(by_library(prototype(one)) + ";") + "\n" for one in GUARDS if one.mark == "persistent")
    return text + "".join("\n" + guard(one) for one in GUARDS)


def by_library(code):
    """A persistent collective's code with the name of the library's own."""
    return code.replace("AMPI_", "admpi_shim_", 1)


def restarted(call):
    """A persistent collective that the library makes."""
    if not call.datatypes():
        lines, condition = [], "!GUARD_HAS_PERSISTENT"
    else:
        lines, condition = ["  int active = 0;"], "active || !GUARD_HAS_PERSISTENT"
    for datatype in call.datatypes():
        conditions, test = check(call, datatype)
        test = test.replace("admpi_shim_guard(call, ", "admpi_shim_active(").replace("guard_each(call, ", "guard_each_active(")
        lines.append(f"  if ({' && '.join(['!active', *conditions])})\n    active = {test};")
    arguments = ", ".join(one.name for one in call.parameters)
    return [*lines, f"  if ({condition})", wrap(f"return {by_library(call.ampi)}({arguments});", "    ")]


def guard(call):
    """The code of one guard: check what is significant, call MPI, wrap the request it made."""
    if call.status == "values":
        body = viewed(call) if not call.datatypes() else written(call) if call.buffers()[0].direction == "in" else read(call)
        return wrap(prototype(call) + " {") + "\n" + "\n".join(body) + "\n}\n"
    body, is_persistent = [], call.mark == "persistent"
    looks = bool(call.datatypes()) and ("op" in call.takes or not is_persistent)
    if looks:
        body.append(named(call))
    if call.datatypes():
        body += significance(call)
    if is_persistent:
        body += restarted(call)
    if looks:
        body += checks(call) + failing(call)
    elif call.datatypes():
        body.append("  int code;")
    body += call_of_mpi(call)
    return wrap(prototype(call) + " {") + "\n" + "\n".join(body) + "\n}\n"


def named(call):
    return f'  static const char call[] = "{call.ampi}";'


def written(call):
    """A call that writes to a file."""
    buffer, datatype = call.buffers()[0], call.datatypes()[0]
    count = count_of(call, datatype)
    code = f"int code = admpi_shim_written(call, {buffer.name}, {count.name}, {datatype.name});"
    return [named(call), wrap(code, "  "), *failing(call), *call_of_mpi(call)]


def read(call):
    """A call that reads from a file."""
    buffer, datatype = call.buffers()[0], call.datatypes()[0]
    count, waits = count_of(call, datatype), call.named("status")
    body = [named(call), "  void *reading = NULL;"]
    if waits:
        body.append("  MPI_Status told;\n  if (status == MPI_STATUS_IGNORE)\n    status = &told;")
    code = f"admpi_shim_read_into(call, {buffer.name}, {count.name}, &{datatype.name}, {int(bool(waits))}, &reading);"
    has_read = f"  admpi_shim_has_read(reading, code, {'status' if waits else 'NULL'});"
    *before, last = call_of_mpi(call)
    if not before:
        body += [wrap(f"int code = {code}", "  "), *failing(call), last.replace("return", "code =", 1), has_read]
        return [*body, "  return code;"]
    start = next(at for at, line in enumerate(before) if line.startswith("  code = MPI_"))
    check = [wrap(f"code = {code}", "  "), *failing(call)]
    return [*body, "  int code;", *before[:start], *check, *before[start:], has_read, last]


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


def significance(call):
    """What must be known before it can be said which arguments count."""
    lines = []
    if "root" in call.takes:
        lines.append("  int side = guard_side(root, comm);")
    if "datatypes" in call.takes or (call.mark == "persistent" and "Neighbor_alltoall" in call.name):
        if call.is_neighbour:
            lines.append("  int sources, destinations;\n  guard_neighbors(comm, &sources, &destinations);")
        else:
            lines.append("  int peers = guard_peers(comm);")
    return lines


def checks(call):
    """Sets code to the error of the first datatype that is significant and active, or that the operation does not fit."""
    lines, declared = [], False
    if call.mark == "persistent":
        lines, declared = ["  int code = MPI_SUCCESS;"], True
    for datatype in call.datatypes() if not declared else []:
        conditions, test = check(call, datatype)
        if not declared and not conditions:
            lines.append(f"  int code = {test};")
        else:
            if not declared:
                lines.append("  int code = MPI_SUCCESS;")
            wanted = " && ".join((["code == MPI_SUCCESS"] if declared else []) + conditions)
            lines.append(f"  if ({wanted})\n    code = {test};")
        declared = True
    if "op" in call.takes:
        conditions, _ = check(call, call.datatypes()[-1])
        test = "accumulated" if "win" in call.takes else "reduced"
        wanted = " && ".join(["code == MPI_SUCCESS", *conditions])
        lines.append(f"  if ({wanted})\n    code = admpi_shim_{test}(call, op, {call.datatypes()[-1].name});")
    return lines


def check(call, datatype):
    """(the conditions under which the datatype is significant, the expression that checks it)"""
    conditions = [SIDES[datatype.at]] if datatype.at else []
    buffer = call.buffer_of(datatype)
    # A type that both buffers have counts in place, too.
    if buffer and "in_place" in buffer.words and datatype.name != "datatype":
        conditions.append(f"{buffer.name} != MPI_IN_PLACE")
    if "unless_no_op" in datatype.words:
        conditions.append("op != MPI_NO_OP")
    if datatype.kind == "datatype":
        if buffer and is_sent_at_once(call, buffer):
            count = count_of(call, datatype)
            return conditions, f"admpi_shim_sent(call, {buffer.name}, {count.name if count else 1}, {datatype.name})"
        return conditions, f"admpi_shim_guard(call, {datatype.name})"
    sends = datatype.name == "sendtypes"
    number = ("destinations" if sends else "sources") if call.is_neighbour else "peers"
    return conditions, f"guard_each(call, {number}, {datatype.name.replace('types', 'counts')}, {datatype.name})"


def is_sent_at_once(call, buffer):
    return buffer.direction != "out" and call.chapter != "datatypes" and call.mark not in ("persistent", "partitioned")


def count_of(call, datatype):
    """The count, or the counts, of a datatype: they stand before it."""
    before = call.parameters[:call.parameters.index(datatype)]
    return next((one for one in reversed(before) if one.kind in ("count", "counts", "big")), None)


def watched(call):
    """What each start of a persistent call sends."""
    buffer = next((one for one in call.buffers() if one.direction != "out"), None)
    if call.mark != "persistent" or not buffer:
        return []
    datatype = call.named(buffer.of)
    side = "root" if buffer.direction == "inout" else buffer.at
    conditions = ["code == MPI_SUCCESS"] + ([SIDES[side]] if side else [])
    conditions += [f"{buffer.name} != MPI_IN_PLACE"] if "in_place" in buffer.words else []
    count = count_of(call, datatype)
    peers = "destinations" if call.is_neighbour else "guard_peers(comm)"
    each = peers if "each send" in call.base.does.get("", "") else ""
    if "pieces" in call.base.does.get("", ""):
        each = "guard_members(comm)"
    place = f"*request, {buffer.name}"
    if datatype.kind == "datatypes":
        kind = "addresses" if call.is_neighbour else "types"
        do = f"guard_watch_{kind}({place}, {peers}, {count.name}, sdispls, {datatype.name})"
    elif count.name == "recvcounts":
        do = f"guard_watch_sum({place}, guard_members(comm), {count.name}, {datatype.name})"
    elif count.kind == "counts":
        displacements = next(one.name for one in call.parameters if one.kind == "displacements")
        do = f"guard_watch_list({place}, {peers}, {count.name}, {displacements}, {datatype.name})"
    else:
        number = f"(MPI_Count){count.name} * {each}" if each else count.name
        do = f"admpi_shim_watch({place}, {number}, {datatype.name})"
    return [wrap(f"if ({' && '.join(conditions)})", "  "), wrap(f"{do};", "    ")]


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
        f"  if ({request.name} == NULL) {{",
        f'    code = admpi_shim_null("{call.ampi}", "{request.name}");',
        f"    return {raised(call)};",
        "  }",
        wrap(f"code = {native(call, names)};", "  "),
        f"  if (code == MPI_SUCCESS)\n    *{request.name} = admpi_shim_wrap_request(started);",
        *watched(call),
        "  return code;",
    ]


def native(call, names):
    """The call of MPI's own; that of MPI-4 may have another name, or be missing."""
    arguments = f"({', '.join(names)})"
    if call.mark in ("persistent", "partitioned"):
        comm = "comm" if "comm" in call.takes else "MPI_COMM_WORLD"
        return f"GUARD_{call.mark.upper()}({call.name[4:]}, {comm}, {arguments})"
    return call.name + arguments


OUTPUTS = {"include/admpi/ampi_guards.h": header, "src/shim/mpi_guards.c": source}
