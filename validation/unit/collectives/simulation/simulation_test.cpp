// SPDX-License-Identifier: BSD-3-Clause
// `shardstone simulate` below its flags: bad input, and what the table and the record say.
#include "benchmarks/collectives/simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "benchmarks/collectives/simulation/checks.hpp"
#include "benchmarks/collectives/simulation/report.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;

collectives::ClusterDescription cluster() {
    collectives::ClusterDescription described;
    described.name = "test";
    described.source = "made up";
    described.nodes = 4;
    described.ranks_per_node = 8;
    return described;
}

TEST(SimulationPlan, DefaultsAreAllOfTheClusterAndAllThatHasMessages) {
    const SimulationPlan plan = plan_simulation({}, cluster());
    EXPECT_EQ(plan.ranks, std::vector<int>{32});
    EXPECT_EQ(plan.sizes_bytes,
              (std::vector<std::int64_t>{1 << 10, 1 << 15, 1 << 20, 1 << 25, 1 << 30}));
    const auto has = [names = names_of(plan.algorithms)](const char* name) {
        return std::ranges::find(names, name) != names.end();
    };
    EXPECT_TRUE(has("ring"));
    EXPECT_TRUE(has("hierarchical:ring/rabenseifner"));
    EXPECT_FALSE(has("mpi"));
    EXPECT_FALSE(has("shared_memory"));
    EXPECT_FALSE(has("over_shared_memory:ring"));
}

struct BadInput {
    const char* name;
    std::function<void(SimulationOptions&)> spoil;
    const char* named;
};

class Refused : public testing::TestWithParam<BadInput> {};

TEST_P(Refused, InOneLineThatNamesTheValue) {
    SimulationOptions options;
    GetParam().spoil(options);
    try {
        plan_simulation(options, cluster());
        FAIL() << "accepted";
    } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find(GetParam().named), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
}

using O = SimulationOptions;
INSTANTIATE_TEST_SUITE_P(
    BadInput, Refused,
    testing::Values(
        BadInput{"op", [](O& o) { o.op = "all_together"; }, "unknown operation 'all_together'"},
        BadInput{"algorithm", [](O& o) { o.algorithms = {"rnig"}; }, "'rnig'"},
        BadInput{"no_algorithm", [](O& o) { o.algorithms.clear(); }, "--algorithm names none"},
        BadInput{"no_schedule", [](O& o) { o.algorithms = {"mpi"}; }, "--algorithm mpi: has no"},
        BadInput{"too_many_ranks",
                 [](O& o) {
                     o.ranks = {"8", "33"};
                 },
                 "--ranks 33"},
        BadInput{"no_ranks", [](O& o) { o.ranks = {"0"}; }, "--ranks 0"},
        BadInput{"negative_ranks", [](O& o) { o.ranks = {"-5"}; }, "--ranks -5"},
        BadInput{"huge_ranks", [](O& o) { o.ranks = {"99999999999"}; }, "--ranks 99999999999"},
        BadInput{"ranks_in_words", [](O& o) { o.ranks = {"8x"}; }, "--ranks 8x"},
        BadInput{"long_list", [](O& o) { o.ranks.assign(65, "8"); }, "65 rank counts"},
        BadInput{"size", [](O& o) { o.smallest = "1e99G"; }, "'1e99G'"},
        BadInput{"wrong_way_round", [](O& o) { o.smallest = "2G"; }, "-b 2G is more than -e 1G"},
        BadInput{"huge", [](O& o) { o.largest = "64T"; }, "-e 64T"},
        BadInput{"factor", [](O& o) { o.factor = 1; }, "-f 1"},
        BadInput{"type", [](O& o) { o.type = "fp12"; }, "'fp12'"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Simulation, RefusesAtOnceWhatIsTooLarge) {
    SimulationPlan plan;
    plan.cluster = cluster();
    plan.cluster.nodes = 125'000;
    EXPECT_THROW(
        simulate_point(plan, collectives::find_algorithm("all_reduce", "ring"), 1'000'000, 1 << 30),
        Error);
}

TEST(Simulation, SaysThatItIsPredicted) {
    SimulationOptions options;
    options.algorithms = {"ring", "recursive_doubling"};
    options.ranks = {"8", "32"};
    const SimulationPlan plan = plan_simulation(options, cluster());
    std::vector<SimulatedPoint> points;
    std::string rows;
    run_simulation(plan, [&](const SimulatedGroup& group) {
        points.insert(points.end(), group.begin(), group.end());
        rows += simulation_rows(group);
    });
    EXPECT_EQ(points.size(), 2U * 2U * 5U);
    EXPECT_EQ(std::ranges::count(rows, '\n'), 20);
    EXPECT_EQ(std::ranges::count(rows, '*'), 10);
    EXPECT_NE(simulation_heading(plan).find("PREDICTED, not measured"), std::string::npos);

    auto record = begin_record(options, plan, {"shardstone", "simulate"});
    complete_record(plan, points, record);
    EXPECT_EQ(record.kind, "simulation");
    EXPECT_TRUE(record.configuration["simulated"].get<bool>());
    EXPECT_TRUE(record.verified());
    EXPECT_EQ(record.verification.size(), 20U + 2U * 2U);  // points, and schedules by ranks
    points.back().received_bytes -= 1.0;
    EXPECT_FALSE(simulation_checks(plan, points).back().passed);
    points.back().received_bytes += 1.0;
    points.back().scheduled_bytes *= 1.001;
    points.back().received_bytes *= 1.001;
    EXPECT_FALSE(simulation_checks(plan, points).back().passed);
    EXPECT_TRUE(record.samples.empty());
    const auto& times_s = record.table("simulated").column("predicted_s").numbers;
    EXPECT_EQ(times_s.back(), points.back().simulated.time_s);
}

}  // namespace
}  // namespace shardstone::validation
