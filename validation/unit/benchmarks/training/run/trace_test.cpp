// SPDX-License-Identifier: BSD-3-Clause
// The Chrome trace of events whose times are known, on ranks whose clocks began at other moments.
#include "benchmarks/training/run/trace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// A forward pass, a transfer and the update.
StepProgram three_actions() {
    std::vector<Action> actions;
    for (const auto kind : {Action::Kind::forward, Action::Kind::transfer, Action::Kind::update}) {
        actions.emplace_back().kind = kind;
    }
    StepProgram program;
    program.actions = std::move(actions);
    return program;
}

/// Rank r's clock shows 1000 (r + 1) s at the moment agreed on. After that, by its own clock: the
/// pass from 0.25 + r to 0.375 + r s, the transfer from 0.3125 + r to
/// 9.5 s, the update from 10 to 10.002.
double origin_s() {
    return 1000.0 * (world().rank() + 1);
}
std::vector<TraceEvent> known_events(std::int64_t step) {
    const double zero_s = origin_s();
    const double late_s = world().rank();
    return {{step, 0, zero_s + 0.25 + late_s, zero_s + 0.375 + late_s},
            {step, 1, zero_s + 0.3125 + late_s, zero_s + 9.5},
            {step, 2, zero_s + 10.0, zero_s + 10.002}};
}

const nlohmann::json& find(const nlohmann::json& trace, int rank, const std::string& kind,
                           const std::string& phase) {
    for (const auto& event : trace) {
        if (event.at("pid") == rank && event.value("cat", "") == kind && event.at("ph") == phase) {
            return event;
        }
    }
    throw std::runtime_error("no " + phase + " of a " + kind + " of rank " + std::to_string(rank));
}

TEST(Trace, TimesAreMicrosecondsFromTheAgreedMoment) {
    const auto text =
        benchmarks::chrome_trace(world(), three_actions(), known_events(0), origin_s());
    if (!world().is_root()) return;
    const auto trace = nlohmann::json::parse(text);
    for (int rank = 0; rank < world().size(); ++rank) {
        const double late_us = 1e6 * rank;
        const auto& pass = find(trace, rank, "forward", "X");
        EXPECT_NEAR(pass.at("ts").get<double>(), 250'000.0 + late_us, 0.01) << "rank " << rank;
        EXPECT_NEAR(pass.at("dur").get<double>(), 125'000.0, 0.01) << "rank " << rank;
        EXPECT_NEAR(find(trace, rank, "transfer", "b").at("ts").get<double>(), 312'500.0 + late_us,
                    0.01);
        EXPECT_NEAR(find(trace, rank, "transfer", "e").at("ts").get<double>(), 9'500'000.0, 0.01);
        const auto& update = find(trace, rank, "update", "X");
        EXPECT_NEAR(update.at("ts").get<double>(), 10'000'000.0, 0.01);
        EXPECT_NEAR(update.at("dur").get<double>(), 2000.0, 0.01);
    }
}

TEST(Trace, SpansOfAStepCountFromItsFirstActionOnAnyRank) {
    auto events = known_events(1);
    for (const TraceEvent& event : known_events(0)) {  // another step, before, and twice as slow
        events.push_back(
            {0, event.action, event.begin_s - 60.0, 2.0 * event.end_s - event.begin_s - 60.0});
    }
    const auto spans = benchmarks::measured_spans(world(), three_actions(), events, 1, origin_s());
    if (!world().is_root()) {
        EXPECT_TRUE(spans.empty());
        return;
    }
    ASSERT_EQ(std::ssize(spans), world().size());
    for (std::size_t rank = 0; rank < spans.size(); ++rank) {
        const auto late_s = static_cast<double>(rank);
        ASSERT_EQ(spans[rank].size(), 3U);
        EXPECT_NEAR(spans[rank][0].begin_s, late_s, 1e-9);
        EXPECT_NEAR(spans[rank][0].end_s, 0.125 + late_s, 1e-9);
        EXPECT_NEAR(spans[rank][1].begin_s, 0.0625 + late_s, 1e-9);
        EXPECT_NEAR(spans[rank][1].end_s, 9.25, 1e-9);
        EXPECT_NEAR(spans[rank][2].end_s, 9.752, 1e-9);
    }
}

// Rank r begins its step half a second before its first action, was late once by r + 1 s, and
// computed twice.
TEST(Trace, WaitsOfAStepAreOnTheClockOfItsSpans) {
    const auto rank = static_cast<double>(world().rank());
    RankWaits own{origin_s() + rank - 0.25, origin_s() + 11.0, {{0.25, 0.5}, {rank, 2.0}}, {}};
    own.late_looks = {{origin_s() + 5.0 - rank - 1.0, origin_s() + 5.0}};
    const auto step =
        benchmarks::measured_step(world(), three_actions(), known_events(1), own, 1, origin_s());
    if (!world().is_root()) {
        EXPECT_TRUE(step.spans.empty() && step.waits.empty());
        return;
    }
    EXPECT_NEAR(step.spans[0][2].end_s, 9.752, 1e-9);
    ASSERT_EQ(std::ssize(step.waits), world().size());
    for (std::size_t r = 0; r < step.waits.size(); ++r) {
        const auto late_s = static_cast<double>(r);
        const RankWaits& one = step.waits[r];
        EXPECT_NEAR(one.begin_s, late_s - 0.5, 1e-9);
        EXPECT_NEAR(one.end_s, 10.75, 1e-9);
        ASSERT_EQ(one.computations.size(), 2U);
        EXPECT_EQ(one.computations[0].within_s, 0.5);
        EXPECT_EQ(one.computations[1].before_s, late_s);
        ASSERT_EQ(one.late_looks.size(), 1U);
        EXPECT_NEAR(one.late_looks[0].begin_s, 3.75 - late_s, 1e-9);
        EXPECT_NEAR(one.late_looks[0].end_s, 4.75, 1e-9);
    }
}

}  // namespace
}  // namespace shardstone::validation
