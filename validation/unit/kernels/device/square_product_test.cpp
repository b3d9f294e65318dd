// SPDX-License-Identifier: BSD-3-Clause
// How large a product has to be so that its time tells a GPU's rate.
#include "kernels/roofline/square_product.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {
namespace {

TEST(RowsToTime, AreTheFirstOfWhichTwoProductsTakeFiveMilliseconds) {
    const auto cubic = [](std::int64_t n) { return 1e-12 * static_cast<double>(n * n * n); };
    EXPECT_EQ(rows_to_time(cubic, 8192), 2048) << "1024 rows take 1.1 ms, 2048 rows 8.6 ms";
    EXPECT_EQ(rows_to_time(cubic, 1500), 1500);
    const auto at_once = [](std::int64_t) { return 1e-6; };
    EXPECT_EQ(rows_to_time(at_once, 8192), 8192);
    EXPECT_EQ(rows_to_time(at_once, 100), 100);
    EXPECT_EQ(rows_to_time([](std::int64_t) { return 1.0; }, 8192), 128);
}

}  // namespace
}  // namespace shardstone::validation
