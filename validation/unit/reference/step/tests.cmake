# SPDX-License-Identifier: BSD-3-Clause
foreach(test buckets_test every_plan_test shared_list_test step_overlap_test timeline_test volume_test
             wire_format_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit TIMEOUT 300)
endforeach()
shardstone_add_test(planted_mutation_test
    SOURCES ${shardstone_test_dir}/planted_test.cpp ${shardstone_test_dir}/planted_order_test.cpp
            ${shardstone_test_dir}/planted_pass_test.cpp
            ${shardstone_test_dir}/planted_gather_test.cpp ${shardstone_test_dir}/planted_phase_test.cpp
            ${shardstone_test_dir}/planted_sum_test.cpp
            ${shardstone_test_dir}/planted_expert_test.cpp
    LABELS unit)
