# The modules ampi and ampi_f08 and what ampif.h needs: sets ADMPI_FORTRAN_MPI_SOURCES, and checks that the MPI of the Fortran
# compiler is the one that admpi was built for.
#
# Cache variables: ADMPI_FORTRAN_F08 (ON, OFF, or AUTO where the module mpi_f08 can be used); ADMPI_FORTRAN_DESCRIPTORS (ON, OFF, or
# AUTO with a gfortran whose descriptors are those of the standard).

set(ADMPI_FORTRAN_F08 AUTO CACHE STRING "Build the module ampi_f08: ON, OFF, or AUTO where there is mpi_f08")
set_property(CACHE ADMPI_FORTRAN_F08 PROPERTY STRINGS AUTO ON OFF)

set(ADMPI_FORTRAN_DESCRIPTORS AUTO CACHE STRING "Buffers come by descriptor, and their types are checked: ON, OFF, or AUTO with gfortran from 12 on")
set_property(CACHE ADMPI_FORTRAN_DESCRIPTORS PROPERTY STRINGS AUTO ON OFF)

# The wrapper for Fortran beside the one for C: mpicc.mpich and mpifort.mpich. Elsewhere lies that of another MPI, maybe of another
# version only, whose modules and library have the same names.
if(NOT MPI_Fortran_COMPILER)
  get_filename_component(directory "${ADMPI_FORTRAN_MPI_C}" DIRECTORY)
  get_filename_component(name "${ADMPI_FORTRAN_MPI_C}" NAME)
  set(missing "")
  foreach(pair IN ITEMS mpicc:mpifort mpicc:mpif90 mpiicx:mpiifx mpiicc:mpiifort)
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 of_c)
    list(GET pair 1 of_fortran)
    string(REPLACE "${of_c}" "${of_fortran}" wrapper "${name}")
    if(NOT wrapper STREQUAL name)
      if(EXISTS "${directory}/${wrapper}")
        set(MPI_Fortran_COMPILER "${directory}/${wrapper}" CACHE FILEPATH "The MPI compiler wrapper for Fortran")
        break()
      endif()
      set(missing "${wrapper}")
    endif()
  endforeach()
  if(missing AND NOT MPI_Fortran_COMPILER)
    set(ADMPI_FORTRAN_MPI_MISSING "there is no ${missing} beside ${ADMPI_FORTRAN_MPI_C}; MPI_Fortran_COMPILER may name this MPI's wrapper")
    return()
  endif()
endif()
find_package(MPI QUIET COMPONENTS Fortran)
if(NOT MPI_Fortran_FOUND)
  set(ADMPI_FORTRAN_MPI_MISSING "the MPI for Fortran was not found; MPI_Fortran_COMPILER may name its wrapper")
  return()
endif()

include(CheckFortranSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_Fortran)
set(CMAKE_REQUIRED_QUIET ON)
check_fortran_source_compiles("program p
use mpi
print *, MPI_COMM_WORLD
end program" ADMPI_FORTRAN_HAS_MPI SRC_EXT F90)
# What ampi_sentinels.F90 tells the library when the program runs.
check_fortran_source_compiles("program p
use mpi
integer, parameter :: is_zero = 1/merge(1, 0, MPI_COMM_WORLD == 0)
print *, is_zero
end program" ADMPI_FORTRAN_WORLD_IS_ZERO SRC_EXT F90)
check_fortran_source_compiles("program p
use mpi_f08
print *, MPI_COMM_WORLD%MPI_VAL
end program" ADMPI_FORTRAN_HAS_F08 SRC_EXT F90)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_QUIET)

if(NOT ADMPI_FORTRAN_HAS_MPI)
  set(ADMPI_FORTRAN_MPI_MISSING "the module mpi of ${MPI_Fortran_COMPILER} cannot be used by ${CMAKE_Fortran_COMPILER}")
  return()
endif()
if(ADMPI_FORTRAN_WORLD_IS_ZERO)
  set(family openmpi)
else()
  set(family mpich)
endif()
if(NOT family STREQUAL ADMPI_FORTRAN_MPI_FAMILY)
  message(FATAL_ERROR "The MPI for Fortran, ${MPI_Fortran_COMPILER}, is of the family ${family}, but admpi was built for "
    "${ADMPI_FORTRAN_MPI_FAMILY}; set MPI_Fortran_COMPILER.")
endif()
if(ADMPI_FORTRAN_F08 AND NOT ADMPI_FORTRAN_HAS_F08 AND NOT ADMPI_FORTRAN_F08 STREQUAL "AUTO")
  message(FATAL_ERROR "ADMPI_FORTRAN_F08 is ON, but ${CMAKE_Fortran_COMPILER} cannot use the module mpi_f08.")
endif()

enable_language(C)
set(ADMPI_FORTRAN_MPI_SOURCES ampi.F90 ampi_sentinels.F90 ampi_beside.c ampi_pass.c)
set(ADMPI_FORTRAN_WITH_F08 FALSE)
if(ADMPI_FORTRAN_F08 AND ADMPI_FORTRAN_HAS_F08)
  set(ADMPI_FORTRAN_WITH_F08 TRUE)
  list(APPEND ADMPI_FORTRAN_MPI_SOURCES ampi_f08.F90 ampi_sentinels_f08.F90)
endif()
set(ADMPI_FORTRAN_WITH_DESCRIPTORS "${ADMPI_FORTRAN_DESCRIPTORS}")
if(ADMPI_FORTRAN_DESCRIPTORS)
  # The C compiler must know the descriptors of the Fortran compiler.
  include(CheckIncludeFile)
  check_include_file(ISO_Fortran_binding.h ADMPI_FORTRAN_HAS_DESCRIPTORS)
  if(ADMPI_FORTRAN_DESCRIPTORS STREQUAL "AUTO")
    set(ADMPI_FORTRAN_WITH_DESCRIPTORS OFF)
    if(ADMPI_FORTRAN_HAS_DESCRIPTORS AND CMAKE_Fortran_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_ID STREQUAL "GNU"
       AND CMAKE_Fortran_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
      set(ADMPI_FORTRAN_WITH_DESCRIPTORS ON)
    endif()
  elseif(NOT ADMPI_FORTRAN_HAS_DESCRIPTORS)
    message(FATAL_ERROR "ADMPI_FORTRAN_DESCRIPTORS is ON, but ${CMAKE_C_COMPILER} has no ISO_Fortran_binding.h.")
  endif()
endif()
if(ADMPI_FORTRAN_WITH_DESCRIPTORS)
  list(APPEND ADMPI_FORTRAN_MPI_SOURCES ampi_described.c ampi_described_support.c)
endif()
list(TRANSFORM ADMPI_FORTRAN_MPI_SOURCES PREPEND "${CMAKE_CURRENT_LIST_DIR}/")

# What these sources, and programs, are compiled and linked with.
add_library(admpi_fortran_mpi INTERFACE)
target_include_directories(admpi_fortran_mpi SYSTEM INTERFACE ${MPI_Fortran_INCLUDE_DIRS})
target_link_libraries(admpi_fortran_mpi INTERFACE ${MPI_Fortran_LIBRARIES})
# A program with ampif.h alone names nothing else of what must be linked: ampi_beside.c.
target_link_options(admpi_fortran_mpi INTERFACE LINKER:-u,admpif_linked)
if(NOT ADMPI_FORTRAN_WITH_F08)
  target_compile_definitions(admpi_fortran_mpi INTERFACE ADMPI_WITHOUT_F08)
endif()
