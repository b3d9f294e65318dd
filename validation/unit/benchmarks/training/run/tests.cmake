# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(training_run_test LABELS unit
    SOURCES ${shardstone_test_dir}/speed_checks_test.cpp ${shardstone_test_dir}/fingerprint_test.cpp)
shardstone_add_test(data_watch_test SOURCES ${shardstone_test_dir}/data_watch_test.cpp RANKS 1 2 3
                    LABELS unit)
shardstone_add_test(trace_test SOURCES ${shardstone_test_dir}/trace_test.cpp RANKS 1 2 5 LABELS unit)
shardstone_add_test(gap_test SOURCES ${shardstone_test_dir}/gap_test.cpp RANKS 2 LABELS unit)
