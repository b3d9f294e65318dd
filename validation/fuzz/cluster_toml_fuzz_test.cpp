// SPDX-License-Identifier: BSD-3-Clause
// Hostile cluster descriptions: each is read or refused in one line; none crashes the reader.
#include <gtest/gtest.h>

#include "collectives/cluster/description.hpp"
#include "validation/fuzz/copied_files.hpp"
#include "validation/fuzz/trial.hpp"

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

/// What is accepted must keep its promises: bounds, and reading back what is written.
void try_text(const std::string& text, Counts& counts) {
    const auto parse = [&] {
        const ClusterDescription cluster = parse_cluster(text, "fuzz.toml");
        ASSERT_GE(cluster.ranks(), 1);
        ASSERT_LE(cluster.ranks(), most_ranks);
        ASSERT_EQ(parse_cluster(to_toml(cluster), "again.toml"), cluster) << to_toml(cluster);
    };
    try_input(parse, counts);
}

TEST(ClusterTomlFuzz, NastyTextsAreRefused) {
    Counts counts;
    for (const std::string& text : nasty_texts()) try_text(text, counts);
    EXPECT_EQ(counts.accepted, 0);
}

TEST(ClusterTomlFuzz, MutatedTextsAreReadOrRefused) {
    Mutator mutator(with_copies_of(SHARDSTONE_SOURCE_DIR "/jobs/clusters", nasty_texts()),
                    nasty_words(), 20'240'601);
    Counts counts;
    for_each_input([&] { try_text(mutator.next(), counts); });
    expect_both("clusters", counts, 100);
    EXPECT_GT(counts.refused, fuzz_inputs() / 4);
}

}  // namespace
}  // namespace shardstone::validation
