# tilenest_kernels(TARGET sources...): compiles the kernel sources once per instruction set, each time into
# its own namespace (TILENEST_ISA), and adds the objects to TARGET. The choice happens at run time. -mfma is
# never given; -mavx512f has fused instructions, and -ffp-contract=off keeps the compiler from forming them.
function(tilenest_kernels target)
  function(compile_for isa)
    add_library(${target}_${isa} OBJECT ${sources})
    target_include_directories(${target}_${isa} PRIVATE ${PROJECT_SOURCE_DIR})
    set_target_properties(${target}_${isa} PROPERTIES UNITY_BUILD OFF)
    target_compile_definitions(${target}_${isa} PRIVATE TILENEST_ISA=isa_${isa})
    target_compile_options(${target}_${isa} PRIVATE -fno-trapping-math ${TILENEST_HOT} ${ARGN})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${isa}>)
  endfunction()
  set(sources ${ARGN})
  compile_for(baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT TILENEST_SANITIZE) # the same source: once is enough there
    compile_for(avx2 -mavx2)
    compile_for(avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq)
    target_compile_definitions(${target} PRIVATE TILENEST_WIDE_KERNELS=1)
    foreach(isa baseline avx2 avx512)
      target_compile_definitions(${target}_${isa} PRIVATE TILENEST_WIDE_KERNELS=1)
    endforeach()
  endif()
endfunction()
