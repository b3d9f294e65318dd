// SPDX-License-Identifier: BSD-3-Clause
// The executor beyond one all-reduce at a time: several in flight, split messages, fixed order.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "benchmarks/collectives/exact_inputs.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/executors/mpi/point_to_point.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/random.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using collectives::AllReduce;
using collectives::Reduction;

class InFlight {
  public:
    InFlight(const std::string& algorithm, std::int64_t count)
        : all_reduce_(world(), algorithm, count, ElementType::fp32, Reduction::sum),
          data_(static_cast<std::size_t>(count)) {}

    /// On other values than before, for which nothing left over is right.
    void start() {
        first_ += all_reduce_.count() + 1;
        inputs_.fill(data_.data(), all_reduce_.count(), world().rank(), first_);
        all_reduce_.start(data_.data());
    }
    bool progress() { return all_reduce_.progress(); }
    void expect_exact() const {
        EXPECT_EQ(inputs_.wrong_elements(data_.data(), std::ssize(data_), first_), 0);
    }

  private:
    benchmarks::ExactInputs inputs_{ElementType::fp32, Reduction::sum, world().size()};
    AllReduce all_reduce_;
    std::vector<float> data_;
    std::int64_t first_ = 0;
};

TEST(Executor, SeveralInFlightDoNotMixWhateverTheOrderOfLooks) {
    std::vector<InFlight> all;
    const std::int64_t lengths[] = {1, 1000, 70001};
    for (const auto& name : collectives::algorithms_for("all_reduce")) {
        for (const std::int64_t count : lengths) all.emplace_back(name, count);
    }
    for (int round = 0; round < 3; ++round) {
        for (InFlight& one : all) one.start();
        // Every rank looks in another order, and a finished one may be looked at again.
        const auto offset = static_cast<std::size_t>(world().rank() * 5 + round);
        collectives::Waiter waiter;
        for (std::size_t done = 0; done < all.size(); waiter.idle()) {
            done = 0;
            for (std::size_t i = 0; i < all.size(); ++i) {
                done += all[(i + offset) % all.size()].progress() ? 1 : 0;
            }
        }
        for (const InFlight& one : all) one.expect_exact();
    }
}

TEST(Executor, SplitMessagesGiveTheSameResult) {
    constexpr std::int64_t count = 10007;
    constexpr std::int64_t tiny_message_bytes = 1000;
    const benchmarks::ExactInputs inputs(ElementType::bf16, Reduction::max, world().size());
    for (const auto& name : collectives::algorithms_for("all_reduce")) {
        const auto algorithm = collectives::find_algorithm("all_reduce", name);
        if (!algorithm.has_schedule()) continue;
        SCOPED_TRACE(name);
        const auto executor = collectives::make_point_to_point(
            world(), algorithm.program(world().topology(), world().rank()),
            collectives::find_operation("all_reduce"),
            {{count, ElementType::bf16, Reduction::max}, 0, {}}, tiny_message_bytes);
        std::vector<bf16> data(count);
        inputs.fill(data.data(), count, world().rank());
        executor->run(data.data());
        EXPECT_EQ(inputs.wrong_elements(data.data(), count), 0);
    }
}

// With arbitrary FP32 numbers the order of additions shows in the last bits: it must be that of the
// schedule, in every run and equally on all ranks, whichever message is the faster.
TEST(Executor, ResultsAreBitwiseEqualOnAllRanksAndInEveryRun) {
    constexpr std::int64_t count = 5000;
    const RandomStream stream(11, static_cast<std::uint64_t>(world().rank()));
    for (const auto& name : collectives::algorithms_for("all_reduce")) {
        if (!collectives::find_algorithm("all_reduce", name).has_schedule()) continue;
        SCOPED_TRACE(name);
        AllReduce all_reduce(world(), name, count, ElementType::fp32, Reduction::sum);
        std::vector<float> first;
        for (int run = 0; run < 5; ++run) {
            std::vector<float> data;
            for (std::uint64_t i = 0; i < count; ++i) {
                data.push_back(static_cast<float>(stream.normal(i)));
            }
            all_reduce.run(data.data());
            if (run == 0) first = data;
            EXPECT_EQ(data, first);
        }
        std::vector<float> of_root = first;
        world().broadcast(std::as_writable_bytes(std::span(of_root)));
        EXPECT_EQ(first, of_root);
    }
}

TEST(Executor, DeclaredNodesOfUnevenSizeWork) {
    constexpr std::int64_t count = 3001;
    const benchmarks::ExactInputs inputs(ElementType::fp64, Reduction::sum, world().size());
    const collectives::Topology found = world().topology();
    for (const int per_node : {1, 2, 3}) {
        world().declare_topology(collectives::Topology::blocked(world().size(), per_node));
        for (const char* name : {"hierarchical:ring/rabenseifner", "hierarchical:rabenseifner/ring",
                                 "hierarchical:binomial_tree/double_binary_tree",
                                 "hierarchical:double_binary_tree/recursive_doubling"}) {
            SCOPED_TRACE(name);
            AllReduce all_reduce(world(), name, count, ElementType::fp64, Reduction::sum);
            std::vector<double> data(count);
            inputs.fill(data.data(), count, world().rank());
            all_reduce.run(data.data());
            EXPECT_EQ(inputs.wrong_elements(data.data(), count), 0);
        }
    }
    world().declare_topology(found);
}

}  // namespace
}  // namespace shardstone::validation
