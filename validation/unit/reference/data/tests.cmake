# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(data_test
    SOURCES ${shardstone_test_dir}/corpus_test.cpp ${shardstone_test_dir}/default_text_test.cpp
            ${shardstone_test_dir}/guarded_file_test.cpp ${shardstone_test_dir}/markov_test.cpp
            ${shardstone_test_dir}/sampler_test.cpp ${shardstone_test_dir}/shard_test.cpp
    LABELS unit)
shardstone_add_test(data_command_test LABELS unit
  SOURCES ${shardstone_test_dir}/data_command_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(data_command_test shardstone)

# What reference/data/README.md says, by a program in another language: the first Python that has
# NumPy.
find_package(Python3 COMPONENTS Interpreter QUIET)
foreach(python IN ITEMS ${Python3_EXECUTABLE} /usr/bin/python3)
  execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE data_order_lacks
                  OUTPUT_QUIET ERROR_QUIET)
  if(data_order_lacks EQUAL 0)
    add_test(NAME data_order COMMAND ${python} -B ${shardstone_test_dir}/data_order_test.py)
    set_tests_properties(data_order PROPERTIES LABELS "unit;mpi" TIMEOUT 300
                         ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
    break()
  endif()
endforeach()
shardstone_add_refusal(data.order 1 "--step 0 and --steps 1 must be positive" data order nowhere
                       --step 0)
