# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(parts_test SOURCES ${shardstone_test_dir}/parts_test.cpp LABELS unit)
foreach(test all_reduce_test collective_test executor_test library_call_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp RANKS 1 2 3 4 5 8
                      LABELS unit)
endforeach()
