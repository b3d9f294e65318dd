# SPDX-License-Identifier: BSD-3-Clause
foreach(test closed_forms_test cost_model_test engine_test shared_links_test description_test
             simulation_test)
  shardstone_add_test(${test} SOURCES ${shardstone_test_dir}/${test}.cpp LABELS unit)
endforeach()
shardstone_knows_source_dir(${shardstone_test_dir}/description_test.cpp)

set(cluster ${PROJECT_SOURCE_DIR}/jobs/clusters/dgx-h100-rails.toml)
shardstone_add_refusal(simulate.no_cluster 1 "--cluster is required" simulate --ranks 8)
shardstone_add_refusal(simulate.missing_file 1 "/nonexistent.toml" simulate --cluster
                       /nonexistent.toml)
shardstone_add_refusal(simulate.no_description 1 "CMakeLists.txt: line" simulate --cluster
                       ${PROJECT_SOURCE_DIR}/CMakeLists.txt)
shardstone_add_refusal(simulate.too_many_ranks 1 "--ranks 1025" simulate --cluster ${cluster}
                       --ranks 8,1025)
shardstone_add_refusal(simulate.unknown_option 1 "--bogus" simulate --cluster ${cluster} --bogus)
shardstone_add_refusal(simulate.factor_in_words 1 "twice" simulate --cluster ${cluster} -f twice)
shardstone_add_refusal(simulate.unwritable_output 1 "/nonexistent/record.json" simulate --cluster
                       ${cluster} --json /nonexistent/record.json)
