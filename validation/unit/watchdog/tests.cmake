# SPDX-License-Identifier: BSD-3-Clause
add_executable(hang_test ${shardstone_test_dir}/hang_test.cpp)
shardstone_link(hang_test ${shardstone_all_libraries} GTest::gtest shardstone_mpi_test_main)
shardstone_precompile(hang_test shardstone_test_headers)
add_test(NAME watchdog
         COMMAND ${CMAKE_COMMAND} "-DLAUNCHER=${MPIEXEC_EXECUTABLE};${MPIEXEC_NUMPROC_FLAG};2"
                 -DPROGRAM=$<TARGET_FILE:hang_test> -P ${shardstone_test_dir}/watchdog.cmake)
set_tests_properties(watchdog PROPERTIES LABELS "unit;mpi" TIMEOUT 60 PROCESSORS 2)
