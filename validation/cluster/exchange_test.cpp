// SPDX-License-Identifier: BSD-3-Clause
// A trainer's exchange runs one collective several times at once and tells different ones apart.
#include "reference/trainer/exchange.hpp"

#include <gtest/gtest.h>

#include <set>

#include "collectives/operation/algorithm.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

collectives::CollectiveSpec sums(std::int64_t count) {
    return {{count, ElementType::fp32, collectives::Reduction::sum}, 0, {}};
}

collectives::Algorithm ring(const char* operation = "all_reduce") {
    return collectives::find_algorithm(operation, "ring");
}

std::shared_ptr<PlanGroups> replicas() {
    return std::make_shared<PlanGroups>(world(), ParallelPlan{.data = world().size()});
}

/// A collective that was prepared `copies` times is started more often than that at once, on
/// buffers that tell each other apart.
TEST(Exchange, SameCollectiveSeveralTimesAtOnce) {
    constexpr std::size_t starts = 7, count = 5000;
    const int ranks = world().size();
    for (std::size_t copies = 1; copies <= Exchange::most_at_once + 1; ++copies) {
        Exchange exchange(replicas());
        std::size_t which = 0;
        for (std::size_t c = 0; c < copies; ++c) {
            which = exchange.prepare(GroupKind::data, ring(), sums(count));
            EXPECT_EQ(which, 0U);
        }
        std::vector<std::vector<float>> buffers;
        for (std::size_t s = 0; s < starts; ++s) {
            buffers.emplace_back(count, static_cast<float>(s) + static_cast<float>(world().rank()));
        }
        int arrived = 0;
        for (auto& buffer : buffers)
            exchange.start(which, buffer.data(), buffer.data(), [&] { ++arrived; });
        // Those of the first turn were waited for, the others need not have been.
        EXPECT_GE(arrived, static_cast<int>(starts - std::min(copies, Exchange::most_at_once)));
        exchange.wait_for_all();
        EXPECT_EQ(arrived, static_cast<int>(starts));
        const auto of_ranks = static_cast<float>(ranks * (ranks - 1) / 2);
        for (std::size_t s = 0; s < starts; ++s) {
            const float expected = static_cast<float>(s) * static_cast<float>(ranks) + of_ranks;
            EXPECT_EQ(buffers[s], std::vector<float>(count, expected)) << "start " << s;
        }
    }
}

TEST(Exchange, WhatDiffersIsAnother) {
    Exchange exchange(replicas());
    const auto ten = exchange.prepare(GroupKind::data, ring(), sums(10));
    const std::set<std::size_t> all{
        ten, exchange.prepare(GroupKind::data, ring(), sums(11)),
        exchange.prepare(GroupKind::world, ring(), sums(10)),
        exchange.prepare(GroupKind::data, ring("all_gather"), sums(10))};
    EXPECT_EQ(all.size(), 4U);
    EXPECT_EQ(exchange.prepare(GroupKind::data, ring(), sums(10)), ten);
}

}  // namespace
}  // namespace shardstone::validation
