# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(record_test LABELS unit
  SOURCES ${shardstone_test_dir}/record_test.cpp ${shardstone_test_dir}/damage_test.cpp
          ${shardstone_test_dir}/python_test.cpp)
