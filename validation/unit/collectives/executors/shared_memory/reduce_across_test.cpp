// SPDX-License-Identifier: BSD-3-Clause
// The reduction over several vectors, against one element at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "collectives/executors/shared_memory/reduce.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
T expected(const std::vector<std::vector<T>>& sources, Reduction reduction, std::size_t i) {
    auto result = static_cast<Wide<T>>(sources[0][i]);
    for (std::size_t s = 1; s < sources.size(); ++s) {
        const auto next = static_cast<Wide<T>>(sources[s][i]);
        if (reduction == Reduction::sum) result += next;
        if (reduction == Reduction::max) result = std::max(result, next);
        if (reduction == Reduction::min) result = std::min(result, next);
    }
    return T(result);
}

template <class T>
std::vector<std::vector<T>> random_sources(std::size_t sources, std::size_t count) {
    const RandomStream random(3, "sources");
    std::vector<std::vector<T>> all(sources);
    for (std::size_t s = 0; s < sources; ++s) {
        for (std::size_t i = 0; i < count; ++i) {
            all[s].push_back(T(static_cast<Wide<T>>(random.normal(s * count + i))));
        }
    }
    return all;
}

template <class T>
class ReduceAcross : public testing::Test {};
using Types = testing::Types<float, double, bf16, fp16, fp8_e4m3, fp8_e5m2>;
TYPED_TEST_SUITE(ReduceAcross, Types);

// Bitwise, in place over one of the sources, and into a second result.
TYPED_TEST(ReduceAcross, GivesTheBitsOfOneElementAtATime) {
    constexpr auto type = element_traits<TypeParam>::type;
    for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
        for (const std::size_t sources : {1, 2, 3, 5, 8}) {
            for (const std::size_t count : {1, 63, 1024, 3001}) {
                auto inputs = random_sources<TypeParam>(sources, count);
                std::vector<TypeParam> want;
                for (std::size_t i = 0; i < count; ++i) {
                    want.push_back(expected(inputs, reduction, i));
                }
                std::vector<TypeParam> copy(count);
                std::vector<const std::byte*> from;
                for (auto& input : inputs) {
                    from.push_back(reinterpret_cast<const std::byte*>(input.data()));
                }
                auto& in_place = inputs[sources / 2];
                const std::vector<std::byte*> results{reinterpret_cast<std::byte*>(in_place.data()),
                                                      reinterpret_cast<std::byte*>(copy.data())};
                reduce_across_function(type, reduction)(from, results,
                                                        static_cast<std::int64_t>(count));
                const std::size_t bytes = count * sizeof(TypeParam);
                EXPECT_EQ(std::memcmp(in_place.data(), want.data(), bytes), 0)
                    << to_string(reduction) << " of " << sources << " times " << count;
                EXPECT_EQ(std::memcmp(copy.data(), want.data(), bytes), 0);
            }
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
