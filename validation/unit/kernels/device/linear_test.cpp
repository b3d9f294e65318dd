// SPDX-License-Identifier: BSD-3-Clause
// Linear layers and matrix products on the device: within their bounds of FP64, whatever the shape,
// the distances between rows and the addresses, and each kind of product planned once.
#include "kernels/transformer/linear.hpp"

#include "kernels/gemm/gemm.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/product_case.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class DeviceLinear : public OnDevice {};
using DeviceTypes = ::testing::Types<float, bf16, fp16>;
TYPED_TEST_SUITE(DeviceLinear, DeviceTypes);

TYPED_TEST(DeviceLinear, EqualsOracleAndAccumulates) {
    constexpr ElementType type = element_traits<TypeParam>::type;
    expect_equal_to_oracle(linear_outputs<Cuda>(type));
    expect_seen(linear_outputs<Cuda>(type, Planted::no_bias_gradient), {"d_bias"});
}

// Odd sizes and distances between rows, of which few are multiples of 16 B, from every address.
TYPED_TEST(DeviceLinear, ProductsOfAnyShapeEqualTheirSums) {
    for (const Layout& layout : {Layout{}, {false, true}, {true, false}, {true, true}}) {
        for (const Shape& shape : {Shape{1, 1, 1}, {1, 300, 17}, {33, 1, 64}, {37, 131, 100}}) {
            expect_products<TypeParam>(shape, layout);
        }
    }
    for (const Layout& layout : {Layout{false, true, 1, 0},
                                 {true, false, 8, 8},
                                 {false, true, 3, 1},
                                 {false, false, 16, 16, 1},
                                 {true, false, 5, 2, 4}}) {
        expect_products<TypeParam>({64, 96, 80}, layout);
    }
}

// beta = 0 must not read C, or NaNs of uninitialised memory would spread.
TYPED_TEST(DeviceLinear, ProductNeverReadsWhatItOverwrites) {
    using S = TypeParam;
    const Located<S, Cuda> a(as<S>({1, 2, 3, 4})), b(as<S>({5, 6, 7, 8}));
    Located<float, Cuda> c(4, std::numeric_limits<float>::quiet_NaN());
    gemm<S>(CudaQueue(), 1, a.view(2), transpose(b.view(2)), 0, c.view(2));
    EXPECT_EQ(c.read(), (std::vector<float>{17, 23, 39, 53}));
    gemm<S>(CudaQueue(), 2, transpose(a.view(2)), b.view(2), 1, c.view(2));
    EXPECT_EQ(c.read(), (std::vector<float>{17 + 52, 23 + 60, 39 + 76, 53 + 88}));
}

// Experts may be sent no rows.
TYPED_TEST(DeviceLinear, NoRowsChangeNothing) {
    using S = TypeParam;
    const CudaQueue queue;
    const Located<S, Cuda> weight(12, S(1.0F));
    Located<float, Cuda> d_weight(12, 2.0F), d_bias(4, 3.0F);
    const auto none = matrix<Cuda>(static_cast<const S*>(nullptr), 0, 3);
    linear_forward<S>(queue, none, weight.view(4), weight.data(),
                      matrix<Cuda>(static_cast<S*>(nullptr), 0, 4));
    linear_backward_parameters<S>(queue, matrix<Cuda>(static_cast<const S*>(nullptr), 0, 4), none,
                                  d_weight.view(4), d_bias.data());
    EXPECT_EQ(d_weight.read(), std::vector<float>(12, 2.0F));
    EXPECT_EQ(d_bias.read(), std::vector<float>(4, 3.0F));
}

// The logits of a vocabulary of 50257: forward and back, whose rows begin at odd addresses, or
// apart.
TYPED_TEST(DeviceLinear, RowsOfOddLength) {
    for (const Size apart : {0, 47}) {
        expect_products<TypeParam>({48, 1009, 64}, {false, true, 0, apart});   // logits
        expect_products<TypeParam>({48, 64, 1009}, {false, false, apart, 0});  // d_x
        expect_products<TypeParam>({1009, 64, 48}, {true, false, apart, 0});   // d_weight
    }
}

TYPED_TEST(DeviceLinear, RepeatsItsBits) {
    using S = TypeParam;
    const ProductCase<S> of({96, 192, 512}, {});
    EXPECT_EQ(of.template product<float>(0), of.template product<float>(0));
}

using DeviceProducts = OnDevice;

TEST_F(DeviceProducts, ArePlannedOncePerKind) {
    const ProductCase<bf16> first({32, 48, 16}, {}), second({32, 48, 24}, {});
    first.product<bf16>(0);
    const std::int64_t planned = gpu_gemm_plans();
    first.product<bf16>(0);
    EXPECT_EQ(gpu_gemm_plans(), planned);
    second.product<bf16>(0);
    EXPECT_EQ(gpu_gemm_plans(), planned + 1) << "another length of sums";
    ProductCase<bf16>({32, 48, 24}, {false, false, 0, 1}).product<bf16>(0);
    EXPECT_EQ(gpu_gemm_plans(), planned + 2) << "another distance between rows";
}

TEST_F(DeviceProducts, RoundFactorsToTf32OnlyIfAllowed) {
    EXPECT_FALSE(tf32());
    const ProductCase<float> of({64, 64, 256}, {});
    const auto exact = of.product<float>(0);
    const std::int64_t planned = gpu_gemm_plans();
    set_tf32(true);
    const auto rounded = of.product<float>(0);
    set_tf32(false);
    EXPECT_EQ(gpu_gemm_plans(), planned + 1);
    EXPECT_LE(worst_ratio(exact, of.expected(), of.bound<float>()), 1.0);
    // Cut off to 11 bits, each factor is off by less than 2^-10.
    Values bound = of.bound<float>();
    for (std::size_t i = 0; i < bound.size(); ++i) bound[i] += 3 * 0x1p-10 * of.magnitude()[i];
    EXPECT_LE(worst_ratio(rounded, of.expected(), bound), 1.0);
}

TEST_F(DeviceProducts, NameTheirLibrary) {
    EXPECT_TRUE(gpu_gemm_library().starts_with("cuBLASLt 1")) << gpu_gemm_library();
}

}  // namespace
}  // namespace shardstone::validation
