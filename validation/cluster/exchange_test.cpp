// SPDX-License-Identifier: BSD-3-Clause
// A trainer's exchange runs one collective several times at once and tells different ones apart.
#include "reference/trainer/exchange.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/executor.hpp"
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
        // No rank is held up by those that have not begun, however many are in flight.
        if (world().rank() > 0) world().barrier();
        for (auto& buffer : buffers)
            exchange.start(which, buffer.data(), buffer.data(), [&] { ++arrived; });
        if (world().rank() == 0) world().barrier();
        exchange.wait_for_all();
        EXPECT_EQ(arrived, static_cast<int>(starts));
        const auto of_ranks = static_cast<float>(ranks * (ranks - 1) / 2);
        for (std::size_t s = 0; s < starts; ++s) {
            const float expected = static_cast<float>(s) * static_cast<float>(ranks) + of_ranks;
            EXPECT_EQ(buffers[s], std::vector<float>(count, expected)) << "start " << s;
        }
    }
}

/// Another executor, which notes on which data it is started.
class NotedStarts : public collectives::Executor {
  public:
    using List = std::vector<const void*>;
    NotedStarts(std::unique_ptr<Executor> other, List& list)
        : other_(std::move(other)), list_(list) {}

    void start(const void* input, void* output) override {
        list_.push_back(input);
        other_->start(input, output);
    }
    Progress progress() override { return other_->progress(); }
    std::int64_t bytes_sent() const noexcept override { return other_->bytes_sent(); }
    std::string waits_for() const override { return other_->waits_for(); }

  private:
    std::unique_ptr<Executor> other_;
    List& list_;
};

collectives::Algorithm noted(const char* name, NotedStarts::List& list) {
    collectives::Algorithm algorithm = collectives::find_algorithm("all_reduce", name);
    algorithm.direct = [name, &list](collectives::Communicator& members,
                                     const collectives::Algorithm&,
                                     const collectives::CollectiveSpec& spec) {
        auto other = make_executor(members, collectives::find_algorithm("all_reduce", name), spec);
        return std::make_unique<NotedStarts>(std::move(other), list);
    };
    return algorithm;
}

/// Sums and maxima of vectors of equal length, which MPI would mix up if ranks did not start them
/// in one order: three collectives of one communicator, which have memory for one run each. Whether
/// a run has ended when the next is started differs between ranks.
struct MixedRuns {
    static constexpr std::int64_t count = 1000;

    explicit MixedRuns(const char* name) : exchange(replicas()) {
        using collectives::Reduction;
        for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
            const collectives::CollectiveSpec spec{{count, ElementType::fp32, reduction}, 0, {}};
            // The groups have the same ranks, and so one communicator.
            const bool is_sum = reduction == Reduction::sum;
            const GroupKind kind = is_sum ? GroupKind::data : GroupKind::world;
            prepared.push_back(exchange.prepare(kind, noted(name, list), spec, 1));
        }
    }

    Exchange::Ticket start(std::size_t which) {
        which_of.push_back(which);
        const auto value =
            static_cast<float>(10 * which_of.size()) + static_cast<float>(world().rank());
        auto& buffer = buffers.emplace_back(count, value);
        return exchange.start(prepared[which], buffer.data(), buffer.data());
    }

    void expect_one_order() const {
        NotedStarts::List expected;
        for (const auto& buffer : buffers) {
            if (world().size() > 1) expected.push_back(buffer.data());
        }
        EXPECT_EQ(list, expected);
    }

    void expect_results() const {
        const int ranks = world().size();
        for (std::size_t s = 0; s < buffers.size(); ++s) {
            const auto of_first = static_cast<float>(10 * (s + 1));
            const std::array<float, 3> results{
                of_first * static_cast<float>(ranks) + static_cast<float>(ranks * (ranks - 1) / 2),
                of_first + static_cast<float>(ranks - 1), of_first};
            EXPECT_EQ(buffers[s], std::vector<float>(count, results[which_of[s]])) << "run " << s;
        }
    }

    Exchange exchange;
    NotedStarts::List list;
    std::vector<std::size_t> prepared, which_of;
    std::deque<std::vector<float>> buffers;
};

/// On the first rank the first run has ended before the next of its kind is started, on the others
/// it has not: there a run of another kind, whose memory is free, could begin before it.
TEST(Exchange, NoneOvertakesOneThatIsQueued) {
    for (const char* name : {"ring", "mpi"}) {
        MixedRuns runs(name);
        const auto first = runs.start(0);
        if (world().rank() == 0) runs.exchange.wait(first);
        for (const std::size_t which : {0, 1, 0, 2}) runs.start(which);
        runs.exchange.wait_for_all();
        runs.expect_one_order();
        runs.expect_results();
    }
}

/// Each rank looks at its messages at moments of its own.
TEST(Exchange, OrderIsThatOfTheStartsOnAllRanks) {
    for (const char* name : {"ring", "mpi"}) {
        MixedRuns runs(name);
        for (std::size_t s = 0; s < 20; ++s) {
            runs.start(s * s % 7 % 3);
            if ((s + static_cast<std::size_t>(world().rank())) % 3 == 0) runs.exchange.progress();
        }
        runs.exchange.wait_for_all();
        runs.expect_one_order();
        runs.expect_results();
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
