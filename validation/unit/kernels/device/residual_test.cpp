// SPDX-License-Identifier: BSD-3-Clause
// The residual addition on the device: its oracle, and the host's bits for every shape.
#include "kernels/transformer/residual.hpp"

#include <bit>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceResidual = OnDevice;

TEST_F(DeviceResidual, EqualsOracle) {
    for (const ElementType type : {ElementType::fp32, ElementType::bf16, ElementType::fp16}) {
        expect_equal_to_oracle(residual_outputs<Cuda>(type));
    }
}

/// Into `branch` itself, whose rows are `leading` apart.
template <class Space, class S, class R>
Values added(Size rows, Size columns, Size leading, bool with_bias) {
    const Located<R, Space> past(as<R>(random_values(rows * leading, "past")));
    Located<R, Space> branch(as<R>(random_values(rows * leading, "branch")));
    const Located<S, Space> bias(as<S>(random_values(leading, "bias")));
    const auto out = branch.view(rows).columns_from(0, columns);
    bias_residual_forward<S, R>(typename Space::Queue(), past.view(rows).columns_from(0, columns),
                                out, with_bias ? bias.data() : nullptr, out);
    Values values;
    for (const R v : branch.read()) values.push_back(wide(v));
    return values;
}

template <class S, class R>
void expect_the_bits_of_the_host() {
    struct Shape {
        Size rows, columns, leading;
    };
    for (const auto& [rows, columns, leading] : {Shape{1, 8, 8},
                                                 {17, 96, 96},
                                                 {33, 77, 77},
                                                 {16, 72, 80},
                                                 {5, 75, 80},
                                                 {3, 8, 9},
                                                 {100, 260, 264}}) {
        for (const bool with_bias : {true, false}) {
            EXPECT_EQ((added<Cuda, S, R>(rows, columns, leading, with_bias)),
                      (added<Host, S, R>(rows, columns, leading, with_bias)))
                << rows << " rows of " << columns << " in " << leading << ", bias " << with_bias;
        }
    }
}

TEST_F(DeviceResidual, HasTheBitsOfTheHost) {
    expect_the_bits_of_the_host<float, float>();
    expect_the_bits_of_the_host<bf16, float>();
    expect_the_bits_of_the_host<fp16, float>();
    expect_the_bits_of_the_host<bf16, bf16>();
}

}  // namespace
}  // namespace shardstone::validation
