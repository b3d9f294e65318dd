# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(scaling_test LABELS unit
  SOURCES ${shardstone_test_dir}/scaling_curve_test.cpp ${shardstone_test_dir}/scaling_checks_test.cpp
          ${shardstone_test_dir}/scaling_fit_test.cpp
          ${shardstone_test_dir}/scaling_verdicts_test.cpp ${shardstone_test_dir}/choices_test.cpp
          ${shardstone_test_dir}/scaling_split_test.cpp
          ${shardstone_test_dir}/scaling_base_test.cpp ${shardstone_test_dir}/scaling_page_test.cpp
          ${shardstone_test_dir}/scaling_intervals_test.cpp
          ${shardstone_test_dir}/scaling_names_test.cpp ${shardstone_test_dir}/scaling_record_test.cpp
          ${shardstone_test_dir}/training_curves_test.cpp)
shardstone_add_test(scale_command_test LABELS unit mpi TIMEOUT 300
  SOURCES ${shardstone_test_dir}/scale_command_test.cpp ${shardstone_test_dir}/scale_columns_test.cpp
          ${shardstone_test_dir}/scale_checks_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(scale_command_test shardstone)
set_tests_properties(scale_command_test PROPERTIES PROCESSORS 2)
