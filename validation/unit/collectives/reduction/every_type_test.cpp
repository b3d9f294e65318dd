// SPDX-License-Identifier: BSD-3-Clause
// Every operation that reduces, by every algorithm, for every element type and reduction, on real
// ranks: exact to the last element.
#include <gtest/gtest.h>

#include <array>

#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/unit/collectives/executors/known_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr std::array types{ElementType::fp32,  ElementType::fp64,     ElementType::bf16,
                           ElementType::fp16,  ElementType::fp8_e4m3, ElementType::fp8_e5m2,
                           ElementType::int32, ElementType::int64};
constexpr std::array reductions{Reduction::sum, Reduction::max, Reduction::min, Reduction::avg};

void expect_exact(const Algorithm& algorithm, const CollectiveSpec& spec, bool in_place) {
    SCOPED_TRACE(described(algorithm.operation->name, algorithm.name, spec, in_place));
    KnownVectors vectors(*algorithm.operation, spec, in_place);
    Collective collective(world(), algorithm, spec);
    for (int round = 0; round < 2; ++round) {
        vectors.refill();
        collective.start(vectors.input(), vectors.output());
        collective.wait();
        EXPECT_TRUE(collective.progress()) << "done, and stays it";
        EXPECT_EQ(vectors.wrong_elements(), 0);
    }
}

TEST(EveryType, IsReducedExactlyByEveryAlgorithm) {
    for (const auto& operation : operations()) {
        if (!find_operation(operation).reduces) continue;
        for (const auto& name : algorithms_for(operation)) {
            const Algorithm algorithm = find_algorithm(operation, name);
            for (const ElementType type : types) {
                for (const Reduction reduction : reductions) {
                    const std::int64_t count = 157 * world().size();
                    expect_exact(algorithm, {{count, type, reduction}, 0, {}}, true);
                    if (reduction != Reduction::avg) continue;
                    expect_exact(algorithm, {{count, type, reduction}, 0, {}}, false);
                }
            }
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
