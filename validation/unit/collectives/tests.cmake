# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(all_reduce_test SOURCES ${shardstone_test_dir}/all_reduce_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(proof_test SOURCES ${shardstone_test_dir}/proof_test.cpp LABELS unit)
