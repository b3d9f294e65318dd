# SPDX-License-Identifier: BSD-3-Clause
# Each with few inputs in every run, and with 10^6 of each kind under the label nightly.
foreach(test cluster_toml study_toml flags json_record hdf5_record journal data words notice
        host_files bundle acceptance)
  set(test ${test}_fuzz_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
  add_test(NAME ${test}.1000000 COMMAND ${test})
  set_tests_properties(${test}.1000000 PROPERTIES LABELS nightly TIMEOUT 14400
                       ENVIRONMENT SHARDSTONE_FUZZ_INPUTS=1000000)
endforeach()
shardstone_knows_source_dir(${shardstone_test_dir}/cluster_toml_fuzz_test.cpp)
shardstone_knows_source_dir(${shardstone_test_dir}/study_toml_fuzz_test.cpp)
shardstone_link(study_toml_fuzz_test shardstone_submit)
