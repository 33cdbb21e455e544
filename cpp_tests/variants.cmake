# The variants that a program runs in beside its plain runs: what the column VARIANTS of the table in CMakeLists.txt means.
# admpi_variant_<name>(<program> <whether it runs on ranks>) registers them.

set(run "${CMAKE_COMMAND}" -E env)

# checked: the slow path of every statement, which checks the operands, must record what the fast one does, and right programs
# pass when the ranks compare their records. A sweep that is given up has begun on some of them only.
function(admpi_variant_checked program on_ranks)
  set(checked ${run} ADMPI_CHECK=1 ADMPI_CHECK_ZEROS=0)
  if(NOT on_ranks STREQUAL "")
    admpi_launcher(launcher 3)
    admpi_register(${program}_checked_3 PROCESSORS 3 TIMEOUT 240 LABELS mpi
      COMMAND ${checked} ${launcher} "$<TARGET_FILE:${program}>"
        "--test-case-exclude=*given_up*,*tape_freed*,*reductions_abandoned*")
  else()
    admpi_register(${program}_checked PROCESSORS 1 TIMEOUT 120 COMMAND ${checked} "$<TARGET_FILE:${program}>")
  endif()
endfunction()

# limit_7: messages past the largest count that MPI takes, which is lowered: forward and back, in every direction at once.
# Calls with counts of int end where their displacements do; those with counts for each rank are left out. So is what is sent
# from where it lies: messages in pieces are sent from a copy.
function(admpi_variant_limit_7 program on_ranks)
  admpi_launcher(launcher 2)
  admpi_register(${program}_limit_7_2 PROCESSORS 2 TIMEOUT 240 LABELS mpi large
    COMMAND ${run} ADMPI_INT_MAX=7 ${launcher} "$<TARGET_FILE:${program}>"
      "-tce=test_mixed_gatherv*,test_mixed_alltoall*,test_mixed_neighbours*,test_matrices_collectives_with_counts,test_matrices_leave_*")
endfunction()

# limits: collectives by their forms for counts past 2^31: small counts, and counts past the limit, which is lowered. Three
# ranks meet the lowest limit by default where they poll, below. The large case is left out: not in ten thousand pieces.
# Also on few ranks adjoints travel by collectives here.
function(admpi_variant_limits program on_ranks)
  foreach(form IN ITEMS 2147483647:3 7:1:FULL 7:2 7:3:FULL 7:4:FULL 7:5 64:3)
    string(REPLACE ":" ";" tier "${form}")
    list(POP_FRONT tier limit ranks)
    admpi_launcher(launcher ${ranks})
    admpi_register(${program}_limit_${limit}_${ranks} PROCESSORS ${ranks} TIMEOUT 240 ${tier} LABELS mpi large
      COMMAND ${run} ADMPI_EDGE_RANKS=0 ADMPI_TEST_COUNTS=1 ADMPI_INT_MAX=${limit} ${launcher}
      "$<TARGET_FILE:${program}>" $<$<EQUAL:${limit},7>:--test-case-exclude=test_collectives_large>)
  endforeach()
endfunction()

# polling: the adjoints of collectives travel over the edges of the calls.
function(admpi_variant_polling program on_ranks)
  admpi_launcher(launcher 3)
  admpi_register(${program}_polling_3 PROCESSORS 3 TIMEOUT 240 LABELS mpi
    COMMAND ${run} ADMPI_POLLING=1 ${launcher} "$<TARGET_FILE:${program}>")
  admpi_register(${program}_polling_limit_7_3 PROCESSORS 3 TIMEOUT 240 QUICK LABELS mpi large
    COMMAND ${run} ADMPI_POLLING=1 ADMPI_TEST_COUNTS=1 ADMPI_INT_MAX=7 ${launcher}
      "$<TARGET_FILE:${program}>" --test-case-exclude=test_collectives_large)
endfunction()

# rendezvous: messages leave when they are received, however short.
function(admpi_variant_rendezvous program on_ranks)
  admpi_launcher(launcher 3)
  admpi_register(${program}_rendezvous_3 PROCESSORS 3 TIMEOUT 240 LABELS mpi
    COMMAND ${run} OMPI_MCA_btl_vader_eager_limit=80 UCX_RNDV_THRESH=0 ${launcher} "$<TARGET_FILE:${program}>"
      "--test-case-exclude=*many_requests_outstanding")
endfunction()

# levels: deeper nests than communicators are made for by default, and none.
function(admpi_variant_levels program on_ranks)
  foreach(levels IN ITEMS 0 3)
    admpi_launcher(launcher 2)
    admpi_register(${program}_levels_${levels}_2 PROCESSORS 2 TIMEOUT 120 LABELS mpi
      COMMAND ${run} ADMPI_NESTS=${levels} ${launcher} "$<TARGET_FILE:${program}>" -tc=*inside_nests)
  endforeach()
endfunction()

# random: random programs for some seconds each, and for a minute.
function(admpi_variant_random program on_ranks)
  foreach(variant IN ITEMS "checked:ADMPI_CHECK=1 ADMPI_CHECK_ZEROS=0" "polling:ADMPI_POLLING=1")
    string(REGEX MATCH "^[^:]*" name "${variant}")
    string(REGEX REPLACE "^[^:]*:" "" setting "${variant}")
    separate_arguments(setting)
    admpi_launcher(launcher 3)
    admpi_register(${program}_${name} PROCESSORS 3 TIMEOUT 240 LABELS mpi
      COMMAND ${run} ${setting} ADMPI_RANDOM_SECONDS=5 ${launcher} "$<TARGET_FILE:${program}>")
  endforeach()
  admpi_launcher(launcher 3)
  admpi_register(${program}_long_3 PROCESSORS 3 TIMEOUT 240 FULL LABELS mpi
    COMMAND ${run} ADMPI_RANDOM_PROGRAMS=1000000 ADMPI_RANDOM_SECONDS=60 ${launcher} "$<TARGET_FILE:${program}>")
endfunction()

# long: a hundred thousand random programs in all.
function(admpi_variant_long program on_ranks)
  foreach(share IN ITEMS "1:50000" "2:40000" "5:10000")
    string(REPLACE ":" ";" share "${share}")
    list(GET share 0 ranks)
    list(GET share 1 programs)
    admpi_launcher(launcher ${ranks})
    admpi_register(${program}_long_${ranks} PROCESSORS ${ranks} TIMEOUT 3600 FULL LABELS mpi
      COMMAND ${run} ADMPI_RANDOM_PROGRAMS=${programs} ADMPI_RANDOM_SECONDS=3500 ${launcher} "$<TARGET_FILE:${program}>")
  endforeach()
endfunction()
