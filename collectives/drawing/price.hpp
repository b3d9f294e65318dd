// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// The time of a schedule as multiples of the machine's constants, n being the vector's bytes. Each
/// is the length of the critical path if only that constant is non-zero.
struct Price {
    double alpha = 0.0;  ///< messages within a node
    double beta = 0.0;   ///< times n
    double alpha_between = 0.0;
    double beta_between = 0.0;
    double gamma = 0.0;  ///< times n: bytes reduced
    /// Whether the critical path is the same for all constants, so that their sum is the time;
    /// otherwise the sum is an upper bound.
    bool exact = true;
};

/// Prices a schedule that has passed the checker by simulating it (predict_time_s).
Price price_of(const Schedule& schedule);

/// "T = 14 α + 1.75 n β + 0.875 n γ"; primes mark constants between nodes, and ≲ a price that is
/// not exact.
std::string text_of(const Price& price);

/// A number with at most four digits, "1.75", the same wherever it was computed.
std::string short_number(double value);

}  // namespace shardstone::collectives
