# SPDX-License-Identifier: BSD-3-Clause
set(dir ${shardstone_test_dir})
shardstone_add_test(model_test LABELS unit numerics SOURCES
                    ${dir}/gradient_test.cpp ${dir}/initial_weights_test.cpp
                    ${dir}/invariance_test.cpp ${dir}/layout_test.cpp ${dir}/input_test.cpp
                    ${dir}/step_test.cpp)
shardstone_add_test(model_part_test LABELS unit numerics SOURCES
                    ${dir}/partition_test.cpp ${dir}/tensor_parallel_test.cpp
                    ${dir}/chunks_test.cpp ${dir}/micro_batches_test.cpp ${dir}/memory_test.cpp
                    ${dir}/fp8_linear_test.cpp)
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_test(NAME step_command
           COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/step_command_test.py)
  set_tests_properties(step_command PROPERTIES LABELS "mpi;unit" TIMEOUT 120 PROCESSORS 2
    ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>;SHARDSTONE_MPIEXEC=${MPIEXEC_EXECUTABLE}")
endif()
