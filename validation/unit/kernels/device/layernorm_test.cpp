// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm on the device equals its oracle, row by row, whatever lies between rows and beside
// them.
#include "kernels/transformer/layernorm.hpp"

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceLayernorm = OnDevice;

TEST_F(DeviceLayernorm, EqualsOracleAndAdds) {
    for (const ElementType type : {ElementType::fp32, ElementType::bf16, ElementType::fp16}) {
        expect_equal_to_oracle(layernorm_outputs<Cuda>(type));
        expect_seen(layernorm_outputs<Cuda>(type, Planted::layernorm_without_mean_term), {"d_x"});
        expect_seen(layernorm_outputs<Cuda>(type, Planted::layernorm_without_variance_term),
                    {"d_x"});
    }
}

// Rows that are apart have the results of rows that are not, to the bit, and nothing else is
// written.
TEST_F(DeviceLayernorm, RowsMayBeApart) {
    constexpr Size rows = 9, channels = 72, apart = 80;
    const CudaQueue queue;
    const Values values = random_values(rows * apart, "x");
    const auto packed = [&](const std::vector<bf16>& of) {
        std::vector<float> result;
        for (Size i = 0; i < rows * apart; ++i) {
            if (i % apart < channels) result.push_back(static_cast<float>(of[i]));
        }
        return result;
    };
    std::vector<bf16> close;
    for (const float v : packed(as<bf16>(values))) close.emplace_back(v);
    const Located<bf16, Cuda> x(as<bf16>(values)), close_x(close);
    const Located<bf16, Cuda> weight(as<bf16>(random_values(channels, "weight")));
    const Located<bf16, Cuda> bias(as<bf16>(random_values(channels, "bias")));
    Located<bf16, Cuda> out(rows * apart, bf16(7.0F)), close_out(rows * channels);
    Located<float, Cuda> mean(rows), rstd(rows), close_mean(rows), close_rstd(rows);
    layernorm_forward<bf16, bf16>(queue, x.view(rows).columns_from(0, channels), weight.data(),
                                  bias.data(), out.view(rows).columns_from(0, channels),
                                  mean.data(), rstd.data());
    layernorm_forward<bf16, bf16>(queue, close_x.view(rows), weight.data(), bias.data(),
                                  close_out.view(rows), close_mean.data(), close_rstd.data());
    const auto written = out.read();
    std::vector<float> expected;
    for (const bf16 v : close_out.read()) expected.push_back(static_cast<float>(v));
    EXPECT_EQ(packed(written), expected);
    EXPECT_EQ(mean.read(), close_mean.read());
    EXPECT_EQ(rstd.read(), close_rstd.read());
    for (Size i = 0; i < rows * apart; ++i) {
        if (i % apart >= channels) {
            ASSERT_EQ(static_cast<float>(written[i]), 7.0F) << i;
        }
    }
}

/// Of a rank's parameters, which follow its shares of other tensors: outputs and gradients.
std::vector<std::vector<float>> with_parameters_at(Size offset) {
    constexpr Size rows = 7, channels = 168;
    const CudaQueue queue;
    const auto at_offset = [&](const char* name) {
        auto values = as<float>(random_values(channels, name));
        values.insert(values.begin(), static_cast<std::size_t>(offset), 0.0F);
        return Located<float, Cuda>(values);
    };
    const auto weight = at_offset("weight"), bias = at_offset("bias");
    const Located<float, Cuda> x(as<float>(random_values(rows * channels, "x")));
    const Located<float, Cuda> d_out(as<float>(random_values(rows * channels, "d_out")));
    Located<float, Cuda> out(rows * channels), d_x(rows * channels), mean(rows), rstd(rows);
    layernorm_forward<float>(queue, x.view(rows), weight.data() + offset, bias.data() + offset,
                             out.view(rows), mean.data(), rstd.data());
    const LayernormSaved<float, float, Cuda> saved{x.view(rows), weight.data() + offset,
                                                   mean.data(), rstd.data()};
    layernorm_backward_input<float>(queue, saved, d_out.view(rows), d_x.view(rows));
    return {out.read(), mean.read(), rstd.read(), d_x.read()};
}

// Or ranks that hold the same would compute different bits of it.
TEST_F(DeviceLayernorm, WhereItsParametersLieChangesNoBit) {
    const auto expected = with_parameters_at(0);
    for (const Size offset : {1, 2, 3}) EXPECT_EQ(with_parameters_at(offset), expected) << offset;
}

// Here alone epsilon shows: the variance is 0. All sums are exact, 1 / 64 is.
TEST_F(DeviceLayernorm, OfEqualElementsIsTheBias) {
    constexpr Size rows = 3, channels = 64;
    const Located<float, Cuda> x(rows * channels, 3.0F), weight(channels, 2.0F);
    const Located<float, Cuda> bias(channels, 0.7F);
    Located<float, Cuda> out(rows * channels), mean(rows), rstd(rows);
    layernorm_forward<float>(CudaQueue(), x.view(rows), weight.data(), bias.data(), out.view(rows),
                             mean.data(), rstd.data());
    EXPECT_EQ(out.read(), std::vector<float>(rows * channels, 0.7F));
    EXPECT_EQ(mean.read(), std::vector<float>(rows, 3.0F));
    // Epsilon is rounded once (half of that is left by the root), and the root and the quotient.
    const double expected = 1.0 / std::sqrt(layernorm_epsilon);
    for (const float v : rstd.read()) {
        EXPECT_NEAR(v, expected, higher_orders * 2.5 * roundoff<float> * expected);
    }
}

TEST_F(DeviceLayernorm, OfNoRowsDoesNothing) {
    const CudaQueue queue;
    Located<float, Cuda> ones(8, 1.0F);
    const Matrix<float, Cuda> none{ones.data(), 0, 8, 8};
    const LayernormSaved<float, float, Cuda> saved{none, ones.data(), ones.data(), ones.data()};
    layernorm_forward<float>(queue, none, ones.data(), ones.data(), none, ones.data(), ones.data());
    layernorm_backward_input<float>(queue, saved, none, none);
    layernorm_backward_parameters<float>(queue, saved, none, ones.data(), ones.data());
    EXPECT_EQ(ones.read(), std::vector<float>(8, 1.0F));
}

}  // namespace
}  // namespace shardstone::validation
