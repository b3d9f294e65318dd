# SPDX-License-Identifier: BSD-3-Clause
# Nodes compared over ranks, each with planted files of its own, and described by what was found.
shardstone_add_test(discovery_test SOURCES ${shardstone_test_dir}/discovery_test.cpp RANKS 3 4 5)
shardstone_add_test(nominal_test LABELS unit SOURCES ${shardstone_test_dir}/nominal_test.cpp)
