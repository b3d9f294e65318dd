# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(statistics_test LABELS unit
  SOURCES ${shardstone_test_dir}/statistics_test.cpp ${shardstone_test_dir}/stopping_test.cpp)
shardstone_add_test(measure_test SOURCES ${shardstone_test_dir}/measure_test.cpp
                    RANKS 1 2 3 4 5 8)
