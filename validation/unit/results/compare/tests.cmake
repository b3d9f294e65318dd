# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(compare_test LABELS unit
  SOURCES ${shardstone_test_dir}/judge_test.cpp ${shardstone_test_dir}/match_test.cpp
          ${shardstone_test_dir}/differences_test.cpp ${shardstone_test_dir}/comparison_test.cpp
          ${shardstone_test_dir}/comparable_columns_test.cpp ${shardstone_test_dir}/judge_sides_test.cpp
          ${shardstone_test_dir}/comparable_interconnect_test.cpp)
shardstone_add_test(compare_command_test LABELS unit mpi TIMEOUT 300
  SOURCES ${shardstone_test_dir}/compare_command_test.cpp ${shardstone_test_dir}/compare_gate_test.cpp
          ${shardstone_test_dir}/compare_options_test.cpp
          ${shardstone_test_dir}/compare_interconnect_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(compare_command_test shardstone)
shardstone_knows_source_dir(${shardstone_test_dir}/real_runs.cpp)
set_tests_properties(compare_command_test PROPERTIES PROCESSORS 2)
