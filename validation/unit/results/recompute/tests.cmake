# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(recompute_test LABELS unit
  SOURCES ${shardstone_test_dir}/recompute_test.cpp ${shardstone_test_dir}/topology_test.cpp)
shardstone_knows_source_dir(${shardstone_test_dir}/recompute_test.cpp)
