// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that add up wrongly, registered from here like any other: the study notices each.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "benchmarks/collectives/accuracy/accuracy.hpp"
#include "benchmarks/collectives/accuracy/table.hpp"
#include "collectives/executors/mpi/point_to_point.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/proof/checker.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;
using namespace shardstone::collectives;

Algorithm planted(const char* name, Generator program) {
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.program = std::move(program);
    return algorithm;
}

/// Every rank sends its vector to all and adds up theirs, beginning with its own right neighbour:
/// every contribution once, so that the proof accepts it, but in an order of each rank's own.
RankProgram from_the_right(const Topology& topology, int rank) {
    RankProgramBuilder builder(1);
    for (int distance = 1; distance < topology.size(); ++distance) {
        builder.send(0, (rank + distance) % topology.size(), {0, 1});
        builder.receive_reduce(0, (rank + distance) % topology.size(), {0, 1});
    }
    return builder.build();
}

/// The same, and then the right neighbour's a second time.
RankProgram twice(const Topology& topology, int rank) {
    const int size = topology.size();
    RankProgramBuilder builder(1);
    for (int distance = 1; distance <= size && size > 1; ++distance) {
        const int away = distance < size ? distance : 1;
        builder.send(0, (rank + size - away) % size, {0, 1});
        builder.receive_reduce(0, (rank + away) % size, {0, 1});
    }
    return builder.build();
}

/// Claims the schedule of recursive doubling, and goes round a ring.
Algorithm in_other_order() {
    Algorithm algorithm = planted("planted_executor", [](const Topology& topology, int rank) {
        return find_algorithm("all_reduce", "recursive_doubling").program(topology, rank);
    });
    algorithm.direct = [](Communicator& communicator, const Algorithm&,
                          const CollectiveSpec& spec) {
        const RankProgram ring = rooted_program(find_algorithm("all_reduce", "ring"),
                                                communicator.topology(), communicator.rank());
        return make_point_to_point(communicator, ring, find_operation("all_reduce"), spec);
    };
    return algorithm;
}

/// A ring whose last rank gets another first element every other time.
class Fickle : public Executor {
  public:
    Fickle(Communicator& communicator, const CollectiveSpec& spec)
        : ring_(make_point_to_point(communicator,
                                    rooted_program(find_algorithm("all_reduce", "ring"),
                                                   communicator.topology(), communicator.rank()),
                                    find_operation("all_reduce"), spec)),
          is_last_(communicator.rank() + 1 == communicator.size()) {}

    using Executor::start;
    void start(const void* input, void* output) override {
        output_ = static_cast<unsigned char*>(output);
        ++runs_;
        ring_->start(input, output);
    }
    Progress progress() override {
        const Progress made = ring_->progress();
        if (made == Progress::done && is_last_ && runs_ % 2 == 0 && output_ != nullptr) {
            *std::exchange(output_, nullptr) ^= 1U;  // the last bit of the mantissa
        }
        return made;
    }
    std::int64_t bytes_sent() const noexcept override { return ring_->bytes_sent(); }

  private:
    std::unique_ptr<Executor> ring_;
    bool is_last_;
    unsigned char* output_ = nullptr;
    int runs_ = 0;
};

Algorithm fickle_on_the_last_rank() {
    Algorithm algorithm = planted("planted_fickle", [](const Topology& topology, int rank) {
        return find_algorithm("all_reduce", "ring").program(topology, rank);
    });
    algorithm.direct = [](Communicator& communicator, const Algorithm&,
                          const CollectiveSpec& spec) {
        return std::make_unique<Fickle>(communicator, spec);
    };
    return algorithm;
}

const AlgorithmRegistration fickle("all_reduce", fickle_on_the_last_rank());
const AlgorithmRegistration order("all_reduce", planted("planted_order", from_the_right));
const AlgorithmRegistration again("all_reduce", planted("planted_twice", twice));
const AlgorithmRegistration executor("all_reduce", in_other_order());

SumAccuracy study(const char* name, ElementType type) {
    SweepOptions chosen;
    chosen.algorithms = {name};
    AccuracyOptions options;
    options.types = {std::string(to_string(type))};
    options.elements = {1000};
    options.runs = 2;
    const auto all = measure_accuracy(world(), plan_accuracy(chosen, options));
    EXPECT_EQ(all.size(), 1U);
    return all.front();
}

constexpr std::array floats{ElementType::fp64, ElementType::fp32, ElementType::bf16,
                            ElementType::fp16};

TEST(PlantedOrder, OfEachRankItsOwnPassesTheProofAndIsNoticed) {
    const Algorithm algorithm = find_algorithm("all_reduce", "planted_order");
    EXPECT_FALSE(check_schedule(make_schedule(algorithm, world().topology())));
    for (const ElementType type : floats) {
        const SumAccuracy row = study("planted_order", type);
        // Two numbers have only one sum.
        EXPECT_EQ(row.same_on_all_ranks.value(), world().size() <= 2) << to_string(type);
        EXPECT_EQ(row.passed(), world().size() <= 2) << to_string(type);
        EXPECT_LE(row.error.share_of_bound, 1.0) << "no order of so many additions breaks it";
    }
    EXPECT_TRUE(study("planted_order", ElementType::int32).passed()) << "exact in any order";
}

TEST(PlantedOrder, OfAnotherScheduleThanClaimedIsNoticed) {
    for (const ElementType type : floats) {
        const SumAccuracy row = study("planted_executor", type);
        EXPECT_EQ(row.as_scheduled.value(), world().size() <= 2) << to_string(type);
        EXPECT_EQ(row.passed(), world().size() <= 2) << to_string(type);
    }
}

TEST(PlantedOrder, AContributionCountedTwiceBreaksTheBound) {
    if (world().size() == 1) GTEST_SKIP() << "nothing to add twice";
    for (const ElementType type : {ElementType::fp64, ElementType::fp32, ElementType::int64}) {
        const SumAccuracy row = study("planted_twice", type);
        EXPECT_GT(row.error.share_of_bound, 1.0) << to_string(type);
        EXPECT_FALSE(row.passed());
        const std::string text = accuracy_report(std::span(&row, 1));
        EXPECT_NE(text.find("FAILED: all_reduce planted_twice"), std::string::npos) << text;
        EXPECT_NE(text.find("times its bound of"), std::string::npos) << text;
    }
}

TEST(PlantedOrder, ARankWhoseBitsChangeFromRunToRunIsNoticedWhicheverItIs) {
    const SumAccuracy row = study("planted_fickle", ElementType::fp32);
    EXPECT_FALSE(row.same_in_all_runs) << "of rank " << world().size() - 1;
    EXPECT_FALSE(row.passed());
}

}  // namespace
}  // namespace shardstone::validation
