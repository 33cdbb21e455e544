"""include/admpi/ampi_names.h: an AMPI_ name for each name of MPI that needs no code of ours. include/admpi/lines.h."""

from model import CALLS, CONSTANTS, MPI31, MPI4, TYPES
from emit.text import NOTE

# What MPI-4 has for counts past 2^31 and every MPI has, or this library under BigMPI's names, with the same arguments. The other
# constructors of types take arrays of other numbers, so they are functions (large_types.txt).
LARGE_QUERIES = {f"Get_{name}": f"MPIX_Get_{name}_x" for name in ("count", "elements")}
LARGE_DATATYPES = {f"Type_{name}": f"MPI_Type_{name}_x" for name in ("size", "get_extent", "get_true_extent")}
LARGE_DATATYPES |= {"Type_create_resized": "MPI_Type_create_resized"}
LARGE_DATATYPES |= {f"Type_{name}": f"MPIX_Type_{name}_x" for name in (
    "contiguous", "vector", "create_hvector", "indexed", "create_indexed_block", "create_subarray")}
# AdjoinableMPI's names for calls outside of what its tape sees. Here no tape sees them anyway.
UNTRACED = ("Init", "Finalize", "Buffer_attach", "Buffer_detach", "Type_contiguous", "Type_create_struct",
            "Type_create_resized", "Type_commit", "Type_free", "Op_create", "Op_free")
OURS = {"MPI_Request", "MPI_REQUEST_NULL"}  # the library's own, in admpi/request.h


def names():
    text = NOTE + """
/* An AMPI_ name for every name of MPI-3.1 and MPI-4.0 that needs no code of ours, so that replacing the prefix MPI_ by
 * AMPI_ compiles. A name that the MPI in use lacks is an error where it is used, as in MPI itself; only MPI-4's and the
 * datatypes that MPI makes optional are defined if they exist, since programs ask for them by #ifdef. */
#ifndef ADMPI_AMPI_NAMES_H
#define ADMPI_AMPI_NAMES_H

/* Types */
"""
    text += "".join(define(name) for name, mark in TYPES if name not in OURS and mark != "mpi4")
    text += "\n/* The fields of a status */\n"
    text += "".join(define(name) for name in ("MPI_ERROR", "MPI_SOURCE", "MPI_TAG"))
    text += "\n/* Constants */\n"
    for name, mark in CONSTANTS:
        if name in OURS or mark == "mpi4":
            continue
        if mark == "optional" and "F08" not in name:
            text += f"#ifdef {name}\n{define(name)}#endif\n"
        else:
            text += define(name)
    text += "\n/* Calls without adjoint */\n"
    text += "".join(define(one.name) for one in MPI31 if one.status == "passes")
    later = [name for name, mark in TYPES + CONSTANTS if mark == "mpi4"] + [one.name for one in MPI4 if one.status == "passes"]
    text += "\n/* MPI-4's */\n#if MPI_VERSION >= 4\n" + "".join(map(define, later)) + "#endif\n"
    text += "\n/* Datatypes, and queries that answer in counts, past 2^31 */\n"
    text += "".join(f"#define AMPI_{name}_c {target}\n" for name, target in sorted((LARGE_QUERIES | LARGE_DATATYPES).items()))
    text += "\n/* AdjoinableMPI's names for calls outside of what its tape sees */\n"
    text += "".join(f"#define AMPI_{name}_NT AMPI_{name}\n" for name in UNTRACED)
    return text + "\n#endif\n"


def define(name):
    return f"#define A{name} {name}\n"


def lines():
    calls = [one.ampi for one in CALLS if one.status == "adjoint"]
    calls += [one.ampi + "_c" for one in CALLS if one.has_large_form and one.status == "adjoint"]
    macros = "\n".join(f"#define {name}(...) (admpi_at(__FILE__, __LINE__), admpi_detail_end_call({name}(__VA_ARGS__)))"
                       for name in sorted(calls))
    return NOTE.replace(" */\n", "") + f"""
 *
 * The differentiated calls, each telling errors, checking mode and profiles the line that it stands in. Included behind
 * everything else if ADMPI_SOURCE_LINES is defined. */
#ifndef ADMPI_LINES_H
#define ADMPI_LINES_H

#include "admpi/ampi.h"
#include "admpi/region.h"

/** What a call returned, whose line ends. */
static inline int admpi_detail_end_call(int code) {{
  admpi_at(NULL, 0);
  return admpi_detail_end_line(code);
}}

{macros}

#endif
"""


OUTPUTS = {"include/admpi/ampi_names.h": names, "include/admpi/lines.h": lines}
