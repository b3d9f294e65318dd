// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/recompute/recompute.hpp"
#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

/// Holds the checks of the run (interconnect_checks(), and that it was complete) against its
/// samples: there are these and no others. `samples` are those of the record.
void compare_checks(const results::Record& record, const InterconnectSamples& samples,
                    results::Recomputed& found);

/// Holds options, ranks and times that a record states against its samples: what was tested, where
/// and when. Options that the record lacks are passed over.
void compare_settings(const results::Record& record, const InterconnectSamples& samples,
                      results::Recomputed& found);

}  // namespace shardstone::validation
