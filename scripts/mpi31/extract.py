#!/usr/bin/env python3
"""Makes the lists of the names of MPI-3.1 from the headers of two MPIs.

    extract.py <mpi.h of an MPI-3.1 library> <mpi.h, mpi_proto.h, mpio.h of a second one>...

Open MPI 4.1 implements MPI-3.1 and nothing later, so its header is the base. What it leaves out or adds
is set right below, and every signature must read the same in the second library, or the run stops. The
lists are committed; generate.py makes the headers from them, so no build needs this script.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent

# Extensions of Open MPI, not names of the standard.
NOT_STANDARD = {
    "MPI_2COMPLEX", "MPI_2DOUBLE_COMPLEX", "MPI_CXX_COMPLEX",
    "MPI_LOGICAL1", "MPI_LOGICAL2", "MPI_LOGICAL4", "MPI_LOGICAL8",
}
# Section 17.2.5, which Open MPI 4.1 lacks.
MISSING_FUNCTIONS = {
    "MPI_Status_c2f08": "int MPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)",
    "MPI_Status_f082c": "int MPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)",
    "MPI_Status_f082f": "int MPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)",
    "MPI_Status_f2f08": "int MPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)",
}
MISSING_CONSTANTS = {"MPI_F08_STATUS_IGNORE", "MPI_F08_STATUSES_IGNORE", "MPI_REAL2", "MPI_COMPLEX4"}
MISSING_TYPES = {"MPI_F08_status"}
# Macros in Open MPI, functions in the standard.
MACRO_FUNCTIONS = {
    "MPI_Aint_add": "MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp)",
    "MPI_Aint_diff": "MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)",
}

DEPRECATED = {
    "MPI_Attr_delete", "MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create", "MPI_Keyval_free",
    "MPI_DUP_FN", "MPI_NULL_COPY_FN", "MPI_NULL_DELETE_FN", "MPI_Copy_function", "MPI_Delete_function",
    "MPI_Comm_errhandler_fn", "MPI_File_errhandler_fn", "MPI_Win_errhandler_fn",
}
# Removed by MPI-3.0; programs still have them, and most libraries still provide them.
REMOVED = {
    "MPI_Address", "MPI_Errhandler_create", "MPI_Errhandler_get", "MPI_Errhandler_set", "MPI_Type_extent",
    "MPI_Type_hindexed", "MPI_Type_hvector", "MPI_Type_lb", "MPI_Type_struct", "MPI_Type_ub",
    "MPI_LB", "MPI_UB", "MPI_Handler_function",
    "MPI_COMBINER_HVECTOR_INTEGER", "MPI_COMBINER_HINDEXED_INTEGER", "MPI_COMBINER_STRUCT_INTEGER",
}
# Datatypes that a library need not have (sections 3.2.2 and 17.1.9), and what some lack.
OPTIONAL = re.compile(
    r"MPI_(INTEGER(1|2|4|8|16)|REAL(2|4|8|16)|COMPLEX(4|8|16|32)|F08_\w+|Status_(c2f08|f082c|f082f|f2f08))$")

FIELDS = {"MPI_SOURCE", "MPI_TAG", "MPI_ERROR"}
CALLBACKS = {"DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN"}


def read(paths):
    text = "\n".join(pathlib.Path(path).read_text(errors="replace") for path in paths)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = text.replace("\\\n", " ")
    text = text.replace("MPIO_Request", "MPI_Request")  # ROMIO's name for the same type
    return re.sub(r'"[^"\n]*"', "", text)


def prototypes(text):
    """Every MPI function that is declared, as (type it returns, its parameters)."""
    lines = (line for line in text.split("\n") if not line.lstrip().startswith("#"))
    found = {}
    for statement in re.split(r"[;{}]", "\n".join(lines)):
        statement = re.sub(r"\s+", " ", statement).strip()
        match = re.match(
            r"(?:OMPI_DECLSPEC )?(?:extern )?((?:const )?\w+(?: \*|\* | ))\s*(MPI_[A-Z]\w*) ?\(", statement)
        if statement.startswith("typedef") or not match:
            continue
        end, depth = match.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(statement[end], 0)
            end += 1
        found.setdefault(match.group(2), (match.group(1).strip(), parameters(statement[match.end():end - 1])))
    return found


def parameters(text):
    """The parameters in one spelling: arrays with [], the star at the name."""
    result = []
    for one in text.split(","):
        one = re.sub(r"\s+", " ", one).strip()
        one = re.sub(r"\s*\*\s*", "*", one)
        one = re.sub(r"\s*\[\s*\]", "[]", one)
        one = re.sub(r"(\*+)(?=\w)", r" \1", one)
        result.append(one)
    return result


def bare(parameter):
    """The type of a parameter with arrays as pointers, to compare two libraries."""
    kind = re.sub(r"\w+((?:\[\w*\])*)$", r"\1", parameter) if " " in parameter else parameter
    kind = re.sub(r"^\[3\]", "(*)[3]", kind)
    kind = re.sub(r"(\[\w*\])+$", lambda m: "*" if m.group(0).count("[") == 1 else "(*)[3]", kind)
    return kind.replace(" ", "").replace("const", "")


def main():
    base, other = read(sys.argv[1:2]), read(sys.argv[2:])
    functions, seconds = prototypes(base), prototypes(other)
    for name, (kind, arguments) in functions.items():
        if name in REMOVED:
            continue  # they differ in the names of types that went with them
        if name in seconds:
            theirs = seconds[name]
            ours = [bare(argument) for argument in arguments]
            if [bare(argument) for argument in theirs[1]] != ours or kind != theirs[0]:
                print(f"{name} differs:\n  {kind} {arguments}\n  {theirs}", file=sys.stderr)
        elif not re.search(r"#\s*define\s+" + name + r"\b", other):
            print(f"{name} is unknown to the second library", file=sys.stderr)
    lines = {name: f"{kind} {name}({', '.join(arguments)})" for name, (kind, arguments) in functions.items()}
    lines = {name: line.replace("* MPI", "*MPI") for name, line in lines.items()}
    lines.update(MACRO_FUNCTIONS)
    lines.update(MISSING_FUNCTIONS)
    callbacks = {name for name in lines if any(name.endswith(end) for end in CALLBACKS)}

    names = set(re.findall(r"\bMPI_[A-Za-z0-9]\w*", base)) - set(lines) - NOT_STANDARD - FIELDS
    names |= MISSING_CONSTANTS | MISSING_TYPES | callbacks
    known = set(re.findall(r"\bMPI_\w+", other)) | MISSING_CONSTANTS
    for name in sorted(names - known - REMOVED - DEPRECATED):
        print(f"{name} is unknown to the second library", file=sys.stderr)
    types = {name for name in names if re.match(r"MPI_(T_)?([A-Z]?[a-z]\w*)$", name)} | MISSING_TYPES
    write("functions.txt", "Every function of MPI-3.1", {n: lines[n] for n in set(lines) - callbacks})
    write("constants.txt", "Every constant of MPI-3.1", {n: n for n in names - types})
    write("types.txt", "Every type of MPI-3.1", {n: n for n in types})


def write(name, title, lines):
    text = f"# {title}, made by extract.py. A first word says: deprecated, removed (by MPI-3.0),\n"
    text += "# optional (a library need not have it).\n"
    for key in sorted(lines, key=lambda key: (key.upper(), key)):
        mark = ("deprecated " if key in DEPRECATED else "removed " if key in REMOVED else
                "optional " if OPTIONAL.match(key) else "")
        text += f"{mark}{lines[key]}\n"
    (HERE / name).write_text(text)


main()
