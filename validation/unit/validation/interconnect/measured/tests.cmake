# SPDX-License-Identifier: BSD-3-Clause
# What the tests of an interconnect measure on the ranks of this machine, whatever the times are.
shardstone_add_test(measured_turns_test RANKS 2
  SOURCES ${shardstone_test_dir}/measured_turns_test.cpp)
shardstone_add_test(measured_interconnect_test RANKS 4
  SOURCES ${shardstone_test_dir}/measured_passes_test.cpp
          ${shardstone_test_dir}/measured_traffic_test.cpp
          ${shardstone_test_dir}/measured_soak_test.cpp)
