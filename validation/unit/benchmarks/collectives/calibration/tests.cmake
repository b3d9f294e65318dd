# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(fit_test SOURCES ${shardstone_test_dir}/fit_test.cpp LABELS unit)
shardstone_add_test(choice_test SOURCES ${shardstone_test_dir}/choice_test.cpp LABELS unit)
shardstone_add_test(calibrate_test SOURCES ${shardstone_test_dir}/calibrate_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(links_test SOURCES ${shardstone_test_dir}/links_test.cpp RANKS 2 3 4 LABELS unit)
shardstone_add_refusal(calibrate.no_size 2 "--largest 1" calibrate --largest 1)
shardstone_add_refusal(calibrate.too_large 2 "--largest 8388607T: vectors and scratch" calibrate
                       --largest 8388607T)
shardstone_add_refusal(calibrate.nodes 2 "--ranks-per-node -3" calibrate --ranks-per-node -3)
shardstone_add_refusal(calibrate.alone 1 "a single rank has no links" calibrate)
shardstone_add_refusal(collectives.no_such_cluster 2 "nowhere.toml" collectives --cluster nowhere.toml)
