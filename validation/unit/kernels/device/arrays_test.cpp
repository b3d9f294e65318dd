// SPDX-License-Identifier: BSD-3-Clause
// Arrays on the device: copies there and back, cleared, filled, added, scaled, bitwise as on the
// host.
#include "kernels/tensor/arrays.hpp"

#include <bit>

#include "kernels/base/narrow_float.hpp"
#include "kernels/base/random.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceArrays = OnDevice;

std::vector<float> normals(std::int64_t count, std::uint64_t seed) {
    const RandomStream stream(seed, "numbers");
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(static_cast<float>(stream.normal(static_cast<std::uint64_t>(i))));
    }
    return values;
}

// The last one through all pieces of pinned memory, 64 MiB, and once more through the first ones.
TEST_F(DeviceArrays, AreWrittenAndRead) {
    for (const std::int64_t count : {1, 7, 70'000, 2'500'001, 17'000'000}) {
        const auto values = normals(count, 1);
        EXPECT_EQ((Located<float, Cuda>(values).read()), values) << count;
    }
}

TEST_F(DeviceArrays, AreZeroAtFirstAndWhenCleared) {
    const CudaQueue queue;
    Buffer<std::int32_t, Cuda> numbers(1001);
    EXPECT_EQ(read_array(queue, numbers.data(), 1001), std::vector<std::int32_t>(1001));
    Located<double, Cuda> ones(1001, 1.0);
    clear_array(queue, ones.data() + 1, 999);
    std::vector<double> expected(1001);
    expected.front() = expected.back() = 1.0;
    EXPECT_EQ(ones.read(), expected);
}

TEST_F(DeviceArrays, AreFilledAddedAndScaled) {
    const CudaQueue queue;
    for (const std::int64_t count : {0, 1, 33, 5000}) {
        auto expected = normals(count, 1);
        const auto others = normals(count, 2);
        Located<float, Cuda> numbers(expected);
        const Located<float, Cuda> added(others);
        add_array(queue, added.data(), numbers.data(), count);
        scale_array(queue, 0.3F, numbers.data(), count);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            expected[i] = (expected[i] + others[i]) * 0.3F;
        }
        EXPECT_EQ(numbers.read(), expected) << count;
        fill_array(queue, numbers.data(), count, 2.5F);
        EXPECT_EQ(numbers.read(), std::vector<float>(expected.size(), 2.5F)) << count;
    }
}

std::int64_t differing(const std::vector<float>& one, const std::vector<float>& other) {
    const CudaQueue queue;
    const auto count = static_cast<std::int64_t>(one.size());
    Buffer<std::int64_t, Cuda> differing(1);
    add_differences(queue, Located<float, Cuda>(one).data(), Located<float, Cuda>(other).data(),
                    count, differing.data());
    return read_array(queue, differing.data(), 1).front();
}

TEST_F(DeviceArrays, DifferInTheirBits) {
    for (const std::int64_t count : {1, 33, 70'000}) {
        const auto one = normals(count, 1);
        auto other = one;
        EXPECT_EQ(differing(one, other), 0) << count;
        other.front() = std::bit_cast<float>(std::bit_cast<std::uint32_t>(other.front()) ^ 1U);
        EXPECT_EQ(differing(one, other), 1) << count;
        other.back() = -other.back();
        EXPECT_EQ(differing(one, other), count > 1 ? 2 : 1) << count;
        for (float& value : other) value *= 2.0F;
        EXPECT_EQ(differing(one, other), count) << count;
    }
    const auto more_than_threads = normals(2'500'001, 1);
    auto other = more_than_threads;
    other.back() = 0.0F;
    EXPECT_EQ(differing(more_than_threads, other), 1);
}

TEST_F(DeviceArrays, OfBf16DifferInSignsOfZero) {
    const CudaQueue queue;
    Buffer<std::int64_t, Cuda> differing(1);
    const Located<bf16, Cuda> zeros(std::vector<bf16>(3)), signs({bf16(), bf16(-0.0F), bf16()});
    for (int times = 1; times <= 2; ++times) {
        add_differences(queue, zeros.data(), signs.data(), 3, differing.data());
        EXPECT_EQ(read_array(queue, differing.data(), 1).front(), times) << "they are added";
    }
}

TEST_F(DeviceArrays, AreCopiedRowByRow) {
    Located<float, Cuda> from(normals(12, 1)), to(12, 0.0F);
    const CudaQueue queue;
    copy_rows<float>(queue, from.view(3).columns_from(1, 2), to.view(3).columns_from(2, 2));
    const auto read = from.read();
    EXPECT_EQ(to.read(), (std::vector<float>{0, 0, read[1], read[2], 0, 0, read[5], read[6], 0, 0,
                                             read[9], read[10]}));
}

}  // namespace
}  // namespace shardstone::validation
