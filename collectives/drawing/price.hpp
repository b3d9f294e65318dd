// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// The time of a schedule as multiples of the machine's constants, n being the vector's bytes.
/// Each is the longest chain when that constant alone costs anything.
struct Price {
    double alpha = 0.0;  ///< messages within a node
    double beta = 0.0;   ///< times n
    double alpha_between = 0.0;
    double beta_between = 0.0;
    double gamma = 0.0;  ///< times n: bytes reduced
    /// Whether one chain is the longest in all of them, so that their sum is the time; otherwise it
    /// is more than the time by as much as different chains overlap.
    bool exact = true;
};

/// Prices a schedule that has passed the checker by playing it through (predict_time_s).
Price price_of(const Schedule& schedule);

/// "T = 14 α + 1.75 n β + 0.875 n γ"; primes mark what is between nodes, and ≲ a price that is not
/// exact.
std::string text_of(const Price& price);

/// A number with at most four digits, "1.75", the same wherever it was computed.
std::string short_number(double value);

}  // namespace shardstone::collectives
