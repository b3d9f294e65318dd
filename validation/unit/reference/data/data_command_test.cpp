// SPDX-License-Identifier: BSD-3-Clause
// `shardstone data` as a user starts it: its options act on the shards.
#include <gtest/gtest.h>

#include <fstream>

#include "reference/data/manifest.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

using reference::Manifest;
using reference::token_count;

/// What `shardstone data OPTIONS --out` makes of 8000 tokens.
Manifest made_by(const std::string& options) {
    const TemporaryFolder folder;
    std::ofstream(folder / "text.txt") << std::string(8000, 'x');
    const auto outcome = run_shell("cd " + folder.path().string() + " && " + shardstone_binary() +
                                       " data " + options + " --out shards",
                                   folder);
    EXPECT_EQ(outcome.code, 0) << options << ": " << outcome.errors;
    return reference::read_manifest(folder / "shards");
}

TEST(DataCommand, TheFractionGivenIsHeldOut) {
    for (const std::string source : {"synthetic --tokens 8000", "prepare text.txt"}) {
        EXPECT_EQ(token_count(made_by(source).validation), 800) << source;
        const Manifest quarter = made_by(source + " --validation-fraction 0.25");
        EXPECT_EQ(token_count(quarter.validation), 2000) << source;
        EXPECT_EQ(token_count(quarter.train), 6000) << source;
    }
}

TEST(DataCommand, ShardsAreAsLargeAsAskedFor) {
    for (const std::string source : {"synthetic --tokens 8000", "prepare text.txt"}) {
        EXPECT_EQ(made_by(source).train.size(), 1U) << source;
        // Two bytes to a token: 7200 tokens in pieces of 2048.
        EXPECT_EQ(made_by(source + " --shard-size 4K").train.size(), 4U) << source;
    }
}

}  // namespace
}  // namespace shardstone::validation
