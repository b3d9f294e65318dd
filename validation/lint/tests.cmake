# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(lint.includes SOURCES ${shardstone_test_dir}/lint_test.cpp
                    ${shardstone_test_dir}/functions_test.cpp
                    ${shardstone_test_dir}/captured_test.cpp ${shardstone_test_dir}/twins_test.cpp LABELS unit)
shardstone_knows_source_dir(${shardstone_test_dir}/lint_test.cpp)

add_test(NAME lint.shell_scripts COMMAND ${shardstone_test_dir}/shell_scripts ${PROJECT_SOURCE_DIR})
set_tests_properties(lint.shell_scripts PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 120)
