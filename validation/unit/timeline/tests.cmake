# SPDX-License-Identifier: BSD-3-Clause
foreach(test pricing_test utilisation_test planted_timeline_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
