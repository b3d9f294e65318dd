# SPDX-License-Identifier: BSD-3-Clause
# How everything is compiled: one interface target that all libraries and programs link to.

add_library(shardstone_options INTERFACE)
target_compile_features(shardstone_options INTERFACE cxx_std_20)
target_include_directories(shardstone_options INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(shardstone_options INTERFACE fmt::fmt Threads::Threads)

# -fno-math-errno and -fno-trapping-math let loops vectorise at equal results; -ffast-math, which
# changes results, is never used. -ffp-contract=off: whether a product and a sum are fused must not
# depend on how the compiler happened to inline a function.
target_compile_options(shardstone_options INTERFACE
  -march=${SHARDSTONE_ARCH} -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -fno-math-errno -fno-trapping-math -ffp-contract=off
  $<$<CONFIG:Release>:-O3> $<$<BOOL:${SHARDSTONE_WERROR}>:-Werror>)
# GCC 12 warns of overlapping copies wherever a literal is assigned to a string (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(shardstone_options INTERFACE -Wno-restrict)
endif()
target_compile_definitions(shardstone_options INTERFACE
  SHARDSTONE_ARCH="${SHARDSTONE_ARCH}" SHARDSTONE_VERSION="${PROJECT_VERSION}"
  SHARDSTONE_BUILD_TYPE="${CMAKE_BUILD_TYPE}")

if(SHARDSTONE_SANITIZE)
  target_compile_options(shardstone_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(shardstone_options INTERFACE -fsanitize=address,undefined)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(SHARDSTONE_CCACHE ccache)
mark_as_advanced(SHARDSTONE_CCACHE)
if(SHARDSTONE_CCACHE)
  # With paths taken relative to the checkout, a second checkout of the same text compiles nothing.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 ${SHARDSTONE_CCACHE})
endif()

# shardstone_knows_source_dir(SOURCES...): the few sources that read the repository itself.
function(shardstone_knows_source_dir)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS
               SHARDSTONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

# shardstone_library(NAME DEPENDS...): an OBJECT library of every .cpp below the current folder, so
# that a new file is picked up by itself and self-registering objects survive the linker. Not those
# in collectives/simgrid, which are compiled against another mpi.h.
function(shardstone_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "(_test|_test_main|/main)\\.cpp$|/collectives/simgrid/")
  add_library(${name} OBJECT ${sources})
  target_link_libraries(${name} PUBLIC shardstone_options ${ARGN})
endfunction()

# shardstone_link(TARGET LIBRARY...): objects of an OBJECT library reach only who links it directly.
function(shardstone_link target)
  target_link_libraries(${target} PRIVATE ${ARGN})
endfunction()
