// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks of a GPU's kernels work on: random to the end, and more than its caches hold.
#include <vector>

#include "benchmarks/kernels/device/device_kernel.hpp"
#include "kernels/tensor/arrays.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

class DeviceTensors : public OnDevice {};

TEST_F(DeviceTensors, AreRandomToTheEnd) {
    constexpr std::int64_t count = (1 << 18) + 5;  // more than is drawn
    const auto tensor = benchmarks::device_tensor<float>(count);
    const auto values = read_array(CudaQueue(), tensor->data(), count);
    for (const std::int64_t i : {std::int64_t{0}, count - 6, count - 5, count - 1}) {
        EXPECT_NE(values[static_cast<std::size_t>(i)], 0.0F) << i;
    }
    EXPECT_EQ(values.front(), values[1 << 18]) << "what was drawn begins again";
}

/// The sets on which seven calls work.
std::vector<int> sets_of_calls(double set_bytes, int& made) {
    std::vector<int> sets;
    const auto call = benchmarks::rotating(
        set_bytes, [&] { return [&sets, set = made++] { sets.push_back(set); }; });
    for (int i = 0; i < 7; ++i) call();
    return sets;
}

TEST(Rotating, GoesThroughMoreThanAnyCacheHolds) {
    int made = 0;
    EXPECT_EQ(sets_of_calls(100e6, made), (std::vector{0, 1, 2, 3, 0, 1, 2}));
    EXPECT_EQ(made, 4) << "400 MB";
    made = 0;
    EXPECT_EQ(sets_of_calls(1.0, made), (std::vector{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(made, 32) << "and no more, however small";
    made = 0;
    EXPECT_EQ(sets_of_calls(1e9, made), (std::vector{0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace shardstone::validation
