# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(nccl_rounds_test SOURCES ${shardstone_test_dir}/rounds_test.cpp LABELS unit)
shardstone_add_test(nccl_obstacle_test SOURCES ${shardstone_test_dir}/obstacle_test.cpp
                    RANKS 1 3 LABELS unit gpu)
shardstone_add_test(device_buffers_test SOURCES ${shardstone_test_dir}/device_buffers_test.cpp
                    RANKS 1 3 LABELS unit)
# The others skip where there is no GPU, or not one to each rank.
if(SHARDSTONE_HAS_CUDA)
  shardstone_add_test(reduce_cuda_test SOURCES ${shardstone_test_dir}/reduce_cuda_test.cpp
                      LABELS gpu)
endif()
if(SHARDSTONE_HAS_NCCL)
  shardstone_add_test(nccl_collective_test SOURCES ${shardstone_test_dir}/collective_cuda_test.cpp
                      RANKS 1 2 4 8 LABELS gpu)
  shardstone_add_refusal(collectives.no_gpu 3 "no NVIDIA GPU was found by rank 0"
                         collectives --algorithm nccl)
  set_tests_properties(refuses.collectives.no_gpu PROPERTIES ENVIRONMENT "CUDA_VISIBLE_DEVICES=")
endif()
