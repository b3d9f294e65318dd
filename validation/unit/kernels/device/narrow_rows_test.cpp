// SPDX-License-Identifier: BSD-3-Clause
// Conversions of matrices on the device have the host's bits, also of numbers beyond the range.
#include "kernels/transformer/narrow_rows.hpp"

#include <limits>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceNarrowRows = OnDevice;

/// What there is beside numbers of ordinary size: ties, subnormal numbers of both types, overflow.
std::vector<float> numbers(Size count) {
    using Limits = std::numeric_limits<float>;
    const std::vector<float> special{
        0.0F,         -0.0F,     1.0F + 0x1p-9F,     1.0F + 0x3p-9F,
        65504.0F,     65519.9F,  65520.0F,           -1e6F,
        0x1p-24F,     0x1p-25F,  0x1.8p-25F,         0x1p-15F + 0x1p-25F,
        0x1p-130F,    0x1p-149F, Limits::infinity(), -Limits::infinity(),
        Limits::max()};
    auto values = as<float>(random_values(count, "numbers", 3.0));
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = special[i / 3 % special.size()];
    return values;
}

template <class Space, class S>
std::pair<Values, std::vector<float>> there_and_back(Size rows, Size columns, Size leading) {
    const typename Space::Queue queue;
    const Located<float, Space> from(numbers(rows * leading));
    Located<S, Space> narrow(rows * leading);
    Located<float, Space> back(rows * leading);
    narrow_rows<S>(queue, from.view(rows).columns_from(0, columns),
                   narrow.view(rows).columns_from(0, columns));
    widen_rows<S>(queue, narrow.view(rows).columns_from(0, columns),
                  back.view(rows).columns_from(0, columns));
    Values values;
    for (const S v : narrow.read()) values.push_back(wide(v));
    return {values, back.read()};
}

template <class S>
void expect_the_bits_of_the_host() {
    struct Shape {
        Size rows, columns, leading;
    };
    for (const auto& [rows, columns, leading] : {Shape{1, 400, 400},
                                                 {1, 401, 401},
                                                 {1, 6152, 6152},
                                                 {1, 401, 404},
                                                 {37, 52, 52},
                                                 {16, 72, 80},
                                                 {50, 7, 11}}) {
        const auto [narrow, back] = there_and_back<Cuda, S>(rows, columns, leading);
        const auto [host_narrow, host_back] = there_and_back<Host, S>(rows, columns, leading);
        EXPECT_EQ(narrow, host_narrow) << rows << " rows of " << columns;
        EXPECT_EQ(back, host_back) << rows << " rows of " << columns;
    }
}

TEST_F(DeviceNarrowRows, HasTheBitsOfTheHost) {
    expect_the_bits_of_the_host<float>();
    expect_the_bits_of_the_host<bf16>();
    expect_the_bits_of_the_host<fp16>();
}

TEST_F(DeviceNarrowRows, OfNoRowsDoesNothing) {
    Located<float, Cuda> wide(8, 1.0F);
    Located<bf16, Cuda> narrow(8, bf16(2.0F));
    narrow_rows<bf16>(CudaQueue(), {wide.data(), 0, 8, 8}, {narrow.data(), 0, 8, 8});
    widen_rows<bf16>(CudaQueue(), {narrow.data(), 0, 8, 8}, {wide.data(), 0, 8, 8});
    EXPECT_EQ(wide.read(), std::vector<float>(8, 1.0F));
    for (const bf16 v : narrow.read()) EXPECT_EQ(static_cast<float>(v), 2.0F);
}

}  // namespace
}  // namespace shardstone::validation
