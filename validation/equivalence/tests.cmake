# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(matrix_test SOURCES ${shardstone_test_dir}/matrix_test.cpp
                    RANKS 8 LABELS numerics TIMEOUT 600)
shardstone_add_test(routes_test SOURCES ${shardstone_test_dir}/routes_test.cpp LABELS unit)
shardstone_add_test(step_judge_test SOURCES ${shardstone_test_dir}/step_judge_test.cpp
                    LABELS "unit;numerics")
shardstone_add_test(comparison_test SOURCES ${shardstone_test_dir}/comparison_test.cpp LABELS unit)
