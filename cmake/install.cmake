# cmake --install and find_package(tilenest). The target tilenest::tilenest carries the library; its public headers are
# <tilenest/...>, which forward to the internal ones under include/tilenest_internal.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(tilenest_tilenest INTERFACE)
add_library(tilenest::tilenest ALIAS tilenest_tilenest)
set_target_properties(tilenest_tilenest PROPERTIES EXPORT_NAME tilenest)
target_link_libraries(tilenest_tilenest INTERFACE tilenest::semantics tilenest::interp tilenest::arrays
  tilenest::compile)
target_compile_features(tilenest_tilenest INTERFACE cxx_std_20)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilenest)
install(TARGETS tilenest_tilenest tilenest_semantics tilenest_interp tilenest_arrays tilenest_lower tilenest_cpu_loader
  tilenest_compile EXPORT tilenest
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tilenest NAMESPACE tilenest:: FILE tilenest-targets.cmake DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(chapter semantics interp arrays lower compile)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${chapter}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilenest_internal
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
endforeach()

set(TILENEST_CPU_FILE ${CMAKE_INSTALL_LIBDIR}/libtilenest_cpu.so)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilenest-config.cmake.in
  ${PROJECT_BINARY_DIR}/tilenest-config.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS TILENEST_CPU_FILE)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilenest-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilenest-config.cmake ${PROJECT_BINARY_DIR}/tilenest-config-version.cmake
  DESTINATION ${package_dir})
