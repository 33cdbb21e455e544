# Whether the Fortran compiler returns a structure of 16 bytes as C does: sets ADMPI_FORTRAN_BY_REFERENCE to BY_REFERENCE if
# not, or if nobody can tell.
if(NOT DEFINED ADMPI_FORTRAN_RETURNS_STRUCTURES)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(returns OFF)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    set(returns ON)
  elseif("C" IN_LIST languages AND NOT CMAKE_CROSSCOMPILING)
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/structures")
    file(WRITE "${directory}/returned.c" "
typedef struct { double value; unsigned long long where; } returned;
returned admpi_returned_(const returned *a) {
  returned b = {2 * a->value, a->where + 1};
  return b;
}
")
    file(WRITE "${directory}/returned.F90" "
program p
use, intrinsic :: iso_c_binding
implicit none
type, bind(C) :: returned
  real(c_double) :: value
  integer(c_int64_t) :: where
end type
interface
  impure elemental function admpi_returned(a) result(b)
    import
    type(returned), intent(in) :: a
    type(returned) :: b
  end function
end interface
type(returned) :: b(2)
b = admpi_returned([returned(1.5d0, 7), returned(2.5d0, 8)])
if (any(b%value /= [3d0, 5d0]) .or. any(b%where /= [8, 9])) error stop 1
end program
")
    try_compile(compiles "${directory}/build" SOURCES "${directory}/returned.F90" "${directory}/returned.c"
      COPY_FILE "${directory}/returned")
    if(compiles)
      execute_process(COMMAND "${directory}/returned" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
      if(code EQUAL 0)
        set(returns ON)
      endif()
    endif()
  endif()
  set(ADMPI_FORTRAN_RETURNS_STRUCTURES "${returns}" CACHE INTERNAL "The Fortran compiler returns structures as C does")
endif()
if(NOT ADMPI_FORTRAN_RETURNS_STRUCTURES)
  set(ADMPI_FORTRAN_BY_REFERENCE BY_REFERENCE)
endif()
