# SPDX-License-Identifier: BSD-3-Clause
set(dir ${shardstone_test_dir})
shardstone_add_test(model_test LABELS unit numerics SOURCES
                    ${dir}/gradient_test.cpp ${dir}/initial_weights_test.cpp
                    ${dir}/invariance_test.cpp ${dir}/layout_test.cpp ${dir}/input_test.cpp
                    ${dir}/loss_totals_test.cpp ${dir}/step_test.cpp)
shardstone_add_test(model_part_test LABELS unit numerics SOURCES
                    ${dir}/partition_test.cpp ${dir}/tensor_parallel_test.cpp
                    ${dir}/chunks_test.cpp ${dir}/micro_batches_test.cpp ${dir}/memory_test.cpp
                    ${dir}/fp8_linear_test.cpp)
shardstone_add_test(context_attention_test LABELS unit numerics SOURCES
                    ${dir}/context/sequence_orders_test.cpp
                    ${dir}/context/context_attention_test.cpp)
shardstone_add_test(expert_model_test LABELS unit numerics SOURCES
                    ${dir}/experts/dense_equivalence_test.cpp
                    ${dir}/experts/expert_gradient_test.cpp
                    ${dir}/experts/expert_memory_test.cpp
                    ${dir}/experts/expert_options_test.cpp
                    ${dir}/experts/expert_phases_test.cpp
                    ${dir}/experts/row_assignment_test.cpp)
