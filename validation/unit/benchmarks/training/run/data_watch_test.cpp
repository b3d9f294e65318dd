// SPDX-License-Identifier: BSD-3-Clause
// Ranks with copies of their own of the data agree on what became of them.
#include "benchmarks/training/run/data_watch.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "reference/data/synthetic.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

class Watched : public testing::Test {
  protected:
    Watched() {
        SyntheticOptions options;
        options.tokens = 1000;
        prepare_synthetic(options, folder_);
    }

    std::filesystem::path shard() const { return folder_ / "train-00000.tok"; }

    const ScratchFolder scratch_;
    const std::filesystem::path folder_ = scratch_.path() / "data";
};

TEST_F(Watched, AChangeThatOneRankSeesIsEverybodys) {
    const Dataset data = Dataset::open(folder_);
    benchmarks::DataFate fate;
    benchmarks::look_again(data, world(), fate);
    EXPECT_EQ(fate.shards, 2U);
    EXPECT_FALSE(fate.changed);
    EXPECT_EQ(fate.words, "");
    const int last = world().size() - 1;
    // The first rank has something to say, too, but that is less.
    if (world().is_root()) std::filesystem::remove(folder_ / "validation-00000.tok");
    if (world().rank() == last) std::filesystem::resize_file(shard(), 100);
    benchmarks::look_again(data, world(), fate);
    EXPECT_TRUE(fate.changed);
    EXPECT_EQ(fate.rank, last);
    EXPECT_NE(fate.words.find("it ends at offset 100"), std::string::npos) << fate.words;
}

TEST_F(Watched, WhatIsSaidOnceStays) {
    const Dataset data = Dataset::open(folder_);
    benchmarks::DataFate fate;
    const int last = world().size() - 1;
    if (world().rank() == last) {
        std::filesystem::last_write_time(shard(), std::filesystem::file_time_type{});
    }
    for (int look = 0; look < 2; ++look) {
        benchmarks::look_again(data, world(), fate);
        EXPECT_FALSE(fate.changed);
        EXPECT_EQ(fate.rank, last);
        EXPECT_NE(fate.words.find("holds the same bytes"), std::string::npos) << fate.words;
    }
}

TEST(Unwatched, TokensInMemoryStay) {
    const Dataset data = Dataset::from_tokens("", 4, {0, 1, 2, 3}, {});
    benchmarks::DataFate fate;
    benchmarks::look_again(data, world(), fate);
    EXPECT_EQ(fate.shards, 0U);
    EXPECT_FALSE(fate.changed);
}

}  // namespace
}  // namespace shardstone::validation
