# admpi_add_test(<name> SOURCES <file>... [RANKS <n>...] [VALGRIND [<n>...]] [ARGS <arg>...] [VALGRIND_ARGS <arg>...]
#                [TIMEOUT <seconds>] [LIBRARIES <target>...] [PLAIN_MAIN])
#
# Builds one program and registers it with ctest.
# - Without RANKS it is a serial test, run in every configuration.
# - With RANKS it is an MPI test: left out where there is no MPI, else run once a number of ranks, as
#   <name>_<n>. A deadlock ends at TIMEOUT (default 60 s).
# - VALGRIND runs it under valgrind too (label valgrind): at the given ranks, or as a serial test. That only
#   in the build without MPI: the tape is the same in all of them. VALGRIND_ARGS are the program's there only.
# - C++ tests use doctest; its main() is provided, with MPI initialised where RANKS are given. Tests in C
#   and those with PLAIN_MAIN bring their own.

find_path(ADMPI_DOCTEST_INCLUDE_DIR doctest/doctest.h REQUIRED)

set(ADMPI_VALGRIND_COMMAND "")
if(ADMPI_VALGRIND)
  find_program(VALGRIND valgrind)
  if(VALGRIND)
    set(ADMPI_VALGRIND_COMMAND "${VALGRIND}" --quiet --error-exitcode=99 --num-callers=40
      --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite
      "--suppressions=${PROJECT_SOURCE_DIR}/cmake/valgrind.supp")
    # Open MPI brings a file of its own beside its help texts.
    find_file(ADMPI_OPENMPI_SUPPRESSIONS openmpi-valgrind.supp
      PATHS /usr/share/openmpi ENV MPI_HOME ENV OPAL_PREFIX PATH_SUFFIXES share/openmpi)
    if(ADMPI_MPI_FAMILY STREQUAL "openmpi" AND ADMPI_OPENMPI_SUPPRESSIONS)
      list(APPEND ADMPI_VALGRIND_COMMAND "--suppressions=${ADMPI_OPENMPI_SUPPRESSIONS}")
    endif()
  endif()
endif()

function(admpi_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN_MAIN" "TIMEOUT" "SOURCES;RANKS;VALGRIND;ARGS;VALGRIND_ARGS;LIBRARIES")
  if(arg_RANKS AND NOT ADMPI_WITH_MPI)
    return()
  endif()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR valgrind_timeout "10 * ${arg_TIMEOUT}")

  add_executable("${name}" ${arg_SOURCES})
  target_link_libraries("${name}" PRIVATE admpi::admpi admpi_warnings ${arg_LIBRARIES})
  if(TARGET yield_when_idle)
    add_dependencies("${name}" yield_when_idle)
  endif()
  list(FILTER arg_SOURCES INCLUDE REGEX "\\.c$")
  if(NOT arg_SOURCES AND NOT arg_PLAIN_MAIN)
    target_link_libraries("${name}" PRIVATE "$<IF:$<BOOL:${arg_RANKS}>,admpi_doctest_mpi,admpi_doctest>")
  endif()

  set(program "$<TARGET_FILE:${name}>" ${arg_ARGS})
  if(NOT arg_RANKS)
    admpi_register("${name}" PROCESSORS 1 TIMEOUT ${arg_TIMEOUT} COMMAND ${program})
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    admpi_launcher(launcher "${ranks}")
    admpi_register("${name}_${ranks}" PROCESSORS "${ranks}" TIMEOUT ${arg_TIMEOUT} LABELS mpi
      COMMAND ${launcher} ${program})
  endforeach()

  if(NOT ADMPI_VALGRIND_COMMAND)
    return()
  endif()
  if("VALGRIND" IN_LIST arg_KEYWORDS_MISSING_VALUES AND NOT ADMPI_WITH_MPI)
    admpi_register("${name}_valgrind" PROCESSORS 1 TIMEOUT ${valgrind_timeout} LABELS valgrind
      COMMAND ${ADMPI_VALGRIND_COMMAND} ${program} ${arg_VALGRIND_ARGS})
  endif()
  foreach(ranks IN LISTS arg_VALGRIND)
    admpi_launcher(launcher "${ranks}")
    admpi_register("${name}_${ranks}_valgrind" PROCESSORS "${ranks}" TIMEOUT ${valgrind_timeout}
      LABELS mpi valgrind COMMAND ${launcher} ${ADMPI_VALGRIND_COMMAND} ${program} ${arg_VALGRIND_ARGS})
  endforeach()
endfunction()
