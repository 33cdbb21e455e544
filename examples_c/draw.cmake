# cmake -P draw.cmake <script> <directory>: draws what an example wrote into the directory, by gnuplot. Without gnuplot it says so
# and succeeds; -DGNUPLOT=OFF before -P pretends that.
math(EXPR last "${CMAKE_ARGC} - 1")
math(EXPR before_last "${CMAKE_ARGC} - 2")
set(script "${CMAKE_ARGV${before_last}}")
set(directory "${CMAKE_ARGV${last}}")

find_program(GNUPLOT gnuplot)
if(NOT GNUPLOT)
  message("gnuplot is missing: no picture was drawn. The data are in ${directory}.")
  return()
endif()
execute_process(COMMAND "${GNUPLOT}" -c "${script}" "${directory}" COMMAND_ERROR_IS_FATAL ANY)
message("The pictures are in ${directory}.")
