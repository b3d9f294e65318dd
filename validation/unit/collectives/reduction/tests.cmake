# SPDX-License-Identifier: BSD-3-Clause
foreach(test narrow_float_test reduction_test exact_inputs_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
foreach(test every_type_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp RANKS 1 2 3 4 5 8
                      LABELS unit)
endforeach()
