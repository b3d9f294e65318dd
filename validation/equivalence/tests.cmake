# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(matrix_test SOURCES ${shardstone_test_dir}/matrix_test.cpp
                    RANKS 8 LABELS numerics TIMEOUT 600)
shardstone_add_test(comparison_test SOURCES ${shardstone_test_dir}/comparison_test.cpp LABELS unit)
