# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(shared_window_test SOURCES ${shardstone_test_dir}/shared_window_test.cpp
                    RANKS 1 2 3 8 LABELS unit)
shardstone_add_test(shared_memory_test SOURCES ${shardstone_test_dir}/shared_memory_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(shared_messages_test SOURCES ${shardstone_test_dir}/shared_messages_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(reduce_across_test SOURCES ${shardstone_test_dir}/reduce_across_test.cpp
                    LABELS unit)
