# SPDX-License-Identifier: BSD-3-Clause
add_test(NAME pytorch_oracle
         COMMAND ${shardstone_test_dir}/compare_with_pytorch $<TARGET_FILE:shardstone>
                 ${CMAKE_CURRENT_BINARY_DIR}/pytorch_oracle)
set_tests_properties(pytorch_oracle PROPERTIES LABELS numerics SKIP_RETURN_CODE 77 TIMEOUT 300)
add_test(NAME pytorch_training
         COMMAND ${shardstone_test_dir}/train_with_pytorch $<TARGET_FILE:shardstone> ${MPIEXEC_EXECUTABLE}
                 ${CMAKE_CURRENT_BINARY_DIR}/pytorch_training)
set_tests_properties(pytorch_training PROPERTIES LABELS numerics SKIP_RETURN_CODE 77 TIMEOUT 600
                     PROCESSORS 2)
