// SPDX-License-Identifier: BSD-3-Clause
// Tensors stored as FP8 on the device hold what is rounded to FP8 and kept in BF16, times the
// scale, as they are and transposed.
#include <limits>

#include "kernels/transformer/fp8_rows.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

/// Beside ordinary numbers those beyond the range, below the smallest normal one, and zeros.
std::vector<bf16> numbers(Size count) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> special{0.0F,     -0.0F,   1e6F,       -1e6F,
                                     infinity, 0x1p-9F, 0x1.8p-11F, 0x1p-20F};
    auto values = as<bf16>(random_values(count, "numbers", 3.0));
    for (std::size_t i = 0; i < values.size(); i += 5) {
        values[i] = bf16(special[i / 5 % special.size()]);
    }
    return values;
}

template <class F>
struct Stored {
    std::vector<F> codes;
    float amax;
};

template <class F>
Stored<F> stored(const std::vector<bf16>& values, Size rows, Size columns, float scale,
                 bool transposed) {
    const CudaQueue queue;
    const Located<bf16, Cuda> from(values);
    const auto part = from.view(rows).columns_from(0, columns);
    Located<F, Cuda> to(rows * columns);
    Located<float, Cuda> amax(1, 0.0F);
    if (transposed) {
        store_transposed_as_fp8<F>(queue, part, scale, to.view(columns), amax.data());
    } else {
        store_as_fp8<F>(queue, part, scale, to.view(rows), amax.data());
    }
    return {to.read(), amax.read().front()};
}

template <class F>
std::pair<std::vector<bf16>, float> kept_in_bf16(const std::vector<bf16>& values, Size rows,
                                                 Size columns, float scale) {
    const Located<bf16, Cuda> from(values);
    Located<bf16, Cuda> to(rows * columns);
    Located<float, Cuda> amax(1, 0.0F);
    round_to_fp8<F>(CudaQueue(), from.view(rows).columns_from(0, columns), scale, to.view(rows),
                    amax.data());
    return {to.read(), amax.read().front()};
}

template <class F>
class DeviceFp8Store : public OnDevice {};
using Formats = ::testing::Types<fp8_e4m3, fp8_e5m2>;
TYPED_TEST_SUITE(DeviceFp8Store, Formats);

TYPED_TEST(DeviceFp8Store, HoldsWhatIsKeptInBf16) {
    struct Shape {
        Size rows, columns, leading;
    };
    for (const auto& [rows, columns, leading] : {Shape{1, 400, 400},
                                                 {64, 64, 64},
                                                 {65, 130, 130},
                                                 {37, 48, 56},
                                                 {3, 3080, 3080},
                                                 {3, 7, 11},
                                                 {200, 1, 1}}) {
        for (const float scale : {1.0F, 8.0F, 0x1p-5F}) {
            const auto values = numbers(rows * leading);
            const auto [kept, amax] = kept_in_bf16<TypeParam>(values, rows, columns, scale);
            const auto plain = stored<TypeParam>(values, rows, columns, scale, false);
            const auto turned = stored<TypeParam>(values, rows, columns, scale, true);
            EXPECT_EQ(plain.amax, amax);
            EXPECT_EQ(turned.amax, amax);
            for (Size row = 0; row < rows; ++row) {
                for (Size column = 0; column < columns; ++column) {
                    const float expected = static_cast<float>(kept[row * columns + column]) * scale;
                    ASSERT_EQ(static_cast<float>(plain.codes[row * columns + column]), expected)
                        << row << ", " << column << " of " << rows << " rows of " << columns;
                    ASSERT_EQ(static_cast<float>(turned.codes[column * rows + row]), expected)
                        << row << ", " << column << " of " << rows << " rows of " << columns;
                }
            }
        }
    }
}

TYPED_TEST(DeviceFp8Store, KeepsANan) {
    auto values = numbers(64 * 3);
    values[100] = bf16(std::numeric_limits<float>::quiet_NaN());
    for (const bool transposed : {false, true}) {
        const auto held = stored<TypeParam>(values, 3, 64, 4.0F, transposed);
        EXPECT_EQ(held.amax, std::numeric_limits<float>::infinity());
        const auto is_nan = [](TypeParam code) { return std::isnan(static_cast<float>(code)); };
        EXPECT_EQ(std::ranges::count_if(held.codes, is_nan), 1);
        EXPECT_TRUE(is_nan(held.codes[transposed ? 36 * 3 + 1 : 100]));
    }
}

}  // namespace
}  // namespace shardstone::validation
