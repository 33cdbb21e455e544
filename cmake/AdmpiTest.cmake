# admpi_add_test(<feature>/<file> [AND <file>...] [RANKS <n>...] [VALGRIND [<n>...]] [VARIANTS <variant>...] [ARGS <arg>...]
#                [VALGRIND_ARGS <arg>...] [TIMEOUT <seconds>] [LIBRARIES <target>...] [PLAIN_MAIN] [EVERY_BUILD] [NOT_QUICK] [OPTIMISED] [ALONE])
# admpi_add_test(<name> SOURCES <file>... ...)
#
# Builds one program and registers it with ctest. Its name is <feature>_<file>, without the ending; AND names more files.
# The target <name>_objects compiles them: what is told to the compiler of a single program is told to that.
# - Without RANKS it is a serial test. It runs in the build without MPI, and in the others where EVERY_BUILD says that they
#   differ; else there it is of label serial.
# - With RANKS it is an MPI test: left out where there is no MPI, else run once a number of ranks, as
#   <name>_<n>. A deadlock ends at TIMEOUT (default 60 s).
# - Of the numbers of ranks above 4, the first runs by default and the others are of the tier full. Beside it, 4 runs in the
#   first build with MPI alone. The tier quick runs serial tests, and MPI tests on 3 ranks, or on the most below; NOT_QUICK
#   leaves a test out.
# - It is compiled at -O0, in half the time, or at -O1 where valgrind runs, which takes twice as long for code of -O0. OPTIMISED is
#   for what compilers may get wrong in the arithmetic: in the build without MPI it is compiled as the build type says.
# - VALGRIND runs it under valgrind too (label valgrind): at the given ranks, or as a serial test. That only
#   in the build without MPI: the tape is the same in all of them. VALGRIND_ARGS are the program's there only. On 2 ranks those
#   by doctest without LIBRARIES run as one program, memory (admpi_add_memory_test): valgrind takes seconds to start MPI. ALONE
#   leaves a program out.
# - VARIANTS are more runs of the program, each by a function admpi_variant_<variant>: cpp_tests/variants.cmake.
# - Files include what they share by its path in cpp_tests. C++ tests use doctest; its main() is provided, with MPI initialised where RANKS are given. Tests in C
#   and those with PLAIN_MAIN bring their own.

find_path(ADMPI_DOCTEST_INCLUDE_DIR doctest/doctest.h REQUIRED)

# What a file that includes admpi's headers needs. No part of it is built, so compilation does not wait for cargo, which has
# one thread for most of its time.
add_library(admpi_headers INTERFACE)
foreach(kind IN ITEMS INCLUDE_DIRECTORIES SYSTEM_INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_FEATURES)
  set_target_properties(admpi_headers PROPERTIES "INTERFACE_${kind}" "$<TARGET_PROPERTY:admpi,INTERFACE_${kind}>")
endforeach()

set(ADMPI_VALGRIND_COMMAND "")
if(ADMPI_VALGRIND)
  find_program(VALGRIND valgrind)
  if(VALGRIND)
    set(ADMPI_VALGRIND_COMMAND "${VALGRIND}" --quiet --error-exitcode=99 --num-callers=40
      --vex-guest-chase=no # most code runs once: a tenth less time
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

set(ADMPI_TEST_LEVEL -O0 -U_FORTIFY_SOURCE) # which warns of -O0
if(ADMPI_VALGRIND_COMMAND)
  set(ADMPI_TEST_LEVEL -O1)
endif()

# admpi_tiers_of_ranks(<quick> <full> <n>...): of these numbers of ranks, in ascending order, the one that the tier quick takes,
# and those that full has for itself.
function(admpi_tiers_of_ranks quick full)
  set(chosen "")
  set(left "")
  set(above FALSE)
  foreach(ranks IN LISTS ARGN)
    if(ranks LESS_EQUAL 3 OR chosen STREQUAL "")
      set(chosen ${ranks})
    endif()
    if(above)
      list(APPEND left ${ranks})
    elseif(ranks GREATER 4)
      set(above TRUE)
    endif()
  endforeach()
  set(${quick} "${chosen}" PARENT_SCOPE)
  set(${full} "${left}" PARENT_SCOPE)
endfunction()

function(admpi_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN_MAIN;EVERY_BUILD;NOT_QUICK;OPTIMISED;ALONE" "TIMEOUT" "SOURCES;AND;RANKS;VALGRIND;VARIANTS;ARGS;VALGRIND_ARGS;LIBRARIES")
  if(arg_RANKS AND NOT ADMPI_WITH_MPI)
    return()
  endif()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(NOT arg_SOURCES)
    set(arg_SOURCES "${name}" ${arg_AND})
    string(REGEX REPLACE "\\.[a-z]*$" "" name "${name}")
    string(REPLACE "/" "_" name "${name}")
  endif()
  math(EXPR valgrind_timeout "10 * ${arg_TIMEOUT}")

  add_library("${name}_objects" OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_include_directories("${name}_objects" PRIVATE "${PROJECT_SOURCE_DIR}/cpp_tests")
  target_include_directories("${name}_objects" SYSTEM PRIVATE "${ADMPI_DOCTEST_INCLUDE_DIR}")
  target_link_libraries("${name}_objects" PRIVATE ${arg_LIBRARIES} admpi_headers admpi_warnings)
  if(ADMPI_WITH_MPI OR NOT arg_OPTIMISED)
    target_compile_options("${name}_objects" PRIVATE ${ADMPI_TEST_LEVEL})
    if(arg_SOURCES MATCHES "\\.cpp" AND NOT arg_PLAIN_MAIN AND NOT arg_LIBRARIES)
      target_precompile_headers("${name}_objects" REUSE_FROM admpi_doctest)
    endif()
  endif()
  add_executable("${name}" "$<TARGET_OBJECTS:${name}_objects>")
  list(FILTER arg_SOURCES INCLUDE REGEX "\\.cpp$")
  if(arg_SOURCES AND NOT arg_PLAIN_MAIN)
    target_link_libraries("${name}" PRIVATE "$<IF:$<BOOL:${arg_RANKS}>,admpi_doctest_mpi,admpi_doctest>")
  endif()
  # Those named come first: another library may have names that admpi has too.
  target_link_libraries("${name}" PRIVATE ${arg_LIBRARIES} admpi::admpi admpi_warnings)
  if(TARGET yield_when_idle)
    add_dependencies("${name}" yield_when_idle)
  endif()

  set(program "$<TARGET_FILE:${name}>" ${arg_ARGS})
  if(NOT arg_RANKS)
    set(tier "")
    if(NOT arg_NOT_QUICK)
      list(APPEND tier QUICK)
    endif()
    if(arg_EVERY_BUILD)
      list(APPEND tier EVERY_BUILD)
    endif()
    admpi_register("${name}" PROCESSORS 1 TIMEOUT ${arg_TIMEOUT} ${tier} COMMAND ${program})
  endif()
  admpi_tiers_of_ranks(quick full ${arg_RANKS})
  foreach(ranks IN LISTS arg_RANKS)
    set(tier "")
    if(ranks IN_LIST full)
      set(tier FULL)
    elseif(ranks EQUAL quick AND NOT arg_NOT_QUICK)
      set(tier QUICK)
    endif()
    set(labels mpi)
    if(ranks EQUAL 4 AND 5 IN_LIST arg_RANKS)
      list(APPEND labels first)
    endif()
    admpi_launcher(launcher "${ranks}")
    admpi_register("${name}_${ranks}" PROCESSORS "${ranks}" TIMEOUT ${arg_TIMEOUT} ${tier} LABELS ${labels}
      COMMAND ${launcher} ${program})
  endforeach()

  foreach(variant IN LISTS arg_VARIANTS)
    cmake_language(CALL "admpi_variant_${variant}" "${name}" "${arg_RANKS}")
  endforeach()

  if(NOT ADMPI_VALGRIND_COMMAND)
    return()
  endif()
  if("VALGRIND" IN_LIST arg_KEYWORDS_MISSING_VALUES AND NOT ADMPI_WITH_MPI)
    admpi_register("${name}_valgrind" PROCESSORS 1 TIMEOUT ${valgrind_timeout} LABELS valgrind
      COMMAND ${ADMPI_VALGRIND_COMMAND} ${program} ${arg_VALGRIND_ARGS})
  endif()
  if(arg_VALGRIND STREQUAL "2" AND arg_SOURCES AND NOT arg_PLAIN_MAIN AND NOT arg_LIBRARIES AND NOT arg_ALONE)
    set_property(GLOBAL APPEND PROPERTY ADMPI_MEMORY_OBJECTS "$<TARGET_OBJECTS:${name}_objects>")
    string(REGEX REPLACE "^--test-case-exclude=" "" excluded "${arg_VALGRIND_ARGS}")
    set_property(GLOBAL APPEND PROPERTY ADMPI_MEMORY_EXCLUDED ${excluded})
    return()
  endif()
  foreach(ranks IN LISTS arg_VALGRIND)
    admpi_launcher(launcher "${ranks}")
    admpi_register("${name}_${ranks}_valgrind" PROCESSORS "${ranks}" TIMEOUT ${valgrind_timeout}
      LABELS mpi valgrind COMMAND ${launcher} ${ADMPI_VALGRIND_COMMAND} ${program} ${arg_VALGRIND_ARGS})
  endforeach()
endfunction()

# admpi_add_memory_test(): the program memory and its test memory_2_valgrind, of the objects that admpi_add_test has collected.
function(admpi_add_memory_test)
  get_property(objects GLOBAL PROPERTY ADMPI_MEMORY_OBJECTS)
  get_property(excluded GLOBAL PROPERTY ADMPI_MEMORY_EXCLUDED)
  if(NOT ADMPI_VALGRIND_COMMAND OR NOT objects)
    return()
  endif()
  add_executable(memory ${objects})
  target_link_libraries(memory PRIVATE admpi_doctest_mpi admpi::admpi admpi_warnings)
  list(JOIN excluded "," excluded)
  admpi_launcher(launcher 2)
  admpi_register(memory_2_valgrind PROCESSORS 2 TIMEOUT 2400 LABELS mpi valgrind
    COMMAND ${launcher} ${ADMPI_VALGRIND_COMMAND} "$<TARGET_FILE:memory>" "--test-case-exclude=${excluded}")
endfunction()
