"""fortran/ampi_pass.c: MPI's calls for Fortran that need no code of ours, under their AMPI_ names."""

from emit.fortran import NOTE, PASSES, PROCEDURES, has_code, parameters, symbol
from emit.fortran_modules import POINTERS
from emit.text import wrap

# As many pointers as MPI's functions of the kind take: object, key, extra state, attributes, flag, code.
TAKES = {"copy": 7, "delete": 5}
RESULTS = {"int": "void", "double": "double", "MPI_Aint": "MPI_Aint"}
# Why an MPI may lack a call.
WHY = {"removed": "MPI-3.0 removed it, and the MPI in use lacks it", "mpi4": "it is MPI-4's, and the MPI in use lacks it"}
TEXTS = {"string", "strings", "string_lists"}


def one_pass(call, ending=""):
    arguments = parameters(call)
    places = [one.name for one in arguments] + (["ierror"] if has_code(call) else [])
    lengths = [f"length_of_{one.name}" for one in arguments if one.kind in TEXTS]
    declared = ", ".join([f"void *{name}" for name in places] + [f"size_t {name}" for name in lengths]) or "void"
    passed = [f"fortran_function({one.name})" if one.kind == "function" else one.name for one in arguments]
    passed = ", ".join([*passed, *places[len(arguments):], *lengths])
    target, result = symbol(call.name), RESULTS[call.result]
    weak = " __attribute__((weak))" if call.may_lack else ""
    text = wrap(f"{result} {target}({declared}){weak};") + "\n"
    text += wrap(f"{result} {symbol(call.ampi + ending)}({declared}) {{") + "\n"
    if call.may_lack:
        text += f'  if ({target} == NULL) {{\n    fortran_lacks("{call.ampi}", "{WHY[call.mark]}", ierror);\n    return;\n  }}\n'
    return text + wrap(f"{'' if result == 'void' else 'return '}{target}({passed});", "  ") + "\n}\n"


def procedure(name, count):
    arguments = ", ".join(f"void *{letter}" for letter in "abcdefg"[:count])
    passed = ", ".join("abcdefg"[:count])
    return (f"void {symbol(name)}({arguments});\n"
            f"void {symbol('A' + name)}({arguments}) {{ {symbol(name)}({passed}); }}\n")


def source():
    text = f"""/* {NOTE} */

/* MPI's calls for Fortran that need no code of ours, under their AMPI_ names: the same pointers, and the lengths of texts
 * behind them. */
#include "ampi_fortran_beside.h"

#include <mpi.h>
#include <stddef.h>

"""
    text += "\n".join(one_pass(one, ending) for one in PASSES
                      for ending in (["", "_cptr"] if one.name in POINTERS else [""]))
    text += "\n/* Procedures that are arguments of others. */\n"
    return text + "".join(procedure(name, TAKES[kind]) for kind, names in PROCEDURES.items() for name in names)


OUTPUTS = {"fortran/ampi_pass.c": source}
