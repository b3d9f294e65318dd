// SPDX-License-Identifier: BSD-3-Clause
// What "auto" chooses by: predictions in order, measurements where there is no schedule, and a
// machine whose figures are changed getting another choice.
#include "collectives/pricing/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

CollectiveSpec floats(std::int64_t count) {
    return {{count, ElementType::fp32, Reduction::sum}, 0, {}};
}

const Prediction* of(const std::vector<Prediction>& ranked, const std::string& name) {
    const auto found = std::ranges::find(ranked, name, &Prediction::algorithm);
    return found == ranked.end() ? nullptr : &*found;
}

ClusterDescription without_shared_memory() {
    ClusterDescription cluster = *typical_cluster();
    cluster.shared_memory.reset();
    return cluster;
}

TEST(Predictions, FastestFirstAndNoneTwice) {
    for (const std::string& operation : operations()) {
        const auto ranked = predictions(find_operation(operation), Topology::blocked(8, 4),
                                        floats(4096), *typical_cluster());
        ASSERT_FALSE(ranked.empty()) << operation;
        EXPECT_TRUE(std::ranges::is_sorted(ranked, {}, &Prediction::time_s)) << operation;
        EXPECT_EQ(of(ranked, automatic), nullptr);
    }
}

TEST(Predictions, LatencyForFewBytesAndBandwidthForMany) {
    const Topology topology = Topology::blocked(16, 1);
    const auto few =
        predictions(find_operation("all_reduce"), topology, floats(1), without_shared_memory());
    const auto many = predictions(find_operation("all_reduce"), topology, floats(64 << 20),
                                  without_shared_memory());
    EXPECT_LT(of(few, "recursive_doubling")->time_s, of(few, "ring")->time_s);
    EXPECT_GT(of(many, "recursive_doubling")->time_s, of(many, "ring")->time_s);
}

TEST(Predictions, SharedMemoryOnlyWithItsPrice) {
    const char* name = "over_shared_memory:ring";
    for (const int ranks_per_node : {2, 4}) {
        const auto here = [&](const ClusterDescription& cluster) {
            const auto ranked =
                predictions(find_operation("all_reduce"), Topology::blocked(4, ranks_per_node),
                            floats(64), cluster);
            return of(ranked, name) != nullptr;
        };
        EXPECT_TRUE(here(*typical_cluster()));
        EXPECT_FALSE(here(without_shared_memory()));
    }
}

TEST(Predictions, SharedMemoryIsPaidInsideANodeOnly) {
    ClusterDescription cluster = *typical_cluster();
    const auto time_s = [&](const char* name, int ranks_per_node) {
        const auto ranked =
            predictions(find_operation("all_reduce"), Topology::blocked(8, ranks_per_node),
                        floats(1 << 20), cluster);
        return of(ranked, name)->time_s;
    };
    const char* shared = "over_shared_memory:hierarchical:ring/rabenseifner";
    const double before_s = time_s(shared, 4);
    // Nodes of one rank have no inside: the price is that of messages over MPI.
    EXPECT_EQ(time_s(shared, 1), time_s("hierarchical:ring/rabenseifner", 1));
    cluster.inter_node.alpha_s *= 2;
    const double between_s = time_s(shared, 4);
    EXPECT_GT(between_s, before_s);
    cluster.shared_memory->alpha_s *= 2;
    EXPECT_GT(time_s(shared, 4), between_s);
    cluster.intra_node.alpha_s *= 2;
    EXPECT_GT(time_s("hierarchical:ring/rabenseifner", 4), between_s);
}

TEST(Predictions, WhatHasNoScheduleNeedsAMeasurementOnAsManyRanks) {
    ClusterDescription cluster = *typical_cluster();
    cluster.direct.push_back({"all_reduce", "mpi", 4, SizeCurve({{8, 1e-9}, {1 << 20, 1e-8}})});
    const auto on_ranks = [&](int ranks) {
        return predictions(find_operation("all_reduce"), Topology::one_node(ranks), floats(64),
                           cluster);
    };
    EXPECT_EQ(on_ranks(4).front().algorithm, "mpi");
    EXPECT_EQ(on_ranks(4).front().basis, Basis::measurement);
    EXPECT_EQ(of(on_ranks(5), "mpi"), nullptr);
}

// The link says that the ring is the quickest there can be; what it took says otherwise.
TEST(Predictions, AMeasurementCountsMoreThanTheSchedule) {
    ClusterDescription cluster = *typical_cluster();
    const auto ring = [&] {
        return *of(
            predictions(find_operation("all_reduce"), Topology::one_node(4), floats(64), cluster),
            "ring");
    };
    EXPECT_EQ(ring().basis, Basis::schedule);
    cluster.direct.push_back({"all_reduce", "ring", 4, SizeCurve({{256, 0.25}, {512, 0.5}})});
    EXPECT_EQ(ring().basis, Basis::measurement);
    EXPECT_EQ(ring().time_s, 0.25);
    // What it is predicted to take, which a sweep shows beside what it took, stays.
    EXPECT_LT(
        predict(find_algorithm("all_reduce", "ring"), Topology::one_node(4), floats(64), cluster)
            ->time_s,
        0.01);
}

// Where what was measured took ten times what its schedule says, the schedules of the others are
// not to be believed either.
TEST(Predictions, SchedulesAreDoubtedAsMuchAsTheMeasuredOnesWereWrong) {
    ClusterDescription cluster = without_shared_memory();
    const auto ranked = [&] {
        return predictions(find_operation("all_reduce"), Topology::one_node(4), floats(1 << 20),
                           cluster);
    };
    const auto fastest = ranked();
    const auto& slower = *std::ranges::find_if(
        fastest, [&](const Prediction& one) { return one.time_s > 2.0 * fastest.front().time_s; });
    const double wrong_s = 10.0 * slower.time_s;
    cluster.direct.push_back(
        {"all_reduce", slower.algorithm, 4, SizeCurve({{64, wrong_s}, {8 << 20, wrong_s}})});
    // Nine times as fast as the measured one by its schedule, which is not fast enough.
    cluster.direct.push_back(
        {"all_reduce", "mpi", 4,
         SizeCurve({{64, 8.0 * fastest.front().time_s}, {8 << 20, 8.0 * fastest.front().time_s}})});
    EXPECT_EQ(ranked().front().algorithm, "mpi");
}

/// A cluster in which these two took so long at 8, 16, 32 ... bytes.
ClusterDescription measured_twice(const std::vector<double>& linear_s,
                                  const std::vector<double>& ring_s) {
    ClusterDescription cluster = *typical_cluster();
    for (const auto& [name, times_s] : {std::pair{"linear", linear_s}, {"ring", ring_s}}) {
        std::vector<SizeTime> points;
        for (std::size_t i = 0; i < times_s.size(); ++i) points.push_back({8LL << i, times_s[i]});
        cluster.direct.push_back({"all_reduce", name, 2, SizeCurve(std::move(points))});
    }
    return cluster;
}

std::string choice_at(std::int64_t size_bytes, const ClusterDescription& cluster) {
    return predictions(find_operation("all_reduce"), Topology::blocked(2, 2),
                       floats(size_bytes / 4), cluster)
        .front()
        .algorithm;
}

TEST(Predictions, OneOddMeasurementDoesNotSway) {
    constexpr double ns = 1e-9;
    // At 8 B, and at 64 B, the ring looks as if it were the faster one.
    const auto cluster = measured_twice({40 * ns, 40 * ns, 40 * ns, 40 * ns, 40 * ns, 40 * ns},
                                        {38 * ns, 60 * ns, 60 * ns, 38 * ns, 60 * ns, 60 * ns});
    for (const std::int64_t size : {4, 8, 16, 32, 64, 128, 256}) {
        EXPECT_EQ(choice_at(size, cluster), "linear") << size;
    }
    // Where curves cross it is the size itself that decides.
    const auto crossing = measured_twice({40 * ns, 41 * ns, 42 * ns, 80 * ns, 160 * ns, 320 * ns},
                                         {60 * ns, 60 * ns, 60 * ns, 60 * ns, 60 * ns, 60 * ns});
    EXPECT_EQ(choice_at(16, crossing), "linear");
    EXPECT_EQ(choice_at(128, crossing), "ring");
}

// Half of 16 B is the smallest size that was measured: of the ring 45 ns with 20 ns and 40 ns
// around it, a mean of 36 ns; with the 400 ns at four times the size it would be 75 ns.
TEST(Predictions, TheSmallestSizeIsAroundItsDouble) {
    constexpr double ns = 1e-9;
    const auto cluster = measured_twice({40 * ns, 40 * ns, 40 * ns, 40 * ns, 40 * ns, 40 * ns},
                                        {20 * ns, 45 * ns, 40 * ns, 400 * ns, 400 * ns, 400 * ns});
    EXPECT_EQ(choice_at(16, cluster), "ring");
    EXPECT_EQ(choice_at(32, cluster), "linear");
}

TEST(Predictions, UnequalSharesLeaveOutWhatCannotTakeThem) {
    CollectiveSpec spec = floats(10);
    spec.shares = {1, 2, 3, 4};
    for (const auto& one : predictions(find_operation("all_gather"), Topology::one_node(4), spec,
                                       *typical_cluster())) {
        EXPECT_FALSE(find_algorithm("all_gather", one.algorithm).equal_shares_only)
            << one.algorithm;
    }
}

TEST(Explain, NamesTheNextAndWhereTheFiguresAreFrom) {
    const auto ranked = predictions(find_operation("broadcast"), Topology::one_node(4), floats(64),
                                    *typical_cluster());
    const std::string why = explain(ranked, *typical_cluster());
    EXPECT_EQ(why.find(ranked[0].algorithm + ": "), 0U) << why;
    EXPECT_NE(why.find("next " + ranked[1].algorithm), std::string::npos) << why;
    EXPECT_NE(why.find("nothing was measured"), std::string::npos) << why;
}

// The ring is the faster one at 8 B alone, and the next at both sizes.
TEST(Explain, SaysWhyWhatLooksFasterIsNotChosen) {
    constexpr double ns = 1e-9;
    ClusterDescription cluster =
        measured_twice({40 * ns, 40 * ns, 40 * ns, 40 * ns}, {38 * ns, 60 * ns, 60 * ns, 60 * ns});
    cluster.measured = true;
    const auto reason_at = [&](std::int64_t size_bytes) {
        return explain(predictions(find_operation("all_reduce"), Topology::blocked(2, 2),
                                   floats(size_bytes / 4), cluster),
                       cluster);
    };
    EXPECT_EQ(
        reason_at(8),
        "linear: 0.040 us measured before; next ring, 0.038 us measured before, slower at the "
        "sizes around");
    EXPECT_EQ(reason_at(16),
              "linear: 0.040 us measured before; next ring, 0.060 us measured before");
}

// Of a schedule that promises less it is doubt, not other sizes, that is held against it.
TEST(Explain, AScheduleIsNotSaidToBeSlowerAround) {
    ClusterDescription cluster;
    cluster.measured = true;
    EXPECT_EQ(explain({{"ring", 3e-6, Basis::measurement}, {"linear", 2.75e-6, Basis::schedule}},
                      cluster),
              "ring: 3.00 us measured before; next linear, 2.75 us by its schedule");
}

}  // namespace
}  // namespace shardstone::validation
