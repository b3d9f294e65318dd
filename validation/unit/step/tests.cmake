# SPDX-License-Identifier: BSD-3-Clause
foreach(test every_plan_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp
                      ${shardstone_test_dir}/plans.cpp LABELS unit)
endforeach()
