// SPDX-License-Identifier: BSD-3-Clause
// GELU on the device equals its oracle near zero and far from it; a NaN stays one.
#include "kernels/transformer/gelu.hpp"

#include <limits>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceGelu = OnDevice;

TEST_F(DeviceGelu, EqualsOracle) {
    for (const ElementType type : {ElementType::fp32, ElementType::bf16, ElementType::fp16}) {
        expect_equal_to_oracle(gelu_outputs<Cuda>(type));
        expect_seen(gelu_outputs<Cuda>(type, Planted::gelu_without_cubic_term), {"d"});
    }
}

TEST_F(DeviceGelu, FarFromZeroItIsTheIdentityOrNothing) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> far{50, -50, 1000, -1000, infinity, -infinity, NAN, 0.0F, -0.0F};
    Located<float, Cuda> pre(far), out(far.size());
    const Located<float, Cuda> bias(far.size());
    bias_gelu_forward<float>(CudaQueue(), pre.view(1), bias.data(), out.view(1));
    const auto result = out.read();
    EXPECT_EQ(result[0], 50.0F);
    EXPECT_LT(std::abs(result[1]), 1e-35F);
    EXPECT_EQ(result[2], 1000.0F);
    EXPECT_LT(std::abs(result[3]), 1e-34F);
    EXPECT_EQ(result[4], infinity);
    EXPECT_TRUE(std::isnan(result[6]));
    EXPECT_EQ(result[7], 0.0F);
    EXPECT_EQ(result[8], 0.0F);
}

TEST_F(DeviceGelu, OfNoRowsDoesNothing) {
    Located<bf16, Cuda> one(8, bf16(1.0F));
    const Matrix<bf16, Cuda> none{one.data(), 0, 8, 8};
    bias_gelu_forward<bf16>(CudaQueue(), none, one.data(), none);
    gelu_backward<bf16>(CudaQueue(), none, none);
    for (const bf16 v : one.read()) EXPECT_EQ(static_cast<float>(v), 1.0F);
}

}  // namespace
}  // namespace shardstone::validation
