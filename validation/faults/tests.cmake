# SPDX-License-Identifier: BSD-3-Clause
# Faults planted below the real commands, by chance: a sample where everything is tested, all of them
# nightly.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(NOT Python3_FOUND OR SHARDSTONE_SANITIZE)  # a sanitizer has to be preloaded first
  return()
endif()
add_library(failing_calls MODULE ${shardstone_test_dir}/failing_calls_test.cpp)
shardstone_link(failing_calls shardstone_options)
foreach(tries 40 0)
  add_test(NAME faults.failing_writes.${tries}
           COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/failing_writes.py
                   $<TARGET_FILE:shardstone> $<TARGET_FILE:failing_calls> ${tries})
  set_tests_properties(faults.failing_writes.${tries} PROPERTIES LABELS "faults" PROCESSORS 1
                       TIMEOUT 300)
endforeach()
set_tests_properties(faults.failing_writes.0 PROPERTIES LABELS "nightly" TIMEOUT 4000)

# Two seconds to the end are for a machine that does nothing else.
foreach(tries 6 1000)
  set(longest_s 15)
  if(tries EQUAL 1000)
    set(longest_s 2)
  endif()
  add_test(NAME faults.kills.${tries}
           COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/kills.py
                   $<TARGET_FILE:shardstone> ${MPIEXEC_EXECUTABLE} ${tries} ${longest_s})
  set_tests_properties(faults.kills.${tries} PROPERTIES LABELS "faults;mpi" PROCESSORS 2
                       TIMEOUT 300 RUN_SERIAL ON)
endforeach()
set_tests_properties(faults.kills.1000 PROPERTIES LABELS "nightly" TIMEOUT 10000)

add_test(NAME faults.cluster_stops.50
         COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/cluster_stops.py
                 ${PROJECT_SOURCE_DIR}/jobs/virtual_cluster/cluster $<TARGET_FILE:shardstone> 50)
set_tests_properties(faults.cluster_stops.50 PROPERTIES LABELS "faults;cluster;nightly" RUN_SERIAL ON
                     SKIP_RETURN_CODE 77 TIMEOUT 4000)
