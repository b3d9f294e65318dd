# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(rivals_test LABELS unit
  SOURCES ${shardstone_test_dir}/meeting_test.cpp ${shardstone_test_dir}/contender_test.cpp)

find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_test(NAME rivals_summary_test
           COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/summary_test.py)
  set_tests_properties(rivals_summary_test PROPERTIES LABELS unit TIMEOUT 60)
  # The whole thing once, as small as it goes: every contender that was built takes part.
  add_test(NAME rivals_run COMMAND ${Python3_EXECUTABLE} -B
           ${PROJECT_SOURCE_DIR}/benchmarks/collectives/rivals/run --build ${PROJECT_BINARY_DIR}
           --ours ring,shared_memory_direct --sizes 4,1K --rounds 1 --seconds 0.001 --disturbance 1)
  set_tests_properties(rivals_run PROPERTIES LABELS "unit;mpi" TIMEOUT 300 PROCESSORS 2)
endif()
