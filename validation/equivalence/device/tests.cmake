# SPDX-License-Identifier: BSD-3-Clause
# One rank of a job, with the launcher, since a trainer has a communicator. On the emulated device a
# training takes many seconds: all of them are for the night, some for every day.
if(plain IN_LIST shardstone_emulations)
  shardstone_add_test(device_trainer_test EMULATED plain SOURCES
                      ${shardstone_test_dir}/device_trainer_test.cpp RANKS 1 LABELS numerics nightly
                      TIMEOUT 1500)
  shardstone_add_mpi_command(device_trainer_test.some 1 $<TARGET_FILE:device_trainer_test>
    --gtest_filter=*EveryPrecision.*/1:*LeavesOut*:*Fp8*)
  set_tests_properties(device_trainer_test.some PROPERTIES LABELS "mpi;numerics" TIMEOUT 400)
endif()
if(SHARDSTONE_HAS_CUDA)
  shardstone_add_test(device_trainer_test.gpu SOURCES ${shardstone_test_dir}/device_trainer_test.cpp
                      RANKS 1 LABELS gpu TIMEOUT 300)
endif()
# Several ranks, each with emulated devices of its own, and NCCL's double between them. Those of every day
# are the command's, device.layouts_train_as_one_gpu_does.
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(device_layouts_test EMULATED plain SOURCES
                      ${shardstone_test_dir}/device_layouts_test.cpp RANKS 8 LABELS numerics nightly
                      TIMEOUT 7200
                      ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8 GTEST_FILTER=*Fp32*:*AreMost*)
  # An hour or more each.
  foreach(arithmetic Bf16 Fp8)
    shardstone_add_mpi_command(device_layouts_test.${arithmetic} 8 $<TARGET_FILE:device_layouts_test>
      --gtest_filter=*${arithmetic}*)
    set_tests_properties(device_layouts_test.${arithmetic} PROPERTIES
      LABELS "mpi;numerics;nightly" TIMEOUT 7200 ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
  endforeach()
  # In the other orders in which streams and threads may run.
  foreach(order others random)
    set(threads_if_others reverse)
    set(threads_if_random random)
    shardstone_add_mpi_command(device_layouts_test.${order} 8 $<TARGET_FILE:device_layouts_test>
      --gtest_filter=*Fp32*)
    set_tests_properties(device_layouts_test.${order} PROPERTIES
      LABELS "mpi;numerics;nightly" TIMEOUT 7200
      ENVIRONMENT "SHARDSTONE_EMULATED_DEVICES=8;SHARDSTONE_EMULATED_STREAMS=${order};SHARDSTONE_EMULATED_ORDER=${threads_if_${order}}")
  endforeach()
  # Every step under the sanitizers; of each rank count, the layouts that need all of its ranks.
  foreach(emulation IN LISTS shardstone_emulations)
    if(NOT emulation STREQUAL "plain")
      shardstone_add_test(device_steps_test.${emulation} EMULATED ${emulation} SOURCES
                          ${shardstone_test_dir}/device_steps_test.cpp RANKS 1 2 3 4 5 6 8
                          LABELS numerics nightly TIMEOUT 14400
                          ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
      # Lines of execution for all threads of all streams are 3 GB a rank.
      set_property(TEST device_steps_test.${emulation}.np4 device_steps_test.${emulation}.np5
                        device_steps_test.${emulation}.np6 device_steps_test.${emulation}.np8
                   APPEND PROPERTY ENVIRONMENT SHARDSTONE_EMULATED_RACES=streams)
    endif()
  endforeach()
endif()
# What the emulated device alone can count.
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(host_waits_test EMULATED plain SOURCES ${shardstone_test_dir}/host_waits_cuda_test.cpp
                      RANKS 1 2 LABELS numerics TIMEOUT 300 ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
endif()
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(device_memory_test EMULATED plain SOURCES
                      ${shardstone_test_dir}/device_memory_test.cpp RANKS 1 2 LABELS numerics
                      TIMEOUT 300 ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
endif()
# What `train --device cuda` does, but for its screen and record.
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(device_training_test EMULATED plain SOURCES
                      ${shardstone_test_dir}/device_training_test.cpp RANKS 1 2 3 LABELS numerics
                      TIMEOUT 300 ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
endif()
if(SHARDSTONE_HAS_NCCL)
  shardstone_add_test(device_training_test.gpu SOURCES
                      ${shardstone_test_dir}/device_training_test.cpp RANKS 1 2 4 8 LABELS gpu
                      TIMEOUT 300)
endif()
