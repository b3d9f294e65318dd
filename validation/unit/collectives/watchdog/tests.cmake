# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(stalls_test LABELS unit
  SOURCES ${shardstone_test_dir}/judge_test.cpp ${shardstone_test_dir}/stall_report_test.cpp
          ${shardstone_test_dir}/waiting_test.cpp
          ${shardstone_test_dir}/whereabouts_test.cpp)
shardstone_add_test(other_nodes_test SOURCES ${shardstone_test_dir}/other_nodes_test.cpp
                    RANKS 1 2 3 4 5 8)
