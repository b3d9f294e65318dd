# SPDX-License-Identifier: BSD-3-Clause
# shardstone_add_test(NAME SOURCES files... [RANKS 1 2 ...] [LABELS l...] [TIMEOUT s] [ENVIRONMENT e...]
#                     [EMULATED emulation])
#
# One GoogleTest program, registered once per rank count as NAME.npN. Without RANKS it is a serial
# test that runs without the launcher and without MPI. With RANKS, failures on any rank fail the
# test on all (see validation/unit/mpi_test_main.cpp). PROCESSORS keeps a parallel ctest from
# starting more ranks than it should at a time; ranks may still outnumber the cores.

include(CheckLinkerFlag)
include(ProcessorCount)
ProcessorCount(shardstone_cores)

# Two hundred programs that hold all libraries are linked by gold in a quarter of the processor time; it
# comes with the usual linker, by which the command is linked, since that is measured.
check_linker_flag(CXX -fuse-ld=gold SHARDSTONE_HAS_GOLD)
function(shardstone_link_quickly target)
  if(SHARDSTONE_HAS_GOLD)
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
endfunction()

# Builds the tests labelled gpu, for a machine that is borrowed to run no others.
add_custom_target(gpu_tests)
# Builds the nightly tests of kernels under the sanitizers, which nothing else does.
add_custom_target(sanitized_device_tests)

set(shardstone_all_libraries
    shardstone_kernels shardstone_collectives shardstone_results shardstone_reference
    shardstone_benchmarks shardstone_validation)
# What programs link: all of it, and its kernels for the GPU, or the same kernels for the emulated one.
set(shardstone_all_but_device ${shardstone_all_libraries})
if(SHARDSTONE_HAS_CUDA)
  list(APPEND shardstone_all_libraries shardstone_device)
endif()

add_library(shardstone_mpi_test_main OBJECT
            ${PROJECT_SOURCE_DIR}/validation/unit/mpi_test_main.cpp)
target_link_libraries(shardstone_mpi_test_main PRIVATE
                      shardstone_options GTest::gtest MPI::MPI_CXX)
shardstone_precompile(shardstone_mpi_test_main shardstone_test_headers)

function(shardstone_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;EMULATED" "SOURCES;RANKS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(SHARDSTONE_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 4")
  endif()
  add_executable(${name} ${arg_SOURCES})
  if(arg_EMULATED)
    shardstone_link(${name} ${shardstone_all_but_device} shardstone_emulated_${arg_EMULATED}
                    GTest::gtest)
  else()
    shardstone_link(${name} ${shardstone_all_libraries} GTest::gtest)
  endif()
  shardstone_precompile(${name} shardstone_test_headers)
  shardstone_link_quickly(${name})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)  # of sources that are objects
  if("gpu" IN_LIST arg_LABELS)
    add_dependencies(gpu_tests ${name})
  endif()
  if(arg_EMULATED AND NOT arg_EMULATED STREQUAL "plain")
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(sanitized_device_tests ${name})
    # At a process's end threads of OpenBLAS come to UCX's hooks, where the race detector knows them no more.
    list(APPEND arg_ENVIRONMENT UCX_MEM_EVENTS=no)
  endif()
  if(NOT arg_RANKS)
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
                                            ENVIRONMENT "${arg_ENVIRONMENT}")
    return()
  endif()
  shardstone_link(${name} shardstone_mpi_test_main)
  # Less than ctest waits, so that ranks that wait for each other can say where.
  math(EXPR limit_s "${arg_TIMEOUT} * 9 / 10 - 3")
  list(APPEND arg_ENVIRONMENT SHARDSTONE_TEST_LIMIT_S=${limit_s})
  foreach(ranks IN LISTS arg_RANKS)
    shardstone_add_mpi_command(${name}.np${ranks} ${ranks} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}.np${ranks} PROPERTIES LABELS "mpi;${arg_LABELS}"
                         TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# shardstone_add_emulated_test(NAME SOURCES files... [TIMEOUT s] [LABELS l...]): a test on the emulated
# device. NAME runs threads forwards and streams lazily, NAME.reverse and NAME.random do so in other
# orders, which show other faults; NAME.asan and NAME.tsan are nightly, with kernels under a sanitizer.
function(shardstone_add_emulated_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LABELS" ${ARGN})
  foreach(emulation IN LISTS shardstone_emulations)
    if(emulation STREQUAL "plain")
      shardstone_add_test(${name} EMULATED plain SOURCES ${arg_SOURCES} TIMEOUT ${arg_TIMEOUT}
                          LABELS ${arg_LABELS})
      shardstone_add_orders(${name} "${arg_TIMEOUT}" "${arg_LABELS}")
    else()
      math(EXPR limit "${arg_TIMEOUT} * 10")
      shardstone_add_test(${name}.${emulation} EMULATED ${emulation} SOURCES ${arg_SOURCES}
                          TIMEOUT ${limit} LABELS nightly)
    endif()
  endforeach()
endfunction()

function(shardstone_add_orders name timeout labels)
  if(SHARDSTONE_SANITIZE)
    math(EXPR timeout "${timeout} * 4")
  endif()
  foreach(order IN ITEMS "reverse others" "random random")
    separate_arguments(orders UNIX_COMMAND ${order})
    list(GET orders 0 threads)
    list(GET orders 1 streams)
    add_test(NAME ${name}.${threads} COMMAND ${name})
    set_tests_properties(${name}.${threads} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout}
      ENVIRONMENT "SHARDSTONE_EMULATED_ORDER=${threads};SHARDSTONE_EMULATED_STREAMS=${streams}")
  endforeach()
endfunction()

# shardstone_add_device_test(NAME SOURCES files... [TIMEOUT s] [LABELS l...]): a test of what runs on a
# GPU: on the emulated device, wherever the CUDA headers are, as above; and together with all others in
# device_tests.gpu, labelled gpu, which skips where there is none. The test itself is compiled once.
function(shardstone_add_device_test name)
  if(NOT SHARDSTONE_HAS_CUDA)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_library(${name}.objects OBJECT ${arg_SOURCES})
  shardstone_link(${name}.objects ${shardstone_all_libraries} GTest::gtest)
  shardstone_precompile(${name}.objects shardstone_test_headers)
  set(objects $<TARGET_OBJECTS:${name}.objects>)
  shardstone_add_emulated_test(${name} SOURCES ${objects} TIMEOUT ${arg_TIMEOUT}
                               LABELS ${arg_LABELS})
  set_property(GLOBAL APPEND PROPERTY SHARDSTONE_DEVICE_TESTS ${objects})
endfunction()

# shardstone_add_gpu_tests(): the program that holds all of them, in one, to be carried to a GPU.
function(shardstone_add_gpu_tests)
  get_property(objects GLOBAL PROPERTY SHARDSTONE_DEVICE_TESTS)
  if(objects)
    shardstone_add_test(device_tests.gpu SOURCES ${objects} TIMEOUT 300 LABELS gpu)
  endif()
endfunction()

# shardstone_add_mpi_command(NAME RANKS COMMAND...): any command under the launcher, as a test.
function(shardstone_add_mpi_command name ranks)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${ARGN})
  set(processors ${ranks})
  if(processors GREATER shardstone_cores)
    set(processors ${shardstone_cores})
  endif()
  set_tests_properties(${name} PROPERTIES PROCESSORS ${processors})
endfunction()

# shardstone_add_refusal(NAME RANKS EXPECTED ARGUMENTS...): bad input ends `shardstone ARGUMENTS` on
# every rank with code 2 and one line on stderr that holds EXPECTED; the test is called refuses.NAME.
function(shardstone_add_refusal name ranks expected)
  list(JOIN ARGN " " words)
  add_test(NAME refuses.${name}
           COMMAND ${CMAKE_COMMAND}
                   "-DLAUNCHER=${MPIEXEC_EXECUTABLE};${MPIEXEC_NUMPROC_FLAG};${ranks}"
                   -DPROGRAM=$<TARGET_FILE:shardstone> "-DWORDS=${words}" "-DEXPECTED=${expected}"
                   -P ${PROJECT_SOURCE_DIR}/cmake/refusal.cmake)
  set_tests_properties(refuses.${name} PROPERTIES LABELS "unit;mpi" TIMEOUT 60 PROCESSORS 2)
endfunction()
