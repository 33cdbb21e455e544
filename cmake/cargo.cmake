# cmake -P cargo.cmake <target directory> <library in it> <copy> <cargo> <argument>...
#
# Runs cargo and copies the library that it built, before another build that shares the directory puts its own there.

set(directory "${CMAKE_ARGV3}")
set(library "${CMAKE_ARGV4}")
set(copy "${CMAKE_ARGV5}")
set(command "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 6 ${last})
  list(APPEND command "${CMAKE_ARGV${i}}")
endforeach()

file(MAKE_DIRECTORY "${directory}")
file(LOCK "${directory}/admpi.lock")
set(ENV{CARGO_TARGET_DIR} "${directory}")
# It would put the library into a directory of its own.
unset(ENV{CARGO_BUILD_TARGET})
# A user's flags come behind those of build.rs: another standard, and warnings as errors.
if(NOT "$ENV{CFLAGS}" STREQUAL "")
  set(ENV{CFLAGS} "$ENV{CFLAGS} -std=gnu11 -Wno-error")
endif()
execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
file(COPY_FILE "${directory}/${library}" "${copy}" ONLY_IF_DIFFERENT)
