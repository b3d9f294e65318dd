# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(context_parallel_test LABELS unit SOURCES
                    ${shardstone_test_dir}/context_parallel_test.cpp)
shardstone_add_test(expert_parallel_test LABELS unit SOURCES
                    ${shardstone_test_dir}/expert_owners_test.cpp
                    ${shardstone_test_dir}/expert_parallel_test.cpp)
