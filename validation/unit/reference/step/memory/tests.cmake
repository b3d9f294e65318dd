# SPDX-License-Identifier: BSD-3-Clause
set(dir ${shardstone_test_dir})
shardstone_add_test(memory_test LABELS unit SOURCES
                    ${dir}/limit_test.cpp ${dir}/memory_model_test.cpp ${dir}/memory_fit_test.cpp
                    ${dir}/published_state_test.cpp ${dir}/published_activations_test.cpp)
shardstone_add_test(trainer_memory_test SOURCES ${dir}/trainer_memory_test.cpp RANKS 1 2 4 8
                    TIMEOUT 300)
