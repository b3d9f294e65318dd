# SPDX-License-Identifier: BSD-3-Clause
# From samples, as a record has them, to slow ranks, limits and a verdict.
shardstone_add_test(slow_ranks_test LABELS unit SOURCES ${shardstone_test_dir}/slow_ranks_test.cpp)
shardstone_add_test(interconnect_findings_test LABELS unit
  SOURCES ${shardstone_test_dir}/findings_test.cpp ${shardstone_test_dir}/acceptance_file_test.cpp
          ${shardstone_test_dir}/budget_words_test.cpp
          ${shardstone_test_dir}/foreseen_test.cpp ${shardstone_test_dir}/rank_rounds_test.cpp
          ${shardstone_test_dir}/loads_and_clocks_test.cpp
          ${shardstone_test_dir}/slowdown_interval_test.cpp
          ${shardstone_test_dir}/traffic_findings_test.cpp
          ${shardstone_test_dir}/disturbances_test.cpp
          ${shardstone_test_dir}/held_against_test.cpp
          ${shardstone_test_dir}/interval_words_test.cpp ${shardstone_test_dir}/more_turns_test.cpp
          ${shardstone_test_dir}/looks_test.cpp ${shardstone_test_dir}/limits_of_gpus_test.cpp
          ${shardstone_test_dir}/gpu_clocks_test.cpp
          ${shardstone_test_dir}/forged_samples_test.cpp
          ${shardstone_test_dir}/forged_settings_test.cpp
          ${shardstone_test_dir}/interconnect_options_test.cpp)
