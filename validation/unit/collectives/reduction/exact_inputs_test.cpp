// SPDX-License-Identifier: BSD-3-Clause
// The inputs that verification stands on: exact in any order, and no damage goes unseen.
#include "benchmarks/collectives/exact_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "collectives/reduction/reduction.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;
using collectives::Reduction;

constexpr std::array reductions{Reduction::sum, Reduction::max, Reduction::min, Reduction::avg};

/// What an all-reduce of the contributions of `ranks`, in that order, gives.
class Job {
  public:
    Job(ElementType type, Reduction reduction, int size, std::int64_t count, std::int64_t first = 0)
        : inputs_(type, reduction, size),
          type_(type),
          reduction_(reduction),
          size_(size),
          count_(count),
          first_(first) {}

    const ExactInputs& inputs() const { return inputs_; }

    std::vector<std::byte> contribution(int rank) const {
        std::vector<std::byte> data(static_cast<std::size_t>(count_) * element_size(type_));
        inputs_.fill(data.data(), count_, rank, first_);
        return data;
    }

    std::vector<std::byte> reduced(const std::vector<int>& ranks) const {
        auto result = contribution(ranks.front());
        for (std::size_t i = 1; i < ranks.size(); ++i) {
            const auto next = contribution(ranks[i]);
            reduce_function(type_, reduction_)(result.data(), next.data(), count_);
        }
        return finished(result);
    }

    std::vector<std::byte> finished(std::vector<std::byte> sum) const {
        const auto scale = collectives::scale_function(type_);
        if (reduction_ == Reduction::avg) scale(sum.data(), count_, size_);
        return sum;
    }

    std::int64_t wrong(const std::vector<std::byte>& data) const {
        return inputs_.wrong_elements(data.data(), count_, first_);
    }

  private:
    ExactInputs inputs_;
    ElementType type_;
    Reduction reduction_;
    int size_;
    std::int64_t count_;
    std::int64_t first_;
};

std::vector<int> all_ranks(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

class ExactInputsOf : public testing::TestWithParam<const char*> {
  public:
    ElementType type() const { return parse_element_type(GetParam()); }
    template <class Check>
    void for_each_job(Check&& check) const {
        for (const Reduction reduction : reductions) {
            for (const int size : {1, 2, 3, 5, 8, 32, 64}) {
                SCOPED_TRACE(testing::Message() << to_string(reduction) << ", " << size);
                check(Job(type(), reduction, size, 100), reduction, size);
            }
        }
    }
};

TEST_P(ExactInputsOf, AnyOrderOfTheRanksIsExact) {
    for_each_job([](const Job& job, Reduction, int size) {
        auto ranks = all_ranks(size);
        const RandomStream random(1, "order");
        for (std::uint64_t order = 0; order < 6; ++order) {
            EXPECT_EQ(job.wrong(job.reduced(ranks)), 0);
            for (std::uint64_t i = ranks.size() - 1; i > 0; --i) {
                std::swap(ranks[i], ranks[random.below(i + 1, 100 * order + i)]);
            }
        }
    });
}

TEST_P(ExactInputsOf, AContributionThatIsMissingShows) {
    for_each_job([](const Job& job, Reduction, int size) {
        for (int lost = 0; lost < size && size > 1; ++lost) {
            auto ranks = all_ranks(size);
            ranks.erase(ranks.begin() + lost);
            EXPECT_GT(job.wrong(job.reduced(ranks)), 0) << lost;
        }
    });
}

TEST_P(ExactInputsOf, AContributionThatIsCountedTwiceShows) {
    for_each_job([](const Job& job, Reduction reduction, int size) {
        // The maximum with itself is itself: nothing is wrong.
        if (reduction == Reduction::max || reduction == Reduction::min) return;
        for (int twice = 0; twice < size; ++twice) {
            auto ranks = all_ranks(size);
            ranks.push_back(twice);
            EXPECT_GT(job.wrong(job.reduced(ranks)), 0) << twice;
        }
    });
}

TEST_P(ExactInputsOf, AVectorOutOfPlaceShows) {
    for_each_job([&](const Job& job, Reduction, int size) {
        const auto right = job.reduced(all_ranks(size));
        const auto element = static_cast<std::ptrdiff_t>(element_size(type()));
        for (std::ptrdiff_t shift = 1; shift < 100; ++shift) {
            auto shifted = right;
            std::ranges::rotate(shifted, shifted.begin() + shift * element);
            EXPECT_GT(job.wrong(shifted), 10) << shift;
        }
    });
}

TEST_P(ExactInputsOf, ShortVectorsOneAfterAnotherShowAllRanks) {
    constexpr int size = 32;
    for (const Reduction reduction : reductions) {
        const std::int64_t needed = ExactInputs(type(), reduction, size).elements_to_see_all();
        EXPECT_LE(needed, size);
        for (int lost = 0; lost < size; ++lost) {
            auto ranks = all_ranks(size);
            ranks.erase(ranks.begin() + lost);
            std::int64_t wrong = 0;
            for (std::int64_t first = 0; first < needed; first += 2) {
                const Job job(type(), reduction, size, 2, first);
                EXPECT_EQ(job.wrong(job.reduced(all_ranks(size))), 0);
                wrong += job.wrong(job.reduced(ranks));
            }
            EXPECT_GT(wrong, 0) << lost;
        }
    }
}

TEST_P(ExactInputsOf, EachWrongElementCounts) {
    const Job job(type(), Reduction::sum, 5, 100);
    auto data = job.reduced(all_ranks(5));
    const auto element = element_size(type());
    for (const std::size_t i : {17U, 50U}) data[(i + 1) * element - 1] ^= std::byte{0x7f};
    EXPECT_EQ(job.wrong(data), 2);
}

INSTANTIATE_TEST_SUITE_P(, ExactInputsOf,
                         testing::Values("fp32", "fp64", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2",
                                         "int32", "int64"));

TEST(ExactInputs, AnAverageThatWasNotDividedShows) {
    const Job average(ElementType::fp32, Reduction::avg, 4, 100);
    const Job sum(ElementType::fp32, Reduction::sum, 4, 100);
    EXPECT_EQ(average.wrong(sum.reduced(all_ranks(4))), 100);
}

}  // namespace
}  // namespace shardstone::validation
