# cargo builds the static library; it is relinked whole into libadmpi.so, which exports exactly the
# symbols of libadmpi.symbols, all at the version node ADMPI_<major>.<minor>.

find_program(CARGO cargo HINTS "$ENV{CARGO_HOME}/bin" "$ENV{HOME}/.cargo/bin" REQUIRED)

set(ADMPI_HAVE_MPI 0)
set(ADMPI_MPI_OPENMPI 0)
set(ADMPI_MPI_MPICH 0)
set(cargo_arguments --no-default-features)
set(cargo_environment)
if(ADMPI_WITH_MPI)
  set(ADMPI_HAVE_MPI 1)
  string(TOUPPER "ADMPI_MPI_${ADMPI_MPI_FAMILY}" family_macro)
  set(${family_macro} 1)
  set(cargo_arguments --features mpi)
  # mpi-sys asks the wrapper by -show, but prefers what these two variables say: the MPI is chosen here
  # and nowhere else. Only Cray's cc has no -show; mpi-sys then needs its CRAY_MPICH_DIR.
  execute_process(COMMAND "${MPI_C_COMPILER}" -show OUTPUT_VARIABLE shown ERROR_QUIET)
  if(shown MATCHES "-[Il]")
    set(cargo_environment --unset=MPI_PKG_CONFIG --unset=CRAY_MPICH_DIR "MPICC=${MPI_C_COMPILER}")
  endif()
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(cargo_profile dev)
  set(cargo_profile_directory debug)
else()
  set(cargo_profile release)
  set(cargo_profile_directory release)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  list(APPEND cargo_arguments --config "profile.release.debug=\"line-tables-only\"")
endif()

# Several builds may share a directory: what does not see the MPI is then compiled once. cargo keeps a build of a crate for
# each of its settings, but mpi-sys does not notice that MPICC changed. A setting that is of no consequence for so small a
# crate tells the MPIs apart.
set(ADMPI_CARGO_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/cargo" CACHE PATH "Where cargo builds; builds may share it")
mark_as_advanced(ADMPI_CARGO_DIRECTORY)
if(ADMPI_WITH_MPI)
  string(SHA1 mpi_number "${MPI_C_COMPILER} ${shown}")
  string(SUBSTRING "${mpi_number}" 0 4 mpi_number)
  math(EXPR mpi_number "1 + 0x${mpi_number}")
  list(APPEND cargo_arguments --config "profile.${cargo_profile}.package.mpi-sys.codegen-units=${mpi_number}")
endif()
set(rustc_arguments "")
if(CMAKE_COMPILE_WARNING_AS_ERROR)
  set(rustc_arguments -- --deny=warnings)
endif()
set(ADMPI_STATIC_LIBRARY "${CMAKE_CURRENT_BINARY_DIR}/libadmpi_crate.a")
add_custom_target(admpi_cargo
  COMMAND "${CMAKE_COMMAND}" -E env ${cargo_environment} "CC=${CMAKE_C_COMPILER}"
    "${CMAKE_COMMAND}" -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/cargo.cmake"
    "${ADMPI_CARGO_DIRECTORY}" "${cargo_profile_directory}/libadmpi.a" "${ADMPI_STATIC_LIBRARY}"
    "${CARGO}" rustc --quiet --locked --lib --crate-type staticlib --profile "${cargo_profile}" ${cargo_arguments} ${rustc_arguments}
  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
  BYPRODUCTS "${ADMPI_STATIC_LIBRARY}"
  COMMENT "cargo: libadmpi.a (${ADMPI_MPI_FAMILY})"
  VERBATIM)

# The version script follows the committed list: a line is a symbol, or a symbol and the configuration
# that it is confined to (mpi, openmpi or mpich).
set(ADMPI_SYMBOLS "${CMAKE_CURRENT_SOURCE_DIR}/libadmpi.symbols")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${ADMPI_SYMBOLS}")
file(STRINGS "${ADMPI_SYMBOLS}" lines REGEX "^[^#]")
set(exported "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([A-Za-z0-9_]+) *([a-z]*)$" matched "${line}")
  if(NOT matched)
    message(FATAL_ERROR "libadmpi.symbols: cannot read the line '${line}'")
  endif()
  set(symbol "${CMAKE_MATCH_1}")
  set(only "${CMAKE_MATCH_2}")
  if(only STREQUAL "" OR only STREQUAL ADMPI_MPI_FAMILY OR (only STREQUAL "mpi" AND ADMPI_WITH_MPI))
    list(APPEND exported "${symbol}")
  endif()
endforeach()
set(ADMPI_VERSION_NODE "ADMPI_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(ADMPI_VERSION_SCRIPT "${CMAKE_CURRENT_BINARY_DIR}/libadmpi.map")
list(JOIN exported ";\n    " lines)
file(CONFIGURE OUTPUT "${ADMPI_VERSION_SCRIPT}" @ONLY
  CONTENT "@ADMPI_VERSION_NODE@ {\n  global:\n    @lines@;\n  local:\n    *;\n};\n")

set(ADMPI_VERSION_MAJOR "${PROJECT_VERSION_MAJOR}")
set(ADMPI_VERSION_MINOR "${PROJECT_VERSION_MINOR}")
set(ADMPI_VERSION_PATCH "${PROJECT_VERSION_PATCH}")
configure_file(include/admpi/config.h.in include/admpi/config.h @ONLY)

set(ADMPI_SYSTEM_LIBRARIES gcc_s pthread m dl c)
if(ADMPI_STATIC)
  # One object that defines the exported symbols and no others: Rust's own would meet those of another Rust library in
  # a program. Nor has it groups of sections: of two with one name a linker drops the second, and what is local in it.
  # The bitcode beside the machine code of Rust's own library does not survive, and linkers' plugins would read it.
  list(JOIN exported "\n" lines)
  file(CONFIGURE OUTPUT libadmpi.exports CONTENT "@lines@\n" @ONLY)
  list(TRANSFORM exported PREPEND "-u " OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" lines)
  file(CONFIGURE OUTPUT libadmpi.roots CONTENT "@lines@\n" @ONLY)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/admpi.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND "${CMAKE_C_COMPILER}" -r -nostdlib -Wl,--gc-sections,--force-group-allocation
      -o "${object}" @libadmpi.roots "${ADMPI_STATIC_LIBRARY}"
    COMMAND "${CMAKE_OBJCOPY}" --keep-global-symbols=libadmpi.exports
      --remove-section=.llvmbc --remove-section=.llvmcmd
      "$<$<NOT:$<CONFIG:Debug,RelWithDebInfo>>:--strip-debug>" "${object}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    DEPENDS admpi_cargo "${ADMPI_STATIC_LIBRARY}" "${ADMPI_VERSION_SCRIPT}"
    COMMENT "The exported symbols of libadmpi.a" COMMAND_EXPAND_LISTS VERBATIM)
  add_library(admpi STATIC "${object}")
  set_target_properties(admpi PROPERTIES LINKER_LANGUAGE C)
else()
  # CMake links no library without a source; everything comes from the archive.
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/link.c" CONTENT "typedef int admpi_link_unit;\n")
  add_library(admpi SHARED "${CMAKE_CURRENT_BINARY_DIR}/link.c")
  set_target_properties(admpi PROPERTIES
    VERSION "${PROJECT_VERSION}"
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
    INSTALL_RPATH_USE_LINK_PATH ON
    LINK_DEPENDS "${ADMPI_STATIC_LIBRARY};${ADMPI_VERSION_SCRIPT}")
  # Names of functions stay, for debuggers and valgrind; lines are three quarters of the file.
  target_link_options(admpi PRIVATE
    "LINKER:--version-script=${ADMPI_VERSION_SCRIPT}" LINKER:--gc-sections LINKER:--no-undefined
    "$<$<NOT:$<CONFIG:Debug,RelWithDebInfo>>:LINKER:--strip-debug>")
  target_link_libraries(admpi PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${ADMPI_STATIC_LIBRARY}>")
endif()
add_library(admpi::admpi ALIAS admpi)
add_dependencies(admpi admpi_cargo)
target_link_libraries(admpi PRIVATE ${ADMPI_SYSTEM_LIBRARIES})
# The inline operators of C call functions of libm in the user's own code.
target_link_libraries(admpi INTERFACE m)
target_include_directories(admpi INTERFACE
  "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
  "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>")
target_compile_features(admpi INTERFACE cxx_std_17)
if(ADMPI_WITH_MPI)
  target_include_directories(admpi SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
  target_link_libraries(admpi PUBLIC ${MPI_C_LIBRARIES})
  target_link_options(admpi PUBLIC "SHELL:${MPI_C_LINK_FLAGS}")
  # The C++ bindings of old MPIs cost compile time and drag in a library; nobody needs them.
  target_compile_definitions(admpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endif()
