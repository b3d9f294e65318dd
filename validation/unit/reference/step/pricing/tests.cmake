# SPDX-License-Identifier: BSD-3-Clause
foreach(test pricing_test utilisation_test planted_timeline_test step_drawing_test measured_test
        gap_split_test core_waits_test what_if_test rank_waits_test
        uneven_ranks_test late_ranks_test late_bounds_test random_steps_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
shardstone_add_test(study_test SOURCES ${shardstone_test_dir}/study_test.cpp RANKS 1 2 3)
