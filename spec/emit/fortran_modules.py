"""fortran/ampi.F90, fortran/ampi_f08.F90 and include/ampif.h: the three bindings of Fortran."""

from model import CONSTANTS, TYPES
from emit.fortran import (BESIDE, CALLS, DESCRIBED, HANDLES, LARGE, LARGE_ACTIVE, LARGE_PASSIVE, NOTE, PROCEDURES, SHIMS, broken,
                          described, has_code, is_old, parameters)

SENTINELS = ["MPI_BOTTOM", "MPI_IN_PLACE", "MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_ERRCODES_IGNORE",
             "MPI_ARGV_NULL", "MPI_ARGVS_NULL", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"]
KINDS = ["MPI_ADDRESS_KIND", "MPI_COUNT_KIND", "MPI_INTEGER_KIND", "MPI_OFFSET_KIND"]
OF_STATUS = ["MPI_STATUS_SIZE", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR"]
FUNCTIONS = [name for names in PROCEDURES.values() for name in names] + ["MPI_CONVERSION_FN_NULL"]
# Ours, or of C only, or not in every MPI that has Fortran.
LEFT_OUT = {"MPI_REQUEST_NULL", "MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "MPI_F08_STATUS_IGNORE",
            "MPI_F08_STATUSES_IGNORE", "MPI_COMPLEX4", "MPI_REAL2", *SENTINELS, *FUNCTIONS}
NUMBERS = [name for name, mark in CONSTANTS
           if mark not in ("removed", "mpi4") and name not in LEFT_OUT and not name.startswith("MPI_T_")]
OF_KIND = {"MPI_DISPLACEMENT_CURRENT": "MPI_OFFSET_KIND"}  # the others are INTEGER
OLD_FUNCTIONS = {"MPI_DUP_FN", "MPI_NULL_COPY_FN", "MPI_NULL_DELETE_FN"}  # which mpi_f08 lacks
C_TYPES = {"MPI_Aint", "MPI_Count", "MPI_Fint", "MPI_Offset"}
OWN_TYPES = [name for name, mark in TYPES if not mark and not name.startswith("MPI_T_") and name not in C_TYPES]
# With the address as an integer, and as type(c_ptr).
POINTERS = {one.name for one in CALLS if "pointer" in one.takes and one.name != "MPI_Buffer_detach"}

CHOICES = {"buffer", "address", "weights"}
LATER = {"nonblocking", "persistent"}  # forms that use their buffers after they return


def declared(call, one, f08, pointer):
    """The type of one dummy argument, and its shape."""
    handle = HANDLES.get(one.kind) or {"datatypes": "Type", "types": "Type", "infos": "Info", "requests": "Request"}.get(one.kind)
    array = ", dimension(*)"
    if one.kind in CHOICES or (one.kind == "pointer" and call.name == "MPI_Buffer_detach"):
        return "type(*)" + array
    if one.kind == "pointer":
        return "type(c_ptr)" if pointer or call in LARGE else "integer(kind=AMPI_ADDRESS_KIND)"
    if one.kind in ("status", "statuses"):
        if f08:
            return "type(AMPI_Status)" + (array if one.kind == "statuses" else "")
        return "integer, dimension(AMPI_STATUS_SIZE" + (", *)" if one.kind == "statuses" else ")")
    if handle:
        name = {"Type": "Datatype"}.get(handle, handle)
        plural = array if one.kind in ("datatypes", "types", "infos", "requests") else ""
        return (f"type(AMPI_{name})" if f08 else "integer") + plural
    if one.kind in ("aint", "aint_size", "attribute", "extra_state"):
        return "integer" if is_old(call) else "integer(kind=AMPI_ADDRESS_KIND)"
    if one.kind in ("aints", "byte_displacements"):
        return ("integer" if is_old(call) else "integer(kind=AMPI_ADDRESS_KIND)") + array
    if one.kind == "function":
        return f"procedure({one.c_type.replace('MPI_', 'AMPI_')})" if f08 else "external"
    return {
        "logical": "logical", "logicals": "logical" + array, "offset": "integer(kind=AMPI_OFFSET_KIND)",
        "big": "integer(kind=AMPI_COUNT_KIND)", "large_counts": "integer(kind=AMPI_COUNT_KIND)" + array, "string": "character(len=*)", "strings": "character(len=*)" + array,
        "string_lists": "character(len=*), dimension(count, *)", "ranges": "integer, dimension(3, *)",
    }.get(one.kind, "integer" + (array if one.array or one.kind in ("counts", "displacements", "integers", "indices") else ""))


def declaration(call, one, f08, pointer):
    text = declared(call, one, f08, pointer)
    if one.kind == "function":
        return f"      {text} :: {one.name}\n"
    if one.direction == "in" or one.kind in ("attribute", "extra_state") and one.direction != "out":
        text += ", intent(in)"
    elif f08 and "*" not in text:
        text += f", intent({one.direction})"
    notes = ""
    if text.startswith("type(*)"):
        notes = "".join(f"      !{note} {one.name}\n" for note in
                        ("GCC$ ATTRIBUTES NO_ARG_CHECK ::", "DIR$ ATTRIBUTES NO_ARG_CHECK ::", "DIR$ IGNORE_TKR"))
        if one.kind == "buffer" and call in DESCRIBED:
            notes = f"#ifndef ADMPI_DESCRIPTORS\n{notes}#endif\n"
            text = text.replace("type(*), dimension(*)", "BUFFER")
        if one.kind == "buffer" and call.form in LATER:
            text += ", asynchronous"
    return f"{notes}      {text} :: {one.name}\n"


def interface(call, f08=False, pointer=False):
    arguments = parameters(call)
    names = [one.name for one in arguments] + (["ierror"] if has_code(call) else [])
    name = call.ampi + ("_cptr" if pointer else "")
    if call.result == "int":
        kind, result = "subroutine", ""
    else:
        kind, result = "function", {"double": "double precision", "MPI_Aint": "integer(kind=AMPI_ADDRESS_KIND)"}[call.result]
    by = f' DESCRIBED("{described(call)}")' if call in DESCRIBED else ""
    text = broken(f"{kind} {name}({', '.join(names)}){by}", "    ")
    text += "      use, intrinsic :: iso_c_binding, only: c_ptr\n" if pointer or (call in LARGE and "pointer" in call.takes) else ""
    text += "      import\n"
    text += "".join(declaration(call, one, f08, pointer) for one in arguments)
    if has_code(call):
        text += f"      integer{', optional, intent(out)' if f08 else ', intent(out)'} :: ierror\n"
    if result:
        text += f"      {result} :: {name}\n"
    return text + f"    end {kind} {name}\n"


def interfaces(calls, f08):
    """Those of one kind in one block; a generic one for calls with several."""
    # As in MPI-4: the kind of the counts chooses.
    large = {one.name: one for one in LARGE_ACTIVE} if f08 else {}
    several = {one.name: [interface(one, f08), interface(one, f08, True)] for one in calls if one.name in POINTERS}
    several |= {one.name: [interface(one, f08), interface(large[one.name], f08)] for one in calls if one.name in large}
    plain = [one for one in calls if one.name not in several] + (LARGE_PASSIVE if f08 else LARGE)
    text = "  interface\n" + "".join(interface(one, f08) for one in plain) + "  end interface\n"
    for one in (one for one in calls if one.name in several):
        text += f"\n  interface {one.ampi}\n{''.join(several[one.name])}  end interface {one.ampi}\n"
    return text


def renamed(module, names):
    return "".join(f"  use {module}, only: A{name} => {name}\n" for name in names)


TYPES_OF_ADMPI = """  ! Set when MPI is initialised; ampif.h and the other module have the same storage.
  {0} :: AMPI_ADOUBLE, AMPI_ADOUBLE_INT, AMPI_VARMAT, AMPI_TANGENT, AMPI_TANGENT_VAR, AMPI_ADOUBLE_COMPLEX
  common /ADMPIF_TYPES/ AMPI_ADOUBLE, AMPI_ADOUBLE_INT, AMPI_VARMAT, AMPI_TANGENT, AMPI_TANGENT_VAR, AMPI_ADOUBLE_COMPLEX
"""


def kind_of(name):
    return f"(kind={OF_KIND[name]})" if name in OF_KIND else ""


# A buffer by descriptor has a type and strides.
OF_BUFFERS = """#ifdef ADMPI_DESCRIPTORS
#define BUFFER type(*), dimension(..)
#define DESCRIBED(symbol) bind(C, name=symbol)
#else
#define BUFFER type(*), dimension(*)
#define DESCRIBED(symbol)
#endif
"""

# What MPI has no name for. Where `ierr` is absent an error ends the program.
OURS = """
  abstract interface
    ! The adjoint of one application of an operation: adds to in_adjoint and inout_adjoint.
    subroutine AMPI_Op_adjoint_function(in, inout, result_adjoint, in_adjoint, inout_adjoint, len, size)
      integer, intent(in) :: len, size
      double precision, intent(in) :: in(size, len), inout(size, len), result_adjoint(size, len)
      double precision, intent(inout) :: in_adjoint(size, len), inout_adjoint(size, len)
    end subroutine AMPI_Op_adjoint_function
  end interface

  interface
    subroutine AMPI_Op_create_adjoint(function, derivative, commute, op, ierror)
      import
      {function} :: function
      procedure(AMPI_Op_adjoint_function) :: derivative
      logical, intent(in) :: commute
      {op}, intent(out) :: op
      integer{optional}, intent(out) :: ierror
    end subroutine AMPI_Op_create_adjoint
    subroutine AMPI_Comm_register(comm, ierror)
      import
      {comm}, intent(in) :: comm
      integer{optional}, intent(out) :: ierror
    end subroutine AMPI_Comm_register
    subroutine admpi_init(comm, ierr)
      import
      {comm}, intent(in) :: comm
      integer, optional, intent(out) :: ierr
    end subroutine admpi_init
    subroutine admpi_finalize(ierr)
      import
      integer, optional, intent(out) :: ierr
    end subroutine admpi_finalize
    subroutine admpi_tape_seed_replicated(tape, comm, y, weight, direction, ierr)
      use admpi, only: admpi_tape, admpi_var
      import
      type(admpi_tape), intent(in) :: tape
      {comm}, intent(in) :: comm
      type(admpi_var), intent(in) :: y
      double precision, intent(in) :: weight
      integer, optional, intent(in) :: direction
      integer, optional, intent(out) :: ierr
    end subroutine admpi_tape_seed_replicated
    subroutine admpi_tape_abandon_sweep(tape, comm, ierr)
      use admpi, only: admpi_tape
      import
      type(admpi_tape), intent(in) :: tape
      {comm}, intent(in) :: comm
      integer, optional, intent(out) :: ierr
    end subroutine admpi_tape_abandon_sweep
    subroutine admpi_map_new_mpi(comm, map, backend, threads, ierr)
      use admpi_maps, only: admpi_map
      import
      {comm}, intent(in) :: comm
      type(admpi_map), intent(inout) :: map
      integer, optional, intent(in) :: backend, threads
      integer, optional, intent(out) :: ierr
    end subroutine admpi_map_new_mpi
    subroutine admpi_map_serve(comm, ierr)
      import
      {comm}, intent(in) :: comm
      integer, optional, intent(out) :: ierr
    end subroutine admpi_map_serve
    subroutine admpi_time_loop_set_comm(comm, loop, ierr)
      use admpi_time_loops, only: admpi_time_loop
      import
      {comm}, intent(in) :: comm
      type(admpi_time_loop), intent(in) :: loop
      integer, optional, intent(out) :: ierr
    end subroutine admpi_time_loop_set_comm
    subroutine admpi_profile_gather(comm, profile, ierr)
      use admpi, only: admpi_profile
      import
      {comm}, intent(in) :: comm
      type(admpi_profile), intent(in) :: profile
      integer, optional, intent(out) :: ierr
    end subroutine admpi_profile_gather
  end interface
"""


def module():
    numbers = [*KINDS, *OF_STATUS, *NUMBERS]
    uses = "".join(f"  use mpi, only: {name}\n" for name in numbers)
    constants = "".join(f"  private :: {name}\n  integer{kind_of(name)}, parameter :: A{name} = {name}\n" for name in numbers)
    externals = "".join(f"  external :: A{name}\n" for name in FUNCTIONS)
    return f"""! {NOTE}
{OF_BUFFERS}
! Adjoint MPI as `use mpi` has MPI: every name begins with AMPI_. Constants are new ones, since gfortran passes an entity on
! under one name alone, and a unit may use this module and mpi. What counts of a sentinel is its address: it is MPI's own.
module ampi
{uses}{renamed("mpi", [*SENTINELS, "MPI_Sizeof"])}  implicit none
{constants}  integer, parameter :: AMPI_REQUEST_NULL = 0
  ! Not every nonblocking call takes sections.
  logical, parameter :: AMPI_SUBARRAYS_SUPPORTED = .false.
  logical, parameter :: AMPI_ASYNC_PROTECTS_NONBLOCKING = .false.
{TYPES_OF_ADMPI.format("integer")}{externals}
{interfaces(CALLS, False)}{OURS.format(comm="integer", function="external", op="integer", optional="")}end module ampi
"""


def module_f08():
    calls = sorted([*SHIMS, *(one for one in CALLS if one.name in BESIDE)], key=lambda one: one.name.upper())
    passes = [one.name for one in CALLS if one not in calls and one.chapter != "removed" and one.mark != "mpi4"]
    functions = [name for name in FUNCTIONS if name not in OLD_FUNCTIONS]
    return f"""! {NOTE}
{OF_BUFFERS}
! Adjoint MPI as `use mpi_f08` has MPI: every name begins with AMPI_. What needs no code of ours is MPI's own.
module ampi_f08
{renamed("mpi_f08", OWN_TYPES)}{renamed("mpi_f08", [*KINDS, *OF_STATUS, *NUMBERS, *SENTINELS, *functions])}\
{renamed("mpi_f08", [*passes, "MPI_Sizeof"])}  use mpi_f08, only: operator(==), operator(/=)
  implicit none
  type(AMPI_Request), parameter :: AMPI_REQUEST_NULL = AMPI_Request(0)
  ! Not every nonblocking call takes sections.
  logical, parameter :: AMPI_SUBARRAYS_SUPPORTED = .false.
  logical, parameter :: AMPI_ASYNC_PROTECTS_NONBLOCKING = .false.
{TYPES_OF_ADMPI.format("type(AMPI_Datatype)")}
{interfaces(calls, True)}{OURS.format(comm="type(AMPI_Comm)", function="procedure(AMPI_User_function)",
                                                 op="type(AMPI_Op)", optional=", optional")}end module ampi_f08
"""


def header():
    """Columns 7 to 72 without continuation: valid in free form and in fixed form."""
    text = f"""! {NOTE}
!
! Adjoint MPI as mpif.h has MPI: every name begins with AMPI_. In columns 7
! to 72, valid in free form and in fixed form.
      INCLUDE 'mpif.h'
"""
    for number, name in enumerate([*KINDS, *OF_STATUS, *NUMBERS]):
        text += f"      INTEGER{kind_of(name).upper()} A{name}\n"
        line = f"      PARAMETER (A{name}={name})\n"
        if len(line) > 73:
            text += f"      INTEGER ADMPIF_{number}\n      PARAMETER (ADMPIF_{number}={name})\n"
            line = f"      PARAMETER (A{name}=ADMPIF_{number})\n"
        text += line
    text += """      INTEGER AMPI_REQUEST_NULL
      PARAMETER (AMPI_REQUEST_NULL=0)
      LOGICAL AMPI_SUBARRAYS_SUPPORTED
      PARAMETER (AMPI_SUBARRAYS_SUPPORTED=.FALSE.)
      LOGICAL AMPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (AMPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
! Set when MPI is initialised.
      INTEGER AMPI_ADOUBLE, AMPI_ADOUBLE_INT, AMPI_VARMAT
      INTEGER AMPI_TANGENT, AMPI_TANGENT_VAR, AMPI_ADOUBLE_COMPLEX
      COMMON /ADMPIF_TYPES/ AMPI_ADOUBLE, AMPI_ADOUBLE_INT, AMPI_VARMAT
      COMMON /ADMPIF_TYPES/ AMPI_TANGENT, AMPI_TANGENT_VAR
      COMMON /ADMPIF_TYPES/ AMPI_ADOUBLE_COMPLEX
! What counts is the address: the same as MPI's.
      INTEGER AMPI_BOTTOM, AMPI_IN_PLACE
      INTEGER AMPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      INTEGER AMPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      INTEGER AMPI_ERRCODES_IGNORE(1)
      CHARACTER AMPI_ARGV_NULL(1), AMPI_ARGVS_NULL(1,1)
      INTEGER AMPI_UNWEIGHTED, AMPI_WEIGHTS_EMPTY
"""
    text += "".join(f"      EQUIVALENCE (A{name}, {name})\n" for name in SENTINELS)
    for one in CALLS:
        if one.result != "int":
            kind = {"double": "DOUBLE PRECISION", "MPI_Aint": "INTEGER(KIND=MPI_ADDRESS_KIND)"}[one.result]
            text += f"      {kind} {one.ampi.upper()}\n      EXTERNAL {one.ampi.upper()}\n"
    return text + "".join(f"      EXTERNAL A{name}\n" for name in FUNCTIONS)


OUTPUTS = {"fortran/ampi.F90": module, "fortran/ampi_f08.F90": module_f08, "include/ampif.h": header}
