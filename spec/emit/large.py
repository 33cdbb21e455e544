"""src/capi/large.rs, src/capi/support/large.rs and src/mpi/ffi.rs: the calls for large counts, which differ in little but
their signatures.

A signature is that of MPI-3.1 with every count an MPI_Count and every displacement an MPI_Aint. What a call
does is one of the functions of src/large; a template here says which and with what.
"""

import re

from model import BY_NAME, CALLS, ROOT
from emit.rust import direction, formatted, rust

# Calls whose form of MPI-4 may be chosen, where the probe finds it; src/large/plan.rs says where it is right.
LARGE = """Send Bsend Ssend Rsend Recv Isend Ibsend Issend Irsend Irecv Mrecv Imrecv Sendrecv_replace Sendrecv
Send_init Bsend_init Ssend_init Rsend_init Recv_init Bcast Gather Scatter Allgather Alltoall
Gatherv Igatherv Scatterv Iscatterv Allgatherv Iallgatherv Alltoallv Ialltoallv Alltoallw Ialltoallw
Iallreduce Ireduce Iscan Iexscan Ireduce_scatter Ireduce_scatter_block
Allreduce_init Reduce_init Scan_init Exscan_init Reduce_scatter_init Reduce_scatter_block_init""".split()


class Function:
    """A call in Rust."""

    def __init__(self, call):
        self.call_of_mpi, self.name, self.parameters = call, call.name, call.parameters
        self.names = [one.name for one in call.parameters]

    @property
    def is_persistent(self):
        """Persistent and collective: it takes hints."""
        return self.call_of_mpi.mark == "persistent"

    @property
    def large_name(self):
        return f"MPIX{self.name[3:]}_x"

    @property
    def is_shared(self):
        """The library makes the call itself, for passive data."""
        return self.call_of_mpi.status == "adjoint" and self.call_of_mpi.mark != "persistent"

    @property
    def shared_name(self):
        return self.name[4:].lower()

    def call(self, name=None, **changes):
        arguments = [changes.get(one, one) for one in self.names]
        return f"ffi::{name or self.name}({', '.join(arguments)})"

    def large_call(self, **changes):
        """MPI-4's form, as the closure that every way takes."""
        if self.name[4:] not in LARGE:
            return "no_large_call"
        return f"move || large_call!({self.call(self.name + '_c', **changes)})"

    def declaration(self, large=False):
        arguments = ", ".join(f"{one.name}: {rust(one, large)}" for one in self.parameters)
        return f"{self.name}{'_c' if large else ''}({arguments})"


# Documentation -------------------------------------------------------------------------------------------

PARAMETERS = {
    "buf": "items of `datatype`", "buffer": "items of `datatype`", "count": "number of items",
    "datatype": "type of the items",
    "dest": "rank to send to", "source": "rank to receive from, or MPI_ANY_SOURCE", "tag": "the message's tag",
    "sendtag": "tag of the message sent", "recvtag": "tag of the message received", "comm": "the communicator",
    "status": "what was received or moved; MPI_STATUS_IGNORE allowed", "request": "to be completed by plain MPI_Wait or MPI_Test",
    "message": "the matched message; becomes MPI_MESSAGE_NULL",
    "sendbuf": "items to send", "sendcount": "number of items sent", "sendtype": "type of the items sent",
    "recvbuf": "room for the items received", "recvcount": "number of items received", "recvtype": "type of the items received",
    "inbuf": "left operands", "inoutbuf": "right operands, replaced by the result", "root": "rank of the root", "op": "predefined or user-defined operation",
    "sendcounts": "number of items for each partner", "recvcounts": "number of items from each partner",
    "displs": "where each partner's items begin, in items", "sdispls": "where each partner's items begin in `sendbuf`, {}",
    "rdispls": "where each partner's items begin in `recvbuf`, {}", "sendtypes": "types of the items for each partner",
    "recvtypes": "types of the items of each partner",
    "origin_addr": "items of this rank", "origin_count": "number of items of this rank", "origin_datatype": "their type",
    "result_addr": "room for the previous items of the target", "result_count": "number of items in `result_addr`",
    "result_datatype": "their type",
    "target_rank": "rank whose window is accessed", "target_disp": "place in the window, in the target's displacement unit",
    "target_count": "number of items in the window", "target_datatype": "their type", "win": "the window",
    "info": "hints, or MPI_INFO_NULL", "fh": "the file", "offset": "first place, in elementary types of the view",
}


def documentation(function, sentence, collective, chapter):
    lines = [sentence, ""]
    width = max(len(one.name) for one in function.parameters)
    for one in function.parameters:
        text = PARAMETERS[one.name]
        if one.name == "request" and function.is_persistent:
            text = "to be started by plain MPI_Start"
        if "{}" in text:
            text = text.format("in bytes" if "alltoallw" in function.name.lower() else "in items")
        if "in_place" in one.words:
            text += "; MPI_IN_PLACE as in MPI"
        lines.append(f"@param[{direction(one)}] {one.name.ljust(width)}  {text}")
    lines.append("@return MPI_SUCCESS or an error code, raised like MPI's own errors")
    lines.append(f"{collective} ({chapter if chapter.startswith('MPI') else 'MPI-3.1, ' + chapter})")
    return "".join(f"/// {line}".rstrip() + "\n" for line in lines)


# Templates -----------------------------------------------------------------------------------------------


def signature(function):
    return f"({', '.join(f'{one.name}: {rust(one, True)}' for one in function.parameters)}) -> c_int"


def inner(function, body):
    """The statements of a call."""
    if "comm" in function.names:
        on = "on_comm({}, comm)"
    elif "win" in function.names:
        on = "on_win({}, win)"
    elif "fh" in function.names:
        on = "on_file({}, fh)"
    else:
        on = "on_nothing({})"
    # Small counts leave first, so that nothing is put on the stack for large ones.
    early, body = body.split("\n", 1) if body.startswith("if let") else ("", body)
    if function.is_persistent:
        early, body = "", f"let call = match call.persistent() {{ Ok(call) => call, Err(code) => return code }};\n{body}"
    return f"""
    // SAFETY: what the caller owes {function.name} it owes this call.
    unsafe {{
        {early}
        let call = {on.format(f'"{function.large_name}"')};
        {body.strip()}
    }}
"""


def shared(function, body):
    """A call that the library makes for passive data, too: no call of C's calls another."""
    return f"""/// {function.large_name}.
///
/// # Safety
/// As for {function.name}.
pub unsafe fn {function.shared_name}{signature(function)} {{{inner(function, body)}}}
"""


def entry(function, body, sentence, collective, chapter):
    own = inner(function, body)
    if function.is_shared:
        own = f"""
    // SAFETY: what the caller owes {function.name} it owes this call.
    unsafe {{ large::{function.shared_name}({", ".join(function.names)}) }}
"""
    return (documentation(function, sentence, collective, chapter) + f"""#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn {function.large_name}{signature(function)} {{{own}}}
""")


def early(f, fits="small"):
    """The plain call, where all counts fit."""
    counts = dict(zip((one.name for one in f.parameters if one.kind == "count"), "nmk"))
    if len(counts) == 1:
        return f"if let Some(n) = {fits}({[*counts][0]}) {{ return {f.call(**counts)}; }}\n"
    found = ", ".join(f"{fits}({name})" for name in counts)
    values = ", ".join(f"Some({value})" for value in counts.values())
    return f"if let ({values}) = ({found}) {{ return {f.call(**counts)}; }}\n"


def one(family):
    def body(f):
        return early(f) + (f"call.one(Family::{family}, side(count, datatype), {f.large_call()}, "
                           f"move |n, t| {f.call(count='n', datatype='t')})")
    return body


def two(family, significant="|| Ok((true, true))", names=("sendcount", "sendtype", "recvcount", "recvtype")):
    def body(f):
        n, t, m, u = names
        call = f.call(**{n: "n", t: "t", m: "m", u: "u"})
        return ("" if f.is_persistent else early(f)) + (f"call.two(Family::{family}, side({n}, {t}), side({m}, {u}), {significant}, "
                           f"{f.large_call()}, move |n, t, m, u| {call})")
    return body


def pieces(f):
    call = f.call(sendbuf="at(sendbuf, offset)", recvbuf="at_mut(recvbuf, offset)", inbuf="at(inbuf, offset)",
                  inoutbuf="at_mut(inoutbuf, offset)", count="n", datatype="t", op="o")
    first = early(f, "one_piece")
    if f.name == "MPI_Reduce":
        first = first.replace("let Some(n) = one_piece(count)",
                              "let (Some(n), false) = (one_piece(count), reduces_by_copy(sendbuf, root))")
        call = call.replace("ffi::MPI_Reduce(", "plain_reduce(call, ")
    return first + ("call.pieces(count, Datatype::new(datatype), Op::new(op), "
                    f"move |offset, n, t, o| {call})")


def ireduction(f):
    ordered = "quirks::IREDUCE_REORDERS_BY_SIZE" if f.name in ("MPI_Ireduce", "MPI_Reduce_init") else "false"
    return ("" if f.is_persistent else early(f)) + f"""call.ireduction(count, Datatype::new(datatype), Op::new(op), {ordered}, {f.large_call()},
            move |n, t, o| {f.call(count="n", datatype="t", op="o")})"""


def reduce_scatter(f):
    block = "recvcount" in f.names
    counts = ("Ok(Counts::Alike { count: recvcount, ranks: group_size(comm)? })" if block
              else 'counts("recvcounts", recvcounts, group_size(comm)?)')
    narrowed = {"recvcount": "narrow(recvcount)"} if block else {"recvcounts": "c.as_ptr()"}
    if f.name.startswith("MPI_I"):
        narrowed["request"] = "r"
    arguments = [] if f.is_persistent or not f.name.startswith("MPI_I") else ["r"]
    native = f"|{', '.join(['_' if block else 'c'] + arguments)}| {f.call(**narrowed)}"
    if f.is_persistent:
        return f"""call.reduce_scatter_init(|| {counts}, {native}, {f.large_call()})"""
    place = """let (from, to) = if in_place { (at(recvbuf, b.from), at_mut(recvbuf, b.to)) }
                else { (at(sendbuf, b.from), at_mut(recvbuf, b.to)) };
                let from = if in_place && b.mine { in_place_address() } else { from };"""
    start = f"""let in_place = is_in_place(sendbuf);
        let input = if in_place {{ Input::InPlace }} else {{ Input::Apart }};
        let result = Scattered {{ comm: Comm::new(comm), datatype: Datatype::new(datatype), buffer: recvbuf }};
        """
    copy = "|from, to, n, t| move_items(from, to, n, t)"
    if f.name.startswith("MPI_I"):
        return start + f"""call.ireduce_scatter(result, || {counts}, Op::new(op), input, RequestSlot::new(request),
            {native},
            {f.large_call()},
            |b, t, o, r| {{
                {place}
                ffi::MPI_Ireduce(from, to, b.count, t, o, b.root, comm, r)
            }},
            |to, n, t, o, r| ffi::MPI_Iallreduce(sendbuf, to, n, t, o, comm, r),
            {copy})"""
    return start + f"""call.reduce_scatter(result, || {counts}, Op::new(op), input,
            {native},
            |b, t, o| {{
                {place}
                plain_reduce(call, from, to, b.count, t, o, b.root, comm)
            }},
            |from, to, n| ffi::MPI_Allreduce(at(sendbuf, from), to, n, datatype, op, comm),
            {copy})"""


def alltoallw(f, sendbuf="sendbuf", recvbuf="recvbuf", by_rank=None):
    if "eighbor" in f.name and not by_rank:
        neighbours = alltoallw(f, sendbuf, recvbuf, "neighbours")
        return f"if NEIGHBOURS_BY_RANK {{ {alltoallw(f, sendbuf, recvbuf, 'ranks')} }} else {{ {neighbours} }}"
    name = "Neighbor_alltoallw" if by_rank == "neighbours" else "Alltoallw"
    displacements = "wide_displacements" if by_rank == "neighbours" else "displacements"
    tail = ""
    if f.is_persistent:
        name, tail = name + "_init", ", info, r"
    elif "request" in f.names:
        name, tail = "I" + name.lower(), ", r"
    send = f"l.send.counts.as_ptr(), l.send.{displacements}.as_ptr().cast(), l.send.datatypes.as_ptr().cast()"
    return (f"ffi::MPI_{name}({sendbuf}, {send}, {recvbuf}, "
            f"{send.replace('l.send', 'l.receive')}, comm{tail})")


def vector(f, traffic, start="", wrong="false", **buffers):
    """`wrong` tells where MPI-4's call is, too."""
    request = "request" in f.names
    how = "start_exchange" if request else "exchange"
    family = "Family::Ivector" if request else "Family::Vector"
    width = "Width::Int"
    if "eighbor" in f.name:
        family, width = "Family::GuardedVector", "neighbour_width()"
    elif f.is_persistent or wrong == "true":
        family = "Family::GuardedVector"
    elif wrong != "false":
        family = f"guarded({family}, {wrong})"
    slot, arguments = ("RequestSlot::new(request), ", "l, r") if request else ("", "l")
    return f"""{start}call.{how}({family}, {f.large_call()}, {width}, {slot}|| {traffic},
            |{arguments}| {alltoallw(f, **buffers)})"""


OWN_SEND = "Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) }"
OWN_RECEIVE = "Part { count: recvcount, displacement: 0, datatype: Datatype::new(recvtype) }"


def named(*arrays):
    """Arrays with their names, for errors."""
    return ", ".join(f'("{name}", {name})' for name in arrays)


def v_parts(counts, displacements, kind):
    return f"v_parts(n, {named(counts, displacements)}, {kind})"


V_SENT, V_RECEIVED = v_parts("sendcounts", "sdispls", "sendtype"), v_parts("recvcounts", "rdispls", "recvtype")
W_SENT = f"w_parts(n, {named('sendcounts', 'sdispls', 'sendtypes')})"
W_RECEIVED = f"w_parts(n, {named('recvcounts', 'rdispls', 'recvtypes')})"


def of_one_type(f):
    """Where MPI's own call between two groups is wrong: the one that blocks."""
    return "false" if "request" in f.names else "parts_take_one_type(comm)"


def gatherv(f, parts=v_parts("recvcounts", "displs", "recvtype"), wrong=None):
    start = f"""let in_place = is_in_place(sendbuf);
        let from = if in_place {{ no_send() }} else {{ sendbuf }};
        let to = if is_root(comm, root) {{ recvbuf }} else {{ no_receive() }};
        let own = {OWN_SEND};
        let all = |n| {parts};
        """
    return vector(f, "vector::gather(Comm::new(comm), root, in_place, own, all)", start,
                  wrong or of_one_type(f), sendbuf="from", recvbuf="to")


def scatterv(f, parts=v_parts("sendcounts", "displs", "sendtype"), wrong=None):
    start = f"""let in_place = is_in_place(recvbuf);
        let from = if is_root(comm, root) {{ sendbuf }} else {{ no_send() }};
        let to = if in_place {{ no_receive() }} else {{ recvbuf }};
        let own = {OWN_RECEIVE};
        let all = |n| {parts};
        """
    return vector(f, "vector::scatter(Comm::new(comm), root, in_place, own, all)", start,
                  wrong or of_one_type(f), sendbuf="from", recvbuf="to")


def allgatherv(f, parts=v_parts("recvcounts", "displs", "recvtype")):
    start = f"""let in_place = is_in_place(sendbuf);
        let from = if in_place {{ bottom() }} else {{ sendbuf }};
        let own = {OWN_SEND};
        let all = |n| {parts};
        """
    blocks = "false" if "request" in f.names else "true"
    return vector(f, "vector::allgather(Comm::new(comm), in_place.then(|| address(recvbuf)), own, all)", start,
                  f"allgatherv_is_wrong(comm, recvcounts, recvtype, {blocks})", sendbuf="from")


def alltoall_parts(f, sends, receives):
    request = "request" in f.names
    copied = ("return Err(no_copies())" if f.is_persistent else
              f"let n = partners(comm)?; return staged_traffic(recvbuf, {receives}?)")
    sent = f"Ok({sends}?.behind(base))" if request else sends
    traffic = f"""{{
            if staged {{
                {copied};
            }}
            all_traffic(comm, in_place, |n| {sent}, |n| {receives})
        }}"""
    start = f"""let in_place = is_in_place(sendbuf);
        let staged = {"in_place" if request else "in_place && quirks::IN_PLACE_SENDS_PACKED_COPIES"};
        """
    start += """let (from, base) = if staged { (bottom(), 0) } else { apart(sendbuf, recvbuf) };
        """ if request else """let from = if staged { bottom() } else { sendbuf };
        """
    return vector(f, traffic, start, "in_place", sendbuf="from")


def by_parts(where, parts, family, significant):
    """The call of equal parts by parts of their own, with counts of any size, where MPI's own call is wrong."""
    def body(f):
        small, as_type = two(family, significant)(f).split("\n", 1)
        small = small.replace("Some(m)) =", "Some(m), false) =").replace("small(recvcount))", f"small(recvcount), {where})")
        return f"""{small}
            if {where} {{ return {{ {parts(f)} }}; }}
            {as_type}"""
    return body


def alltoall(family):
    copies = f"{{ let n = partners(comm)?; staged_traffic(recvbuf, {RECEIVE_BLOCKS}?) }}"
    parts = lambda f: vector(f, copies, "let from = bottom();\n", "true", sendbuf="from")  # noqa: E731
    return by_parts("alltoall_by_copy(sendbuf)", parts, family, IN_PLACE_SEND)


SENT, RECEIVED = "(sendcount, sendtype)", "(recvcount, recvtype)"


def gather(family):
    return by_parts(f"is_cut(comm, root, {RECEIVED}, {SENT})", lambda f: gatherv(f, RECEIVE_BLOCKS, "true"), family, GATHERED)


def scatter(family):
    return by_parts(f"is_cut(comm, root, {SENT}, {RECEIVED})", lambda f: scatterv(f, SEND_BLOCKS, "true"), family, SCATTERED)


def alltoallv(f):
    return alltoall_parts(f, V_SENT, V_RECEIVED)


def alltoallw_x(f):
    return alltoall_parts(f, W_SENT, W_RECEIVED)


def neighbor(sends, receives):
    return lambda f: vector(f, f"neighbour_traffic(comm, |n| {sends}, |n| {receives})")


def persistent(by_parts, as_type):
    """A persistent call of equal parts: one of large types, or of parts, as the plan has it."""
    def body(f):
        return f"if call.persistent_by_parts() {{ return {{ {by_parts(f)} }}; }}\n{as_type(f)}"
    return body


SEND_BLOCKS, RECEIVE_BLOCKS = "blocks(n, sendcount, sendtype)", "blocks(n, recvcount, recvtype)"


def ibcast(f):
    plain = f"if let (Some(n), false) = (small(count), ibcast_is_wrong(comm)) {{ return {f.call(count='n')}; }}\n"
    return ("" if f.is_persistent else plain) + f"""call.ibcast(Comm::new(comm), root, side(count, datatype), address(buffer),
            RequestSlot::new(request),
            |n, t| {f.call(count="n", datatype="t")},
            |l, r| {alltoallw(f, "bottom()", "buffer")})"""


def buffers(f):
    origin = "Some(side(origin_count, origin_datatype))"
    if "result_addr" not in f.names:
        return f"Buffers {{ origin: {origin}, result: None, target: side(target_count, target_datatype) }}"
    origin = "(Op::new(op) != Op::no_op()).then(|| side(origin_count, origin_datatype))"
    return (f"Buffers {{ origin: {origin}, result: Some(side(result_count, result_datatype)), "
            f"target: side(target_count, target_datatype) }}")


def piece_call(f, request=None):
    changes = dict(origin_addr="shift(origin_addr, p.origin.0)", origin_count="p.origin.1",
                   result_addr="shift_mut(result_addr, p.result.0)", result_count="p.result.1",
                   target_count="p.target.0", target_datatype="p.target.1")
    if request:
        changes["request"] = request
    return f.call(**changes)


def accumulate(f):
    return early(f) + f"""let buffers = {buffers(f)};
        call.accumulate(buffers, |p| {piece_call(f)})"""


def raccumulate(f):
    return f"""let buffers = {buffers(f)};
        call.raccumulate(buffers, RequestSlot::new(request),
            |p| {piece_call(f)},
            |p, r| {piece_call(f, "r")})"""


def isendrecv(f):
    return """call.isendrecv(side(sendcount, sendtype), None, side(recvcount, recvtype), source, RequestSlot::new(request),
            |n, t, r| ffi::MPI_Isend(sendbuf, n, t, dest, sendtag, comm, r),
            |n, t, r| ffi::MPI_Irecv(recvbuf, n, t, source, recvtag, comm, r))"""


COPY = """let own = Part { count, displacement: 0, datatype: Datatype::new(datatype) };
        let (copy, sent) = match call.prepare(|| copied(buf, own)) {
            Ok(copied) => copied,
            Err(code) => return code,
        };
        let from = copy.as_ptr().cast();"""


def isendrecv_replace(f):
    return COPY + """
        call.isendrecv(side(sent.count, sent.datatype.raw()), Some(copy), side(count, datatype), source,
            RequestSlot::new(request),
            |n, t, r| ffi::MPI_Isend(from, n, t, dest, sendtag, comm, r),
            |n, t, r| ffi::MPI_Irecv(buf, n, t, source, recvtag, comm, r))"""


def sendrecv_replace(f):
    small = early(f).replace("let Some(n) = small(count)",
                             "let (Some(n), false) = (small(count), replaces_by_copy(datatype))")
    return small + f"""if !quirks::IN_PLACE_SENDS_PACKED_COPIES {{
            return {one("PointToPoint")(f).split(chr(10), 1)[1]};
        }}
        {COPY}
        call.two(Family::Exchange, side(sent.count, sent.datatype.raw()), side(count, datatype),
            || Ok((true, true)), no_large_call,
            |n, t, m, u| ffi::MPI_Sendrecv(from, n, t, dest, sendtag, buf, m, u, source, recvtag, comm, status))"""


def at_once(f):
    """The blocking call, as an operation that is complete."""
    blocking = Function(BY_NAME[f.name.replace("_i", "_")])
    return f"""|n, t, group| {{
                let mut status = Status::default();
                let code = {blocking.call(count="n", datatype="t", status="status.as_mut_ptr()")};
                group.done(&status);
                code
            }}"""


def file_pieces(f):
    pointer = "shift_mut" if "read" in f.name else "shift"
    changes = dict(buf=f"{pointer}(buf, bytes)", count="n", request="r")
    if "offset" in f.names:
        changes["offset"] = "offset + MPI_Offset::from(units)"
    units = "units" if "offset" in f.names else "_"
    return f"""call.file_pieces(File::new(fh), side(count, datatype), RequestSlot::new(request),
            |n| {f.call(count="n")},
            |bytes, {units}, n, r| {f.call(**changes)},
            {at_once(f)})"""


def file_all(f):
    return f"""call.file_all(side(count, datatype), RequestSlot::new(request),
            |n| {f.call(count="n")},
            |n, t, r| {f.call(count="n", datatype="t", request="r")})"""


def file_shared(f):
    return f"""call.file_shared(side(count, datatype), RequestSlot::new(request),
            |n| {f.call(count="n")},
            {at_once(f)})"""


IN_PLACE_SEND = "|| Ok((!is_in_place(sendbuf), true))"
GATHERED = "|| gathered(comm, root, is_in_place(sendbuf))"
SCATTERED = "|| scattered(comm, root, is_in_place(recvbuf))"
RMA = ("origin_count", "origin_datatype", "target_count", "target_datatype")
OPERATION = " A user's operation must live until the request is complete."
STARTED = " Persistent: started by plain MPI_Start."
NOT_IN_PLACE = " Not in place: every start would need copies."
INIT = "MPI-4.0, 6.13 and 8.8"
LOCAL, COLLECTIVE = "Local", "Collective over the communicator"
FILE_ALL = "Collective over the file's communicator"

V_SEND, V_RECEIVE = "Ok(repeated(n, sendcount, sendtype))", v_parts("recvcounts", "displs", "recvtype")
TABLE = []


def add(names, body, sentence, collective, chapter):
    for name in names.split():
        if "MPI_" + name not in BY_NAME:
            raise SystemExit(f"spec/emit/large.py: add({name!r}): spec/mpi has no such call, or the call no such form")
        TABLE.append((Function(BY_NAME["MPI_" + name]), body, sentence, collective, chapter))


def plain_sentence(what):
    return "`{mpi}` with " + what


LARGE_COUNT = plain_sentence("a count past 2^31, as one item of a large type.")
LARGE_COUNTS = plain_sentence("counts past 2^31, as one item of a large type each.")

add("Send Bsend Ssend Rsend Recv Isend Ibsend Issend Irsend Irecv Mrecv Imrecv",
    one("PointToPoint"), LARGE_COUNT, LOCAL, "chapter 3")
add("Sendrecv_replace", sendrecv_replace, LARGE_COUNT, LOCAL, "chapter 3")
add("Sendrecv", two("PointToPoint"), LARGE_COUNTS, LOCAL, "chapter 3")
add("Isendrecv", isendrecv,
    "MPI-4's nonblocking send-receive, on every MPI: one request completes both. The status is that of the receive.",
    LOCAL, "MPI-4.0, 3.10")
add("Isendrecv_replace", isendrecv_replace,
    "MPI-4's nonblocking send-receive in one buffer, on every MPI: a copy is sent. The status is that of the receive.",
    LOCAL, "MPI-4.0, 3.10")
add("Send_init Bsend_init Ssend_init Rsend_init Recv_init", one("PointToPoint"),
    LARGE_COUNT + STARTED, LOCAL, "3.9")

add("Bcast", one("Movement"), LARGE_COUNT, COLLECTIVE, "5.4")
add("Ibcast", ibcast, LARGE_COUNT + " All ranks pass the same count.", COLLECTIVE, "5.12.2")
add("Gather", gather("Movement"), LARGE_COUNTS, COLLECTIVE, "5.5")
add("Igather", gather("OtherMovement"), LARGE_COUNTS, COLLECTIVE, "5.5")
add("Scatter", scatter("Movement"), LARGE_COUNTS, COLLECTIVE, "5.6")
add("Iscatter", scatter("OtherMovement"), LARGE_COUNTS, COLLECTIVE, "5.6")
add("Allgather", two("Movement", IN_PLACE_SEND), LARGE_COUNTS, COLLECTIVE, "5.7")
add("Iallgather", two("OtherMovement", IN_PLACE_SEND), LARGE_COUNTS, COLLECTIVE, "5.7")
add("Alltoall", alltoall("Movement"), LARGE_COUNTS, COLLECTIVE, "5.8")
add("Ialltoall", alltoall("OtherMovement"), LARGE_COUNTS, COLLECTIVE, "5.8")
add("Neighbor_allgather Ineighbor_allgather Neighbor_alltoall Ineighbor_alltoall", two("OtherMovement"),
    LARGE_COUNTS, COLLECTIVE, "7.6")

BY_PIECES = plain_sentence("a count past 2^31, in pieces of at most 16 MiB.")
add("Reduce Allreduce Scan Exscan", pieces, BY_PIECES, COLLECTIVE, "5.9 and 5.11")
add("Reduce_local", pieces, BY_PIECES, LOCAL, "5.9.7")
add("Ireduce Iallreduce Iscan Iexscan", ireduction,
    plain_sentence("a count past 2^31." + OPERATION), COLLECTIVE, "5.12")
add("Reduce_scatter_block Reduce_scatter", reduce_scatter,
    plain_sentence("counts whose sum is past 2^31, by a reduction to each rank in pieces (between two groups: one "
                   "reduction to all, of which each rank keeps its part)."), COLLECTIVE, "5.10")
add("Ireduce_scatter_block Ireduce_scatter", reduce_scatter,
    plain_sentence("counts whose sum is past 2^31." + OPERATION), COLLECTIVE, "5.12")

LARGE_PARTS = plain_sentence("counts and displacements past 2^31.")
add("Gatherv Igatherv", gatherv, LARGE_PARTS, COLLECTIVE, "5.5")
add("Scatterv Iscatterv", scatterv, LARGE_PARTS, COLLECTIVE, "5.6")
add("Allgatherv Iallgatherv", allgatherv, LARGE_PARTS, COLLECTIVE, "5.7")
add("Alltoallv Ialltoallv", alltoallv, LARGE_PARTS, COLLECTIVE, "5.8")
add("Alltoallw Ialltoallw", alltoallw_x, LARGE_PARTS, COLLECTIVE, "5.8")
add("Neighbor_allgatherv Ineighbor_allgatherv", neighbor(V_SEND, V_RECEIVE), LARGE_PARTS, COLLECTIVE, "7.6")
NEIGHBOR_V = neighbor(V_SENT, V_RECEIVED)
NEIGHBOR_W = neighbor(W_SENT, W_RECEIVED)
add("Neighbor_alltoallv Ineighbor_alltoallv", NEIGHBOR_V, LARGE_PARTS, COLLECTIVE, "7.6")
add("Neighbor_alltoallw Ineighbor_alltoallw", NEIGHBOR_W, LARGE_PARTS, COLLECTIVE, "7.6")

V_DIFFERENT = LARGE_PARTS + STARTED
add("Bcast_init", ibcast, LARGE_COUNT + STARTED + " All ranks pass the same count.", COLLECTIVE, INIT)
for names, by_parts, as_type in [
        ("Gather_init", lambda f: gatherv(f, RECEIVE_BLOCKS), two("OtherMovement", GATHERED)),
        ("Scatter_init", lambda f: scatterv(f, SEND_BLOCKS), two("OtherMovement", SCATTERED)),
        ("Allgather_init", lambda f: allgatherv(f, RECEIVE_BLOCKS), two("OtherMovement", IN_PLACE_SEND)),
        ("Alltoall_init", lambda f: alltoall_parts(f, SEND_BLOCKS, RECEIVE_BLOCKS),
         two("OtherMovement", IN_PLACE_SEND)),
        ("Neighbor_allgather_init", neighbor(V_SEND, RECEIVE_BLOCKS), two("OtherMovement")),
        ("Neighbor_alltoall_init", neighbor(SEND_BLOCKS, RECEIVE_BLOCKS), two("OtherMovement"))]:
    add(names, persistent(by_parts, as_type), LARGE_COUNTS + STARTED, COLLECTIVE, INIT)
add("Reduce_init Allreduce_init Scan_init Exscan_init", ireduction,
    plain_sentence("a count past 2^31.") + STARTED, COLLECTIVE, INIT)
add("Reduce_scatter_block_init Reduce_scatter_init", reduce_scatter,
    plain_sentence("counts whose sum is past 2^31. It is an error if this needs several operations.") + STARTED,
    COLLECTIVE, INIT)
add("Gatherv_init", gatherv, V_DIFFERENT, COLLECTIVE, INIT)
add("Scatterv_init", scatterv, V_DIFFERENT, COLLECTIVE, INIT)
add("Allgatherv_init", allgatherv, V_DIFFERENT, COLLECTIVE, INIT)
add("Alltoallv_init", alltoallv, V_DIFFERENT + NOT_IN_PLACE, COLLECTIVE, INIT)
add("Alltoallw_init", alltoallw_x, V_DIFFERENT + NOT_IN_PLACE, COLLECTIVE, INIT)
add("Neighbor_allgatherv_init", neighbor(V_SEND, V_RECEIVE), V_DIFFERENT, COLLECTIVE, INIT)
add("Neighbor_alltoallv_init", NEIGHBOR_V, V_DIFFERENT, COLLECTIVE, INIT)
add("Neighbor_alltoallw_init", NEIGHBOR_W, V_DIFFERENT, COLLECTIVE, INIT)

add("Put Get Rput Rget", two("PutGet", names=RMA), LARGE_COUNTS, LOCAL, "11.3")
ACCUMULATED = plain_sentence("counts past 2^31, in pieces of at most 64 MiB. Each piece is atomic, as in MPI.")
add("Accumulate Get_accumulate", accumulate, ACCUMULATED, LOCAL, "11.3")
add("Raccumulate Rget_accumulate", raccumulate, ACCUMULATED, LOCAL, "11.3.5")

add("File_read File_write File_read_at File_write_at File_read_shared File_write_shared",
    one("File"), LARGE_COUNT, LOCAL, "13.4")
add("File_read_all File_write_all File_read_at_all File_write_at_all File_read_ordered File_write_ordered",
    one("File"), LARGE_COUNT, FILE_ALL, "13.4")
add("File_read_all_begin File_write_all_begin File_read_at_all_begin File_write_at_all_begin "
    "File_read_ordered_begin File_write_ordered_begin", one("File"),
    LARGE_COUNT + " MPI's own call ends the access.", FILE_ALL, "13.4.5")
add("File_iread File_iwrite File_iread_at File_iwrite_at", file_pieces,
    plain_sentence("a count past 2^31, in pieces of at most 1 GiB behind one request."), LOCAL, "13.4")
add("File_iread_all File_iwrite_all File_iread_at_all File_iwrite_at_all", file_all, LARGE_COUNT, FILE_ALL, "13.4")
add("File_iread_shared File_iwrite_shared", file_shared,
    plain_sentence("a count past 2^31. The access then is complete on return, because pieces would interleave with "
                   "those of other ranks."), LOCAL, "13.4.4")


def wrapped(text, width=96):
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n/// ".join(lines)


# What the calls may name, from where it is defined.
HOMES = {"crate::large::access": "Buffers", "crate::large::limit": "one_piece small", "crate::large::plan": "Family",
         "crate::large::reduction": "Counts Input Scattered", "crate::large::vector": "self Part Width",
         "crate::mpi::generalized": "RequestSlot", "crate::mpi::handle": "File",
         "crate::mpi::raw": "MPI_Aint MPI_Comm MPI_Count MPI_Datatype MPI_Info MPI_Op MPI_Request MPI_Status",
         "crate::mpi": "Comm Datatype Op Status is_in_place ffi quirks", "mpi_sys": "MPI_File MPI_Message MPI_Offset MPI_Win",
         "std::ffi": "c_int c_void"}


def imports(code):
    """Those of them that the code names. A module names itself before its functions."""
    code = re.sub(r"//.*", "", code)
    text = ""
    for home, names in HOMES.items():
        module = home.rpartition("::")[2]
        used = [name for name in names.split() if re.search(rf"\b{module}::" if name == "self" else rf"\b{name}\b", code)]
        text += f"use {home}::{{{', '.join(used)}}};\n" if used else ""
    return text


def capi():
    text = '''//! The calls of MPI for counts and displacements past 2^31. Generated by spec/generate: see spec/emit/large.py.
//! `include/admpi/large.h` is generated from this file.
//!
//! A count that fits an int goes straight to MPI.

use super::large_arguments::*;
use super::support::large;
'''
    code = ""
    for function, body, sentence, collective, chapter in TABLE:
        sentence = wrapped(sentence.format(mpi=function.name))
        code += "\n" + entry(function, body(function), sentence, collective, chapter)
    return text + imports(code) + code


def library():
    text = '''//! Large counts of passive data. Generated by spec/generate: see spec/emit/large.py.
//!
//! The calls that the library makes itself, where the data of a differentiated call are passive. A count that fits an int
//! goes straight to MPI.
#![allow(clippy::too_many_arguments)] // MPI's

use super::super::large_arguments::*;
'''
    code = "".join("\n" + shared(function, body(function)) for function, body, *_ in TABLE if function.is_shared)
    return text + imports(code) + code


def absent(declarations):
    """Stand-ins for persistent calls where MPI lacks them: named in code that is never reached."""
    text = ("#[cfg(not(admpi_persistent))]\n#[allow(non_snake_case, clippy::too_many_arguments)] // MPI's\n"
            "mod absent {\n    use super::*;\n")
    for declaration in declarations:
        unused = re.sub(r"(\w+): ", r"_\1: ", declaration)
        text += f"""    /// # Safety
    /// Does nothing.
    pub unsafe fn {unused} -> c_int {{
        crate::mpi::raw::constants().err_other
    }}
"""
    return text + "}\n#[cfg(not(admpi_persistent))]\npub use absent::*;\n"


def called():
    """MPI's calls that the library names as ffi::MPI_..., in what is generated here and in all other sources."""
    others = [path.read_text() for path in (ROOT / "src").rglob("*.rs") if str(path.relative_to(ROOT)) not in OUTPUTS]
    return {name for text in [capi(), library(), *others] for name in re.findall(r"\bffi::(MPI_\w+)", text)}


def ffi():
    persistent = sorted((one.name for one in CALLS if one.mark == "persistent" and one.datatypes()),
                        key=lambda name: name.removesuffix("_init"))
    names = sorted(called() & set(BY_NAME) - set(persistent))
    text = '''//! The calls of MPI that the library makes. Generated by spec/generate: see spec/emit/large.py.
//!
//! They are declared "C-unwind" since a user's error handler may throw.

use super::raw::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Op, MPI_Request, MPI_Status};
use mpi_sys::{MPI_File, MPI_Message, MPI_Offset, MPI_User_function, MPI_Win};
use std::ffi::{c_char, c_int, c_void};

unsafe extern "C-unwind" {
'''
    for name in names:
        if name == "MPI_Op_create":
            text += "    pub fn MPI_Op_create(function: MPI_User_function, commute: c_int, op: *mut MPI_Op) -> c_int;\n"
            continue
        text += f"    pub fn {Function(BY_NAME[name]).declaration()} -> c_int;\n"
    text += "}\n\n#[cfg(admpi_persistent)]\nunsafe extern \"C-unwind\" {\n"
    for name in persistent:
        text += (f"    #[cfg_attr(admpi_persistent_extension, link_name = \"MPIX{name[3:]}\")]\n"
                 f"    pub fn {Function(BY_NAME[name]).declaration()} -> c_int;\n")
    text += "}\n" + absent([Function(BY_NAME[name]).declaration() for name in persistent])
    text += "\n#[cfg(admpi_large_count)]\nunsafe extern \"C-unwind\" {\n"
    for name in LARGE:
        text += f"    pub fn {Function(BY_NAME['MPI_' + name]).declaration(large=True)} -> c_int;\n"
    return text + "}\n"


OUTPUTS = {
    "src/capi/large.rs": lambda: formatted(capi()),
    "src/capi/support/large.rs": lambda: formatted(library()),
    "src/mpi/ffi.rs": lambda: formatted(ffi()),
}
