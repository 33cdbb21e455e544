# libadmpi_adjoinable.so: AdjoinableMPI's interface, a thin layer on libadmpi.so. Its calls have names that libadmpi's have too, with
# other arguments: the versions of the symbols tell them apart, so there is no static one.
if(NOT ADMPI_WITH_MPI OR ADMPI_STATIC)
  return()
endif()

set(ADMPI_ADJOINABLE_MAP "${CMAKE_CURRENT_BINARY_DIR}/libadmpi_adjoinable.map")
file(CONFIGURE OUTPUT "${ADMPI_ADJOINABLE_MAP}" @ONLY CONTENT "ADMPI_ADJOINABLE_@ADMPI_VERSION_MAJOR@.@ADMPI_VERSION_MINOR@ {
  global:
    AMPI_*; FW_AMPI_*; FWB_AMPI_*; FWS_AMPI_*; BW_AMPI_*; BWB_AMPI_*; BWS_AMPI_*; TLS_AMPI_*; TLM_AMPI_*; TLB_AMPI_*; ADTOOL_AMPI_*;
    ADMPI_Turn_range;
    ampi_*_; fw_ampi_*_; bw_ampi_*_; fwb_ampi_*_; fws_ampi_*_; bwb_ampi_*_; bws_ampi_*_; tls_ampi_*_; tlm_ampi_*_; tlb_ampi_*_;
    adtool_ampi_*_; admpi_turn_range_; active_types_;
  local:
    *;
};
")
add_library(admpi_adjoinable SHARED
  src/adjoinable/calls.c src/adjoinable/choices.c src/adjoinable/completions.c src/adjoinable/items.c
  src/adjoinable/plain.c src/adjoinable/runtime.c src/adjoinable/users.c src/adjoinable/windows.c
  src/adjoinable/fortran.c src/adjoinable/fortran_calls.c src/adjoinable/tangents.c src/adjoinable/tangent_calls.c)
add_library(admpi::adjoinable ALIAS admpi_adjoinable)
set_target_properties(admpi_adjoinable PROPERTIES
  EXPORT_NAME adjoinable
  C_VISIBILITY_PRESET default
  VERSION "${PROJECT_VERSION}"
  SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
  BUILD_RPATH_USE_ORIGIN ON
  INSTALL_RPATH "$ORIGIN"
  LINK_DEPENDS "${ADMPI_ADJOINABLE_MAP}")
target_compile_definitions(admpi_adjoinable PRIVATE "ADMPI_VERSION_NODE=\"${ADMPI_VERSION_NODE}\"")
target_compile_options(admpi_adjoinable PRIVATE -Wall -Wextra -Wpedantic)
target_link_options(admpi_adjoinable PRIVATE "LINKER:--version-script=${ADMPI_ADJOINABLE_MAP}" LINKER:--no-undefined)
target_link_libraries(admpi_adjoinable PUBLIC admpi)
target_include_directories(admpi_adjoinable PUBLIC
  "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include/admpi/adjoinable>"
  "$<INSTALL_INTERFACE:include/admpi/adjoinable>")
