# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(shared_window_test SOURCES ${shardstone_test_dir}/shared_window_test.cpp
                    RANKS 1 2 3 8 LABELS unit)
shardstone_add_test(shared_memory_test SOURCES ${shardstone_test_dir}/shared_memory_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(shared_messages_test SOURCES ${shardstone_test_dir}/shared_messages_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(mixed_messages_test SOURCES ${shardstone_test_dir}/mixed_messages_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(reduce_across_test SOURCES ${shardstone_test_dir}/reduce_across_test.cpp
                    LABELS unit)
shardstone_add_test(single_copy_test SOURCES ${shardstone_test_dir}/single_copy_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(single_copy_refused_test
                    SOURCES ${shardstone_test_dir}/single_copy_refused_test.cpp
                    RANKS 2 3 8 LABELS unit)
shardstone_add_test(doorbell_test LABELS unit
                    SOURCES ${shardstone_test_dir}/doorbell_test.cpp
                            ${shardstone_test_dir}/patience_test.cpp)
shardstone_add_test(trial_test SOURCES ${shardstone_test_dir}/trial_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
