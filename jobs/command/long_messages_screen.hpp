// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::command {

/// They decide nothing, but tell of a link that failed for a moment. Nothing if there are none.
void print_long_messages(const validation::InterconnectSamples& samples);

}  // namespace shardstone::command
