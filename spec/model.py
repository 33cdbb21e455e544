"""The calls of MPI, read from spec/mpi; spec/README.md says how the tables are written."""

import pathlib
import re

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent

# The type in C of what is one value, and of what is an array; of one value a call that changes it takes a pointer.
VALUES = {
    "count": "int", "rank": "int", "root": "int", "tag": "int", "keyval": "int", "logical": "int", "integer": "int",
    "index": "int", "big": "MPI_Count", "size": "int", "aint_size": "MPI_Aint", "aint": "MPI_Aint", "offset": "MPI_Offset", "fint": "MPI_Fint",
    "datatype": "MPI_Datatype", "type": "MPI_Datatype", "op": "MPI_Op", "comm": "MPI_Comm", "group": "MPI_Group",
    "info": "MPI_Info", "errhandler": "MPI_Errhandler", "request": "MPI_Request", "message": "MPI_Message",
    "status": "MPI_Status", "win": "MPI_Win", "file": "MPI_File", "f08_status": "MPI_F08_status", "enum": "MPI_T_enum",
    "cvar_handle": "MPI_T_cvar_handle", "pvar_handle": "MPI_T_pvar_handle", "pvar_session": "MPI_T_pvar_session",
}
ARRAYS = {
    "counts": "int", "large_counts": "MPI_Count", "displacements": "int", "byte_displacements": "MPI_Aint", "aints": "MPI_Aint", "integers": "int",
    "weights": "int", "logicals": "int", "indices": "int", "datatypes": "MPI_Datatype", "types": "MPI_Datatype", "infos": "MPI_Info",
    "requests": "MPI_Request", "statuses": "MPI_Status",
}
# What the kinds that are wider in the form for counts past 2^31 are there.
LARGE = {"count": "MPI_Count", "counts": "MPI_Count", "size": "MPI_Count", "aint_size": "MPI_Count", "displacements": "MPI_Aint"}
POINTERS = {"buffer": "void", "address": "void", "string": "char"}
OPAQUE = {"pointer", "attribute", "extra_state"}
# Written out behind "=".
WRITTEN = {"function", "strings", "string_lists", "ranges", "variadic"}
KINDS = {*VALUES, *ARRAYS, *POINTERS, *OPAQUE, *WRITTEN}

STATUSES = {"adjoint", "tracked", "refused", "values", "wrapped", "passes"}
MARKS = {"deprecated", "removed", "optional", "partitioned", "large", "mpi4"}
FORMS = {"nonblocking", "persistent"}
PLACES = {"root", "others", "either"}
WORDS = {"in_place", "unless_no_op"}
COLLECTIVE = {"collective", "topologies"}  # chapters


class Parameter:
    def __init__(self, line):
        line, _, self.doc = line.partition(" : ")
        line, _, written = line.partition("=")
        self.name, self.kind, *words = line.split()
        self.direction = words.pop(0) if words and words[0] in ("in", "out", "inout") else "in"
        self.of = self.at = self.length = None
        self.words = set()
        while words:
            word = words.pop(0)
            if word in ("of", "at", "length"):
                setattr(self, word, words.pop(0))
            elif word in WORDS:
                self.words.add(word)
            else:
                raise ValueError(f"what is '{word}'?")
        if self.kind not in KINDS:
            raise ValueError(f"the kind '{self.kind}' of {self.name} is not in spec/model.py")
        self.c = written.strip() or self.in_c()
        match = re.match(r"(.*?)\s*\**(\w+)?((?:\[\d*\])*)$", self.c)
        self.c_type, self.array = match.group(1), match.group(3)

    def in_c(self):
        """The declaration in C."""
        const = "const " if self.direction == "in" else ""
        if self.kind == "status" and const:
            return f"const MPI_Status *{self.name}"
        if self.kind in VALUES:
            return f"{VALUES[self.kind]} {'' if const else '*'}{self.name}"
        if self.kind in ARRAYS:
            return f"{const}{ARRAYS[self.kind]} {self.name}[]"
        if self.kind in POINTERS:
            return f"{const}{POINTERS[self.kind]} *{self.name}"
        if self.kind in OPAQUE:
            return f"void *{self.name}"
        if self.name == "...":
            return "..."
        raise ValueError(f"{self.name} is a {self.kind}, which is written out behind '='")


class Call:
    """One call in one form. `base` is the blocking one."""

    def __init__(self, name, form, words, result, parameters, chapter, doc="", base=None):
        self.name, self.form, self.result, self.parameters = name, form, result, parameters
        self.ampi = "A" + name
        self.doc, self.base, self.chapter = doc, base or self, chapter
        self.does = {}
        self.status, *marks = words
        if self.status not in STATUSES or not set(marks) <= MARKS:
            raise ValueError(f"{name}: what does '{' '.join(words)}' say?")
        self.mark = marks[0] if marks else ""
        if form == "persistent" and self.is_collective:
            self.mark = "persistent"  # collective calls are so in MPI-4 only
        self.takes = {one.kind for one in parameters}
        self.check()

    def check(self):
        """What the tables say must hang together."""
        if self.datatypes() and self.status not in ("adjoint", "refused", "values"):
            raise ValueError(f"{self.name} reads or writes data under a datatype: it is differentiated, refused, or moves values")
        if self.requests() and self.status == "passes":
            raise ValueError(f"{self.name} takes a request, which is the library's own: it is not MPI's call as it stands")
        untold = [one.name for one in self.parameters if not one.doc]
        if self.moves_active_data and self.form == "blocking" and untold:
            raise ValueError(f"{self.name} is differentiated: what are {', '.join(untold)}? (' : ' and a text)")
        if self.moves_active_data and self.status == "adjoint" and self.form == "blocking" and not self.doc:
            raise ValueError(f"{self.name} is differentiated: what does it accept, and who calls it? (' : ' and a text)")
        for one in self.parameters:
            if one.of and not (self.named(one.of) and self.named(one.of) in self.datatypes()):
                raise ValueError(f"{self.name}: {one.name} is of {one.of}, which is no datatype of the call")
            if one.length and not self.named(one.length):
                raise ValueError(f"{self.name}: {one.length}, the length of {one.name}, is no argument of the call")
            if one.at and ("root" not in self.takes or one.at not in PLACES):
                raise ValueError(f"{self.name}: {one.name} counts at {one.at}: of a root, at one of {', '.join(sorted(PLACES))}")
            if one.kind in ("datatype", "datatypes") and "root" in self.takes and not one.at:
                raise ValueError(f"{self.name}: does {one.name} count at the root, at the others, or at either?")

    @property
    def is_collective(self):
        return self.chapter in COLLECTIVE

    @property
    def has_fortran(self):
        """MPI's tools, large counts under names of their own, and the conversions of handles and statuses are C's alone. Fortran has no
        #ifdef for what is optional."""
        c_alone = self.chapter == "tools" or self.mark == "optional" or self.result == "MPI_Fint" or self.name.endswith("_c")
        return not c_alone and not {"fint", "f08_status"} & self.takes

    @property
    def is_mpi4(self):
        return self.mark in ("persistent", "partitioned", "large", "mpi4")

    @property
    def may_lack(self):
        """Whether an MPI may lack it that has all of MPI-3.1's calls."""
        return self.mark in ("removed", "mpi4")

    @property
    def is_neighbour(self):
        return "eighbor" in self.name

    @property
    def moves_active_data(self):
        return self.status == "adjoint" and bool(self.datatypes())

    @property
    def has_large_form(self):
        """Whether AMPI has it with counts past 2^31, under MPI-4's name."""
        return (self.status == "values" or self.moves_active_data) and bool({"count", "counts"} & self.takes)

    def buffers(self):
        """Those whose element type tells something."""
        return [one for one in self.parameters if one.kind == "buffer" and one.of]

    def datatypes(self):
        """The types of data that the call reads or writes."""
        return [one for one in self.parameters if one.kind in ("datatype", "datatypes")]

    def requests(self):
        return [one for one in self.parameters if one.kind in ("request", "requests")]

    def named(self, name):
        return next((one for one in self.parameters if one.name == name), None)

    def buffer_of(self, datatype):
        return next((one for one in self.buffers() if one.of == datatype.name), None)


def derived(parameters, form, chapter):
    """What another form takes: no status, hints if it is collective and persistent, a request."""
    result = [one for one in parameters if one.kind != "status"]
    if form == "persistent" and chapter in COLLECTIVE:
        result.append(Parameter("info info"))
    return [*result, Parameter("request request out")]


def forms(block, chapter):
    head, *rows = block
    head, _, result = head.partition(" -> ")
    name, *words = head.split()
    doc, others, parameters, does = "", [], [], {}
    for row in rows:
        if row.split()[0] == ":":
            doc = row.split(maxsplit=1)[1]
        elif row.split()[0].startswith("does"):
            form, text = row.split(maxsplit=1)
            does[form[5:]] = text
        elif row.split()[0] in FORMS:
            row, _, doc_of_form = row.partition(" : ")
            others.append((row.split(), doc_of_form))
        else:
            parameters.append(Parameter(row))
    base = Call("MPI_" + name, "blocking", words, result or "int", parameters, chapter, doc)
    base.does = does
    yield base
    for (form, *words), doc in others:
        other = f"MPI_I{name[0].lower()}{name[1:]}" if form == "nonblocking" else f"MPI_{name}_init"
        yield Call(other, form, words, "int", derived(parameters, form, chapter), chapter, doc, base)


def read_calls():
    for path in sorted((HERE / "mpi").glob("*.txt")):
        if path.stem in ("constants", "types"):
            continue
        block = []
        for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
            line = line.split("#")[0].rstrip()
            if line:
                block.append(line)
            elif block:
                try:
                    yield from forms(block, path.stem)
                except (ValueError, IndexError) as error:
                    raise SystemExit(f"{path.name}, before line {number}: {error}") from None
                block = []


def read_names(name):
    """The names of a list with their marks."""
    lines = (HERE / "mpi" / name).read_text().splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    return [(line.split()[-1], line.split()[0] if " " in line else "") for line in lines]


CALLS = list(read_calls())
# Those of MPI-3.1 in the order of their names; of MPI-4 the persistent ones first.
MPI31 = sorted((one for one in CALLS if not one.is_mpi4), key=lambda one: one.name.upper())
MPI4 = (sorted((one for one in CALLS if one.mark == "persistent"), key=lambda one: one.name.removesuffix("_init").upper())
        + [one for mark in ("partitioned", "large", "mpi4") for one in CALLS if one.mark == mark])
BY_NAME = {one.name: one for one in CALLS}
CONSTANTS = read_names("constants.txt")
TYPES = read_names("types.txt")
