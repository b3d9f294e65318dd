# SPDX-License-Identifier: BSD-3-Clause
foreach(test depth_test sum_error_test accuracy_plan_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit numerics)
endforeach()
foreach(test accuracy_test planted_order_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp RANKS 1 2 3 4 5 8
                      LABELS unit numerics)
endforeach()

shardstone_add_mpi_command(collectives.accuracy.np4 4 $<TARGET_FILE:shardstone> collectives
                           --accuracy --op all --types fp32,fp8_e5m2 --elements 300
                           --ranks-per-node 2)
set_tests_properties(collectives.accuracy.np4 PROPERTIES LABELS "unit;mpi;numerics" TIMEOUT 60)
shardstone_add_refusal(collectives.accuracy_operation 2 "--op broadcast with --accuracy"
                       collectives --accuracy --op broadcast)
shardstone_add_refusal(collectives.accuracy_sizes 2 "--accuracy excludes --minbytes: give --elements" collectives --accuracy
                       -b 4)
shardstone_add_refusal(collectives.accuracy_ranks 2 "unknown element type 'fp99'" collectives --accuracy --types
                       fp99)
