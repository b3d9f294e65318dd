// SPDX-License-Identifier: BSD-3-Clause
// What of a verdict on an interconnect is known before anything is measured.
#pragma once

#include <string>

#include "validation/interconnect/interconnect_options.hpp"

namespace shardstone::validation {

/// Throws Error for a limit that no test of this run measures, because its part is not made or the
/// ranks are on too few nodes: any number of samples would leave it undecided. `file` is where the
/// limits are from, `host` one of the nodes, for the message. Pure.
void require_limits_measurable(const InterconnectOptions& options,
                               const collectives::Topology& topology, const std::string& file,
                               const std::string& host);

/// Why such a run cannot end with a verdict of pass, whatever it measures: what it tests has too
/// few of its kind to be compared with, and no limit (held_against.hpp). Empty if it may. Pure.
std::string foreseen_lack(const InterconnectOptions& options,
                          const collectives::Topology& topology);

}  // namespace shardstone::validation
