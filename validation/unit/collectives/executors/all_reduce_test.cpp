// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm on real ranks: exact results for values that depend on rank and position, and
// bytes sent exactly as the schedule says.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/layout.hpp"
#include "collectives/pricing/choice.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using collectives::AllReduce;
using collectives::Reduction;

// Small integers, exact in every element type; 13 and 7 are coprime to block sizes, so that an
// element out of place, or one rank's contribution twice or not at all, changes the result. Every
// round has values of its own, so that nothing left over from the one before is right.
int value_of(int rank, std::int64_t i, int round) {
    return static_cast<int>((i + i / 13 + (3 + round) * (rank + 1)) % 7) + 1;
}

int expected(Reduction reduction, int size, std::int64_t i, int round) {
    int result = value_of(0, i, round);
    for (int rank = 1; rank < size; ++rank) {
        const int value = value_of(rank, i, round);
        if (reduction == Reduction::sum) result += value;
        if (reduction == Reduction::max) result = std::max(result, value);
        if (reduction == Reduction::min) result = std::min(result, value);
    }
    return result;
}

template <class T>
std::vector<T> contribution(int rank, std::int64_t count, int round) {
    std::vector<T> data;
    for (std::int64_t i = 0; i < count; ++i)
        data.emplace_back(static_cast<float>(value_of(rank, i, round)));
    return data;
}

template <class T>
std::int64_t wrong_elements(const std::vector<T>& data, Reduction reduction, int round) {
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const int want = expected(reduction, world().size(), static_cast<std::int64_t>(i), round);
        if (static_cast<double>(static_cast<float>(data[i])) != want) ++wrong;
    }
    return wrong;
}

std::vector<std::int64_t> counts() {
    const std::int64_t size = world().size();
    const std::int64_t line = collectives::block_grain_bytes / 4;
    return {0, 1, 2, size - 1, size + 1, line * (size - 1), line * (size + 1) + 1, 10007};
}

void expect_sent(const AllReduce& all_reduce, int runs, const std::string& name,
                 const collectives::VectorSpec& vector) {
    if (name == collectives::automatic) return;  // which sends what its choice does
    const auto scheduled =
        collectives::scheduled_bytes(collectives::find_algorithm("all_reduce", name),
                                     world().topology(), world().rank(), {vector, 0, {}});
    EXPECT_EQ(all_reduce.bytes_sent(), runs * scheduled);
}

template <class T>
class AllReduceOf : public testing::Test {};
using Types = testing::Types<float, double, bf16, fp16>;
TYPED_TEST_SUITE(AllReduceOf, Types);

TYPED_TEST(AllReduceOf, EveryAlgorithmIsExactAndSendsWhatItsScheduleSays) {
    constexpr auto type = element_traits<TypeParam>::type;
    for (const auto& name : collectives::algorithms_for("all_reduce")) {
        for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
            for (const std::int64_t count : counts()) {
                SCOPED_TRACE(testing::Message() << name << ", " << count << " elements");
                AllReduce all_reduce(world(), name, count, type, reduction);
                for (int round = 1; round <= 2; ++round) {
                    auto data = contribution<TypeParam>(world().rank(), count, round);
                    all_reduce.start(data.data());
                    all_reduce.wait();
                    EXPECT_EQ(wrong_elements(data, reduction, round), 0);
                    expect_sent(all_reduce, round, name, {count, type, reduction});
                }
            }
        }
    }
}

TEST(AllReduce, ALargeVectorTravelsInSegments) {
    constexpr std::int64_t count = 300007;
    EXPECT_GT(collectives::segments_for(
                  collectives::find_algorithm("all_reduce", "double_binary_tree"), count * 4),
              1);
    for (const auto& name : collectives::algorithms_for("all_reduce")) {
        SCOPED_TRACE(name);
        AllReduce all_reduce(world(), name, count, ElementType::fp32, Reduction::sum);
        auto data = contribution<float>(world().rank(), count, 1);
        all_reduce.run(data.data());
        EXPECT_EQ(wrong_elements(data, Reduction::sum, 1), 0);
        expect_sent(all_reduce, 1, name, {count, ElementType::fp32, Reduction::sum});
    }
}

TEST(AllReduce, UnknownAlgorithmIsRefusedWithTheChoices) {
    try {
        AllReduce(world(), "wring", 1, ElementType::fp32, Reduction::sum);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("'wring'"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("use "), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace shardstone::validation
