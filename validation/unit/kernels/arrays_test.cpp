// SPDX-License-Identifier: BSD-3-Clause
// Kernels on arrays, and memory spaces that the compiler keeps apart.
#include "kernels/tensor/arrays.hpp"

#include <concepts>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "kernels/transformer/gelu.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

/// Three blocks of elements, the last one short, and one element that is nobody's.
constexpr std::int64_t count = 3 * 4096 - 5;

template <class T>
std::vector<T> numbers_from(T first) {
    std::vector<T> numbers(count + 1);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

TEST(Arrays, AreCleared) {
    auto to = numbers_from<std::int64_t>(1);
    clear_array(HostQueue(), to.data(), count);
    std::vector<std::int64_t> expected(count, 0);
    expected.push_back(count + 1);
    EXPECT_EQ(to, expected);
}

TEST(Arrays, AreFilledCopiedAddedAndScaled) {
    auto to = numbers_from<double>(0), expected = to;
    add_array(HostQueue(), numbers_from<double>(10).data(), to.data(), count);
    for (std::int64_t i = 0; i < count; ++i) expected[i] = 2.0 * static_cast<double>(i) + 10.0;
    EXPECT_EQ(to, expected);
    scale_array(HostQueue(), 0.5, to.data(), count);
    for (std::int64_t i = 0; i < count; ++i) expected[i] *= 0.5;
    EXPECT_EQ(to, expected);
    copy_array(HostQueue(), numbers_from<double>(3).data(), to.data(), count);
    for (std::int64_t i = 0; i < count; ++i) expected[i] = static_cast<double>(i) + 3.0;
    EXPECT_EQ(to, expected);
    fill_array(HostQueue(), to.data(), count, -7.0);
    std::fill_n(expected.begin(), count, -7.0);
    EXPECT_EQ(to, expected);
}

TEST(Arrays, RowsAreCopiedBetweenTheirGaps) {
    const std::vector<std::int32_t> from{1, 2, 3, 4, 5, 6};
    std::vector<std::int32_t> to(8, 0);
    copy_rows<std::int32_t>(HostQueue(), {from.data(), 2, 2, 3}, {to.data() + 1, 2, 2, 4});
    EXPECT_EQ(to, (std::vector<std::int32_t>{0, 1, 2, 0, 0, 4, 5, 0}));
}

TEST(Arrays, PartsOfAMatrixAreViews) {
    std::vector<int> numbers(12);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto part = matrix(numbers.data(), 3, 4).rows_from(1, 2).columns_from(2, 2);
    EXPECT_EQ(part.rows, 2);
    EXPECT_EQ(part.columns, 2);
    EXPECT_EQ(part.row(0)[0], 6);
    EXPECT_EQ(part.row(1)[1], 11);
}

/// A space that no kernel is for.
struct Elsewhere {
    struct Queue {};
    template <class T>
    struct Span {};
};

template <class Space, class Queue>
concept HasGelu = requires(Queue queue, Matrix<float, Space> m) {
    gelu_backward<float>(queue, m, m);
};

// What a kernel of the host cannot be given does not compile.
TEST(MemorySpaces, AreKeptApart) {
    static_assert(HasGelu<Host, HostQueue>);
    static_assert(!HasGelu<Elsewhere, HostQueue>);
    static_assert(!HasGelu<Host, Elsewhere::Queue>);
    static_assert(!std::convertible_to<Matrix<float, Elsewhere>, Matrix<const float>>);
    static_assert(!std::convertible_to<Matrix<float>, Matrix<float, Elsewhere>>);
    static_assert(std::convertible_to<Matrix<float, Elsewhere>, Matrix<const float, Elsewhere>>);
    static_assert(!std::convertible_to<Buffer<float, Elsewhere>, Buffer<float>>);
}

}  // namespace
}  // namespace shardstone::validation
