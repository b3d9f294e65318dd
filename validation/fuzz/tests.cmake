# SPDX-License-Identifier: BSD-3-Clause
# Each with few inputs in every run, and with 100,000 under the label nightly.
foreach(test cluster_toml_fuzz_test flags_fuzz_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
  add_test(NAME ${test}.100000 COMMAND ${test})
  set_tests_properties(${test}.100000 PROPERTIES LABELS nightly TIMEOUT 3600
                       ENVIRONMENT SHARDSTONE_FUZZ_INPUTS=100000)
endforeach()
shardstone_knows_source_dir(${shardstone_test_dir}/cluster_toml_fuzz_test.cpp)
