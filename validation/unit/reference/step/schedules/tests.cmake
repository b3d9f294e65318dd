# SPDX-License-Identifier: BSD-3-Clause
foreach(test schedules_test planted_schedule_test published_bubbles_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
