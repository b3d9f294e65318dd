# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(surroundings_test LABELS unit
  SOURCES ${shardstone_test_dir}/surroundings_test.cpp
          ${shardstone_test_dir}/surroundings_table_test.cpp
          ${shardstone_test_dir}/machine_reader_test.cpp)
shardstone_add_test(stopping_test LABELS unit
  SOURCES ${shardstone_test_dir}/stopping_test.cpp)
shardstone_add_test(gpu_meter_test LABELS unit
  SOURCES ${shardstone_test_dir}/gpu_meter_test.cpp
  ENVIRONMENT "SHARDSTONE_FAKE_NVML=$<TARGET_FILE:fake_nvml>")
add_dependencies(gpu_meter_test fake_nvml)
shardstone_add_test(outliers_test LABELS unit
  SOURCES ${shardstone_test_dir}/outliers_test.cpp ${shardstone_test_dir}/stall_words_test.cpp)
shardstone_add_test(pulse_test LABELS unit
  SOURCES ${shardstone_test_dir}/pulse_test.cpp)
set_tests_properties(pulse_test PROPERTIES PROCESSORS 2)
shardstone_add_test(virtual_time_test LABELS unit
  SOURCES ${shardstone_test_dir}/virtual_time_test.cpp)
shardstone_add_test(measure_test SOURCES ${shardstone_test_dir}/measure_test.cpp
                    RANKS 1 2 3 4 5 8)
shardstone_add_test(kernel_benchmarks_test LABELS unit
  SOURCES ${shardstone_test_dir}/kernels_test.cpp ${shardstone_test_dir}/device_record_test.cpp
          ${shardstone_test_dir}/kernel_bytes_test.cpp)
# Each call of the memory rate touches 768 MiB: slow where many share the machine.
shardstone_add_test(measuring_commands_test LABELS unit mpi TIMEOUT 300
  SOURCES ${shardstone_test_dir}/measuring_commands_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(measuring_commands_test shardstone)
# With other programs beside it on purpose, so with no other test. Four commands take most of its two
# minutes: they are for the night.
set(long_ones "*/calibrate:*/kernels:*/probe:*/overlap")
shardstone_add_test(busy_machine_test LABELS unit mpi TIMEOUT 600
  SOURCES ${shardstone_test_dir}/busy_machine_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>" "GTEST_FILTER=-*MarksNothing*:${long_ones}")
set_tests_properties(busy_machine_test PROPERTIES RUN_SERIAL ON)
add_test(NAME busy_machine_test.long COMMAND busy_machine_test --gtest_filter=${long_ones}:-*MarksNothing*)
set_tests_properties(busy_machine_test.long PROPERTIES LABELS "nightly" TIMEOUT 600 RUN_SERIAL ON
                     ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
shardstone_knows_source_dir(${shardstone_test_dir}/busy_machine_test.cpp)
# That nothing is marked on a quiet machine needs one; on a virtual machine its neighbours decide.
add_test(NAME busy_machine_test.quiet COMMAND busy_machine_test --gtest_filter=*MarksNothing*)
set_tests_properties(busy_machine_test.quiet PROPERTIES LABELS "nightly" TIMEOUT 600 RUN_SERIAL ON
                     ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(busy_machine_test shardstone)
shardstone_add_test(clock_origin_test SOURCES ${shardstone_test_dir}/clock_origin_test.cpp
                    RANKS 1 2 3 4 5 8)
# Watched by several ranks: what all of them do is none of the others'.
shardstone_add_test(watch_test SOURCES ${shardstone_test_dir}/watch_test.cpp RANKS 1 2 3 4 5 8)
shardstone_add_test(interrupted_watch_test RANKS 1 2 3
  SOURCES ${shardstone_test_dir}/interrupted_watch_test.cpp)
