# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(lint.includes SOURCES ${shardstone_test_dir}/lint_test.cpp
                    ${shardstone_test_dir}/functions_test.cpp
                    ${shardstone_test_dir}/captured_test.cpp LABELS unit)
shardstone_knows_source_dir(${shardstone_test_dir}/lint_test.cpp)
