// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/available_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "validation/unit/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

constexpr const char* meminfo = "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:  7000 kB\n";

std::optional<std::int64_t> available(const ScratchFolder& root) {
    return available_memory_bytes(root.path());
}

TEST(AvailableMemory, IsWhatTheKernelCallsSo) {
    const ScratchFolder root;
    EXPECT_FALSE(available(root));
    root.write("proc/meminfo", meminfo);
    EXPECT_EQ(available(root), 7000 * 1024);
    EXPECT_GT(available_memory_bytes().value_or(0), 1 << 20);
}

// The least of all groups above counts; files in memory can go.
TEST(AvailableMemory, IsLimitedByGroupsOfVersion2) {
    const ScratchFolder root;
    root.write("proc/meminfo", meminfo);
    root.write("proc/self/cgroup", "0::/jobs/mine\n");
    root.write("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
    root.write("sys/fs/cgroup/jobs/mine/memory.current", "900000\n");
    EXPECT_EQ(available(root), 7000 * 1024);
    root.write("sys/fs/cgroup/jobs/memory.max", "5000000\n");
    root.write("sys/fs/cgroup/jobs/memory.current", "1000000\n");
    EXPECT_EQ(available(root), 4000000);
    root.write("sys/fs/cgroup/jobs/memory.stat", "anon 5\nactive_file 77\ninactive_file 300000\n");
    EXPECT_EQ(available(root), 4300000);
    root.write("sys/fs/cgroup/jobs/mine/memory.max", "950000\n");
    EXPECT_EQ(available(root), 50000);
}

TEST(AvailableMemory, IsLimitedByGroupsOfVersion1) {
    const ScratchFolder root;
    root.write("proc/meminfo", meminfo);
    root.write("proc/self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:memory:/slurm/job\n");
    root.write("sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "3000000\n");
    root.write("sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes", "2000000\n");
    root.write("sys/fs/cgroup/memory/slurm/job/memory.stat", "total_inactive_file 400000\n");
    EXPECT_EQ(available(root), 1400000);
    root.write("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "2000000\n");
    root.write("sys/fs/cgroup/memory/slurm/memory.usage_in_bytes", "2500000\n");
    EXPECT_EQ(available(root), 0);
}

}  // namespace
}  // namespace shardstone::validation
