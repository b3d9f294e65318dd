# SPDX-License-Identifier: BSD-3-Clause
foreach(test proof_test planted_bug_test shapes_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
