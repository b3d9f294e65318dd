# SPDX-License-Identifier: BSD-3-Clause
# How everything is compiled: one interface target that all libraries and programs link to.

add_library(shardstone_options INTERFACE)
target_compile_features(shardstone_options INTERFACE cxx_std_20)
target_include_directories(shardstone_options INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(shardstone_options INTERFACE fmt::fmt Threads::Threads)

# -fno-math-errno and -fno-trapping-math let loops vectorise at equal results; -ffast-math, which
# changes results, is never used. -ffp-contract=off: whether a product and a sum are fused must not
# depend on how the compiler happened to inline a function.
set(host_flags
  -march=${SHARDSTONE_ARCH} -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
  # A local name like one of another file that is compiled in the same unit shadows nothing.
  $<IF:$<BOOL:${SHARDSTONE_UNITY}>,-Wshadow=local,-Wshadow>
  -fno-math-errno -fno-trapping-math -ffp-contract=off
  $<$<CONFIG:Release>:-O$<IF:$<BOOL:$<TARGET_PROPERTY:SHARDSTONE_LITTLE_OPTIMISED>>,1,3>>
  $<$<BOOL:${SHARDSTONE_WERROR}>:-Werror>)
# GCC 12 warns of overlapping copies wherever a literal is assigned to a string (its bug 105651),
# and, once headers are precompiled, of copies of negative length and beyond arrays.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND host_flags -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
       -Wno-array-bounds)
  # With AVX-512 it stores constants of 32 bytes by a broadcast wherever the words that it looks at
  # are equal, and it does not look at zeros in the upper half: {1.0, 1.0, 0.0, 0.0} became four ones
  # (comparison_test saw it). Copies and stores of 16 bytes at a time are not affected; it takes both.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER 12)
    list(APPEND host_flags -mmove-max=128 -mstore-max=128)
  endif()
endif()
target_compile_options(shardstone_options INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${host_flags}>")

# The .cu files hold kernels and their launches. What kernels call is constexpr, so that both sides
# share the text. -Wpedantic and -Wshadow would complain of what nvcc itself writes. The language is
# named here since CMake 3.25 does not know how to ask nvcc for C++20.
if(SHARDSTONE_HAS_CUDA)
  set(cuda_flags
    -std=c++20 --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra
    $<$<BOOL:${SHARDSTONE_WERROR}>:-Werror=all-warnings>
    $<$<BOOL:${SHARDSTONE_WERROR}>:-Xcompiler=-Werror>)
  # No kernel puts registers into memory on Hopper. On Ampere and Blackwell a few do, of which
  # kernel_resources.every_kernel keeps account.
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL "90")
    list(APPEND cuda_flags -Xptxas=-warn-spills)
  endif()
  target_compile_options(shardstone_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")
  target_include_directories(shardstone_options SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_definitions(shardstone_options INTERFACE SHARDSTONE_HAS_CUDA)
endif()
target_compile_definitions(shardstone_options INTERFACE
  SHARDSTONE_ARCH="${SHARDSTONE_ARCH}" SHARDSTONE_VERSION="${PROJECT_VERSION}"
  SHARDSTONE_BUILD_TYPE="${CMAKE_BUILD_TYPE}")

if(SHARDSTONE_SANITIZE)
  set(sanitizer_flags
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_compile_options(shardstone_options INTERFACE
                         "$<$<COMPILE_LANGUAGE:C,CXX>:${sanitizer_flags}>")
  target_link_options(shardstone_options INTERFACE -fsanitize=address,undefined)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(SHARDSTONE_CCACHE ccache)
mark_as_advanced(SHARDSTONE_CCACHE)
if(SHARDSTONE_CCACHE)
  # With paths taken relative to the checkout, a second checkout of the same text compiles nothing.
  # The sloppiness is what ccache asks for to cache compilations that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${SHARDSTONE_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Half of a build from nothing was spent on reading the same headers again. They are precompiled
# once, for libraries, for tests and for the command; every file still includes what it uses, and
# the preset debug, which does without, proves it.
function(shardstone_precompiled_headers name library)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(${name} PRIVATE shardstone_options ${library})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string>
    <string_view> <utility> <vector> <fmt/format.h> ${ARGN})
endfunction()
shardstone_precompiled_headers(shardstone_headers "")
shardstone_precompiled_headers(shardstone_test_headers GTest::gtest <gtest/gtest.h>)
shardstone_precompiled_headers(shardstone_command_headers CLI11::CLI11 <CLI/CLI.hpp>)
# Compiling CLI11 at -O3 into each subcommand was a quarter of a build; nothing there or in tests is hot.
set_target_properties(shardstone_command_headers shardstone_test_headers
                      PROPERTIES SHARDSTONE_LITTLE_OPTIMISED ON)

# shardstone_precompile(TARGET HEADERS): compiles TARGET with the precompiled headers of HEADERS, and
# as much optimised as they are.
function(shardstone_precompile target headers)
  get_target_property(little ${headers} SHARDSTONE_LITTLE_OPTIMISED)
  if(little)
    set_target_properties(${target} PROPERTIES SHARDSTONE_LITTLE_OPTIMISED ON)
  endif()
  if(SHARDSTONE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# shardstone_knows_source_dir(SOURCES...): the few sources that read the repository itself.
function(shardstone_knows_source_dir)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS
               SHARDSTONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

# Sources of these folders are compiled one by one. In kernels and executors a neighbour could change
# what the compiler makes of a hot loop, and files that are alike in form, one kernel each, have the
# same names in all of them. Nor is CUDA's side mixed with the host's.
set(shardstone_compiled_alone "(^|/)(kernels|executors)/|\\.cu$|_cuda\\.cpp$")

# shardstone_unity(TARGET SOURCES...): compiles the sources of one folder together, up to
# SHARDSTONE_UNITY_BATCH at a time, so that headers are read and inline functions compiled once for all
# of them. Never across folders: names in anonymous namespaces need to differ within a folder only.
function(shardstone_unity target)
  if(NOT SHARDSTONE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folders)
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    if(NOT path MATCHES "${shardstone_compiled_alone}")
      get_filename_component(folder ${path} DIRECTORY)
      string(MAKE_C_IDENTIFIER ${folder} folder)
      list(APPEND folders ${folder})
      list(APPEND sources_of_${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH sources_of_${folder} count)
    math(EXPR parts "(${count} + ${SHARDSTONE_UNITY_BATCH} - 1) / ${SHARDSTONE_UNITY_BATCH}")
    set(number 0)
    foreach(source IN LISTS sources_of_${folder})
      math(EXPR part "${number} * ${parts} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
endfunction()

# shardstone_for_any_cpu(SOURCES...): what runs before it is known that this CPU has what
# SHARDSTONE_ARCH asks for, so compiled for the least of its kind, apart from all others and without
# the sanitizers, which are not set up so early.
function(shardstone_for_any_cpu)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -march=x86-64)
  endif()
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                              SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# shardstone_library(NAME DEPENDS...): an OBJECT library of every .cpp below the current folder, so
# that a new file is picked up by itself and self-registering objects survive the linker. Host code for
# CUDA (*_cuda.cpp) is among them where CUDA is, that of NCCL's executor where NCCL is; not what is in
# collectives/simgrid, which is compiled against another mpi.h. Kernels (*.cu) are kept for
# validation/emulated_device, where all of them are compiled twice, but for those of tests; so is what
# loads a library for the GPU (*_library_cuda.cpp), since the emulated device has a double of the library.
function(shardstone_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cu)
  list(FILTER kernels EXCLUDE REGEX "/unit/")
  set_property(GLOBAL APPEND PROPERTY SHARDSTONE_CUDA_KERNELS ${kernels})
  set(loaders ${sources})
  list(FILTER loaders INCLUDE REGEX "[^/]_library_cuda\\.cpp$")
  set_property(GLOBAL APPEND PROPERTY SHARDSTONE_CUDA_LOADERS ${loaders})
  list(FILTER sources EXCLUDE REGEX
       "(_test|_test_main|/main|[^/]_library_cuda)\\.cpp$|/(collectives/simgrid|emulated_device)/")
  if(NOT SHARDSTONE_HAS_CUDA)
    list(FILTER sources EXCLUDE REGEX "_cuda\\.cpp$")
  elseif(NOT SHARDSTONE_HAS_NCCL)
    list(FILTER sources EXCLUDE REGEX "/nccl/.*_cuda\\.cpp$")
  endif()
  add_library(${name} OBJECT ${sources})
  target_link_libraries(${name} PUBLIC shardstone_options ${ARGN})
  if(TARGET ${name}_headers)
    shardstone_precompile(${name} ${name}_headers)
  else()
    shardstone_precompile(${name} shardstone_headers)
  endif()
  shardstone_unity(${name} ${sources})
endfunction()

# shardstone_link(TARGET LIBRARY...): objects of an OBJECT library reach only who links it directly.
function(shardstone_link target)
  target_link_libraries(${target} PRIVATE ${ARGN})
endfunction()
