# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(plan_test LABELS unit SOURCES ${shardstone_test_dir}/plan_test.cpp
                    ${shardstone_test_dir}/mesh_test.cpp)
shardstone_add_test(message_order_test LABELS unit SOURCES ${shardstone_test_dir}/message_order_test.cpp)
shardstone_add_test(step_clock_test LABELS unit SOURCES ${shardstone_test_dir}/step_clock_test.cpp)
shardstone_add_device_test(queue_clock_test LABELS unit SOURCES ${shardstone_test_dir}/queue_clock_test.cpp
                           TIMEOUT 120)
shardstone_add_test(graph_patience_test LABELS unit SOURCES ${shardstone_test_dir}/graph_patience_test.cpp)
shardstone_add_test(core_watch_test LABELS unit SOURCES ${shardstone_test_dir}/core_watch_test.cpp)
shardstone_add_test(paced_device_test SOURCES ${shardstone_test_dir}/paced_device_test.cpp RANKS 3)
shardstone_add_test(trainer_test SOURCES ${shardstone_test_dir}/trainer_test.cpp
                    RANKS 1 2 3 4 5 8)
shardstone_add_test(router_report_test SOURCES ${shardstone_test_dir}/router_report_test.cpp
                    RANKS 2 4)
shardstone_add_test(exchange_once_test SOURCES ${shardstone_test_dir}/exchange_once_test.cpp
                    RANKS 2 3 4)
shardstone_add_test(fp8_test SOURCES ${shardstone_test_dir}/fp8_test.cpp RANKS 1 2 3 4 5 8)
shardstone_add_test(synthetic_language_test
    SOURCES ${shardstone_test_dir}/synthetic_language_test.cpp RANKS 2)
shardstone_add_test(entropy_rate_nightly_test
    SOURCES ${shardstone_test_dir}/entropy_rate_nightly_test.cpp
    RANKS 2 LABELS nightly TIMEOUT 600)
# It has the sources of the libraries that it links once more, for another memory space; functions that
# are no templates come from these, which are the same.
set(second_space_dir ${shardstone_test_dir}/second_space)
shardstone_add_test(second_space_test
    SOURCES ${second_space_dir}/second_space_test.cpp
            ${second_space_dir}/second_space_actions_test.cpp
            ${second_space_dir}/second_space_context_test.cpp
            ${second_space_dir}/second_space_reports_test.cpp
    RANKS 1 LABELS unit)
target_link_options(second_space_test PRIVATE LINKER:--allow-multiple-definition)
