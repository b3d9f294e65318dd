# SPDX-License-Identifier: BSD-3-Clause
foreach(test parts_test proof_test planted_bug_test cost_model_test sweep_options_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
foreach(test all_reduce_test executor_test sweep_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp RANKS 1 2 3 4 5 8
                      LABELS unit)
endforeach()

# Bad input ends with code 2 and one line that names the value, on any number of ranks.
function(shardstone_add_refusal name expected)
  list(JOIN ARGN " " words)
  add_test(NAME ${name}
           COMMAND ${CMAKE_COMMAND} "-DLAUNCHER=${MPIEXEC_EXECUTABLE};${MPIEXEC_NUMPROC_FLAG};3"
                   -DPROGRAM=$<TARGET_FILE:shardstone> "-DWORDS=${words}" "-DEXPECTED=${expected}"
                   -P ${shardstone_test_dir}/refusal.cmake)
  set_tests_properties(${name} PROPERTIES LABELS "unit;mpi" TIMEOUT 60 PROCESSORS 2)
endfunction()

shardstone_add_refusal(collectives_refuses_few_samples "-n 3: too few samples" collectives -n 3)
shardstone_add_refusal(collectives_refuses_unknown_option "--bogus" collectives --bogus)
shardstone_add_refusal(collectives_refuses_unwritable_output "/nonexistent/record.json"
                       collectives --json /nonexistent/record.json)
