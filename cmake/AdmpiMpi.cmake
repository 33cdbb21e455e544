# Finds the MPI to build for. MPI_C_COMPILER (a name or a path) chooses it, as with FindMPI itself.
#
# Sets ADMPI_MPI_FAMILY (openmpi, mpich or none) and ADMPI_MPIEXEC, the launcher of that very MPI: where
# several are installed, FindMPI takes whichever mpiexec comes first on the path.

# What FindMPI has found stays in the cache, and cargo's crates stay built: no second MPI in one directory.
macro(admpi_built_for choice)
  if(DEFINED ADMPI_BUILT_FOR AND NOT ADMPI_BUILT_FOR STREQUAL "${choice}")
    message(FATAL_ERROR "This build directory is for the MPI ${ADMPI_BUILT_FOR}; "
      "make another one for ${choice}, or remove it.")
  endif()
  set(ADMPI_BUILT_FOR "${choice}" CACHE INTERNAL "The MPI of this build directory")
endmacro()

if(NOT ADMPI_WITH_MPI)
  set(ADMPI_MPI_FAMILY none)
  admpi_built_for(none)
  return()
endif()

if(MPI_C_COMPILER AND NOT IS_ABSOLUTE "${MPI_C_COMPILER}")
  find_program(wrapper "${MPI_C_COMPILER}" NO_CACHE REQUIRED)
  set(MPI_C_COMPILER "${wrapper}" CACHE FILEPATH "The MPI compiler wrapper" FORCE)
endif()
find_package(MPI REQUIRED COMPONENTS C)
admpi_built_for("${MPI_C_COMPILER}")

# The wrapper's header says whose it is; versions and vendors of one family share an ABI.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
set(CMAKE_REQUIRED_QUIET ON)
check_c_source_compiles("
  #include <mpi.h>
  #ifndef OPEN_MPI
  #error
  #endif
  int main(void) { return 0; }" ADMPI_MPI_IS_OPENMPI)
check_c_source_compiles("
  #include <mpi.h>
  #if !(defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH_VERSION) || defined(MVAPICH2_VERSION))
  #error
  #endif
  int main(void) { return 0; }" ADMPI_MPI_IS_MPICH)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_QUIET)

if(ADMPI_MPI_IS_OPENMPI)
  set(ADMPI_MPI_FAMILY openmpi)
  set(launcher_names mpiexec.openmpi orterun mpiexec mpirun)
  set(launcher_mark "Open ?MPI|OpenRTE|PRRTE")
elseif(ADMPI_MPI_IS_MPICH)
  set(ADMPI_MPI_FAMILY mpich)
  set(launcher_names mpiexec.mpich mpiexec.hydra mpiexec mpirun)
  set(launcher_mark "HYDRA|MPICH|Intel|MVAPICH")
else()
  message(FATAL_ERROR "The mpi.h of ${MPI_C_COMPILER} is neither of Open MPI nor of the MPICH family.")
endif()

# A C compiler that is a wrapper itself brings its own MPI, and cargo asks this one.
execute_process(COMMAND "${MPI_C_COMPILER}" -dM -E -include mpi.h -x c /dev/null OUTPUT_VARIABLE defined ERROR_QUIET)
set(family_of_wrapper mpich)
if(defined MATCHES "#define OPEN_MPI ")
  set(family_of_wrapper openmpi)
endif()
string(REGEX MATCH "#define OMPI_MAJOR_VERSION ([0-9]+)" unused "${defined}")
set(ADMPI_OPENMPI_MAJOR "${CMAKE_MATCH_1}")
if(defined MATCHES "#define MPI_VERSION " AND NOT family_of_wrapper STREQUAL ADMPI_MPI_FAMILY)
  message(FATAL_ERROR "The C compiler ${CMAKE_C_COMPILER} brings an MPI with it, of the family ${ADMPI_MPI_FAMILY}, but MPI_C_COMPILER is "
    "${MPI_C_COMPILER}, of ${family_of_wrapper}: set CC to a compiler without an MPI, or MPI_C_COMPILER to ${CMAKE_C_COMPILER}.")
endif()

# find_launcher(<options of find_program>)
function(find_launcher)
  foreach(name IN LISTS launcher_names)
    if(ADMPI_MPIEXEC)
      return()
    endif()
    unset(candidate)
    find_program(candidate "${name}" ${ARGN} NO_CACHE)
    if(candidate)
      execute_process(COMMAND "${candidate}" --version OUTPUT_VARIABLE said ERROR_VARIABLE said)
      if(said MATCHES "${launcher_mark}")
        set(ADMPI_MPIEXEC "${candidate}" CACHE FILEPATH "The launcher of this MPI")
      endif()
    endif()
  endforeach()
endfunction()

# Beside the wrapper first: elsewhere another version of the family may have the name.
get_filename_component(wrapper_directory "${MPI_C_COMPILER}" DIRECTORY)
find_launcher(PATHS "${wrapper_directory}" NO_DEFAULT_PATH)
find_launcher()
message(STATUS "MPI family: ${ADMPI_MPI_FAMILY}, launcher: ${ADMPI_MPIEXEC}")
