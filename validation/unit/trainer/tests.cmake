# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(step_test
    SOURCES ${shardstone_test_dir}/exact_sum_test.cpp ${shardstone_test_dir}/plan_test.cpp
            ${shardstone_test_dir}/step_program_test.cpp
    LABELS unit)
shardstone_add_test(trainer_test SOURCES ${shardstone_test_dir}/trainer_test.cpp
                    RANKS 1 2 3 4 5 8)
shardstone_add_test(synthetic_language_test
    SOURCES ${shardstone_test_dir}/synthetic_language_test.cpp RANKS 2)
shardstone_add_test(entropy_rate_nightly_test
    SOURCES ${shardstone_test_dir}/entropy_rate_nightly_test.cpp
    RANKS 2 LABELS nightly TIMEOUT 600)

# Bad input ends `train` with one line that names the value, on any number of ranks, and no hang.
function(shardstone_train_refuses name ranks line)
  shardstone_add_mpi_command(train_refuses.${name} ${ranks} $<TARGET_FILE:shardstone> train ${ARGN})
  set_tests_properties(train_refuses.${name} PROPERTIES LABELS "mpi" TIMEOUT 60
                       PASS_REGULAR_EXPRESSION "^shardstone: ${line}[^\n]*\n$")
endfunction()

shardstone_train_refuses(plan 4 "plan dp=3 needs 3 ranks, but the job has 4" --plan dp=3)
shardstone_train_refuses(axis 2 "plan 'dp=1,tp=2': axis 'tp' cannot be trained yet"
                         --plan dp=1,tp=2)
shardstone_train_refuses(batch 3 "a global batch of 16 sequences does not divide over plan dp=3")
shardstone_train_refuses(micro_batch 2 "8 sequences per replica .* micro-batches of 3"
                         --micro-batch 3)
shardstone_train_refuses(model 2 "unknown model 'foo'" --model foo)
shardstone_train_refuses(all_reduce 2 "unknown all-reduce algorithm 'foo'" --all-reduce foo)
shardstone_train_refuses(data 2 "'nowhere' holds no manifest.json" --data nowhere)
shardstone_train_refuses(output 2 "cannot write 'nowhere/record.json'" --json nowhere/record.json)
