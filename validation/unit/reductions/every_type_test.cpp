// SPDX-License-Identifier: BSD-3-Clause
// Every operation that reduces, by every algorithm, for every element type and reduction, on real
// ranks: exact to the last element.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "benchmarks/collectives/known_data.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr std::array types{ElementType::fp32,  ElementType::fp64,     ElementType::bf16,
                           ElementType::fp16,  ElementType::fp8_e4m3, ElementType::fp8_e5m2,
                           ElementType::int32, ElementType::int64};
constexpr std::array reductions{Reduction::sum, Reduction::max, Reduction::min, Reduction::avg};

void expect_exact(const Algorithm& algorithm, const CollectiveSpec& spec, bool in_place) {
    SCOPED_TRACE(testing::Message()
                 << algorithm.operation << " " << algorithm.name << " "
                 << to_string(spec.vector.type) << " " << to_string(spec.vector.reduction)
                 << (in_place ? ", in place" : ""));
    const benchmarks::KnownData data(find_operation(algorithm.operation), spec, world().size(),
                                     world().rank());
    const auto bytes = [&](std::int64_t count) {
        return static_cast<std::size_t>(count * spec.vector.element_bytes());
    };
    Collective collective(world(), algorithm.operation, algorithm.name, spec);
    std::vector<std::byte> input(bytes(in_place ? data.in_place_count() : data.input_count()));
    std::vector<std::byte> output(in_place ? 0 : bytes(data.output_count()));
    std::byte* const result = in_place ? input.data() : output.data();
    for (int round = 0; round < 2; ++round) {
        data.fill(input.data(), in_place);
        collective.start(input.data(), result);
        collective.wait();
        EXPECT_TRUE(collective.progress()) << "done, and stays it";
        EXPECT_EQ(data.wrong_elements(result, in_place), 0);
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
