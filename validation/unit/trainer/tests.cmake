# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(step_test
    SOURCES ${shardstone_test_dir}/exact_sum_test.cpp ${shardstone_test_dir}/plan_test.cpp
            ${shardstone_test_dir}/step_program_test.cpp
    LABELS unit)
shardstone_add_test(trainer_test SOURCES ${shardstone_test_dir}/trainer_test.cpp
                    RANKS 1 2 3 4 5 8)
