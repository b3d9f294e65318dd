# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(communicator_test SOURCES ${shardstone_test_dir}/communicator_test.cpp
                    RANKS 1 2 3 4 5 8)
shardstone_add_test(shared_window_test SOURCES ${shardstone_test_dir}/shared_window_test.cpp
                    RANKS 1 2 3 8 LABELS unit)
shardstone_add_test(long_waits_test SOURCES ${shardstone_test_dir}/long_waits_test.cpp RANKS 2 3 5)
shardstone_add_test(doorbell_test LABELS unit
                    SOURCES ${shardstone_test_dir}/doorbell_test.cpp
                            ${shardstone_test_dir}/launcher_abort_test.cpp
                            ${shardstone_test_dir}/patience_test.cpp
                            ${shardstone_test_dir}/step_aside_test.cpp)
