# SPDX-License-Identifier: BSD-3-Clause
# How sources are compiled for the emulated device (validation/emulated_device), in three ways:
# plain, with the address and undefined-behaviour sanitizers (asan), and with the thread sanitizer (tsan),
# which sees races in kernels that no order of threads shows. Sanitized are kernels and the emulated
# device, not the rest of the program: a wrong access or a race of host code goes unnoticed there. Under
# tsan the emulated device itself is not: it tells of the order that it guarantees.

set(shardstone_emulations "")
if(SHARDSTONE_HAS_CUDA)
  find_library(SHARDSTONE_BOOST_CONTEXT boost_context)
  mark_as_advanced(SHARDSTONE_BOOST_CONTEXT)
  if(SHARDSTONE_BOOST_CONTEXT)
    set(shardstone_emulations plain)
    if(NOT SHARDSTONE_SANITIZE)  # or plain is what asan is
      list(APPEND shardstone_emulations asan tsan)
    endif()
  else()
    message(STATUS "Emulated device: no Boost.Context (libboost-context-dev); its tests are left out")
  endif()
endif()

set(shardstone_flags_of_plain "")
set(shardstone_flags_of_asan -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined
    -fno-sanitize-recover=undefined)
set(shardstone_flags_of_tsan -O1 -g1 -fsanitize=thread)
set(shardstone_link_flags_of_plain "")
set(shardstone_link_flags_of_asan -fsanitize=address,undefined)
set(shardstone_link_flags_of_tsan -fsanitize=thread)

# shardstone_emulated_objects(NAME EMULATION SOURCES...): an OBJECT library of kernels or of doubles.
# Kernels read tensors through packs of elements, as CUDA allows. What is written for a GPU's compiler
# shadows and pads as that one likes it.
function(shardstone_emulated_objects name emulation)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PUBLIC shardstone_options)
  target_compile_definitions(${name} PRIVATE
    SHARDSTONE_EMULATED_LANGUAGE="validation/emulated_device/language.hpp"
    SHARDSTONE_EMULATED_MATRIX_UNIT="validation/emulated_device/matrix_unit.hpp"
    $<$<STREQUAL:${emulation},tsan>:SHARDSTONE_EMULATED_TSAN>)
  target_compile_options(${name} PRIVATE
    -fno-strict-aliasing -Wno-shadow -Wno-pedantic -Wno-unknown-pragmas
    ${shardstone_flags_of_${emulation}})
  if(NOT emulation STREQUAL "plain")
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# shardstone_as_cxx(KERNELS...): compiles *.cu by the host's compiler, in this directory.
function(shardstone_as_cxx)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
endfunction()
