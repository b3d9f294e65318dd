// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/schema/interconnect.hpp"

namespace shardstone::results {

/// A message of the tests of pairs that took over ten times the median of its pair, direction and
/// size, and so much longer that no scheduler explains it: a link that failed for a moment. The
/// medians, which decide, do not see it.
struct LongMessage {
    PairSampleRow message;
    double usual_s = 0.0;  ///< that median
};

/// The longest beyond their usual first. Pure.
std::vector<LongMessage> long_messages(std::span<const PairSampleRow> samples);

/// "rank 1 to rank 3, 4 MiB, pass 5: 3.2 s, usually 45 ms (12 s after the tests began)".
std::string in_words(const LongMessage& one);

}  // namespace shardstone::results
