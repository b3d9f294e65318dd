// SPDX-License-Identifier: BSD-3-Clause
// Hostile cluster descriptions: each is read or refused in one line; none crashes the reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectives/cluster/description.hpp"
#include "kernels/base/error.hpp"
#include "validation/fuzz/mutator.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

std::string repeated(std::string_view piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
}

std::vector<std::string> nasty_texts() {
    return {
        "",
        "\n",
        "a",
        "= 1",
        "[links]\nlinks = 1",
        "[links.intra_node]\n[links.intra_node]\n",
        "[links]\nintra_node.alpha_s = 1\nintra_node = 2\n",
        "name = \"" + repeated("\\n", 20'000) + "\"",
        "name = " + repeated("[", 30'000),
        "name = " + repeated("[", 300) + repeated("]", 300),
        "name = " + repeated("{a=", 20'000),
        "a" + repeated(".a", 30'000) + " = 1",
        "a" + repeated(".a", 1'900) + " = 1",
        "[a" + repeated(".a", 900) + "]\na" + repeated(".a", 900) + " = 1",
        repeated("a = [\n{ b.b.b.b = ", 400),
        repeated("[[a]]\n", 10'000),
        repeated("[a.b]\n", 5'000),
        "nodes = " + repeated("9", 60'000),
        "nodes = 1." + repeated("9", 60'000),
        "nodes = 0x" + repeated("f", 60'000),
        repeated("x", 200'000),
        repeated("#", 60'000),
        std::string(1'000, '\0'),
        "\xef\xbb\xbfname = 1",
        "name = '''" + repeated("\r\n", 1'000),
    };
}

std::vector<std::string> corpus() {
    std::vector<std::string> texts = nasty_texts();
    const auto folder = std::filesystem::path(SHARDSTONE_SOURCE_DIR) / "jobs/clusters";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        // Good texts are what mutations can hide in: most inputs start from one.
        for (int copy = 0; copy < 20; ++copy) texts.push_back(text.str());
    }
    // The order of a folder's entries is not the same everywhere; the inputs are to be.
    std::ranges::sort(texts);
    return texts;
}

struct Counts {
    int accepted = 0, refused = 0;
};

/// What is accepted must keep its promises: bounds, and reading back what is written.
void try_text(const std::string& text, Counts& counts) {
    try {
        const ClusterDescription cluster = parse_cluster(text, "fuzz.toml");
        ++counts.accepted;
        ASSERT_GE(cluster.ranks(), 1);
        ASSERT_LE(cluster.ranks(), most_ranks);
        ASSERT_EQ(parse_cluster(to_toml(cluster), "again.toml"), cluster) << to_toml(cluster);
    } catch (const Error& error) {
        ++counts.refused;
        ASSERT_TRUE(is_one_line(error.what())) << error.what();
    }
}

TEST(ClusterTomlFuzz, NastyTextsAreRefused) {
    Counts counts;
    for (const std::string& text : nasty_texts()) try_text(text, counts);
    EXPECT_EQ(counts.accepted, 0);
}

TEST(ClusterTomlFuzz, MutatedTextsAreReadOrRefused) {
    Mutator mutator(corpus(), nasty_words(), 20'240'601);
    Counts counts;
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        try_text(mutator.next(), counts);
        if (HasFatalFailure()) return;
    }
    std::printf("%d inputs: %d read, %d refused\n", fuzz_inputs(), counts.accepted, counts.refused);
    // Neither alone would say much.
    EXPECT_GT(counts.accepted, fuzz_inputs() / 100);
    EXPECT_GT(counts.refused, fuzz_inputs() / 4);
}

}  // namespace
}  // namespace shardstone::validation
