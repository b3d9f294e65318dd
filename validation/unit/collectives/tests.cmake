# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(all_reduce_test SOURCES ${shardstone_test_dir}/all_reduce_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(proof_test SOURCES ${shardstone_test_dir}/proof_test.cpp LABELS unit)
shardstone_add_test(planted_bug_test SOURCES ${shardstone_test_dir}/planted_bug_test.cpp
                    LABELS unit)
shardstone_add_test(cost_model_test SOURCES ${shardstone_test_dir}/cost_model_test.cpp LABELS unit)
