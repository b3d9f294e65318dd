// SPDX-License-Identifier: BSD-3-Clause
// Tiles against a plain loop over whole numbers, whose sums are exact in any order.
#include "kernels/gemm/register_tile.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace shardstone::validation {
namespace {

template <class Real>
class RegisterTileOf : public testing::Test {
  protected:
    using Tile = RegisterTile<Real>;
    using Size = std::int64_t;

    /// Whole numbers without a pattern that a transposed or shifted read would repeat.
    static std::vector<Real> numbers(Size count, Size seed) {
        std::vector<Real> all;
        for (Size i = 0; i < count; ++i) {
            all.push_back(static_cast<Real>((i * i * 31 + i * 7 + seed * 13) % 17 - 8));
        }
        return all;
    }

    static Panels<Real> panels(std::vector<Real>& memory, Size depth, Size columns) {
        memory.assign(static_cast<std::size_t>(Panels<Real>::elements(depth, columns)), Real(99));
        return {memory.data(), depth, columns};
    }

    /// Every element of the panels, those behind the last column too.
    static void expect_holds(const Panels<Real>& b, const std::vector<Real>& from, Size leading,
                             bool transposed) {
        for (Size j = 0; j < b.count(); ++j) {
            for (Size k = 0; k < b.depth; ++k) {
                for (Size c = 0; c < Tile::columns; ++c) {
                    const Size column = j * Tile::columns + c;
                    const Size at = transposed ? column * leading + k : k * leading + column;
                    const Real expected =
                        column < b.columns ? from[static_cast<std::size_t>(at)] : Real(0);
                    ASSERT_EQ(b.at(j, k)[c], expected) << "row " << k << ", column " << column;
                }
            }
        }
    }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RegisterTileOf, Reals);

TYPED_TEST(RegisterTileOf, PanelsHoldTheFactorAndZerosBehindIt) {
    using Shape = RegisterTile<TypeParam>;
    std::vector<TypeParam> memory;
    for (const std::int64_t columns : {std::int64_t{1}, Shape::lanes, Shape::columns - 1,
                                       Shape::columns, 2 * Shape::columns + Shape::lanes + 3}) {
        for (const std::int64_t depth : {std::int64_t{1}, Shape::lanes, 2 * Shape::lanes + 5}) {
            const std::int64_t leading = columns + 3;
            const auto from = this->numbers(depth * leading, 1);
            const auto b = this->panels(memory, depth, columns);
            pack<TypeParam>({from.data(), depth, columns, leading}, b);
            this->expect_holds(b, from, leading, false);

            const std::int64_t across = depth + 2;
            const auto turned = this->numbers(columns * across, 2);
            const auto t = this->panels(memory, depth, columns);
            pack_transposed<TypeParam>({turned.data(), columns, depth, across}, t);
            this->expect_holds(t, turned, across, true);
        }
    }
}

TYPED_TEST(RegisterTileOf, EveryShapeIsThePlainLoops) {
    using Shape = RegisterTile<TypeParam>;
    using Real = TypeParam;
    constexpr std::int64_t leading = Shape::columns + 5;
    constexpr std::int64_t row_stride = 3, depth = 7, depth_stride = 29;
    const auto a = this->numbers(depth * depth_stride + Shape::rows * row_stride, 3);
    const auto panel = this->numbers(depth * Shape::columns, 4);
    const auto before = this->numbers(Shape::rows * leading, 5);
    for (std::int64_t rows = 1; rows <= Shape::rows; ++rows) {
        for (std::int64_t columns = 1; columns <= Shape::columns; ++columns) {
            for (const bool add : {false, true}) {
                auto c = before;
                multiply_tile<Real>(Real(-2), {a.data(), row_stride, depth_stride}, depth,
                                    panel.data(), add, {c.data(), rows, columns, leading});
                for (std::int64_t at = 0; at < Shape::rows * leading; ++at) {
                    const std::int64_t row = at / leading, column = at % leading;
                    const auto was = before[static_cast<std::size_t>(at)];
                    Real sum = 0;
                    for (std::int64_t k = 0; k < depth; ++k) {
                        sum += a[static_cast<std::size_t>(row * row_stride + k * depth_stride)] *
                               panel[static_cast<std::size_t>(k * Shape::columns +
                                                              column % Shape::columns)];
                    }
                    const bool inside = row < rows && column < columns;
                    ASSERT_EQ(c[static_cast<std::size_t>(at)],
                              inside ? Real(-2) * sum + (add ? was : Real(0)) : was)
                        << rows << " x " << columns << (add ? ", added" : "") << ": row " << row
                        << ", column " << column;
                }
            }
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
