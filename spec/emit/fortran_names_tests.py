"""cpp_tests/fortran/mpi: every name that Fortran has, under each binding."""

from emit.fortran import BESIDE, CALLS, LARGE, LARGE_PASSIVE, NOTE, PASSES, PROCEDURES, SHIMS, symbol
from emit.fortran_modules import (FUNCTIONS, KINDS, NUMBERS, OF_STATUS, OLD_FUNCTIONS, OWN_TYPES, POINTERS, SENTINELS)

OF_ALL = [*KINDS, *OF_STATUS, *NUMBERS, *SENTINELS, "MPI_REQUEST_NULL", "MPI_ADOUBLE", "MPI_ADOUBLE_INT",
          "MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"]


def uses(module, names):
    return "".join(f"  use {module}, only: {name}\n" for name in names)


def ours(*lists):
    return [f"A{name}" for names in lists for name in names]


def names():
    """The modules: each name by a `use` of its own. ampif.h: each number and each sentinel once."""
    calls = [one.name for one in CALLS]
    in_f08 = [one.name for one in CALLS if one.chapter != "removed" and (one.status != "passes" or one.mark != "mpi4")]
    functions_f08 = [name for name in FUNCTIONS if name not in OLD_FUNCTIONS]
    numbers = "".join(f"  call number('A{name}', int(A{name}), int({name}))\n" for name in [*KINDS, *OF_STATUS, *NUMBERS])
    addresses = "".join(f"  if (loc(A{name}) /= loc({name})) error stop 'A{name}'\n" for name in SENTINELS)
    return f"""! {NOTE}

! Every name that MPI-3.1 has in Fortran, and those of MPI-4 that admpi has: under the modules each is used once, under
! ampif.h each number and each sentinel is compared with MPI's.
program test_names
#if defined(ADMPI_TEST_F08)
{uses("ampi_f08", [*ours(OF_ALL, OWN_TYPES, functions_f08, in_f08, ["MPI_Sizeof"]), *(one.ampi for one in LARGE_PASSIVE)])}  implicit none
#elif defined(ADMPI_TEST_AMPI)
{uses("ampi", [*ours(OF_ALL, FUNCTIONS, calls, ["MPI_Sizeof"]), *(one.ampi for one in LARGE)])}  implicit none
#else
  implicit none
  include 'ampif.h'
{numbers}{addresses}  if (AMPI_REQUEST_NULL /= 0 .or. AMPI_SUBARRAYS_SUPPORTED) error stop 'ours'
  if (AMPI_ADOUBLE /= AMPI_ADOUBLE_INT) error stop 'types before the beginning'
contains
  subroutine number(name, ours, of_mpi)
    character(*), intent(in) :: name
    integer, intent(in) :: ours, of_mpi
    if (ours == of_mpi) return
    print *, name, ours, of_mpi
    error stop 1
  end subroutine
#endif
end program
"""


def linked():
    """Every external procedure that the bindings name, which must be there to link."""
    beside = [one for one in CALLS if one.name in BESIDE]
    procedures = [one.ampi for one in SHIMS + PASSES + beside + LARGE]
    procedures += [name + "_cptr" for name in sorted("A" + name for name in POINTERS)]
    procedures += ["A" + name for kind in PROCEDURES.values() for name in kind] + ["AMPI_CONVERSION_FN_NULL"]
    symbols = [symbol(name) for name in procedures]
    return (f"/* {NOTE} */\n\n/* Every external procedure that the bindings name must be there to link. */\n"
            + "#include <stddef.h>\n\n"
            + "".join(f"void {name}(void);\n" for name in symbols)
            + "\nstatic void (*const volatile procedures[])(void) = {\n"
            + "".join(f"    {name},\n" for name in symbols)
            + "};\n\nint main(void) {\n"
            + "  for (size_t i = 0; i < sizeof procedures / sizeof procedures[0]; i++)\n"
            + "    if (procedures[i] == NULL) return 1;\n  return 0;\n}\n")


OUTPUTS = {"cpp_tests/fortran/mpi/names.F90": names, "cpp_tests/fortran/mpi/linked.c": linked}
