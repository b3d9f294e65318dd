# SPDX-License-Identifier: BSD-3-Clause
# What the command prints and records, read as a user reads it.
shardstone_add_test(train_command_test LABELS unit mpi TIMEOUT 300
  SOURCES ${shardstone_test_dir}/train_speed_test.cpp ${shardstone_test_dir}/train_record_test.cpp
          ${shardstone_test_dir}/measured_records_test.cpp
          ${shardstone_test_dir}/train_progress_test.cpp
          ${shardstone_test_dir}/explained_steps_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(train_command_test shardstone)
foreach(part records times)
  shardstone_add_test(paced_${part}_test LABELS unit mpi TIMEOUT 300
    SOURCES ${shardstone_test_dir}/paced_${part}_test.cpp
    ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
  add_dependencies(paced_${part}_test shardstone)
  set_tests_properties(paced_${part}_test PROPERTIES PROCESSORS 2)
endforeach()

# Every option of `train` with the real command.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  file(GLOB scripts CONFIGURE_DEPENDS ${shardstone_test_dir}/options_*.py)
  foreach(script IN LISTS scripts)
    file(STRINGS ${script} lines REGEX "^class ")
    list(APPEND parts ${lines})
  endforeach()
  list(TRANSFORM parts REPLACE "^class ([A-Za-z]+).*" "\\1")
  # These small trainings wait three quarters of the time for the half second that a disturbance is told
  # by, so PROCESSORS is 1.
  foreach(part IN LISTS parts)
    add_test(NAME train_options.${part}
             COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/options_test.py ${part})
    set_tests_properties(train_options.${part} PROPERTIES LABELS "unit;mpi" TIMEOUT 600
      ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>;SHARDSTONE_MPIEXEC=${MPIEXEC_EXECUTABLE}")
  endforeach()
endif()

shardstone_add_refusal(train.memory 2 "of each besides tensors), which has" train --model gpt2-1558m
                       --global-batch 1024)
shardstone_add_refusal(train.wire 2 "--gradient-wire bf16 with --precision fp64" train
                       --precision fp64 --gradient-wire bf16)
shardstone_add_refusal(train.export 2 "cannot create the folder '/dev/null/x'" train
                       --export /dev/null/x)
shardstone_add_refusal(train.plan 4 "plan dp=3 needs 3 ranks, but the job has 4" train --plan dp=3)
shardstone_add_refusal(train.axis 2 "plan 'dp=1,xp=2': unknown axis 'xp'" train --plan dp=1,xp=2)
shardstone_add_refusal(train.experts 2 "the model has no experts to share; use --experts 2 or ep=1"
                       train --plan ep=2)
shardstone_add_refusal(train.uneven_experts 2
                       "3 experts cannot be divided among 2 ranks; use --experts 4" train --plan ep=2
                       --experts 3)
shardstone_add_refusal(train.expert_capacity 2 "use --capacity 0 or cp=1" train --plan cp=2
                       --experts 4 --capacity 1)
shardstone_add_refusal(train.expert_precision 2 "products of experts have no FP8 scales" train
                       --experts 4 --precision fp8)
shardstone_add_refusal(train.heads 2 "attention heads are too few for 2 tensor ranks"
                       train --plan tp=2 --heads 1)
shardstone_add_refusal(train.batch 3
                       "a global batch of 16 sequences cannot be divided among 3 replicas" train)
shardstone_add_refusal(train.micro_batch 2 "micro-batches of 3" train --micro-batch 3)
shardstone_add_refusal(train.model 2 "unknown model 'foo'" train --model foo)
shardstone_add_refusal(train.layers 2 "layers 9223372036854775807 out of bounds" train
                       --layers 9223372036854775807)
shardstone_add_refusal(train.global_batch 2 "--global-batch 33554432: give at most" train
                       --global-batch 33554432)
shardstone_add_refusal(train.all_reduce 2 "unknown all_reduce algorithm 'foo'"
                       train --all-reduce foo)
shardstone_add_refusal(train.learning_rate 2 "learning rate -1" train --lr -1)
shardstone_add_refusal(train.data 2 "'nowhere' holds no manifest.json" train --data nowhere)
shardstone_add_refusal(train.output 2 "cannot write 'nowhere/record.json'"
                       train --json nowhere/record.json)

shardstone_add_refusal(overlap.one_rank 1 "a single rank has nothing to communicate"
                       overlap --model nano --rounds 2)
shardstone_add_refusal(pipeline.one_rank 1 "a single rank is no pipeline" study pipeline)
shardstone_add_refusal(overlap.slow_rank 2 "--pace-slow 2:1.5: there are ranks 0 to 1"
                       overlap --pace 10 --pace-slow 2:1.5)
shardstone_add_refusal(pipeline.slow_rank 2 "--pace-slow 1:2 means nothing without --pace: omit it"
                       study pipeline --pace-slow 1:2)
shardstone_add_refusal(train.negative_steps 1 "--steps -5: give at least 1" train --steps -5)
