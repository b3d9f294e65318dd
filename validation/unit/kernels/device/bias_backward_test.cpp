// SPDX-License-Identifier: BSD-3-Clause
// Column sums on the device, added to what is there: within the bound of any order, the same each
// time.
#include "kernels/transformer/linear.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceBiasBackward = OnDevice;

template <class S>
void expect_sums(Size rows, Size columns, Size leading) {
    const Values d_out_ = stored<S>(random_values(rows * leading, "d_out"));
    const Located<S, Cuda> d_out(as<S>(d_out_));
    Located<float, Cuda> d_bias(columns + 1, 1.0F), again(columns + 1, 1.0F);
    for (Located<float, Cuda>* sums : {&d_bias, &again}) {
        bias_backward<S>(CudaQueue(), d_out.view(rows).columns_from(0, columns), sums->data());
    }
    // A sum of the rows and of what was there before, in whatever order.
    Values expected(static_cast<std::size_t>(columns) + 1, 1.0), bound(expected);
    for (Size i = 0; i < rows * leading; ++i) {
        if (i % leading >= columns) continue;
        expected[i % leading] += d_out_[i];
        bound[i % leading] += std::abs(d_out_[i]);
    }
    for (double& v : bound) v *= higher_orders * static_cast<double>(rows) * roundoff<float>;
    const auto sums = d_bias.read();
    EXPECT_LE(worst_ratio(sums, expected, bound), 1.0) << rows << " rows of " << columns;
    EXPECT_EQ(sums, again.read());
}

TEST_F(DeviceBiasBackward, AddsTheColumnsSums) {
    struct Shape {
        Size rows, columns, leading;
    };
    // Fewer and more rows than a thread reads at once, one chunk, several, and the most there are.
    for (const auto& [rows, columns, leading] : {Shape{1, 8, 8},
                                                 {7, 33, 33},
                                                 {64, 264, 264},
                                                 {65, 520, 528},
                                                 {333, 97, 101},
                                                 {8500, 16, 16},
                                                 {8230, 3, 3}}) {
        expect_sums<float>(rows, columns, leading);
        expect_sums<bf16>(rows, columns, leading);
        expect_sums<fp16>(rows, columns, leading);
    }
}

TEST_F(DeviceBiasBackward, OfNoRowsAddsNothing) {
    Located<float, Cuda> d_bias(8, 1.0F);
    bias_backward<float>(CudaQueue(), Matrix<const float, Cuda>{d_bias.data(), 0, 8, 8},
                         d_bias.data());
    EXPECT_EQ(d_bias.read(), std::vector<float>(8, 1.0F));
}

}  // namespace
}  // namespace shardstone::validation
