// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// planted_samples() and 200 passes of a soak, a second each from unix time 1000, in which no
/// message was slow; ten passes make a window.
InterconnectSamples planted_soak();

/// A message of 1 MiB that was slow in this pass: it took `factor` times the usual.
void plant_slow(InterconnectSamples& samples, int pass, int sender, int receiver, double factor);

/// What ranks 1 and 3 would note if nothing came over their link from 1060 s on for so long, with
/// 1 MiB under test in round 2, in a stage.
std::vector<results::LongWaitRow> waits_for_each_other(double silent_s);

}  // namespace shardstone::validation
