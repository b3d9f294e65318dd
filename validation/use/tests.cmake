# SPDX-License-Identifier: BSD-3-Clause
# The commands as a user meets them: files, signals, words, misuse. Each behaviour is one test.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(NOT Python3_FOUND)
  return()
endif()

# shardstone_add_use(SCRIPT PREFIX BEHAVIOURS...)
# Most of these commands wait most of their time, above all for the half second by which a disturbance is
# told, so their PROCESSORS is 1; but of those that compute, or have to end within seconds.
function(shardstone_add_use script prefix)
  set(processors 1)
  if(prefix MATCHES "^(interconnect_ends|interrupt|soak|stalled|watched)$")
    set(processors 2)
  endif()
  set(timeout 300)
  if(SHARDSTONE_SANITIZE)
    set(timeout 1200)
  endif()
  foreach(behaviour IN LISTS ARGN)
    add_test(NAME ${prefix}.${behaviour}
             COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/${script} ${behaviour}
                     $<TARGET_FILE:shardstone> ${MPIEXEC_EXECUTABLE})
    set_tests_properties(${prefix}.${behaviour} PROPERTIES LABELS "unit;mpi" PROCESSORS ${processors}
                         TIMEOUT ${timeout} SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

shardstone_add_use(files_test.py use existing_files_stay default_names_stay inputs_are_no_outputs
                   outputs_are_apart dash_is_stdout full_stdout_is_seen closed_pipe_is_quiet
                   closed_stdout_spares_files)
shardstone_add_use(interrupt_test.py interrupt collectives training kernels batch_sizes numerics
                   pipeline accuracy overlaps paced_steps_that_take_days long_paced_steps interconnects
                   second_signal everyone_at_once before_the_ranks_meet cpu_time_limit)
shardstone_add_use(silence_test.py silence pipelines overlaps batch_sizes equivalence numerics
                   what_keeps_nothing trainings studies kernels)
# Of these some have to end within seconds of a signal.
set_tests_properties(silence.what_keeps_nothing silence.kernels silence.equivalence
                     silence.pipelines PROPERTIES PROCESSORS 2)
shardstone_add_use(words_test.py use nearest_is_offered list_obeys_operation
                   serial_commands_act_once kernels_tell definitions_are_in_help
                   empty_words_are_refused calibration_tells cores_of_a_description_are_told
                   values_out_of_range_are_named advice_on_memory_holds scripts_refuse_in_one_line
                   what_is_named_is_there)
shardstone_add_use(recover_test.py recover training training_of_experts kernels pipeline batch_sizes
                   numerics self_test accuracy overlap form_follows_the_name damage_is_named
                   others_lines_in_the_failure_log_are_read live_journals_are_left_alone
                   full_disk_spares_the_run a_journal_given_up_goes)
shardstone_add_use(disk_test.py disk journal_goes_on_when_there_is_room
                   full_disk_at_the_end_is_the_reason room_at_the_end_is_enough
                   lost_folder_is_logged_elsewhere moved_journal_is_found moved_folder_keeps_no_journal)
shardstone_add_use(soak_test.py soak killed one_rank_killed stopped_rank)
shardstone_add_use(changed_data_test.py changed_data truncated overwritten seen_when_looked_at
                   same_bytes_are_accepted)
shardstone_add_use(resume_test.py resume sweeps journals_are_resumed sweeps_go_on_twice matrices
                   matrices_of_several_arithmetics batch_sizes numerics self_tests pipelines
                   kernels_go_on)
shardstone_add_use(resumed_options_test.py resumed_options collectives kernels batch_sizes pipelines
                   paced_pipelines matrices numerics self_tests)
shardstone_add_use(go_on_test.py go_on findings_are_of_all disturbances_are_of_all studies_show_all
                   verdicts_are_shown_again description_may_be_given_again the_line_that_is_said_goes_on
                   the_line_holds_anywhere
                   stalls_and_recoveries_say_it incomplete_records_are_told)
shardstone_add_use(left_behind_test.py left_behind damaged_journals_give_what_is_whole
                   hopeless_journals_are_no_circle folders_name_journals failures_go_with_their_record
                   foreign_files_are_left_out)
shardstone_add_use(stalled_test.py stalled every_command while_it_starts what_was_measured_is_kept
                   one_that_ends_is_named everyone_says_what_it_waits_for goes_on_where_it_is_wanted words_are_checked)
shardstone_add_use(interconnect_ends_test.py interconnect_ends without_a_record
                   report_tells_it_and_no_figure recovered_before_its_soak)
add_test(NAME stalled.200_times
         COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/stalled_test.py every_command
                 $<TARGET_FILE:shardstone> ${MPIEXEC_EXECUTABLE} 200)
set_tests_properties(stalled.200_times PROPERTIES LABELS "nightly" PROCESSORS 2 TIMEOUT 4000)
add_test(NAME stalled.healthy.500
         COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/stalled_test.py healthy
                 $<TARGET_FILE:shardstone> ${MPIEXEC_EXECUTABLE} 500)
set_tests_properties(stalled.healthy.500 PROPERTIES LABELS "nightly" PROCESSORS 2 TIMEOUT 14000)
shardstone_add_use(watched_test.py watched lost_launcher_ends_the_job
                   lost_launcher_is_seen_while_it_starts stopped_training_keeps_every_step)
if(NOT SHARDSTONE_SANITIZE)  # a sanitizer has to be preloaded first
  add_library(sleeping_rank MODULE ${shardstone_test_dir}/sleeping_rank_test.cpp)
  shardstone_link(sleeping_rank shardstone_options)
  add_test(NAME watched.sleeping_rank_is_named
           COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/watched_test.py
                   sleeping_rank_is_named $<TARGET_FILE:shardstone> ${MPIEXEC_EXECUTABLE}
                   $<TARGET_FILE:sleeping_rank>)
  set_tests_properties(watched.sleeping_rank_is_named PROPERTIES LABELS "unit;mpi" PROCESSORS 2
                       TIMEOUT 300)
endif()
shardstone_add_use(misuse_test.py misuse bundle calibrate collectives compare convert data draw export kernels overlap
                   probe report show simulate step study submit topology train validate verify)
shardstone_add_use(ends_test.py ends full_disk_is_named limit_of_size_is_named
                   lost_stdout_spares_the_record any_bytes_are_recorded divergence_is_recorded
                   interrupts_have_their_code kills_leave_nothing links_are_outputs_too
                   fifos_are_refused files_that_appear_are_kept codes_are_documented)
shardstone_add_use(preflight_test.py preflight group_limit_is_named limits_of_the_shell_are_named
                   tight_limits_end_at_once what_slurm_gave_is_named a_nodes_memory_is_for_all_its_ranks
                   cpu_check_is_for_any_cpu cpu_check_comes_first
                   lesser_cpu_is_named few_descriptors_are_named small_group_is_refused
                   limits_of_threads_are_named full_disks_are_refused
                   small_files_are_refused full_shared_memory_is_refused
                   leftovers_are_cleared
                   counters_that_rise_are_named)

shardstone_add_use(submit_test.py submit list_shows_every_file dry_run_writes_nothing a_study_is_run_here
                   broken_records_are_run_again failures_are_told
                   verdicts_are_shown folders_are_recognised full_disks_are_named
                   typing_errors_are_one_line the_folder_tells_what_made_it)
shardstone_add_use(submit_ends_test.py submit killed_studies_go_on signals_end_a_study two_at_once_are_refused)
shardstone_add_use(study_folder_test.py submit records_of_a_study_are_taken
                   broken_records_of_a_study_are_named)
shardstone_add_use(submit_folder_test.py submit another_name_is_refused jobs_of_a_colleague_count
                   what_submit_decides_is_refused obstacles_are_removed lost_answers_are_found_out
                   a_study_grows
                   a_status_without_a_folder_says_so
                   a_status_tells_whether_to_wait odd_folders_are_named)
shardstone_add_use(submit_words_test.py submit gpus_are_asked_for_where_they_are_used paced_speeds_are_told
                   every_key_is_explained a_rebuilt_program_shows_the_status the_limit_of_a_study_is_told
                   the_signal_that_ended_a_rank_is_told)
set_tests_properties(submit.the_limit_of_a_study_is_told PROPERTIES LABELS "nightly")  # a minute
shardstone_add_use(submit_slurm_test.py submit_slurm every_point_is_a_task only_what_is_missing_is_submitted
                   time_limits_are_told
                   one_at_a_time_is_a_chain restarted_tasks_begin_anew slurm_refuses_in_one_line
                   missing_tools_are_named plain_scripts_run plain_scripts_end_long_runs
                   committed_scripts_are_current
                   scripts_pass_shellcheck)
shardstone_add_use(submit_questions_test.py submit_slurm a_status_needs_no_queue
                   interrupted_questions_hold_nothing a_queue_that_hangs_is_given_up)
set_tests_properties(submit_slurm.a_queue_that_hangs_is_given_up PROPERTIES LABELS "nightly" TIMEOUT 600)

shardstone_add_use(submit_guards_test.py submit variables_of_the_user_change_nothing
                   a_folder_without_runs_is_made_anew
                   a_folder_by_another_path_is_the_same many_at_once_submit_once
                   records_of_other_points_do_not_count damaged_files_are_named the_report_is_told
                   what_is_held_holds_nothing_up
                   a_lost_status_is_told
                   names_of_nics_are_no_commands values_are_checked_before
                   submits_own_options_are_refused files_that_runs_write_are_refused options_of_a_site_reach_their_command)
shardstone_add_use(submit_sites_test.py submit environment_reaches_the_ranks
                   some_at_once_are_a_chain_of_arrays clients_are_found_beside_the_site
                   options_of_a_site_are_told_as_its_own)

# Jobs that one rank ends: 50 where everything is tested, 200 nightly.
add_executable(failing_rank ${shardstone_test_dir}/failing_rank_test.cpp)
shardstone_link(failing_rank shardstone_collectives shardstone_kernels
                $<TARGET_NAME_IF_EXISTS:shardstone_device>)
foreach(times 50 200)
  add_test(NAME ends.aborts_say_why.${times}
           COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/abort_test.py ${times}
                   $<TARGET_FILE:failing_rank> ${MPIEXEC_EXECUTABLE})
  set_tests_properties(ends.aborts_say_why.${times} PROPERTIES LABELS "unit;mpi" PROCESSORS 2
                       TIMEOUT 600)
endforeach()
set_tests_properties(ends.aborts_say_why.200 PROPERTIES LABELS "nightly")

# Ranks that are stopped while they are measured: a few each where everything is tested, 50 nightly.
foreach(behaviour sweeps trainings pipelines overlaps quiet failing failing_after_resume)
  set(counts 3 50)
  if(behaviour MATCHES "pipelines|overlaps|failing")
    set(counts 1)
  endif()
  foreach(times IN LISTS counts)
    set(name stalls.${behaviour}.${times})
    add_test(NAME ${name}
             COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/stall_test.py ${behaviour}
                     ${times} $<TARGET_FILE:shardstone> ${MPIEXEC_EXECUTABLE})
    set_tests_properties(${name} PROPERTIES LABELS "unit;mpi;faults" PROCESSORS 2 TIMEOUT 600)
    if(times EQUAL 50)
      set_tests_properties(${name} PROPERTIES LABELS "nightly" TIMEOUT 3600)
    endif()
  endforeach()
endforeach()

# The command as it is, on emulated GPUs.
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  add_executable(shardstone_on_emulated_gpus ${PROJECT_SOURCE_DIR}/jobs/command/main.cpp)
  shardstone_link(shardstone_on_emulated_gpus ${shardstone_all_but_device} shardstone_emulated_plain
                  shardstone_submit shardstone_command)
  shardstone_precompile(shardstone_on_emulated_gpus shardstone_command_headers)
  shardstone_link_quickly(shardstone_on_emulated_gpus)
  add_dependencies(shardstone_on_emulated_gpus fake_nvml)
  set_target_properties(shardstone_on_emulated_gpus PROPERTIES OUTPUT_NAME shardstone
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/emulated)
  # `shardstone_add_device_use(file_test.py behaviours...)`: each as test device.<behaviour>.
  function(shardstone_add_device_use file)
    foreach(behaviour IN LISTS ARGN)
      add_test(NAME device.${behaviour}
               COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/${file} ${behaviour}
                       $<TARGET_FILE:shardstone_on_emulated_gpus> ${MPIEXEC_EXECUTABLE}
                       $<TARGET_FILE:fake_nvml>)
      set_tests_properties(device.${behaviour} PROPERTIES LABELS "unit;mpi" PROCESSORS 2 TIMEOUT 300
                           ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
      # Minutes, of evaluations, of warming up, of copies of GBs and their checks.
      if(behaviour MATCHES "policies|overlap|kernels_are")
        set_tests_properties(device.${behaviour} PROPERTIES LABELS "unit;mpi;nightly" TIMEOUT 1800)
      endif()
    endforeach()
  endfunction()
  shardstone_add_device_use(device_test.py record_says_what_trained uneven_shares_train_alike graphs_change_no_number traces_are_of_the_gpus_clock
                            tf32_rounds_and_is_recorded energy_is_that_of_the_gpus layouts_train_as_one_gpu_does
                            policies_are_compared_on_gpus overlap_is_measured_on_gpus)
  shardstone_add_device_use(device_records_test.py records_are_not_those_of_a_gpu wrong_splits_are_left_out
                            commands_have_the_gpus_that_they_need kernels_are_held_against_the_gpu
                            a_wrong_kernel_is_told stopped_kernels_are_kept)
  shardstone_add_device_use(device_faults_test.py plans_that_cannot_fit_are_refused failures_are_one_line
                            faults_of_the_gpu_end_the_job errors_of_nccl_name_rank_and_operation
                            gpus_that_go_wrong_meanwhile_are_told)
  shardstone_add_device_use(device_stalls_test.py long_graphs_are_no_stall stopped_rank_is_named
                            messages_waited_for_are_named)
  shardstone_add_device_use(device_collectives_test.py collectives_run_in_all_ways
                            ranks_that_share_a_gpu_pass_messages over_ipc_stays_inside_a_node
                            ways_that_there_are_not_are_told
                            sweeps_go_on_where_they_were ranks_have_one_command_line
                            what_gpus_have_not_is_refused)
  shardstone_add_device_use(device_calibrate_test.py links_between_gpus_are_measured sweeps_are_predicted
                            sweeps_that_go_on_are_predicted
                            steps_and_simulations_are_priced cores_and_gpus_do_not_mix
                            ways_that_there_are_not_are_refused)
  shardstone_add_device_use(device_links_test.py messages_are_between_gpus host_and_gpu_do_not_mix
                            what_cannot_be_is_refused failures_of_links_name_the_rank)
  shardstone_add_device_use(device_work_test.py a_slow_gpu_is_named limits_on_gpus_are_judged
                            a_gpu_that_multiplies_wrong_is_named clocks_of_slow_gpus_are_told)
  shardstone_add_device_use(device_step_test.py losses_are_those_of_a_core figures_follow_from_the_steps
                            ranks_may_share_a_gpu clocks_of_steps_are_told records_of_steps_are_taken
                            failures_of_steps_are_one_line)
  shardstone_add_device_use(device_studies_test.py stages_are_timed_on_their_gpus batch_sizes_train_on_gpus
                            studies_refuse_what_gpus_cannot)
endif()
