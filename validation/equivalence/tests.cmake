# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(equivalence_test
    SOURCES ${shardstone_test_dir}/bitwise_test.cpp ${shardstone_test_dir}/planted_bugs_test.cpp
    RANKS 8 LABELS numerics)
shardstone_add_test(plain_mode_test SOURCES ${shardstone_test_dir}/plain_mode_test.cpp
                    RANKS 1 2 3 5 8 LABELS numerics)
