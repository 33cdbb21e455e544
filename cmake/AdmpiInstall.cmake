# Installs the library, the headers, admpiConfig.cmake and admpi.pc.
#
# The MPI stands in both as the paths of the one the library was built for: an admpi serves one MPI, and
# a consumer then needs neither FindMPI nor the C language in its project.

include(CMakePackageConfigHelpers)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/admpi")

install(TARGETS admpi EXPORT admpi-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES include/admpi.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES include/admpi.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" OPTIONAL)
install(DIRECTORY include/admpi DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/include/admpi/config.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/admpi")

install(EXPORT admpi-targets NAMESPACE admpi:: DESTINATION "${package_directory}")
configure_package_config_file(cmake/admpiConfig.cmake.in admpiConfig.cmake
  INSTALL_DESTINATION "${package_directory}"
  NO_SET_AND_CHECK_MACRO)
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
if("${CMAKE_INSTALL_FULL_LIBDIR}" IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  set(pc_rpath "")
endif()
set(pc_mpi_cflags "")
set(pc_mpi_libs "")
if(ADMPI_WITH_MPI)
  set(pc_mpi_cflags " -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1")
  foreach(directory IN LISTS MPI_C_INCLUDE_DIRS)
    string(APPEND pc_mpi_cflags " -I${directory}")
  endforeach()
  foreach(library IN LISTS MPI_C_LIBRARIES)
    string(APPEND pc_mpi_libs " ${library}")
  endforeach()
endif()
configure_file(cmake/admpi.pc.in admpi.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/admpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
