// SPDX-License-Identifier: BSD-3-Clause
// Cluster descriptions: what is read is what was written, and every mistake is named in one line.
#include "collectives/cluster/description.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "collectives/cluster/description_seal.hpp"
#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

const std::filesystem::path described_clusters =
    std::filesystem::path(SHARDSTONE_SOURCE_DIR) / "jobs/clusters";

/// Everything that can be said.
ClusterDescription full() {
    ClusterDescription cluster;
    cluster.name = "all \"of\" it \\ µ";
    cluster.source = "measured on a test";
    cluster.measured = true;
    cluster.shared_cores = true;
    cluster.nodes = 12;
    cluster.ranks_per_node = 8;
    cluster.intra_node = {1.5e-6, 370.25, Interval95{1.4e-6, 1.6e-6}, Interval95{369, 371}, "a"};
    cluster.intra_node.start_s = 0.25e-6;
    cluster.inter_node = {0.1 + 0.2, 1.0 / 3.0, Interval95{0.0, 1.0}, {}, "b"};
    cluster.reduction = {1e6, Interval95{1.0, 1e6}, "c"};
    cluster.nics = NicDescription{4, 48.5, NicAssignment::round_robin, "d"};
    cluster.fat_tree = FatTreeDescription{3, true, 2.5, 1e-6, "e"};
    cluster.gpus = GpuLinksDescription{"nccl", true};
    return cluster;
}

TEST(ClusterDescription, ReadsBackWhatItWrote) {
    EXPECT_EQ(parse_cluster(to_toml(full()), "full"), full());
    ClusterDescription least = full();
    least.nics.reset();
    least.fat_tree.reset();
    least.gpus.reset();
    least.reduction.rate_interval_gb_s.reset();
    EXPECT_EQ(parse_cluster(to_toml(least), "least"), least);
    EXPECT_NE(least, full());
}

TEST(ClusterDescription, IsReadFromAFileUnlessItWasChangedAfterItWasSealed) {
    const TemporaryFolder folder;
    const auto path = folder / "cluster.toml";
    const std::string text = sealed(to_toml(full()));
    results::write_file(path, text);
    EXPECT_EQ(read_cluster(path), full());
    for (std::size_t at = 0; at < text.size(); at += 1 + text.size() / 97) {
        std::string damaged = text;
        damaged[at] = damaged[at] == '1' ? '2' : '1';
        results::write_file(path, damaged);
        EXPECT_THROW(read_cluster(path), Error) << "a changed byte " << at;
        results::write_file(path, text.substr(0, at));
        EXPECT_THROW(read_cluster(path), Error) << "cut at " << at;
    }
    results::write_file(path, to_toml(full()));
    EXPECT_EQ(read_cluster(path), full()) << "by hand, without a seal";
}

TEST(ClusterDescription, OneThatComesWithShardstoneIsReadByItsName) {
    EXPECT_EQ(read_cluster("fat-tree-4to1"),
              read_cluster(described_clusters / "fat-tree-4to1.toml"));
    EXPECT_THROW(read_cluster("fat-tree-4to1.toml"), Error);  // a file, and not in this folder
    try {
        read_cluster("fat-tree");
        FAIL() << "there is none of that name";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).rfind("fat-tree: cannot read it", 0), 0U);
        EXPECT_NE(std::string(error.what()).find("ethernet-one-nic, fat-tree-4to1"),
                  std::string::npos);
    }
}

TEST(ClusterDescription, ThoseInTheRepositoryAreRead) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(described_clusters)) {
        const ClusterDescription cluster = read_cluster(entry.path());
        EXPECT_EQ(cluster.name, entry.path().stem().string());
        EXPECT_EQ(parse_cluster(to_toml(cluster), "again"), cluster);
        EXPECT_FALSE(cluster.measured);
        ++files;
    }
    EXPECT_GE(files, 4);
}

struct Mistake {
    const char* name;
    const char* from;  ///< in the text of full() ...
    const char* to;    ///< ... becomes this
    const char* named;
};

class Refused : public testing::TestWithParam<Mistake> {};

TEST_P(Refused, InOneLineThatNamesFileKeyAndValue) {
    std::string text = to_toml(full());
    const auto place = text.find(GetParam().from);
    ASSERT_NE(place, std::string::npos);
    text.replace(place, std::string(GetParam().from).size(), GetParam().to);
    try {
        parse_cluster(text, "some.toml");
        FAIL() << "accepted:\n" << text;
    } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_EQ(what.find("some.toml: "), 0U) << what;
        EXPECT_NE(what.find(GetParam().named), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, Refused,
    testing::Values(
        Mistake{"syntax", "nodes = 12", "nodes = = 12", "line 5"},
        Mistake{"unknown", "nodes = 12", "nodes = 12\nnodez = 3", "nodez = 3: unknown key"},
        Mistake{"unknown_inside", "per_node = 4", "per_node = 4\nlanes = 2", "nics.lanes = 2"},
        Mistake{"multi_line_key", "nodes = 12", "nodes = 12\n\"a\\nb\" = 3", "a?b = 3"},
        Mistake{"missing", "nodes = 12\n", "", "nodes is missing"},
        Mistake{"missing_table", "[reduction]", "[reductions]", "reduction is missing"},
        Mistake{"no_table", "[nics]", "[[nics]]", "nics = an array: give a table"},
        Mistake{"text_for_number", "nodes = 12", "nodes = \"12\"", "nodes = '12'"},
        Mistake{"fraction", "nodes = 12", "nodes = 12.5", "nodes = 12.5: give a whole number"},
        Mistake{"no_nodes", "nodes = 12", "nodes = 0", "nodes = 0"},
        Mistake{"negative_nodes", "nodes = 12", "nodes = -12", "nodes = -12"},
        Mistake{"many_nodes", "nodes = 12", "nodes = 9223372036854775807", "nodes = 92233"},
        Mistake{"many_ranks", "nodes = 12", "nodes = 125001", "ranks_per_node = 8: give fewer"},
        Mistake{"negative", "alpha_s = 1.5e-06", "alpha_s = -1e-6", "links.intra_node.alpha_s"},
        Mistake{"not_a_number", "alpha_s = 1.5e-06", "alpha_s = nan", "alpha_s = nan"},
        Mistake{"infinite", "bandwidth_gb_s = 370.25", "bandwidth_gb_s = inf", "= inf"},
        Mistake{"no_bandwidth", "bandwidth_gb_s = 370.25", "bandwidth_gb_s = 0", "gb_s = 0"},
        Mistake{"one_end", "[1.4e-06, 1.6e-06]", "[1.4e-06]", "two numbers"},
        Mistake{"wrong_way_round", "[1.4e-06, 1.6e-06]", "[2.0, 1.0]", "lower end first"},
        Mistake{"text_in_interval", "[1.4e-06, 1.6e-06]", "[1.0, \"x\"]", "alpha_interval_s"},
        Mistake{"nics_do_not_divide", "per_node = 4", "per_node = 3", "nics.per_node = 3"},
        Mistake{"assignment", "\"round_robin\"", "\"random\"", "assignment = 'random'"},
        Mistake{"truth", "rails = true", "rails = 1", "fat_tree.rails = 1: give true or false"},
        Mistake{"undersubscribed", "oversubscription = 2.5", "oversubscription = 0.5", "= 0.5"},
        Mistake{"empty_text", "source = \"d\"", "source = \"\"", "nics.source = ''"},
        Mistake{"two_lines", "source = \"d\"", "source = \"d\\nd\"", "on one line"},
        Mistake{"no_transport", "transport = \"nccl\"\n", "", "gpus.transport is missing"},
        Mistake{"emulated", "emulated = true", "emulated = 1", "gpus.emulated = 1: give true"},
        Mistake{"date", "nodes = 12", "nodes = 1979-05-27", "nodes = a date or time"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ClusterDescription, RefusesWhatIsTooLargeOrNotThere) {
    EXPECT_THROW(read_cluster("/nonexistent.toml"), Error);
    EXPECT_THROW(read_cluster("/"), Error);
    EXPECT_THROW(read_cluster("/dev/zero"), Error);
    EXPECT_THROW(parse_cluster(std::string(70'000, ' '), "long"), Error);
    std::string deep = "a";
    for (int i = 0; i < 30'000; ++i) deep += ".a";
    EXPECT_THROW(parse_cluster(deep + "=1", "deep"), Error);
}

TEST(Description, MeasuredCurvesAndCollectivesComeBackFromToml) {
    ClusterDescription cluster = full();
    const SizeCurve curve({{4, 1e-6}, {1024, 2e-6}, {1 << 20, 3e-4}});
    cluster.intra_node.measured = curve;
    cluster.shared_memory = cluster.intra_node;
    cluster.reduction.measured = curve;
    cluster.direct.push_back({"all_reduce", "shared_memory", 2, curve});
    EXPECT_EQ(parse_cluster(to_toml(cluster), "written"), cluster);
    EXPECT_DOUBLE_EQ(curve.time_s(1), 1e-6);
    EXPECT_DOUBLE_EQ(curve.time_s(514), 1.5e-6);
    EXPECT_NEAR(curve.time_s(2 << 20), 6e-4, 1e-6);
    EXPECT_THROW(SizeCurve({{8, 1e-6}, {4, 2e-6}}), Error);
}

}  // namespace
}  // namespace shardstone::validation
