# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(submit_test SOURCES ${shardstone_test_dir}/expansion_test.cpp
                    ${shardstone_test_dir}/files_test.cpp ${shardstone_test_dir}/script_test.cpp
                    ${shardstone_test_dir}/queue_test.cpp ${shardstone_test_dir}/state_test.cpp
                    ${shardstone_test_dir}/ends_test.cpp ${shardstone_test_dir}/launch_test.cpp
                    ${shardstone_test_dir}/child_test.cpp ${shardstone_test_dir}/obstacles_test.cpp
                    ${shardstone_test_dir}/growth_test.cpp ${shardstone_test_dir}/remains_test.cpp
                    LABELS unit)
shardstone_link(submit_test shardstone_submit)
