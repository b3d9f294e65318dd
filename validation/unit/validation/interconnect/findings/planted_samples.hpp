// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// Samples as of four nodes of one rank in ten passes: 8 bytes take 20 us one way, 1 MiB 10 ms
/// more, each within a per cent; three tests of every rank.
InterconnectSamples planted_samples();

/// Makes all messages of a sender take so many times as long.
void slow_down_sender(InterconnectSamples& samples, double sender, double factor);

}  // namespace shardstone::validation
