// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/interconnect.hpp"
#include "validation/interconnect/looks.hpp"

namespace shardstone::validation {

/// The finding on a limit on pairs that wants so many samples besides those that it has.
inline results::AcceptanceRow undecided(double samples, double further,
                                        double most = most_samples_of_looks) {
    results::AcceptanceRow row;
    row.quantity = "latency between nodes";
    row.samples = samples;
    row.further = further;
    row.most = most;
    return row;
}

}  // namespace shardstone::validation
