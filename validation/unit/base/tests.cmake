# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(base_test SOURCES ${shardstone_test_dir}/base_test.cpp LABELS unit)
shardstone_add_test(communicator_test SOURCES ${shardstone_test_dir}/communicator_test.cpp
                    RANKS 1 2 3 4 5 8)
