"""src/shim/ampi_fortran.c: the library's calls for Fortran, everything by reference."""

import model
from emit.fortran import HANDLES, LARGE, NOTE, SHIMS, has_code, parameters, symbol
from emit.fortran_modules import POINTERS
from emit.text import wrap

BY_HAND = {"MPI_Init", "MPI_Init_thread", "MPI_Op_create"}
KINDS = {"big": "MPI_Count", "aint": "MPI_Aint", "aint_size": "MPI_Aint", "aints": "MPI_Aint", "offset": "MPI_Offset", "byte_displacements": "MPI_Aint",
         "extra_state": "MPI_Aint", "large_counts": "MPI_Count"}
C_TYPES = {"datatypes": "MPI_Datatype", "types": "MPI_Datatype", "requests": "AMPI_Request", "statuses": "MPI_Status", "logicals": "int"}


class BufferTriple:
    """How one argument comes from Fortran (`before`), goes to C (`passed`) and comes back (`after`)."""

    def __init__(self, call, one):
        self.call, self.one, self.name = call, one, one.name
        self.before, self.after, self.passed = [], [], one.name
        const = "const " if one.direction == "in" else ""
        kind = "void" if one.kind in ("buffer", "address", "weights", "pointer") else KINDS.get(one.kind, "MPI_Fint")
        if one.kind == "string":
            kind = "char"
        self.declaration = f"{const}{kind} *{one.name}"
        if one.kind == "function":
            self.declaration = f"fortran_procedure *{one.name}"
        getattr(self, one.kind if one.kind not in HANDLES or one.kind == "op" else "handle", self.number)()

    def number(self):
        """One that is as it is in C: a value to be read, or a place or an array."""
        if self.one.kind not in model.ARRAYS and self.one.direction == "in":
            self.passed = "*" + self.name

    def handle(self):
        kind, direction, is_ours = HANDLES[self.one.kind], self.one.direction, self.one.kind == "request"
        c_type, prefix = ("AMPI_Request", "AMPI") if is_ours else (self.one.c_type, "MPI")
        read = f"{prefix}_{kind}_f2c(*{self.name})"
        if direction == "in":
            self.passed = read
            return
        null = f"{prefix}_{'DATATYPE' if kind == 'Type' else kind.upper()}_NULL"
        self.before = [f"{c_type} c_{self.name} = {read if direction == 'inout' else null};"]
        self.passed = "&c_" + self.name
        written = f"*{self.name} = {prefix}_{kind}_c2f(c_{self.name});"
        # The number of a request stays as long as the request does.
        self.after = [f"if (c_{self.name} == {null}) *{self.name} = 0;" if is_ours and direction == "inout" else written]

    def op(self):
        """MPI's operations on tangents are others. Accumulates have none."""
        self.handle()
        if self.call.named("datatype") and self.call.chapter != "one_sided":
            self.passed = f"fortran_op(*{self.name}, *datatype)"

    def buffer(self):
        self.passed = f"fortran_buffer({self.name})"

    def pointer(self):
        pass

    address = buffer

    def weights(self):
        self.passed = f"fortran_weights({self.name})"

    def logical(self):
        if self.one.direction == "in":
            self.passed = f"*{self.name} != 0"
            return
        self.before = [f"int c_{self.name} = 0;"]
        self.passed = "&c_" + self.name
        self.after = [f"*{self.name} = fortran_logical(c_{self.name});"]

    def index(self):
        self.after = [f"fortran_indices(1, {self.name});"]

    def indices(self):
        self.after = [f"fortran_indices(*{self.one.length}, {self.name});"]

    def status(self):
        self.before = [f"MPI_Status room_{self.name};",
                       f"MPI_Status *c_{self.name} = fortran_status({self.name}, &room_{self.name});"]
        self.passed = "c_" + self.name
        if self.one.direction != "in":
            self.after = [f"fortran_put_status(c_{self.name}, {self.name});"]

    def converted(self, length, put=None):
        """An array of which C has another: on the stack if it is short."""
        c_type, kind, name = C_TYPES[self.one.kind], self.one.kind, self.name
        kind = "datatypes" if kind == "types" else kind
        self.before = [f"{c_type} few_{name}[FORTRAN_FEW];",
                       f"{c_type} *c_{name} = fortran_{kind}({length}, {name}, few_{name});"]
        self.passed = "c_" + name
        self.after = [f"fortran_put_{kind}({put}, c_{name}, {name});"] if put else []
        self.after.append(f"fortran_release(c_{name}, few_{name});")

    def requests(self):
        self.converted("*" + self.one.length, "*" + self.one.length)

    def statuses(self):
        # As many as requests, of which some may be written.
        self.converted("*" + self.call.requests()[0].length, "*" + self.one.length)

    def logicals(self):
        self.converted("*" + self.one.length if self.one.length else "fortran_dimensions(MPI_Comm_f2c(*comm))")

    def types(self):
        self.converted("*" + next(one.name for one in self.call.parameters if one.kind == "big"))

    def datatypes(self):
        buffer = self.call.buffer_of(self.one)
        sends = "1" if self.name == "sendtypes" else "0"
        peers = f"fortran_peers(MPI_Comm_f2c(*comm), {sends}, {1 if self.call.is_neighbour else 0})"
        if "in_place" in buffer.words:
            peers = f"fortran_buffer({buffer.name}) == MPI_IN_PLACE ? 0 : {peers}"
        self.converted(peers)

    def string(self):
        name = self.name
        self.before = [f"char few_{name}[FORTRAN_FEW];", f"char *c_{name} = fortran_string({name}, length_of_{name}, few_{name});"]
        self.passed = "c_" + name
        self.after = [f"fortran_release(c_{name}, few_{name});"]


def prototype(call, arguments, ending=""):
    code = ["MPI_Fint *ierror"] if has_code(call) else []
    # The lengths of texts stand behind all arguments.
    lengths = [f"size_t length_of_{one.name}" for one in arguments if one.one.kind == "string"]
    return f"void {symbol(call.ampi + ending)}({', '.join([one.declaration for one in arguments] + code + lengths)})"


def arguments_of(call):
    return [BufferTriple(call, one) for one in parameters(call)]


def shim(call):
    arguments = arguments_of(call)
    body = [line for one in arguments for line in one.before]
    body.append(f"int code = {call.ampi}({', '.join(one.passed for one in arguments)});")
    body += [line for one in arguments for line in one.after]
    body.append("fortran_code(ierror, code);")
    lines = "\n".join(wrap(line, "  ") for line in body)
    text = f"\n{wrap(prototype(call, arguments) + ' {')}\n{lines}\n}}\n"
    if call.name in POINTERS and call in SHIMS:
        # The address as a pointer of C has the same bits.
        names = ", ".join([one.name for one in arguments] + ["ierror"])
        text += f"\n{wrap(prototype(call, arguments, '_cptr') + ' {')}\n  {symbol(call.ampi)}({names});\n}}\n"
    return text


def header():
    text = f"""/* {NOTE} */

/* The calls for Fortran, as external procedures: everything by reference, the lengths of texts behind it. `ierror` may be
 * NULL, which is an absent optional argument. */
#ifndef ADMPI_SHIM_AMPI_FORTRAN_H
#define ADMPI_SHIM_AMPI_FORTRAN_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "admpi/map.h"
#include "admpi/tape.h"
#include "admpi/profile.h"
#include "admpi/time_loop.h"

/** A procedure that is an argument. */
typedef void fortran_procedure(void);

/** COMMON /ADMPIF_TYPES/: AMPI_ADOUBLE, AMPI_ADOUBLE_INT, AMPI_VIEW, the types of tangents and AMPI_ADOUBLE_COMPLEX, as integers. */
extern MPI_Fint admpif_types_[6];

/** What one binding of MPI for Fortran has: called for each by the objects that come with the modules, before main.
 *  @param binding      0: mpif.h and the module mpi; 1: the module mpi_f08
 *  @param status_size  MPI_STATUS_SIZE
 *  @param world        the number of MPI_COMM_WORLD
 *  @param truth        .true.; behind it the addresses of the sentinels */
void admpif_sentinels_(const MPI_Fint *binding, const MPI_Fint *status_size, const MPI_Fint *world,
                       const MPI_Fint *truth, const void *bottom, const void *in_place, const void *status_ignore,
                       const void *statuses_ignore, const void *unweighted, const void *weights_empty);

/* The places in it. */
enum {{ OF_ADOUBLE, OF_ADOUBLE_INT, OF_VIEW, OF_TANGENT, OF_TANGENT_VAR, OF_ADOUBLE_COMPLEX }};

/** The first of n elements that no library of this process made, or -1: 16 bytes that are no admpi_var, but two numbers. */
int64_t admpif_first_foreign(const admpi_var *x, int64_t n);

/** Whether all elements of the datatype are active doubles, however it is built. */
int admpif_is_only_active(MPI_Datatype datatype);

/** Whether an address is one of Fortran's that stand for something: MPI_BOTTOM, MPI_IN_PLACE. */
int admpif_is_sentinel(const void *address);

/** The library's number for one of MPI's requests, which is its own from then on. */
MPI_Fint admpif_adopt_request(MPI_Fint request);

"""
    text += """/* The library's own. `direction` counts from 1 and may be NULL; without `ierr` an error ends the program. */
void ampi_comm_register_(const MPI_Fint *comm, MPI_Fint *ierror);
void ampi_op_create_adjoint_(fortran_procedure *function, fortran_procedure *derivative, const MPI_Fint *commute,
                             MPI_Fint *op, MPI_Fint *ierror);
void admpi_init_(const MPI_Fint *comm, MPI_Fint *ierr);
void admpi_finalize_(MPI_Fint *ierr);
void admpi_tape_seed_replicated_(admpi_tape *const *tape, const MPI_Fint *comm, const admpi_var *y, const double *weight,
                                 const MPI_Fint *direction, MPI_Fint *ierr);
void admpi_tape_abandon_sweep_(admpi_tape *const *tape, const MPI_Fint *comm, MPI_Fint *ierr);
void admpi_map_new_mpi_(const MPI_Fint *comm, admpi_map **map, const MPI_Fint *backend, const MPI_Fint *threads, MPI_Fint *ierr);
void admpi_map_serve_(const MPI_Fint *comm, MPI_Fint *ierr);
void admpi_time_loop_set_comm_(const MPI_Fint *comm, admpi_time_loop *const *loop, MPI_Fint *ierr);
void admpi_profile_gather_(const MPI_Fint *comm, admpi_profile *const *profile, MPI_Fint *ierr);

/* MPI's */
"""
    text += "".join(wrap(prototype(one, arguments_of(one), ending) + ";") + "\n"
                    for one in SHIMS for ending in (["", "_cptr"] if one.name in POINTERS else [""]))
    text += "\n/* With counts past 2^31 */\n"
    text += "".join(wrap(prototype(one, arguments_of(one)) + ";") + "\n" for one in LARGE)
    return text + "\n#endif\n"


def source():
    text = f'/* {NOTE} */\n#include "ampi_fortran.h"\n\n#include "ampi_fortran_support.h"\n'
    return text + "".join(shim(one) for one in SHIMS + LARGE if one.name not in BY_HAND)


OUTPUTS = {"src/shim/ampi_fortran.h": header, "src/shim/ampi_fortran.c": source}
