# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(base_test LABELS unit
  SOURCES ${shardstone_test_dir}/base_test.cpp ${shardstone_test_dir}/running_kernel_test.cpp ${shardstone_test_dir}/available_memory_test.cpp
          ${shardstone_test_dir}/failure_log_test.cpp ${shardstone_test_dir}/exact_sum_test.cpp
          ${shardstone_test_dir}/run_delay_test.cpp)
find_package(Python3 COMPONENTS Interpreter QUIET)
shardstone_add_test(statistics_test SOURCES ${shardstone_test_dir}/statistics_test.cpp ${shardstone_test_dir}/ratios_to_others_test.cpp
                    ${shardstone_test_dir}/two_samples_test.cpp LABELS unit
                    ENVIRONMENT "SHARDSTONE_PYTHON3=${Python3_EXECUTABLE}")
shardstone_knows_source_dir(${shardstone_test_dir}/statistics_test.cpp)
