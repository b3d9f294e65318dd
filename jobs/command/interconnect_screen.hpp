// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "validation/interconnect/findings.hpp"

namespace shardstone::command {

/// Output of `validate interconnect`: the verdict with its reasons, suspects with their rivals,
/// limits, then paths, congestion, traffic, ranks and clocks in short, the matrix of rates of the
/// largest size, and whether the machine was disturbed. For rank 0.
void print_interconnect(const validation::InterconnectFindings& findings,
                        const validation::InterconnectSamples& samples);

}  // namespace shardstone::command
