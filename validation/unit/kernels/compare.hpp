// SPDX-License-Identifier: BSD-3-Clause
// The comparison of kernels with the oracle, and the types that they are tested in.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "validation/numerics/kernels/compare.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {

using RealTypes = ::testing::Types<float, double>;
using StorageTypes = ::testing::Types<float, double, bf16, fp16>;

inline void expect_equal_to_oracle(const std::vector<KernelOutput>& outputs) {
    ASSERT_FALSE(outputs.empty());
    for (const KernelOutput& output : outputs) {
        EXPECT_LE(output.share_of_bound(), 1.0) << output.kernel << ", " << output.output;
    }
}

/// A planted bug must show in the outputs of these names, wherever they are.
inline void expect_seen(const std::vector<KernelOutput>& outputs,
                        const std::vector<std::string>& names) {
    for (const KernelOutput& output : outputs) {
        if (std::ranges::find(names, output.output) == names.end()) continue;
        EXPECT_GT(output.share_of_bound(), 1.0)
            << output.kernel << ", " << output.output << ": the comparison misses a planted bug";
    }
}

}  // namespace shardstone::validation
