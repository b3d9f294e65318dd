# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(preflight_test LABELS unit SOURCES
  ${shardstone_test_dir}/preflight_test.cpp ${shardstone_test_dir}/health_test.cpp)
