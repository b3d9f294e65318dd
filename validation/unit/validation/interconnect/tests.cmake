# SPDX-License-Identifier: BSD-3-Clause
set(dir ${shardstone_test_dir})
shardstone_add_test(interconnect_inference_test LABELS unit SOURCES
                    ${dir}/round_robin_test.cpp ${dir}/pair_times_test.cpp ${dir}/path_costs_test.cpp
                    ${dir}/acceptance_test.cpp ${dir}/samples_to_decide_test.cpp ${dir}/suspects_test.cpp ${dir}/next_tests_test.cpp
                    ${dir}/trials_test.cpp)
# A thousand clusters of 128 nodes with faults, and three thousand without.
shardstone_add_test(interconnect_trials_nightly_test LABELS nightly TIMEOUT 5400 SOURCES
                    ${dir}/trials_nightly_test.cpp)
shardstone_add_test(trial_grid_test SOURCES ${shardstone_test_dir}/trial_grid_test.cpp RANKS 1 2 3)
