# SPDX-License-Identifier: BSD-3-Clause
# The real commands, as a user starts them: what their records and tables hold.
foreach(test sweep_figures sweep_flags auto_choice simulate_command step_command calibrate_command
             equivalence_command kernel_libraries)
  shardstone_add_test(${test}_test LABELS unit mpi TIMEOUT 300
    SOURCES ${shardstone_test_dir}/${test}_test.cpp
    ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
  add_dependencies(${test}_test shardstone)
  set_tests_properties(${test}_test PROPERTIES PROCESSORS 2)
endforeach()
# Its many sweeps wait for their watch, three quarters of the time.
set_tests_properties(sweep_flags_test PROPERTIES PROCESSORS 1)
shardstone_knows_source_dir(${shardstone_test_dir}/kernel_libraries_test.cpp)

# The command with wrong algorithms, and with one whose times never settle.
add_executable(spoilt_shardstone ${PROJECT_SOURCE_DIR}/jobs/command/main.cpp
                                 ${shardstone_test_dir}/spoiler_test.cpp
                                 ${shardstone_test_dir}/restless_test.cpp)
shardstone_link(spoilt_shardstone shardstone_command shardstone_submit ${shardstone_all_libraries})
target_link_libraries(spoilt_shardstone PRIVATE CLI11::CLI11)
shardstone_add_test(exit_code_test LABELS unit mpi
  SOURCES ${shardstone_test_dir}/exit_code_test.cpp ${shardstone_test_dir}/time_budget_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:spoilt_shardstone>")
add_dependencies(exit_code_test spoilt_shardstone)
shardstone_add_test(interconnect_command_test LABELS unit mpi TIMEOUT 300
  SOURCES ${shardstone_test_dir}/interconnect_command_test.cpp
          ${shardstone_test_dir}/interconnect_foreseen_test.cpp
          ${shardstone_test_dir}/interconnect_limits_test.cpp
          ${shardstone_test_dir}/interconnect_loads_test.cpp
          ${shardstone_test_dir}/interconnect_screen_test.cpp
          ${shardstone_test_dir}/interconnect_verdict_test.cpp
          ${shardstone_test_dir}/self_test_command_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>"
              "SHARDSTONE_RANK_FAULTS=$<TARGET_FILE:rank_faults>")
add_dependencies(interconnect_command_test shardstone rank_faults)
shardstone_knows_source_dir(${shardstone_test_dir}/interconnect_verdict_test.cpp)
set_tests_properties(interconnect_command_test PROPERTIES PROCESSORS 2)
if(SHARDSTONE_SANITIZE)  # a sanitizer has to be preloaded first
  set_property(TEST interconnect_command_test APPEND PROPERTY ENVIRONMENT
               "GTEST_FILTER=-*FlippedBit*")
endif()
shardstone_add_test(topology_command_test LABELS unit mpi TIMEOUT 300
  SOURCES ${shardstone_test_dir}/topology_command_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>"
              "SHARDSTONE_FAKE_NVML=$<TARGET_FILE:fake_nvml>")
add_dependencies(topology_command_test shardstone fake_nvml)
set_tests_properties(topology_command_test PROPERTIES PROCESSORS 2)
if(SHARDSTONE_SANITIZE)  # a sanitizer has to be preloaded first
  set_property(TEST topology_command_test APPEND PROPERTY ENVIRONMENT
               "GTEST_FILTER=-*PreloadedLibraries*")
endif()
