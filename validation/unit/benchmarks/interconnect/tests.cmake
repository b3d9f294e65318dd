# SPDX-License-Identifier: BSD-3-Clause
# Contents of messages of pair tests, passes over pairs of ranks, and tests of ranks.
shardstone_add_test(link_data_test LABELS unit SOURCES ${shardstone_test_dir}/link_data_test.cpp)
shardstone_add_test(link_pass_test SOURCES ${shardstone_test_dir}/link_pass_test.cpp RANKS 2 3 5)
