"""fortran/ampi_described.c: the calls with buffers by descriptor, which say of a buffer what it is."""

from emit.fortran import DESCRIBED, NOTE, described, symbol
from emit.fortran_shims import arguments_of, prototype
from emit.text import wrap

PLACES = {None: "ALWAYS", "root": "AT_ROOT", "others": "AT_OTHERS", "either": "AT_EITHER"}


def count_of(call, buffer):
    """The count of a buffer with one, in items of its datatype."""
    name = "count" if call.named("count") else buffer.name.replace("buf", "count").replace("addr", "count")
    return call.named(name) if call.named(name) and call.named(name).kind in ("count", "big") else None


def is_one_part(call, buffer):
    """Whether `count` items are all that lies in the buffer, and no reduction works on them."""
    does = call.base.does.get("", "")
    side = {"sendbuf": "each send", "recvbuf": "each receive"}.get(buffer.name, "")
    return count_of(call, buffer) is not None and "op" not in call.takes and not (side and side in does)


def uses_later(call):
    """Whether the buffers are used after the call has returned."""
    starts = any(one.kind in ("request", "request_of_mpi") and one.direction == "out" for one in call.parameters)
    return starts or call.chapter == "one_sided" or call.ampi.endswith(("_begin", "_begin_x"))


def checks(call, buffers):
    """Whether the elements of a buffer are what its datatype says."""
    comm = "comm" if call.named("comm") else "NULL"
    result = []
    for one in buffers:
        if not one.of or call.named(one.of).kind != "datatype":
            continue
        # Of a call with a count for each part the elements are not counted.
        count = count_of(call, one)
        items = f"*{count.name}" if count and is_one_part(call, one) or "op" in call.takes and count else "UNTOLD"
        root = "root" if call.named("root") else "NULL"
        where = f"{PLACES[one.at]}, {root}, {comm}"
        result.append(f'is_refused("{call.ampi}", "{one.name}", {one.name}, *{one.of}, {items}, {where}, ierror)')
        if one.direction != "out" and count:
            # Of what all ranks name the root's is read.
            read = where.replace("AT_EITHER", "AT_ROOT")
            result.append(f'is_foreign("{call.ampi}", "{one.name}", {one.name}, *{one.of}, *{count.name}, {read}, ierror)')
    return result


def body(call):
    buffers = [one for one in call.parameters if one.kind == "buffer"]
    passed = {one.name: one.name for one in call.parameters}
    lines = [f"if ({test}) return;" for test in checks(call, buffers)]
    comm = "comm" if call.named("comm") else "NULL"
    after = []
    for one in buffers:
        name = one.name
        if not uses_later(call):
            lines.append(f'void *at_{name} = contiguous("{call.ampi}", "{name}", {name}, {comm}, ierror);')
            lines.append(f"if (at_{name} == NO_MEMORY) return;")
            passed[name] = f"at_{name}"
            after.append(f"put_back({name}, at_{name}, {0 if one.direction == 'in' else 1});")
        elif one.of and is_one_part(call, one):
            count = count_of(call, one)
            kind = "MPI_Count" if count.kind == "big" else "MPI_Fint"
            lines += [f"section of_{name};",
                      f'if (!one_item("{call.ampi}", "{name}", {name}, *{count.name}, *{one.of}, {comm}, ierror, &of_{name})) return;',
                      f"const {kind} {name}_items = of_{name}.is_made ? 1 : *{count.name};"]
            passed |= {name: f"{name}->base_addr", count.name: f"&{name}_items", one.of: f"&of_{name}.datatype"}
            after.append(f"end_section(&of_{name});")
        else:
            lines.append(f'if (is_section("{call.ampi}", "{name}", {name}, {comm}, ierror)) return;')
            passed[name] = f"{name}->base_addr"
    arguments = ", ".join([*passed.values(), "ierror"])
    return [*lines, f"{symbol(call.ampi)}({arguments});", *after]


def one(call):
    plain = prototype(call, arguments_of(call))
    text = plain.replace(symbol(call.ampi), described(call))
    for buffer in call.parameters:
        if buffer.kind == "buffer":
            for kind in ("const void *", "void *"):
                text = text.replace(f"{kind}{buffer.name},", f"const CFI_cdesc_t *{buffer.name},")
    lines = "\n".join(wrap(line, "  ") for line in body(call))
    return f"\n{wrap(plain + ';')}\n{wrap(text + ' {')}\n{lines}\n}}\n"


def source():
    return f'/* {NOTE} */\n#include "ampi_described.h"\n' + "".join(one(call) for call in DESCRIBED)


OUTPUTS = {"fortran/ampi_described.c": source}
