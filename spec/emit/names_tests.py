"""cpp_tests/names: every name once, and every call that refuses active data once."""

import re

from model import CONSTANTS, MPI31, MPI4, TYPES
from emit.guards import GUARDS
from emit.text import NOTE, wrap


def all_names():
    """Mentions every name once, in unevaluated calls with arguments of the right types."""
    text = NOTE + """
/* Every AMPI_ name once, for names.c and names.cpp. Calls stand in sizeof, since some MPIs make them macros. */
static const size_t ampi_types[] = {
"""
    types = [name for name, mark in TYPES if mark in ("", "deprecated")]
    text += "".join(f"  sizeof(A{name}{' *' if is_function(name) else ''}),\n" for name in types)
    text += "#ifndef OPEN_MPI\n"
    text += "".join(f"  sizeof(A{name}{' *' if is_function(name) else ''}),\n"
                    for name, mark in TYPES if mark in ("removed", "optional"))
    text += "#endif\n#if MPI_VERSION >= 4\n"
    text += "".join(f"  sizeof(A{name}{' *' if is_function(name) else ''}),\n" for name, mark in TYPES if mark == "mpi4")
    text += "#endif\n};\n\nstatic void ampi_constants(void) {\n"
    for name, mark in CONSTANTS:
        line = f"  (void)(A{name});\n"
        if mark == "optional":
            line = f"#ifdef {name}\n{line}#endif\n"
        elif mark == "removed":
            line = f"#ifndef OPEN_MPI\n{line}#endif\n"
        elif mark == "mpi4":
            line = f"#if MPI_VERSION >= 4\n{line}#endif\n"
        text += line
    text += "}\n\nstatic const size_t ampi_calls[] = {\n"
    for one in MPI31 + MPI4:
        line = "  " + mention(one) + ",\n"
        if one.mark in ("removed", "optional"):
            line = f"#ifndef OPEN_MPI\n{line}#endif\n"
        elif one.mark == "mpi4" and one.status == "passes":
            line = f"#if MPI_VERSION >= 4\n{line}#endif\n"
        text += line
    text += "};\n\n/* The library's own, which must be there to link. */\nstatic void (*const ampi_exported[])(void) = {\n"
    for one in MPI31 + MPI4:
        if one.status != "passes":
            text += f"  (void (*)(void)){one.ampi},\n"
        if one.has_large_form:
            text += f"  (void (*)(void)){one.ampi}_c,\n"
    return text + "};\n"


def is_function(name):
    return re.search(r"_(function|fn)(_c)?$", name) is not None


def mention(call):
    arguments = []
    for one in call.parameters:
        if one.kind == "variadic":
            continue
        kind = re.sub(r"\bMPI_", "AMPI_", one.c[:len(one.c) - len(one.name + one.array)].rstrip())
        if one.array == "[][3]":
            arguments.append(f"*({kind} (**)[3])0")
        else:
            star = "*" if one.array else ""
            gap = "" if kind.endswith("*") else " "
            arguments.append(f"*({kind}{gap}{star}*)0")
    return f"sizeof({call.ampi}({', '.join(arguments)}))"


def all_guards():
    """One call of every guard that refuses active data, with the active type wherever a type stands; files refuse matrices alone."""
    text = NOTE + """
/* Every call that refuses active data, for guards.c. */
struct refusal {
  const char *call;
  int raised_on;
  int (*run)(struct objects *on);
};

"""
    refused = [one for one in GUARDS if one.datatypes() and one.status in ("refused", "values")]
    for one in refused:
        statement = f"return {one.ampi}({', '.join(actual(parameter, one) for parameter in one.parameters)});"
        text += f"static int run_{one.ampi[5:]}(struct objects *on) {{\n{wrap(statement, '  ')}\n}}\n\n"
    text += "static const struct refusal refusals[] = {\n"
    for one in refused:
        where = next((place for kind, place in (("comm", "COMM"), ("win", "WIN"), ("file", "FILE"))
                      if kind in one.takes), "WORLD")
        text += f'  {{"{one.ampi}", ON_{where}, run_{one.ampi[5:]}}},\n'
    return text + "};\n"


ACTUAL = {
    "datatype": "on->type", "datatypes": "on->types", "comm": "on->comm", "win": "on->win", "file": "on->file",
    "message": "&on->message", "request": "&on->request", "string": '"external32"', "status": "MPI_STATUS_IGNORE",
    "op": "MPI_SUM", "info": "MPI_INFO_NULL", "counts": "on->counts", "displacements": "on->displacements",
    "byte_displacements": "on->addresses", "count": "1", "big": "1",
}


def actual(parameter, call):
    """An argument for a call that is refused before MPI sees it: one value of the active type each."""
    if parameter.kind == "datatype" and call.status == "values":
        return "AMPI_VARMAT"
    if parameter.kind == "buffer":
        return "on->in" if parameter.direction == "in" or parameter.name in ("buf", "buffer", "origin_addr") else "on->out"
    if parameter.name == "position":
        return "&on->address" if parameter.kind == "aint" else "&on->position"
    return "1" if parameter.name == "partitions" else ACTUAL.get(parameter.kind, "0")


OUTPUTS = {"cpp_tests/names/names_all.h": all_names, "cpp_tests/names/guards_all.h": all_guards}
