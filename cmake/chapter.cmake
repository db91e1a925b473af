# tilenest_chapter(NAME [deps...]): one static library from the folder's sources. Folders are chapters;
# their includes are written from the repository root ("semantics/space/space.h").
function(tilenest_chapter name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/kernels/") # compiled once per instruction set: kernels.cmake
  file(GLOB own_chapters CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt) # folders that are chapters of their own
  foreach(chapter ${own_chapters})
    cmake_path(GET chapter PARENT_PATH folder)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  if(NOT sources) # a chapter of headers only
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/no_sources.cpp)
    file(TOUCH ${sources})
  endif()
  add_library(tilenest_${name} STATIC ${sources})
  foreach(source ${sources}) # where CMAKE_UNITY_BUILD asks for it, each folder compiles as one file
    cmake_path(GET source PARENT_PATH folder)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
  set_target_properties(tilenest_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  add_library(tilenest::${name} ALIAS tilenest_${name})
  set_target_properties(tilenest_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(tilenest_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/tilenest_internal>)
  target_link_libraries(tilenest_${name} PUBLIC ${ARGN})
  # The standard headers that most files include: half of a file's compile time without this.
  target_precompile_headers(tilenest_${name} PRIVATE <algorithm> <cstdint> <cstring> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
endfunction()
