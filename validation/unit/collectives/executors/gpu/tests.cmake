# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(gpu_obstacle_test SOURCES ${shardstone_test_dir}/obstacle_test.cpp
                    RANKS 1 3 LABELS unit gpu)
shardstone_add_test(device_buffers_test SOURCES ${shardstone_test_dir}/device_buffers_test.cpp
                    RANKS 1 3 LABELS unit)
# On emulated devices, of which each rank has its own; large vectors take too long there. In all orders
# of streams: the default stream of a test and those of executors are ordered by events alone.
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(emulated_collective_test EMULATED plain
                      SOURCES ${shardstone_test_dir}/collective_cuda_test.cpp RANKS 1 2 3 4 5 8
                      LABELS unit ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8 GTEST_FILTER=-*Large*)
  # In the other orders of streams, and on ranks that share a GPU.
  foreach(case others,8 random,8 lazy,1)
    string(REPLACE "," ";" case ${case})
    list(GET case 0 order)
    list(GET case 1 devices)
    set(name emulated_collective_test.${order}_${devices})
    shardstone_add_mpi_command(${name} 3 $<TARGET_FILE:emulated_collective_test> --gtest_filter=-*Large*)
    set_tests_properties(${name} PROPERTIES LABELS "mpi;unit" TIMEOUT 120
      ENVIRONMENT "SHARDSTONE_EMULATED_STREAMS=${order};SHARDSTONE_EMULATED_DEVICES=${devices};SHARDSTONE_TEST_LIMIT_S=105")
  endforeach()
endif()
shardstone_add_test(pair_messages_test SOURCES ${shardstone_test_dir}/pair_messages_test.cpp
                    RANKS 1 2 3 5)
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(emulated_pair_messages_test EMULATED plain
                      SOURCES ${shardstone_test_dir}/pair_messages_test.cpp RANKS 2 3 5
                      ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8 SHARDSTONE_EMULATED_STREAMS=others)
endif()
if(plain IN_LIST shardstone_emulations)
  shardstone_add_test(device_messages_test EMULATED plain
                      SOURCES ${shardstone_test_dir}/device_messages_cuda_test.cpp
                              ${shardstone_test_dir}/device_reductions_cuda_test.cpp RANKS 2 LABELS unit
                      ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
endif()
shardstone_add_test(envelopes_test SOURCES ${shardstone_test_dir}/envelopes_test.cpp LABELS unit)
# The others skip where there is no GPU, or not one to each rank.
if(SHARDSTONE_HAS_CUDA)
  shardstone_add_test(reduce_cuda_test SOURCES ${shardstone_test_dir}/reduce_cuda_test.cpp
                      LABELS gpu)
  shardstone_add_test(gpu_collective_test SOURCES ${shardstone_test_dir}/collective_cuda_test.cpp
                      RANKS 1 2 4 8 LABELS gpu)
  shardstone_add_refusal(collectives.no_gpu 3 "no NVIDIA GPU was found by rank 0"
                         collectives --device cuda)
  set_tests_properties(refuses.collectives.no_gpu PROPERTIES ENVIRONMENT "CUDA_VISIBLE_DEVICES=")
endif()
