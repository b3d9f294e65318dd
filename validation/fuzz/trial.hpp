// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

#include "kernels/base/error.hpp"
#include "validation/fuzz/mutator.hpp"

namespace shardstone::validation {

/// What became of the inputs of a fuzz test.
struct Counts {
    int accepted = 0, refused = 0;
};

/// `parse` takes one input and asserts what it promises of what it accepts; it refuses with an
/// Error in one line that is not empty. Any other exception is GoogleTest's to report.
template <class Parse>
void try_input(Parse&& parse, Counts& counts) {
    try {
        parse();
        ++counts.accepted;
    } catch (const Error& error) {
        ++counts.refused;
        ASSERT_TRUE(is_one_line(error.what())) << error.what();
    }
}

/// A test whose inputs are all refused, or all accepted, has not reached what it is to try: at
/// least one in `rarest` of them must be accepted, and as many refused.
inline void expect_both(const char* what, const Counts& counts, int rarest) {
    std::printf("%s: %d accepted, %d refused\n", what, counts.accepted, counts.refused);
    EXPECT_GE(counts.accepted, fuzz_inputs() / rarest);
    EXPECT_GE(counts.refused, fuzz_inputs() / rarest);
}

/// Calls `one` for each input; stops at the first that failed and names it.
template <class One>
void for_each_input(One&& one) {
    for (int input = 0; input < fuzz_inputs(); ++input) {
        SCOPED_TRACE(input);
        one();
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace shardstone::validation
