"""src/capi/{messages,collectives,reductions,neighbors}.rs: the differentiated calls that move data, in C.

Each has up to six forms (blocking, nonblocking, persistent; counts of MPI-3.1, and those past 2^31), which differ in names
and types only. A template says what a call does; the rest stands in the tables.
"""

import textwrap

from model import CALLS
from emit.rust import direction, formatted, rust

# A template's words: NAME of the call, MODE of a send, END how it ends, LIST of counts and displacements.
MODES = {"Send": "STANDARD", "Bsend": "BUFFERED", "Ssend": "SYNCHRONOUS", "Rsend": "READY"}
DATA = "let data = Argument::new(buf, count, datatype);"
TO, FROM = "let to = Envelope::new(dest, tag);", "let from = Envelope::new(source, tag);"
SENDS = {
    "blocking": f"{TO} {DATA} send(NAME, &MODE, data, to, comm, END)",
    "nonblocking": f"{TO} {DATA} send(NAME, &MODE, data, to, comm, END)",
    "persistent": f"{TO} {DATA} send_init(NAME, &MODE, data, to, comm, request)",
}
MESSAGES = {
    **{name: {form: text.replace("MODE", mode) for form, text in SENDS.items()} for name, mode in MODES.items()},
    "Recv": {
        "blocking": f"{FROM} {DATA} recv(NAME, data, from, comm, status)",
        "nonblocking": f"{FROM} {DATA} irecv(NAME, data, from, comm, request)",
        "persistent": f"{FROM} {DATA} recv_init(NAME, data, from, comm, request)",
    },
    "Mrecv": {
        "blocking": f"{DATA} mrecv(NAME, data, message, status)",
        "nonblocking": f"{DATA} imrecv(NAME, data, message, request)",
    },
    "Sendrecv": {"blocking": """
        let out = (Argument::new(sendbuf, sendcount, sendtype), Envelope::new(dest, sendtag));
        let back = (Argument::new(recvbuf, recvcount, recvtype), Envelope::new(source, recvtag));
        sendrecv(NAME, out, back, comm, status)"""},
    "Sendrecv_replace": {"blocking": DATA + """
        let (to, from) = (Envelope::new(dest, sendtag), Envelope::new(source, recvtag));
        sendrecv_replace(NAME, data, to, from, comm, status)"""},
}

SEND, SEND_EACH = ("let send = Argument::new(sendbuf, sendcount, sendtype);",
                   "let send = each(sendbuf, sendcount, sendtype);")
RECEIVE, RECEIVE_EACH = ("let receive = Argument::new(recvbuf, recvcount, recvtype);",
                         "let receive = each(recvbuf, recvcount, recvtype);")
RECEIVE_LIST = "let receive = list(recvbuf, LIST(recvcounts, displs), recvtype);"
LISTS = """let send = list(sendbuf, LIST(sendcounts, sdispls), sendtype);
    let receive = list(recvbuf, LIST(recvcounts, rdispls), recvtype);"""
LISTS_OF_TYPES = """let send = list_of_types(sendbuf, LIST(sendcounts, sdispls), sendtypes);
    let receive = list_of_types(recvbuf, LIST(recvcounts, rdispls), recvtypes);"""
COLLECTIVES = {
    "Bcast": "let data = Argument::new(buffer, count, datatype); bcast(NAME, data, root, comm, END)",
    "Gather": f"{SEND} {RECEIVE_EACH} gather(NAME, send, receive, root, comm, END)",
    "Gatherv": f"{SEND} {RECEIVE_LIST} gather(NAME, send, receive, root, comm, END)",
    "Scatter": f"{SEND_EACH} {RECEIVE} scatter(NAME, send, receive, root, comm, END)",
    "Scatterv": f"let send = list(sendbuf, LIST(sendcounts, displs), sendtype); {RECEIVE} "
                "scatter(NAME, send, receive, root, comm, END)",
    "Allgather": f"{SEND} {RECEIVE_EACH} allgather(NAME, send, receive, comm, END)",
    "Allgatherv": f"{SEND} {RECEIVE_LIST} allgather(NAME, send, receive, comm, END)",
    "Alltoall": f"{SEND_EACH} {RECEIVE_EACH} alltoall(NAME, send, receive, comm, END)",
    "Alltoallv": f"{LISTS} alltoall(NAME, send, receive, comm, END)",
    "Alltoallw": f"{LISTS_OF_TYPES} alltoall(NAME, send, receive, comm, END)",
}
NEIGHBORS = {
    "Neighbor_allgather": f"{SEND} {RECEIVE_EACH} neighbor_allgather(NAME, send, receive, comm, END)",
    "Neighbor_allgatherv": f"{SEND} {RECEIVE_LIST} neighbor_allgather(NAME, send, receive, comm, END)",
    "Neighbor_alltoall": f"{SEND_EACH} {RECEIVE_EACH} neighbor_alltoall(NAME, send, receive, comm, END)",
    "Neighbor_alltoallv": f"{LISTS} neighbor_alltoall(NAME, send, receive, comm, END)",
    "Neighbor_alltoallw": f"{LISTS_OF_TYPES} neighbor_alltoall(NAME, send, receive, comm, END)",
}

OPERANDS = "let operands = operands(sendbuf, recvbuf, count, datatype, op);"
REDUCTIONS = {
    "Reduce": f"{OPERANDS} reduce(NAME, operands, root, comm, END)",
    "Allreduce": f"{OPERANDS} allreduce(NAME, operands, comm, END)",
    "Reduce_scatter": "let pieces = Pieces::new(sendbuf, recvbuf, COUNTS(recvcounts), datatype); "
                      "reduce_scatter(NAME, pieces, op, comm, END)",
    "Reduce_scatter_block": "let pieces = Pieces::new(sendbuf, recvbuf, Counts::Each(COUNT), datatype); "
                            "reduce_scatter(NAME, pieces, op, comm, END)",
    "Scan": f"{OPERANDS} scan(NAME, operands, Extent::Inclusive, comm, END)",
    "Exscan": f"{OPERANDS} scan(NAME, operands, Extent::Exclusive, comm, END)",
    "Reduce_local": f"{OPERANDS.replace('sendbuf, recvbuf', 'inbuf, inoutbuf')} reduce_local(NAME, operands)",
}

REQUEST_TYPE = """
#[allow(non_camel_case_types)]
type AMPI_Request = *mut admpi_request;
"""
UNITS = {
    "messages": ("Point to point.", MESSAGES, """use super::requests::admpi_request;
use super::support::calls::End;
use super::support::messages::{
    BUFFERED, READY, STANDARD, SYNCHRONOUS, imrecv, irecv, mrecv, recv, recv_init, send, send_init, sendrecv,
    sendrecv_replace,
};
use crate::datatype::Argument;
use crate::mpi::message::Envelope;
use crate::mpi::raw::{MPI_Comm, MPI_Count, MPI_Datatype, MPI_Message, MPI_Status};
"""),
    "collectives": ("Collectives.", COLLECTIVES, """use super::requests::admpi_request;
use super::support::calls::End;
use super::support::collectives::{allgather, alltoall, bcast, each, gather, list, list_of_types, scatter};
use crate::mpi::raw::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use crate::datatype::{Argument, Lists};
"""),
    "reductions": ("Reductions and scans.", REDUCTIONS, """use super::requests::admpi_request;
use super::support::calls::End;
use super::support::collectives::{allreduce, operands, reduce, reduce_local, reduce_scatter, scan};
use crate::ampi::operator::Extent;
use crate::mpi::raw::{MPI_Comm, MPI_Count, MPI_Datatype, MPI_Op};
use crate::datatype::{Counts, Pieces};
"""),
    "neighbors": ("Neighbourhood collectives.", NEIGHBORS, """use super::requests::admpi_request;
use super::support::calls::End;
use super::support::collectives::{each, list, list_of_types, neighbor_allgather, neighbor_alltoall};
use crate::mpi::raw::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use crate::datatype::{Argument, Lists};
"""),
}

LIVES = {"blocking": "; may be reused on return", "nonblocking": "", "persistent": ", as long as the request lives"}
REQUESTED = {"nonblocking": "to be completed by an AMPI_ call",
             "persistent": "to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free"}


def unit(name):
    title, templates, imports = UNITS[name]
    text = f"""//! {title} Generated by spec/generate: see spec/emit/capi.py. `include/admpi/{name}.h` is generated from this
//! file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

{imports}use std::ffi::{{c_int, c_void}};
{REQUEST_TYPE}"""
    for call, template in templates.items():
        for one in forms_of(call):
            body = template[one.form] if isinstance(template, dict) else template
            text += entry(one, body, False) + entry(one, body, True)
    return formatted(text)


def forms_of(name):
    """The differentiated forms of a call, the blocking one first."""
    return [one for one in CALLS if one.base.name == f"MPI_{name}" and one.status == "adjoint"]


def entry(call, body, large):
    name = call.ampi + ("_c" if large else "")
    arguments = ", ".join(f"{one.name}: {rust(one, large).replace('MPI_Request', 'AMPI_Request')}" for one in call.parameters)
    end = "End::Request(request)" if call.form == "nonblocking" else "End::Now"
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
    if call.form == "nonblocking" and call.is_collective:
        return (f"{call.name}: as {call.base.ampi}. Send buffers are copied. The receive buffer has its values and ids once the request is "
                f"complete. {call.doc}")
    return f"{call.name}. {call.doc}"


def parameter(call, one):
    """What a parameter is told to be: the table's words, and what follows from the form."""
    if one.kind == "request":
        while_current = ", while the same tape is current" if call.is_collective or receives(call) else ""
        return REQUESTED[call.form] + (while_current if call.form == "nonblocking" else "")
    if one.name == "buf" and not receives(call):
        return one.doc + LIVES[call.form]
    if one.name == "buf" and call.form != "blocking":
        return one.doc + (", until completion" if call.form == "nonblocking" else LIVES["persistent"])
    if one.kind == "comm" and call.is_collective and call.form == "nonblocking":
        return one.doc + (", which for active data the library must know" if call.is_neighbour else ", which the library must know")
    return one.doc


def receives(call):
    return "status" in call.base.takes


def raised_on(call):
    if "message" in call.takes:
        return "the communicator of the message"
    return "`comm`" if "comm" in call.takes else "MPI_COMM_WORLD"


KNOWN = {f"MPI_{name}" for _, templates, _ in UNITS.values() for name in templates}
for one in CALLS:
    if one.has_large_form and one.base.name not in KNOWN:
        raise SystemExit(f"spec/emit/capi.py has no template for {one.base.name}, which is differentiated")

OUTPUTS = {f"src/capi/{name}.rs": lambda name=name: unit(name) for name in UNITS}
