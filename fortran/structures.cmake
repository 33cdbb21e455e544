# What a compiler does with structures of 16 bytes, such as an expression is. gfortran is known; others are asked, if there is a
# C compiler. Sets, in the cache:
# - ADMPI_FORTRAN_RETURNS_STRUCTURES: it returns one as C does;
# - ADMPI_FORTRAN_SHARES_STRUCTURES: an elemental procedure gets the same one for each element of another operand. Fused mode
#   needs that: an expression knows that it has been used.

# admpi_ask_fortran(<variable> <C source> <Fortran source>): ON if the program of both runs and succeeds.
function(admpi_ask_fortran variable c fortran)
  set(answer OFF)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    set(answer ON)
  elseif("C" IN_LIST languages AND NOT CMAKE_CROSSCOMPILING)
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/structures/${variable}")
    file(WRITE "${directory}/asked.c" "
typedef struct { double value; unsigned long long where; } structure;
${c}")
    file(WRITE "${directory}/asked.F90" "
module asked
use, intrinsic :: iso_c_binding
implicit none
type, bind(C) :: structure
  real(c_double) :: value
  integer(c_int64_t) :: where
end type
end module
program p
use asked
${fortran}
end program
")
    try_compile(compiles "${directory}/build" SOURCES "${directory}/asked.F90" "${directory}/asked.c"
      COPY_FILE "${directory}/asked")
    if(compiles)
      execute_process(COMMAND "${directory}/asked" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
      if(code EQUAL 0)
        set(answer ON)
      endif()
    endif()
  endif()
  set("${variable}" "${answer}" CACHE INTERNAL "What the Fortran compiler does with structures")
endfunction()

if(NOT DEFINED ADMPI_FORTRAN_RETURNS_STRUCTURES)
  admpi_ask_fortran(ADMPI_FORTRAN_RETURNS_STRUCTURES "
structure admpi_returned_(const structure *a) {
  structure b = {2 * a->value, a->where + 1};
  return b;
}
" "
interface
  impure elemental function admpi_returned(a) result(b)
    import
    type(structure), intent(in) :: a
    type(structure) :: b
  end function
end interface
type(structure) :: b(2)
b = admpi_returned([structure(1.5d0, 7), structure(2.5d0, 8)])
if (any(b%value /= [3d0, 5d0]) .or. any(b%where /= [8, 9])) error stop 1
")
endif()
if(NOT DEFINED ADMPI_FORTRAN_SHARES_STRUCTURES)
  admpi_ask_fortran(ADMPI_FORTRAN_SHARES_STRUCTURES "
int admpi_used_(const double *u, structure *a) { return (int)++a->where; }
" "
interface
  impure elemental integer function admpi_used(u, a)
    import
    real(c_double), intent(in) :: u
    type(structure), intent(in) :: a
  end function
end interface
real(c_double) :: u(3) = [1, 2, 3]
if (any(admpi_used(u, one()) /= [8, 9, 10])) error stop 1
contains
  function one()
    type(structure) :: one
    one = structure(1.5d0, 7)
  end function
")
endif()
