# Starting programs, in tests, demo and benchmarks: the launcher of the MPI that was found and what it needs in the
# environment.

set(ADMPI_LAUNCH_ENVIRONMENT "")
set(ADMPI_MPIEXEC_FLAGS "")
if(ADMPI_MPI_FAMILY STREQUAL "openmpi")
  list(APPEND ADMPI_MPIEXEC_FLAGS --oversubscribe)
  list(APPEND ADMPI_LAUNCH_ENVIRONMENT
    OMPI_MCA_rmaps_base_oversubscribe=1
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe)
  execute_process(COMMAND id -u OUTPUT_VARIABLE user_id OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(user_id STREQUAL "0")
    list(APPEND ADMPI_LAUNCH_ENVIRONMENT
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  endif()
endif()

# What tests need beyond that. Benchmarks run without it, with a core for each rank.
set(ADMPI_TEST_ENVIRONMENT ${ADMPI_LAUNCH_ENVIRONMENT})
if(ADMPI_MPI_FAMILY STREQUAL "openmpi")
  # Containers forbid the single-copy mechanism. Without it osc/rdma of Open MPI 4 cannot make windows, and osc/ucx corrupts memory.
  set(osc ^ucx)
  if(ADMPI_OPENMPI_MAJOR LESS 5)
    set(osc pt2pt,sm)
  endif()
  list(APPEND ADMPI_TEST_ENVIRONMENT
    OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none
    "OMPI_MCA_osc=${osc}")
  # Half of the start of a program is a search for networks. Where there is one, OMPI_MCA_pml says what to test.
  if(NOT DEFINED ENV{OMPI_MCA_pml})
    list(APPEND ADMPI_TEST_ENVIRONMENT OMPI_MCA_pml=ob1)
  endif()
endif()
# More ranks than cores are the rule in tests: this library, which cpp_tests makes, is loaded before MPI's.
set(ADMPI_YIELD_WHEN_IDLE "")
if(ADMPI_WITH_MPI AND BUILD_TESTING AND NOT ADMPI_SANITIZE)
  set(ADMPI_YIELD_WHEN_IDLE "${PROJECT_BINARY_DIR}/cpp_tests/libyield_when_idle.so")
  list(APPEND ADMPI_TEST_ENVIRONMENT "LD_PRELOAD=${ADMPI_YIELD_WHEN_IDLE}")
endif()
if(ADMPI_SANITIZE)
  # The MPIs keep memory to the end; leaks are valgrind's to find, which knows them.
  list(APPEND ADMPI_TEST_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1)
endif()

# admpi_launcher(<variable> <ranks>): the command that starts a program on that many ranks.
function(admpi_launcher variable ranks)
  set(${variable} "${ADMPI_MPIEXEC}" ${ADMPI_MPIEXEC_FLAGS} -n "${ranks}" PARENT_SCOPE)
endfunction()

# admpi_register(<test> PROCESSORS <n> TIMEOUT <seconds> [QUICK | FULL] [EVERY_BUILD] [LABELS <label>...] COMMAND <arg>...)
#
# The tiers are labels, from which scripts/test chooses (docs/dev/tiers.md).
# - QUICK, label quick: `make quick` runs the test. FULL, label full: `make full` alone does. All but those of label full are
#   of the default tier.
# - Label serial: the test starts no ranks and is the same in the build without MPI; the default tier has it there only. A
#   test has it in a build with MPI without being told, unless it has the label mpi, or EVERY_BUILD says that the builds
#   differ. Programs that only such tests start are not of the target all if ADMPI_SERIAL_PROGRAMS is off.
function(admpi_register test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QUICK;FULL;EVERY_BUILD" "PROCESSORS;TIMEOUT" "LABELS;COMMAND")
  if(arg_QUICK AND NOT arg_FULL)
    list(APPEND arg_LABELS quick)
  endif()
  if(arg_FULL)
    list(APPEND arg_LABELS full)
  endif()
  set(is_serial FALSE)
  if(ADMPI_WITH_MPI AND NOT arg_EVERY_BUILD AND NOT mpi IN_LIST arg_LABELS)
    list(APPEND arg_LABELS serial)
    set(is_serial TRUE)
  endif()
  foreach(word IN LISTS arg_COMMAND)
    string(REGEX REPLACE "^[$]<TARGET_FILE:(.*)>$" "\\1" word "${word}")
    if(TARGET "${word}" AND NOT ADMPI_SERIAL_PROGRAMS)
      get_target_property(needed "${word}" ADMPI_NEEDED)
      if(needed OR NOT is_serial)
        set_target_properties("${word}" PROPERTIES ADMPI_NEEDED ON EXCLUDE_FROM_ALL OFF)
      else()
        set_target_properties("${word}" PROPERTIES EXCLUDE_FROM_ALL ON)
      endif()
    endif()
  endforeach()
  add_test(NAME "${test}" COMMAND ${arg_COMMAND})
  set_tests_properties("${test}" PROPERTIES
    PROCESSORS "${arg_PROCESSORS}" TIMEOUT "${arg_TIMEOUT}" LABELS "${arg_LABELS}"
    ENVIRONMENT "${ADMPI_TEST_ENVIRONMENT}")
endfunction()
