# SPDX-License-Identifier: BSD-3-Clause
set(dir ${shardstone_test_dir})
shardstone_add_test(numerics_verdict_test LABELS unit numerics SOURCES
                    ${dir}/verdict_test.cpp ${dir}/kernel_plants_test.cpp
                    ${dir}/reductions_test.cpp ${dir}/record_test.cpp)
shardstone_add_test(numerics_gradients_test SOURCES ${dir}/gradients_test.cpp RANKS 1
                    LABELS numerics)
shardstone_add_test(numerics_trajectories_test SOURCES ${dir}/trajectories_test.cpp RANKS 1 3
                    LABELS numerics)
shardstone_add_mpi_command(validate.numerics.np2 2 $<TARGET_FILE:shardstone> validate numerics
                           --policy fp32,bf16 --model nano --part kernels,reductions,trajectories
                           --steps 2 --seeds 2)
set_tests_properties(validate.numerics.np2 PROPERTIES LABELS "mpi;numerics" TIMEOUT 120
                     PASS_REGULAR_EXPRESSION "[0-9]+ pass, [0-9]+ fail, [0-9]+ undecided")
# Too few steps for FP32 itself to learn: no verdict, and how many more it takes.
shardstone_add_mpi_command(validate.numerics.short.np2 2 $<TARGET_FILE:shardstone> validate numerics
                           --policy bf16 --model nano --part trajectories --steps 40 --seeds 3)
set_tests_properties(validate.numerics.short.np2 PROPERTIES LABELS "mpi;numerics" TIMEOUT 240
  PASS_REGULAR_EXPRESSION "undecided, [0-9]+ more steps.*\n0 pass, 0 fail, 2 undecided")
shardstone_add_refusal(numerics.fp64 1 "--policy fp64: policies are compared with FP64" validate
                       numerics --policy fp64)
shardstone_add_refusal(numerics.policy 2 "unknown precision 'fp12'" validate numerics --policy fp12)
shardstone_add_refusal(numerics.part 1 "--part foo" validate numerics --part foo)
shardstone_add_refusal(numerics.twice 2 "--model names nano twice" validate numerics --model nano,tiny,nano)
shardstone_add_refusal(numerics.seeds 1 "an interval needs at least 2 seeds" validate numerics
                       --seeds 1)
