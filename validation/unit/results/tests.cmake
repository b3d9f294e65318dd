# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(record_test LABELS unit
  SOURCES ${shardstone_test_dir}/record_test.cpp ${shardstone_test_dir}/damage_test.cpp
          ${shardstone_test_dir}/python_test.cpp ${shardstone_test_dir}/schema_test.cpp
          ${shardstone_test_dir}/atomic_file_test.cpp ${shardstone_test_dir}/forged_record_test.cpp
          ${shardstone_test_dir}/binding_test.cpp ${shardstone_test_dir}/hdf5_place_test.cpp
          ${shardstone_test_dir}/journal_test.cpp ${shardstone_test_dir}/resume_test.cpp
          ${shardstone_test_dir}/record_files_test.cpp)
shardstone_add_test(record_commands_test LABELS unit mpi
  SOURCES ${shardstone_test_dir}/record_commands_test.cpp
          ${shardstone_test_dir}/older_records_test.cpp
          ${shardstone_test_dir}/shown_records_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(record_commands_test shardstone)
shardstone_knows_source_dir(${shardstone_test_dir}/record_commands_test.cpp)
shardstone_knows_source_dir(${shardstone_test_dir}/older_records_test.cpp)
set_tests_properties(record_commands_test PROPERTIES PROCESSORS 2)
shardstone_add_test(report_test LABELS unit
  SOURCES ${shardstone_test_dir}/report_test.cpp ${shardstone_test_dir}/report_page_test.cpp ${shardstone_test_dir}/words_test.cpp
          ${shardstone_test_dir}/report_disturbed_test.cpp ${shardstone_test_dir}/report_figures_test.cpp
          ${shardstone_test_dir}/report_interconnect_test.cpp
          ${shardstone_test_dir}/report_interconnect_bounds_test.cpp
          ${shardstone_test_dir}/report_systems_test.cpp ${shardstone_test_dir}/report_peaks_test.cpp
          ${shardstone_test_dir}/report_stalls_test.cpp ${shardstone_test_dir}/report_binding_test.cpp
          ${shardstone_test_dir}/self_test_words_test.cpp ${shardstone_test_dir}/gpu_use_test.cpp
          ${shardstone_test_dir}/verdict_counts_test.cpp)
shardstone_add_test(report_real_test LABELS unit mpi TIMEOUT 300
  SOURCES ${shardstone_test_dir}/report_real_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(report_real_test shardstone)
set_tests_properties(report_real_test PROPERTIES PROCESSORS 2)
shardstone_add_test(report_command_test LABELS unit
  SOURCES ${shardstone_test_dir}/report_command_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(report_command_test shardstone)
shardstone_knows_source_dir(${shardstone_test_dir}/report_command_test.cpp)
