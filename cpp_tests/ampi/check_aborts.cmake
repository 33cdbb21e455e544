# cmake -P check_aborts.cmake <ranks> <command>...: the command with the number of a case must fail, and a rank must have said
# why in full, and none of them twice. The first to abort may end the others.
set(command "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 4 ${last})
  list(APPEND command "${CMAKE_ARGV${i}}")
endforeach()
math(EXPR top "${CMAKE_ARGV3} - 1")
set(texts
  "AMPI_Send: buf: count = -1 is negative"
  "AMPI_Bcast: buffer: the buffer is NULL and count = 3"
  "AMPI_Put: the window is not for active data: make it by AMPI_Win_create, AMPI_Win_allocate or AMPI_Win_create_dynamic, with a disp_unit of 1 or of 16 and more, or with the info key admpi_active=true"
  "AMPI_Bcast: the library is not initialised, so AMPI_ADOUBLE is MPI_DATATYPE_NULL: call AMPI_Init instead of MPI_Init, or admpi_init(MPI_COMM_WORLD) after it")
foreach(case RANGE 3)
  list(GET texts ${case} text)
  execute_process(COMMAND ${command} ${case} TIMEOUT 60 RESULT_VARIABLE status ERROR_VARIABLE errors OUTPUT_VARIABLE output)
  if(status STREQUAL "0" OR status MATCHES "timeout")
    message(FATAL_ERROR "case ${case} ends with ${status}")
  endif()
  set(told 0)
  foreach(rank RANGE ${top})
    set(line "admpi: rank ${rank}: ${text}\n")
    string(FIND "${errors}" "${line}" first)
    string(FIND "${errors}" "${line}" final REVERSE)
    if(NOT first EQUAL final)
      message(FATAL_ERROR "case ${case}: rank ${rank} says it twice:\n${errors}")
    elseif(NOT first EQUAL -1)
      math(EXPR told "${told} + 1")
    endif()
  endforeach()
  if(told EQUAL 0)
    message(FATAL_ERROR "case ${case}: no rank says '${text}':\n${errors}")
  endif()
endforeach()
