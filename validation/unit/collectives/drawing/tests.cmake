# SPDX-License-Identifier: BSD-3-Clause
foreach(test messages_test price_test drawing_test catalogue_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
shardstone_knows_source_dir(${shardstone_test_dir}/catalogue_test.cpp)
shardstone_add_test(draw_command_test SOURCES ${shardstone_test_dir}/draw_command_test.cpp
                    LABELS unit ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(draw_command_test shardstone)
