# Installs the library, the headers, admpiConfig.cmake and admpi.pc, and the documents. The build directory itself
# serves find_package(admpi), too.
#
# The MPI stands in both as the paths of the one the library was built for: an admpi serves one MPI, and
# a consumer then needs neither FindMPI nor the C language in its project.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/admpi")

install(TARGETS admpi EXPORT admpi-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET admpi_adjoinable)
  install(TARGETS admpi_adjoinable EXPORT admpi-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
# Without MPI there is no mpi.h for these.
set(excluded "")
if(NOT ADMPI_WITH_MPI)
  set(excluded PATTERN "adjoinable" EXCLUDE REGEX "/(admpi/(abi|adolc|ampi|codipack|collectives|communicators|derivatives_ranks|init|large|lines|map_service|messages|neighbors|one_sided|pmap_ranks|reductions|requests|sessions|sparsity_ranks|tool|user_ops|windows)[a-z_]*|bigmpi|ampif)\\.(h|hpp)$" EXCLUDE)
endif()
install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" ${excluded})
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/include/admpi/config.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/admpi")

# Modules are of a compiler and its version: the sources are what other projects compile, find_package(admpi COMPONENTS Fortran)
# or share/admpi/fortran/Makefile. What this build compiled is there for the compiler that it was compiled by.
set(fortran_sources "${CMAKE_INSTALL_DATADIR}/admpi/fortran")
if(NOT PROJECT_IS_TOP_LEVEL)
  set(fortran_sources "share/admpi/fortran")
endif()
install(DIRECTORY fortran/ DESTINATION "${fortran_sources}")
if(ADMPI_HAVE_FORTRAN)
  string(TOLOWER "${CMAKE_Fortran_COMPILER_ID}-${CMAKE_Fortran_COMPILER_VERSION}" fortran_compiler)
  set(fortran_modules "${CMAKE_INSTALL_INCLUDEDIR}/admpi/fortran/${fortran_compiler}")
  install(TARGETS admpi_fortran ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  get_target_property(modules admpi_fortran Fortran_MODULE_DIRECTORY)
  install(DIRECTORY "${modules}/" DESTINATION "${fortran_modules}" FILES_MATCHING PATTERN "*.mod")
endif()

# In the order of the source tree, in which they refer to each other. CMAKE_INSTALL_DOCDIR has the name of the project
# that asked for it first.
if(NOT PROJECT_IS_TOP_LEVEL)
  set(CMAKE_INSTALL_DOCDIR "${CMAKE_INSTALL_DATAROOTDIR}/doc/admpi")
endif()
install(FILES README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md LICENSE-APACHE LICENSE-MIT
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples_c packaging DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  PATTERN "CMakeLists.txt" EXCLUDE PATTERN "*.cmake" EXCLUDE PATTERN "test_*" EXCLUDE PATTERN "__pycache__" EXCLUDE)

install(EXPORT admpi-targets NAMESPACE admpi:: DESTINATION "${package_directory}")
export(EXPORT admpi-targets NAMESPACE admpi:: FILE "${CMAKE_CURRENT_BINARY_DIR}/admpi-targets.cmake")
configure_package_config_file(cmake/admpiConfig.cmake.in admpiConfig.cmake
  INSTALL_DESTINATION "${package_directory}" PATH_VARS fortran_sources
  NO_SET_AND_CHECK_MACRO)
# Beside the file above in the build directory alone.
file(CONFIGURE OUTPUT admpi-build.cmake CONTENT "set(admpi_FORTRAN_SOURCES \"@CMAKE_CURRENT_SOURCE_DIR@/fortran\")\n" @ONLY)
# While the version is 0.x a minor version is a new ABI.
write_basic_package_version_file(admpiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/admpiConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/admpiConfigVersion.cmake"
  DESTINATION "${package_directory}")

# The paths in the .pc file are relative to where it lies, so that an installed tree may be moved or
# staged; GNUInstallDirs also allows absolute directories.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  set(pc_prefix "\${pcfiledir}/${up}")
  string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# Trees under a home directory are the rule on clusters: let programs find the library there.
set(pc_rpath " -Wl,-rpath,\${libdir}")
if(ADMPI_STATIC OR "${CMAKE_INSTALL_FULL_LIBDIR}" IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  set(pc_rpath "")
endif()
# What libadmpi.so has found by itself, libadmpi.a leaves to the program, with --static or without.
set(pc_libs "-lm")
if(ADMPI_STATIC)
  list(TRANSFORM ADMPI_SYSTEM_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE pc_libs)
  list(JOIN pc_libs " " pc_libs)
endif()
set(pc_mpi_cflags "")
set(pc_mpi_libs "")
if(ADMPI_WITH_MPI)
  set(pc_mpi_cflags " -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1")
  foreach(directory IN LISTS MPI_C_INCLUDE_DIRS)
    string(APPEND pc_mpi_cflags " -I${directory}")
  endforeach()
  foreach(library IN LISTS MPI_C_LIBRARIES)
    # Where the system has another MPI of the same name, a program would start with that one.
    get_filename_component(directory "${library}" DIRECTORY)
    if(directory AND NOT directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND pc_mpi_libs " -Wl,-rpath,${directory}")
    endif()
    string(APPEND pc_mpi_libs " ${library}")
  endforeach()
endif()
configure_file(cmake/admpi.pc.in admpi.pc @ONLY)
if(ADMPI_HAVE_FORTRAN)
  set(pc_modules "\${prefix}/${fortran_modules}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_modules "${fortran_modules}")
  endif()
  set(pc_fortran_libs "")
  if(ADMPI_FORTRAN_MPI_SOURCES)
    set(pc_fortran_libs "-Wl,-u,admpif_linked ")
  endif()
  configure_file(cmake/admpi-fortran.pc.in admpi-fortran.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/admpi-fortran.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/admpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# CMake keeps a manifest, but not the prefix, which --prefix may choose.
set(prefix_file "${CMAKE_CURRENT_BINARY_DIR}/install_prefix.txt")
install(CODE "file(WRITE \"${prefix_file}\" \"\${CMAKE_INSTALL_PREFIX}\\n\")")
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt" "-DPREFIX_FILE=${prefix_file}"
      -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/uninstall.cmake"
    VERBATIM)
endif()
