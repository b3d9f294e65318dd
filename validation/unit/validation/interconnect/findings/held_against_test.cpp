// SPDX-License-Identifier: BSD-3-Clause
// What a verdict was held against: among two nodes nothing is, and that is never a pass.
#include "validation/interconnect/held_against.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"
#include "validation/unit/validation/interconnect/soak/planted_soak.hpp"

namespace shardstone::validation {
namespace {

constexpr const char* too_few = "fewer than 3 of a kind have no median to go by";

/// The first so many nodes of those that are planted.
InterconnectSamples of_nodes(double nodes) {
    auto samples = planted_samples();
    std::erase_if(samples.places, [&](const auto& row) { return row.node >= nodes; });
    std::erase_if(samples.ranks, [&](const auto& row) { return row.rank >= nodes; });
    std::erase_if(samples.pairs,
                  [&](const auto& row) { return std::max(row.sender, row.receiver) >= nodes; });
    return samples;
}

void limit(InterconnectSamples& samples, const std::string& quantity, const std::string& size,
           const std::string& limit) {
    samples.limits = parse_acceptance(
        "[[limit]]\nquantity = '" + quantity + "'\nstatistic = 'mean'\n" + size + limit, "limits");
}

const results::HeldAgainstRow& row_of(const InterconnectFindings& findings,
                                      const std::string& name) {
    const auto row = std::ranges::find_if(findings.held_against,
                                          [&](const auto& one) { return name_of(one) == name; });
    if (row == findings.held_against.end()) throw std::runtime_error("no row of " + name);
    return *row;
}

TEST(HeldAgainst, APassSaysTheMedianOfWhat) {
    const auto findings = find_in(planted_samples());
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    ASSERT_EQ(findings.held_against.size(), 5u);
    const auto& large = row_of(findings, "messages between nodes of 1 MiB");
    EXPECT_EQ(large.tests, 12.0);
    EXPECT_EQ(large.against, "median");
    EXPECT_EQ(large.between_nodes, 1.0);
    EXPECT_EQ(row_of(findings, "memory of ranks").tests, 4.0);
    EXPECT_EQ(row_of(findings, "memory of ranks").between_nodes, 0.0);
    EXPECT_EQ(in_words(findings.held_against),
              "held against the median of their kind: messages between nodes of 8 B, messages "
              "between nodes of 1 MiB, arithmetic of ranks, memory of ranks, wake-up of ranks; not "
              "tested: GPU memory, NVLink, GPUDirect (messages go by MPI from host memory)");
}

TEST(HeldAgainst, BetweenGpusThoseOfHostsAreNotTested) {
    auto samples = planted_samples();
    for (auto& place : samples.places) place.gpu = "NVIDIA H100";
    auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    EXPECT_TRUE(in_words(findings.held_against, findings.not_tested)
                    .ends_with("; not tested: links between memories of hosts (messages go through "
                               "NCCL from GPU memory), computations and copies of GPUs"));
    for (auto& row : samples.ranks) row.test = "GPU " + row.test;
    findings = find_in(samples);
    EXPECT_TRUE(in_words(findings.held_against, findings.not_tested)
                    .ends_with("GPU memory of ranks, GPU wake-up of ranks; not tested: links "
                               "between memories of hosts (messages go through NCCL from GPU "
                               "memory), GPUs under lasting load"));
}

TEST(HeldAgainst, ASoakIsHeldAgainstThePassesBeforeIt) {
    auto samples = planted_soak();
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    const auto& soak = row_of(findings, "messages of the soak");
    EXPECT_EQ(soak.tests, 24.0) << "pairs, directions and sizes";
    EXPECT_EQ(soak.against, "itself");
    EXPECT_EQ(soak.between_nodes, 1.0);
    EXPECT_NE(in_words(findings.held_against)
                  .find("; against the same messages in the passes before the soak: messages of "
                        "the soak"),
              std::string::npos);
    const auto windows = samples.windows;
    samples = of_nodes(2);
    samples.windows = windows;
    std::erase_if(samples.windows,
                  [](const auto& row) { return std::max(row.sender, row.receiver) >= 2.0; });
    EXPECT_EQ(find_in(samples).verdict, Acceptance::inconclusive)
        << "two nodes that are as before may both be slow";
}

TEST(HeldAgainst, NothingIsAmongTwoNodes) {
    const auto two = find_in(of_nodes(2));
    EXPECT_EQ(two.verdict, Acceptance::inconclusive);
    for (const auto& row : two.held_against) {
        EXPECT_EQ(row.against, "nothing");
        EXPECT_EQ(row.why, too_few);
        EXPECT_EQ(row.tests, 2.0);
    }
    EXPECT_EQ(two.reasons.at(0),
              "nothing was compared with anything: messages between nodes of 8 B, messages between "
              "nodes of 1 MiB, arithmetic of ranks, memory of ranks, wake-up of ranks (" +
                  std::string(too_few) + "): test more nodes or ranks, or give limits (--accept)");
    EXPECT_EQ(find_in(of_nodes(3)).verdict, Acceptance::pass) << "three pairs, in two directions";
}

TEST(HeldAgainst, ALimitSufficesForTwoNodes) {
    auto samples = of_nodes(2);
    limit(samples, "rate between nodes", "size = '1M'\n", "limit = 90\nunit = 'MB/s'");
    const auto limited = find_in(samples);
    EXPECT_EQ(limited.verdict, Acceptance::pass);
    EXPECT_TRUE(in_words(limited.held_against)
                    .starts_with("held against limits: mean rate between nodes of 1 MiB; against "
                                 "nothing: messages between nodes of 8 B, "))
        << in_words(limited.held_against);
    // A limit on something else says nothing of the links.
    limit(samples, "wake-up delay", "", "limit = 1.1\nunit = 'ms'");
    const auto other = find_in(samples);
    EXPECT_EQ(other.verdict, Acceptance::inconclusive);
    EXPECT_EQ(row_of(other, "mean wake-up delay").against, "limit");
    EXPECT_EQ(other.acceptance.at(0).verdict, "pass");
}

TEST(HeldAgainst, LimitsOnOneQuantityAreToldApartByTheirStatistic) {
    auto samples = of_nodes(2);
    std::string file;
    for (const char* statistic : {"median", "mean"}) {
        file +=
            std::string("[[limit]]\nquantity = 'rate between nodes'\nsize = '1M'\nlimit = 90\n") +
            "unit = 'MB/s'\nstatistic = '" + statistic + "'\n";
    }
    samples.limits = parse_acceptance(file, "limits");
    const auto findings = find_in(samples);
    EXPECT_EQ(row_of(findings, "median rate between nodes of 1 MiB").against, "limit");
    EXPECT_EQ(row_of(findings, "mean rate between nodes of 1 MiB").against, "limit");
}

/// Two nodes of many ranks: these are compared, and the link between the nodes is not.
TEST(HeldAgainst, LinksBetweenNodesAreNotPassedForTheirRanks) {
    auto samples = planted_samples();
    for (auto& place : samples.places) place.node = place.rank < 2.0 ? 0.0 : 1.0;
    std::erase_if(samples.pairs, [](const auto& row) {
        return std::min(row.sender, row.receiver) != 0.0 ||
               std::max(row.sender, row.receiver) != 2.0;
    });
    const auto findings = find_in(samples);
    EXPECT_EQ(row_of(findings, "arithmetic of ranks").against, "median");
    EXPECT_EQ(findings.verdict, Acceptance::inconclusive);
    EXPECT_TRUE(findings.reasons.at(0).starts_with(
        "links between nodes were compared with nothing: messages between nodes of 8 B, "))
        << findings.reasons[0];
    EXPECT_TRUE(findings.reasons[0].ends_with(": test more nodes, or give limits (--accept)"))
        << findings.reasons[0];
}

TEST(HeldAgainst, WhatIsNotJudgedSaysWhy) {
    auto samples = planted_samples();
    for (auto& place : samples.places) {
        place.node = place.rank < 2.0 ? 0.0 : 1.0;
        place.sharers = 4.0;
    }
    const auto findings = find_in(samples);
    EXPECT_EQ(row_of(findings, "messages between nodes of 1 MiB").against, "median");
    for (const char* name : {"messages inside node of 1 MiB", "messages between nodes of 8 B"}) {
        EXPECT_EQ(row_of(findings, name).against, "nothing");
        EXPECT_EQ(row_of(findings, name).why, "ranks share cores, for which they wait");
    }
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    // One node, of two ranks that share a core.
    auto alone = of_nodes(2);
    for (auto& place : alone.places) {
        place.node = 0.0;
        place.sharers = 2.0;
    }
    alone.ranks.clear();
    EXPECT_TRUE(find_in(alone).reasons.at(0).starts_with("nothing was compared with anything: "));
}

/// Those of a suspect, one pair at a time, are too few to be a kind of their own.
TEST(HeldAgainst, FurtherTestsAreLeftOut) {
    auto samples = planted_samples();
    const auto pairs = samples.pairs;
    for (auto row : pairs) {
        if (row.sender + row.receiver > 1.0) continue;
        row.alone = 1.0;
        samples.pairs.push_back(row);
    }
    EXPECT_EQ(find_in(samples).held_against.size(), 5u);
    for (auto& row : samples.pairs) row.alone = 1.0;
    EXPECT_EQ(row_of(find_in(samples), "messages between nodes, one pair at a time of 8 B").tests,
              12.0);
}

TEST(HeldAgainst, NicsWithoutATestAreTold) {
    auto samples = planted_samples();
    for (auto& place : samples.places) {
        place.machine = place.node;
        place.nics = 8.0;
    }
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    EXPECT_TRUE(in_words(findings.held_against)
                    .find("; against nothing: 7 of 8 NICs of a node; not tested: ") !=
                std::string::npos)
        << in_words(findings.held_against);
    EXPECT_EQ(row_of(findings, "7 of 8 NICs of a node").why,
              "one is tested: --rails 8, with as many ranks on a node, tests each");
    samples.places[1].rail = 1.0;
    EXPECT_TRUE(
        row_of(find_in(samples), "6 of 8 NICs of a node").why.starts_with("2 are tested: "));
    for (auto& place : samples.places) place.nics = 2.0;
    EXPECT_EQ(find_in(samples).held_against.size(), 5u) << "both are tested";
}

TEST(HeldAgainst, NodesOfOneMachineUseNoNics) {
    auto samples = planted_samples();
    for (auto& place : samples.places) place.nics = 8.0;
    EXPECT_EQ(find_in(samples).held_against.size(), 5u);
    for (auto& place : samples.places) place.machine = place.node;
    samples.pairs.clear();
    EXPECT_EQ(find_in(samples).held_against.size(), 3u) << "tests of ranks send nothing";
}

}  // namespace
}  // namespace shardstone::validation
