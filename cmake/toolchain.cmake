# Compiler settings that every target shares. Meaning-defining code is never built with fast-math
# or contraction; -O3 because g++ 12 hardly vectorises at -O2.
set(CMAKE_CXX_STANDARD 20 CACHE STRING "")
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
if(TILENEST_BREAKABLE_RULES) # a test-only build, for build time
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")
endif()
set(CMAKE_CXX_FLAGS_SANITIZED "-O0") # and -O1 where the time of a run goes: TILENEST_HOT
set(TILENEST_HOT $<$<CONFIG:Sanitized>:-O1>)
find_program(TILENEST_CCACHE ccache)
if(TILENEST_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${TILENEST_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # ccache looks into the precompiled headers that a file uses
    add_compile_options(-fpch-preprocess)
  endif()
endif()
add_compile_options(-ffp-contract=off -Wall -Wextra -Wno-missing-field-initializers -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict) # g++ 12 reports it wrongly for `"text" + std::string`
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>) # g++ takes what a batch includes for headers
endif()
if(TILENEST_SANITIZE)
  add_compile_options(-fsanitize=${TILENEST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  add_compile_definitions(TILENEST_SANITIZED=1)
  add_compile_options(-Wno-pass-failed) # loops that are marked for vectors, where there are none
  add_link_options(-fsanitize=${TILENEST_SANITIZE})
endif()
if(TILENEST_FUZZ)
  set(CMAKE_CXX_FLAGS_SANITIZED "-O1") # runs count more than the build
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TILENEST_FUZZ needs clang (preset fuzz)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TILENEST_BREAKABLE_RULES)
  add_compile_definitions(TILENEST_BREAKABLE_RULES=1)
endif()
