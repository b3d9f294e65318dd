// SPDX-License-Identifier: BSD-3-Clause
// What a rank is refused for, and warned of, before a run.
#include "collectives/session/preflight.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "kernels/base/error.hpp"
#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using collectives::clear_leftovers;
using collectives::clock_warning;
using collectives::judge_descriptors;
using collectives::proved_clock_offsets;
using std::chrono::seconds;

// Rank 2 entered the barrier last and rank 0 left it late: neither proves anything.
TEST(Preflight, SlowBarriersAreNoWrongClocks) {
    const std::array<double, 4> before{100.0, 100.0, 107.0, 100.1},
        after{130.0, 107.1, 107.1, 108.0};
    EXPECT_EQ(proved_clock_offsets(before, after), (std::vector<double>{0.0, 0.0, 0.0, 0.0}));
    EXPECT_EQ(proved_clock_offsets(std::array{5.0}, std::array{6.0}), std::vector<double>{0.0});
}

TEST(Preflight, AWrongClockIsProved) {
    const std::array<double, 4> before{100.0, 163.0, 40.0, 100.0}, after{101.0, 164.0, 41.0, 101.0};
    EXPECT_EQ(proved_clock_offsets(before, after), (std::vector<double>{0.0, 62.0, -59.0, 0.0}));
}

TEST(Preflight, ClocksAheadAndBehindAreSaid) {
    const auto ahead = clock_warning(3.0), behind = clock_warning(-3.0);
    ASSERT_TRUE(ahead && behind);
    EXPECT_NE(ahead->find("at least 3.0 s ahead of the others'"), std::string::npos) << *ahead;
    EXPECT_NE(behind->find("at least 3.0 s behind the others'"), std::string::npos) << *behind;
    EXPECT_FALSE(clock_warning(1.9));
    EXPECT_FALSE(clock_warning(-1.9));
}

TEST(Preflight, DescriptorsAreForFilesFirst) {
    EXPECT_FALSE(judge_descriptors(1024, 10, 64));
    EXPECT_FALSE(judge_descriptors(26, 10, 1));
    const auto warning = judge_descriptors(100, 10, 64);
    ASSERT_TRUE(warning);
    EXPECT_NE(warning->find("64 ranks that communicate over sockets may need 152"),
              std::string::npos)
        << *warning;
    EXPECT_THROW(judge_descriptors(25, 10, 1), Error);
}

TEST(Preflight, OnlyLeftoversOfTheDeadAreCleared) {
    const ScratchFolder folder;
    const auto dead = folder.write("ucx_shm_posix_1a2b3c", "12345678");
    const auto also_dead = folder.write("mpich_shar_tmpAbCdEf", "");
    const auto mapped = folder.write("ucx_shm_posix_4d5e6f", std::string(4096, 'x'));
    const auto open_file = folder.write("mpich_shar_tmpGhIjKl", "");
    const auto strange = folder.write("precious", "");
    symlink(strange.c_str(), (folder.path() / "ucx_shm_posix_link").c_str());
    int file = open(mapped.c_str(), O_RDWR);
    void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(memory, MAP_FAILED);
    close(file);
    file = open(open_file.c_str(), O_RDONLY);

    EXPECT_EQ(clear_leftovers(folder.path(), seconds(60)).cleared, 0) << "they are of this moment";
    const auto found = clear_leftovers(folder.path(), seconds(0));
    EXPECT_EQ(found.cleared, 2);
    EXPECT_EQ(found.cleared_bytes, 8);
    EXPECT_TRUE(found.unproved.empty());
    EXPECT_FALSE(exists(dead) || exists(also_dead));
    EXPECT_TRUE(exists(mapped) && exists(open_file) && exists(strange));

    munmap(memory, 4096);
    close(file);
    EXPECT_EQ(clear_leftovers(folder.path(), seconds(0)).cleared, 2);
    EXPECT_EQ(clear_leftovers(folder.path() / "not_there").cleared, 0);
}

}  // namespace
}  // namespace shardstone::validation
