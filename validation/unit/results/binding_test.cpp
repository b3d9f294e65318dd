// SPDX-License-Identifier: BSD-3-Clause
// What a rank is bound to: its own affinity, the NUMA nodes that hold it, variables of devices.
#include "results/record/binding.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace shardstone::results {
namespace {

namespace fs = std::filesystem;

TEST(Binding, ListsOfTheKernel) {
    EXPECT_EQ(numbers_in_list("0-3,8\n"), (std::set<int>{0, 1, 2, 3, 8}));
    EXPECT_EQ(numbers_in_list("5"), std::set<int>{5});
    EXPECT_TRUE(numbers_in_list("").empty());
    EXPECT_TRUE(numbers_in_list("x-y").empty());
    EXPECT_TRUE(numbers_in_list("3-1").empty());
}

TEST(Binding, IsWhatTheProcessHas) {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before)) ++cpu;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const fs::path sys = fs::temp_directory_path() / ("binding-" + std::to_string(::getpid()));
    const auto add_node = [&](const char* name, const std::string& cpus) {
        const fs::path folder = sys / "devices/system/node" / name;
        fs::create_directories(folder);
        std::ofstream(folder / "cpulist") << cpus << "\n";
    };
    add_node("node0", std::to_string(cpu + 1) + "-" + std::to_string(cpu + 9));
    add_node("node7", "0-" + std::to_string(cpu));
    add_node("nodes", std::to_string(cpu));
    ::setenv("UCX_NET_DEVICES", "mlx5_3:1", 1);
    ::unsetenv("NCCL_IB_HCA");
    const auto binding = binding_of_process({"/proc", sys});
    ::unsetenv("UCX_NET_DEVICES");
    fs::remove_all(sys);
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
    EXPECT_EQ(binding.at("cpus"), std::to_string(cpu));
    EXPECT_EQ(binding.at("numa_nodes"), "7");
    EXPECT_EQ(binding.at("variables").at("UCX_NET_DEVICES"), "mlx5_3:1");
    EXPECT_FALSE(binding.at("variables").contains("NCCL_IB_HCA"));
}

}  // namespace
}  // namespace shardstone::results
