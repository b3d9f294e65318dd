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
# are the command's, device.layouts_train_as_one_gpu_does; these take an hour or more each.
find_package(Python3 COMPONENTS Interpreter QUIET)
function(add_layouts name program)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${device_layouts_dir}/each_layout.py
                                $<TARGET_FILE:${program}> --launcher ${MPIEXEC_EXECUTABLE} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "mpi;numerics;nightly" TIMEOUT 36000
                       PROCESSORS ${shardstone_cores})
endfunction()
set(device_layouts_dir ${shardstone_test_dir})
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(device_layouts_test EMULATED plain SOURCES
                      ${shardstone_test_dir}/device_layouts_test.cpp RANKS 1 LABELS numerics
                      ENVIRONMENT GTEST_FILTER=*AreMost*)
  foreach(order lazy others random)
    add_layouts(device_layouts.${order} device_layouts_test --order ${order})
  endforeach()
  foreach(precision Fp32 Bf16 Fp8)
    add_layouts(device_layouts.${precision} device_layouts_test --layouts "${precision} *")
  endforeach()
  # Every step under the sanitizers.
  foreach(emulation IN LISTS shardstone_emulations)
    if(NOT emulation STREQUAL "plain")
      set(program device_steps_test.${emulation})
      shardstone_add_test(${program} EMULATED ${emulation} SOURCES
                          ${shardstone_test_dir}/device_steps_test.cpp RANKS 1 LABELS numerics nightly
                          TIMEOUT 3600 ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
      add_layouts(device_steps.${emulation} ${program})
      add_layouts(device_steps.all.${emulation} ${program} --layouts all)
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
