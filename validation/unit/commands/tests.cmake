# SPDX-License-Identifier: BSD-3-Clause
# The real commands, as a user starts them: what their records and tables hold.
foreach(test sweep_figures sweep_flags simulate_command step_command calibrate_command)
  shardstone_add_test(${test}_test LABELS unit mpi TIMEOUT 300
    SOURCES ${shardstone_test_dir}/${test}_test.cpp
    ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
  add_dependencies(${test}_test shardstone)
  set_tests_properties(${test}_test PROPERTIES PROCESSORS 2)
endforeach()
