# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(shared_memory_test SOURCES ${shardstone_test_dir}/shared_memory_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(shared_messages_test SOURCES ${shardstone_test_dir}/shared_messages_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(mixed_messages_test SOURCES ${shardstone_test_dir}/mixed_messages_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(reduce_across_test SOURCES ${shardstone_test_dir}/reduce_across_test.cpp
                    LABELS unit)
shardstone_add_test(single_copy_test SOURCES ${shardstone_test_dir}/single_copy_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)
shardstone_add_test(single_copy_refused_test
                    SOURCES ${shardstone_test_dir}/single_copy_refused_test.cpp
                    RANKS 2 3 8 LABELS unit)
shardstone_add_test(trial_test SOURCES ${shardstone_test_dir}/trial_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS unit)

# With threads for ranks under the thread sanitizer, whatever the rest is built with, and once with a
# bug planted, which it has to see. The sanitizer cannot follow fences (-Wtsan); nothing here relies
# on one but that nobody sleeps for ever.
if(NOT SHARDSTONE_SANITIZE)
  set(protocols ${PROJECT_SOURCE_DIR}/collectives/cluster/doorbell.cpp
                ${PROJECT_SOURCE_DIR}/collectives/cluster/long_waits.cpp
                ${PROJECT_SOURCE_DIR}/collectives/cluster/step_aside.cpp
                ${PROJECT_SOURCE_DIR}/collectives/cluster/shared_rounds.cpp
                ${PROJECT_SOURCE_DIR}/collectives/cluster/waiting.cpp
                ${PROJECT_SOURCE_DIR}/collectives/executors/shared_memory/mailbox.cpp
                ${PROJECT_SOURCE_DIR}/kernels/base/run_delay.cpp
                ${PROJECT_SOURCE_DIR}/kernels/base/whereabouts.cpp)
  foreach(program threads_test threads_planted)
    add_executable(${program} ${shardstone_test_dir}/threads_test.cpp ${protocols})
    shardstone_link(${program} shardstone_options GTest::gtest GTest::gtest_main)
    target_compile_options(${program} PRIVATE -fsanitize=thread -Wno-tsan)
    target_link_options(${program} PRIVATE -fsanitize=thread)
    add_test(NAME ${program} COMMAND ${program})
    set_tests_properties(${program} PROPERTIES LABELS unit TIMEOUT 120)
  endforeach()
  target_compile_options(threads_planted
                         PRIVATE -include ${shardstone_test_dir}/relaxed_release.hpp)
  set_tests_properties(threads_planted PROPERTIES
                       PASS_REGULAR_EXPRESSION "WARNING: ThreadSanitizer: data race")
endif()
