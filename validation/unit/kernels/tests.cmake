# SPDX-License-Identifier: BSD-3-Clause
set(dir ${shardstone_test_dir})
shardstone_add_test(oracle_test LABELS unit numerics SOURCES
                    ${dir}/oracle_test.cpp ${dir}/oracle_experts_test.cpp
                    ${dir}/oracle_experts_gradient_test.cpp)
shardstone_add_test(signals_test SOURCES ${dir}/signals_test.cpp LABELS unit faults)
shardstone_add_test(kernels_test LABELS unit numerics SOURCES
                    ${dir}/linear_test.cpp ${dir}/layernorm_test.cpp ${dir}/gelu_test.cpp
                    ${dir}/attention_test.cpp ${dir}/attention_blocks_test.cpp
                    ${dir}/cross_entropy_test.cpp
                    ${dir}/embedding_test.cpp ${dir}/roofline_test.cpp
                    ${dir}/tensor_test.cpp ${dir}/arrays_test.cpp ${dir}/residual_test.cpp ${dir}/register_tile_test.cpp)
shardstone_add_test(experts_test LABELS unit numerics SOURCES
                    ${dir}/router_test.cpp ${dir}/routing_test.cpp
                    ${dir}/routing_gradient_test.cpp ${dir}/expert_rows_test.cpp)
shardstone_add_test(narrow_test LABELS unit numerics SOURCES
                    ${dir}/narrow_gemm_test.cpp ${dir}/stochastic_rounding_test.cpp
                    ${dir}/fp8_rows_test.cpp)
shardstone_add_test(optimizer_test LABELS unit numerics SOURCES
                    ${dir}/adamw_test.cpp ${dir}/optimizer_test.cpp
                    ${dir}/optimizers_test.cpp
                    ${dir}/square_sum_test.cpp ${dir}/exact_gradients_test.cpp ${dir}/training_rules_test.cpp)
if(onednn_FOUND)
  set_property(SOURCE ${dir}/narrow_gemm_test.cpp APPEND PROPERTY COMPILE_DEFINITIONS
               SHARDSTONE_HAVE_ONEDNN)
endif()
