# SPDX-License-Identifier: BSD-3-Clause
# Contents of messages of pair tests, passes over pairs of ranks, loads, clocks, and tests of ranks.
shardstone_add_test(link_data_test LABELS unit SOURCES ${shardstone_test_dir}/link_data_test.cpp)
shardstone_add_test(link_pass_test SOURCES ${shardstone_test_dir}/link_pass_test.cpp RANKS 2 3 5)
set(watched_sends ${PROJECT_SOURCE_DIR}/validation/unit/watched_sends_test.cpp)
shardstone_add_test(link_faults_test RANKS 2
                    SOURCES ${shardstone_test_dir}/link_faults_test.cpp ${watched_sends})
shardstone_add_test(congestion_test RANKS 2 3 4 5 8
                    SOURCES ${shardstone_test_dir}/congestion_test.cpp ${watched_sends})
shardstone_add_test(clock_readings_test SOURCES ${shardstone_test_dir}/clock_readings_test.cpp
                    RANKS 1 2 3 5)
shardstone_add_test(rank_tests_test SOURCES ${shardstone_test_dir}/rank_tests_test.cpp RANKS 1 2 3 5)
shardstone_add_test(step_traffic_test SOURCES ${shardstone_test_dir}/step_traffic_test.cpp
                    RANKS 1 2 3 4 5 8)
shardstone_add_device_test(gpu_work_test LABELS unit SOURCES ${shardstone_test_dir}/gpu_work_test.cpp)
