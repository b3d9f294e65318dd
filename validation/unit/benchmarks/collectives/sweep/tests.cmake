# SPDX-License-Identifier: BSD-3-Clause
foreach(test sweep_options_test sweep_findings_test cluster_line_test resumed_points_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
shardstone_add_test(sweep_test SOURCES ${shardstone_test_dir}/sweep_test.cpp RANKS 1 2 3 4 5 8
                    LABELS unit)
shardstone_add_test(sweep_spy_test SOURCES ${shardstone_test_dir}/sweep_spy_test.cpp RANKS 1 2 3 4
                    LABELS unit)

shardstone_add_refusal(collectives.few_samples 3 "-n 3: too few samples" collectives -n 3)
shardstone_add_refusal(collectives.unknown_option 3 "--bogus" collectives --bogus)
shardstone_add_refusal(collectives.unwritable_output 3 "/nonexistent/record.json"
                       collectives --json /nonexistent/record.json)
