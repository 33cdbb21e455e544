"""src/capi/{messages,collectives,reductions,neighbors,one_sided}.rs: the differentiated calls that move data, in C; and
src/capi/communicators.rs: those that make and free communicators.

A call that moves data has up to six forms (blocking, nonblocking, persistent; counts of MPI-3.1, and those past 2^31), which
differ in names and types only. All of it stands in the tables.
"""

import re
import textwrap

from model import CALLS
from emit.rust import direction, formatted, rust

# How the operands of a row `does` are made of a call's parameters. Words: LIST of counts and displacements, COUNTS, COUNT.
ENVELOPES = {"to": ("dest", "sendtag"), "from": ("source", "recvtag")}
# Where what a row names is defined.
HOME = {"BufferTriple": "crate::datatype", "Lists": "crate::datatype", "Counts": "crate::datatype", "Pieces": "crate::datatype",
        "Envelope": "crate::mpi::message", "Extent": "crate::ampi::builtin_op", "Return": "super::support::calls",
        "admpi_request": "super::requests"} | dict.fromkeys(
            ["again", "again_reducing", "destinations", "kept", "kept_each", "members", "side", "sources"], "super::support::persistent")
UNITS = {"messages": "Point to point, and packing.", "collectives": "Collectives.", "reductions": "Reductions and scans.",
         "neighbors": "Neighbourhood collectives.", "one_sided": "One-sided communication."}
# Where in src/capi/support the functions of a unit stand.
SUPPORT = {"messages": "messages", "one_sided": "one_sided"}
REQUEST_TYPE = """
#[allow(non_camel_case_types)]
type AMPI_Request = *mut admpi_request;
"""


def unit_of(call):
    if "win" in call.takes:
        return "one_sided"
    if not call.is_collective:
        return "messages"
    if call.is_neighbour:
        return "neighbors"
    return "reductions" if "op" in call.takes else "collectives"


def operand(call, word, each):
    """What makes an operand, if it needs making."""
    def first(*names):
        return next(name for name in names if call.named(name))

    if word in ENVELOPES:
        rank, tag = ENVELOPES[word]
        return f"Envelope::new({rank}, {first(tag, 'tag')})"
    if word == "data":
        return f"BufferTriple::new({first('buf', 'buffer', *(one.name for one in call.buffers()))}, {first('count', 'incount', 'outcount')}, datatype)"
    if word == "operands":
        return f"operands({first('sendbuf', 'inbuf')}, {first('recvbuf', 'inoutbuf')}, count, datatype, op)"
    if word == "pieces":
        counts = "COUNTS(recvcounts)" if call.named("recvcounts") else "Counts::Each(COUNT)"
        return f"Pieces::new(sendbuf, recvbuf, {counts}, datatype)"
    if word in ("origin", "result"):
        # A call with one datatype moves one item.
        count, datatype = (f"{word}_count", f"{word}_datatype") if call.named("target_count") else ("1", "datatype")
        return f"BufferTriple::new({word}_addr, {count}, {datatype})"
    if word == "target":
        return f"target(target_rank, target_disp, {'target_count, target_datatype' if call.named('target_count') else '1, datatype'})"
    side = {"send": "send", "receive": "recv"}[word]
    if call.named(side + "counts"):
        of_types = "_of_types" if call.named(side + "types") else ""
        displacements = first(side[0] + "displs", "displs")
        return f"list{of_types}({side}buf, LIST({side}counts, {displacements}), {first(side + 'types', side + 'type')})"
    return f"{'each' if each else 'BufferTriple::new'}({side}buf, {side}count, {side}type)"


def body_of(call):
    """The call's row `does` in Rust."""
    row = call.base.does.get(call.form) or call.base.does.get("")
    if not row:
        raise SystemExit(f"spec/mpi: {call.base.name} is differentiated, and has no row 'does'")
    made = []

    def make(match):
        made.append(f"let {match[2]} = {operand(call, match[2], match[1])};")
        return match[2]

    function, _, arguments = row.partition("(")
    arguments = re.sub(r"\b(each )?(data|to|from|send|receive|operands|pieces|origin|result|target)\b", make, arguments)
    arguments = re.sub(r"\bend\b", "END", arguments)
    return " ".join([*made, f"{function}(NAME, {arguments}"])


def imports(text, module):
    """What a unit names, from where it is defined; what nobody else defines stands in its module of support."""
    names = {name: home for name, home in HOME.items() if re.search(rf"\b{name}\b", text + (REQUEST_TYPE if "AMPI_Request" in text else ""))}
    names |= {"is_in_place": "crate::mpi"} if "is_in_place(" in text else {}
    names |= dict.fromkeys(re.findall(r"\bMPI_(?:Info|Aint|Comm|Count|Datatype|Message|Op|Status|Win)\b", text), "crate::mpi::raw")
    code = re.sub(r"///.*", "", text)
    local = set(re.findall(r"(?<![\w:.])([a-z_]+)\(", code)) | set(re.findall(r"&([A-Z]+),", code))
    names |= dict.fromkeys(local - {"no_mangle", "unsafe", "is_in_place"} - set(HOME), f"super::support::{module}")
    return "".join(f"use {home}::{{{', '.join(sorted(name for name in names if names[name] == home))}}};\n"
                   for home in sorted(set(names.values())))


LIVES = {"blocking": "; may be reused on return", "nonblocking": "", "persistent": ", as long as the request lives"}
REQUESTED = {"nonblocking": "to be completed by an AMPI_ call",
             "persistent": "to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free"}


def is_restarted(call):
    """A persistent collective, which the library starts anew by the call that does not block, whatever the data: on ranks that have no
    active data, such as those beside the root of an intercommunicator, it must match the others' calls."""
    return call.is_collective and call.form == "persistent"


def differentiated():
    return [one for one in CALLS if one.base.moves_active_data and one.status == "adjoint" and one.mark != "partitioned"]


def unit(name):
    text = "".join(entry(one, body_of(one), large) for one in differentiated() if unit_of(one.base) == name
                   for large in ([False, True] if one.base.has_large_form else [False]))
    return formatted(f"""//! {UNITS[name]} Generated by spec/generate: see spec/emit/capi.py. `include/admpi/{name}.h` is generated from this
//! file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

{imports(text, SUPPORT.get(name, "collectives"))}use std::ffi::{{{"c_char, " if "c_char" in text else ""}c_int, c_void}};
{REQUEST_TYPE if "AMPI_Request" in text else ""}{text}""")


def communicators():
    """A row `does` tells the function of src/capi/support/calls.rs that MPI's own call is passed to."""
    text = ""
    for call in CALLS:
        how = call.does.get("")
        if call.status == "tracked" and how:
            [place] = [one.name for one in call.parameters if one.kind == "comm" and one.direction != "in"]
            made = f"raw::{call.name}({', '.join(one.name for one in call.parameters)})"
            # A distributed graph may be made of another communicator than the one given.
            old = call.parameters[0].name if how == "make_dist_graph" else ""
            text += entry(call, f"{how}(NAME, {old}{', ' if old else ''}{place}, |{old}| {made})", False)
    return formatted(f"""//! Communicators. Generated by spec/generate: see spec/emit/capi.py. `include/admpi/communicators.h` is generated from
//! this file.

use super::{{end_comm, make_comm, make_dist_graph}};
use crate::mpi::raw::{{self, MPI_Comm, MPI_Group, MPI_Info}};
use std::ffi::c_int;
{text}""")


AT = {"root": "side.root", "others": "side.others", "either": "(side.root || side.others)"}


def restarted(call, body):
    """The body of a persistent collective: at each start the call that does not block, under datatypes that are kept."""
    lines = ["let _ = info;"] + (["let side = side(comm, root);"] if "root" in call.takes else [])
    again = []
    for one in call.datatypes():
        buffer = call.buffer_of(one)
        conditions = [AT[one.at]] if one.at else []
        if buffer and "in_place" in buffer.words and one.name != "datatype":
            conditions.append(f"!is_in_place({buffer.name})")
        condition = " && ".join(conditions) or "true"
        condition = condition[1:-1] if condition == AT["either"] else condition
        if one.kind == "datatype":
            lines.append(f"let {one.name} = kept({one.name}, {condition});")
        else:
            number = ("destinations" if one.name == "sendtypes" else "sources") if call.is_neighbour else "members"
            lines.append(f"let {one.name} = kept_each({one.name}, {number}(comm), {condition});")
        again.append(f"let {one.name} = {one.name}.raw();")
    how, operation = ("again_reducing", "(op, datatype.raw()), ") if "op" in call.takes else ("again", "")
    start = f"move |comm, request| {{ {' '.join(again)} {body} }}"
    return f"{' '.join(lines)} {how}(NAME, comm, request, {operation}{start})"


def entry(call, body, large):
    name = call.ampi + ("_c" if large else "")
    if is_restarted(call):
        body = restarted(call, body.replace("END", "Return::AtOnce(request)"))
    arguments = ", ".join(f"{one.name}: {rust(one, large).replace('MPI_Request', 'AMPI_Request')}" for one in call.parameters)
    end = "Return::AtOnce(request)" if call.form == "nonblocking" else "Return::WhenDone"
    by_address = any(one.kind == "byte_displacements" for one in call.parameters)
    for word, text in (("NAME", f'"{name}"'), ("END", end),
                       ("LIST", "Lists::Large" if large else "Lists::Addresses" if by_address else "Lists::Int"),
                       ("COUNTS", "Counts::Large" if large else "Counts::List"),
                       ("COUNT)", "recvcount)" if large else "recvcount.into())")):
        body = body.replace(word, text)
    return f"""
{documentation(call, large)}#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn {name}({arguments}) -> c_int {{
    // SAFETY: as MPI's contract says.
    unsafe {{ {body} }}
}}
"""


def documentation(call, large):
    lines = textwrap.wrap(sentence(call, large), 114)
    rows = [(one.name, "" if one.direction == "in" else f"[{direction(one)}]", parameter(call, one)) for one in call.parameters]
    width = max(len(f"@param{way} {name}") for name, way, _ in rows)
    lines += [f"{f'@param{way} {name}'.ljust(width)}  {text}" for name, way, text in rows]
    lines.append(f"@return an MPI code, raised on {raised_on(call)}")
    return "".join(f"/// {line}\n" for line in lines)


def sentence(call, large):
    if large:
        lists = any(one.kind.endswith("displacements") for one in call.parameters)
        counts = sum(one.kind in ("count", "counts") for one in call.parameters)
        what = "counts and displacements" if lists else "counts" if counts > 1 or "counts" in call.takes else "a count"
        return f"{call.ampi} with {what} past 2^31." + (" All ranks call this form." if lists else "")
    if call.form == "persistent" and call.is_collective:
        return (f"{call.name}: each start is {call.base.ampi} without blocking. The arrays must live as long as the request; communicator, "
                f"operation and datatypes may be freed before a start. {call.doc}")
    if call.form == "nonblocking" and call.is_collective:
        return (f"{call.name}: as {call.base.ampi}. Send buffers are copied. The receive buffer has its values and ids once the request is "
                f"complete. {call.doc}")
    return f"{call.name}. {call.doc}".rstrip()


def parameter(call, one):
    """What a parameter is told to be: the table's words, and what follows from the form."""
    if one.kind == "request" and call.form != "blocking":
        while_current = ", while the same tape is current" if call.is_collective or receives(call) else ""
        return REQUESTED[call.form] + (while_current if call.form == "nonblocking" else "")
    if one.name == "buf" and not receives(call):
        return one.doc + LIVES[call.form]
    if one.name == "buf" and call.form != "blocking":
        return one.doc + (", until completion" if call.form == "nonblocking" else LIVES["persistent"])
    if one.kind == "info":
        return "not looked at where the library makes the call"
    if one.kind == "comm" and is_restarted(call):
        return one.doc + ("" if call.is_neighbour else "; between groups the library must know it")
    if one.kind == "comm" and call.is_collective and call.form != "blocking":
        return one.doc + (", which for active data the library must know" if call.is_neighbour else ", which the library must know")
    return one.doc


def receives(call):
    return "status" in call.base.takes


def raised_on(call):
    if "message" in call.takes:
        return "the communicator of the message"
    return next((f"`{one.name}`" for one in call.parameters if one.kind in ("comm", "win")), "MPI_COMM_WORLD")


OUTPUTS = {"src/capi/communicators.rs": communicators} | {f"src/capi/{name}.rs": lambda name=name: unit(name) for name in UNITS}
