// SPDX-License-Identifier: BSD-3-Clause
// The memory that a job may use, under limits of the kernel, cgroups, Slurm and the process.
#include "kernels/base/available_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

constexpr const char* meminfo = "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:  7000 kB\n";
constexpr const char* of_kernel = "MemAvailable of this node";

/// The tests run inside a batch job, too.
class AvailableMemoryTest : public ::testing::Test {
  protected:
    void SetUp() override {
        for (const char* name : {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"}) {
            unsetenv(name);
        }
    }

    void expect_node(std::int64_t bytes, const std::string& name) const {
        const auto least = available_memory(root.path()).of_node;
        ASSERT_TRUE(least);
        EXPECT_EQ(least->bytes, bytes);
        EXPECT_EQ(least->name, name);
    }

    const ScratchFolder root;
};

TEST_F(AvailableMemoryTest, IsWhatTheKernelCallsSo) {
    EXPECT_FALSE(available_memory(root.path()).of_node);
    EXPECT_FALSE(available_memory(root.path()).for_each_of(2));
    root.write("proc/meminfo", meminfo);
    expect_node(7000 * 1024, of_kernel);
    EXPECT_FALSE(available_memory(root.path()).of_process);
    EXPECT_GT(available_memory().of_node->bytes, 1 << 20);
}

// The least of all groups above counts; files in memory can go.
TEST_F(AvailableMemoryTest, IsLimitedByGroupsOfVersion2) {
    root.write("proc/meminfo", meminfo);
    root.write("proc/self/cgroup", "0::/jobs/mine\n");
    root.write("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
    root.write("sys/fs/cgroup/jobs/mine/memory.current", "900000\n");
    expect_node(7000 * 1024, of_kernel);
    root.write("sys/fs/cgroup/jobs/memory.max", "5000000\n");
    root.write("sys/fs/cgroup/jobs/memory.current", "1000000\n");
    expect_node(4000000, "memory.max of cgroup /jobs");
    root.write("sys/fs/cgroup/jobs/memory.stat", "anon 5\nactive_file 77\ninactive_file 300000\n");
    expect_node(4300077, "memory.max of cgroup /jobs");
    root.write("sys/fs/cgroup/jobs/mine/memory.high", "960000\n");
    expect_node(60000, "memory.high of cgroup /jobs/mine");
    root.write("sys/fs/cgroup/jobs/mine/memory.max", "950000\n");
    expect_node(50000, "memory.max of cgroup /jobs/mine");
}

TEST_F(AvailableMemoryTest, IsLimitedByGroupsOfVersion1) {
    root.write("proc/meminfo", meminfo);
    root.write("proc/self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:memory:/slurm/job\n");
    root.write("sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "3000000\n");
    root.write("sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes", "2000000\n");
    root.write("sys/fs/cgroup/memory/slurm/job/memory.stat", "total_inactive_file 400000\n");
    expect_node(1400000, "memory.limit_in_bytes of cgroup /slurm/job");
    root.write("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "2000000\n");
    root.write("sys/fs/cgroup/memory/slurm/memory.usage_in_bytes", "2500000\n");
    expect_node(0, "memory.limit_in_bytes of cgroup /slurm");
}

// Docker's first version: the process is told the host's name of its group, and sees that group at
// the top. Hybrid systems have version 2 at a place of its own.
TEST_F(AvailableMemoryTest, GroupsAreLookedForWhereTheyAreMounted) {
    root.write("proc/meminfo", meminfo);
    root.write("proc/self/cgroup", "4:memory,hugetlb:/docker/abc/sub\n0::/here\n");
    root.write("proc/self/mountinfo",
               "30 20 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
               "31 20 0:27 /docker/abc /groups rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
               "32 20 0:28 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n");
    root.write("groups/sub/memory.limit_in_bytes", "3000000\n");
    root.write("groups/sub/memory.usage_in_bytes", "1000000\n");
    expect_node(2000000, "memory.limit_in_bytes of cgroup /sub");
    root.write("sys/fs/cgroup/unified/here/memory.max", "500\n");
    root.write("sys/fs/cgroup/unified/here/memory.current", "100\n");
    expect_node(400, "memory.max of cgroup /here");
}

TEST_F(AvailableMemoryTest, IsLimitedByWhatSlurmGave) {
    root.write("proc/meminfo", meminfo);
    setenv("SLURM_MEM_PER_NODE", "0", 1);
    expect_node(7000 * 1024, of_kernel);
    setenv("SLURM_MEM_PER_NODE", "5", 1);
    expect_node(5 << 20, "SLURM_MEM_PER_NODE");
    setenv("SLURM_MEM_PER_CPU", "2", 1);
    expect_node(5 << 20, "SLURM_MEM_PER_NODE");
    setenv("SLURM_CPUS_ON_NODE", "2", 1);
    expect_node(4 << 20, "SLURM_MEM_PER_CPU times SLURM_CPUS_ON_NODE");
    SetUp();
}

TEST_F(AvailableMemoryTest, ProcessesHaveLimitsOfTheirOwn) {
    root.write("proc/meminfo", meminfo);
    root.write("proc/self/status", "Name:\tx\nVmSize:\t  1000 kB\nVmData:\t  10 kB\n");
    root.write("proc/self/limits",
               "Limit                     Soft Limit           Hard Limit           Units\n"
               "Max data size             unlimited            unlimited            bytes\n"
               "Max address space         5120000              unlimited            bytes\n");
    const auto memory = available_memory(root.path());
    ASSERT_TRUE(memory.of_process);
    EXPECT_EQ(memory.of_process->bytes, 4000 * 1024);
    EXPECT_EQ(memory.of_process->name, "RLIMIT_AS (ulimit -v)");
    EXPECT_EQ(memory.for_each_of(1)->bytes, 4000 * 1024);
    EXPECT_EQ(memory.for_each_of(2)->bytes, 3500 * 1024);
    EXPECT_EQ(memory.for_each_of(2)->name, of_kernel);
}

TEST_F(AvailableMemoryTest, EachLimitOfAProcessIsHeldAgainstWhatItIsOf) {
    const auto expect_process = [&](const char* data, const char* space, std::int64_t bytes,
                                    const char* name) {
        root.write("proc/self/limits", std::string("Max data size             ") + data +
                                           " unlimited bytes\n" + "Max address space         " +
                                           space + " unlimited bytes\n");
        const auto least = available_memory(root.path()).of_process;
        ASSERT_TRUE(least);
        EXPECT_EQ(least->bytes, bytes);
        EXPECT_EQ(least->name, name);
    };
    root.write("proc/self/status", "Name:\tx\nVmSize:\t  1000 kB\nVmData:\t  10 kB\n");
    expect_process("2048000", "unlimited", 1990 * 1024, "RLIMIT_DATA (ulimit -d)");
    expect_process("2048000", "3072000", 1990 * 1024, "RLIMIT_DATA (ulimit -d)");
    expect_process("2048000", "2048000", 1000 * 1024, "RLIMIT_AS (ulimit -v)");
}

}  // namespace
}  // namespace shardstone::validation
