// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

/// The order of a valid plan's stage passes as text, one line per stage (of the first replica and
/// tensor rank), with forward passes and each half of a backward pass of length 1 and messages of
/// length 0: F2 is the forward pass of micro-batch 2, B its backward pass or the input half of it,
/// W the weight half; -- continues a pass; chunks are a, b, ... Truncated after `most_columns`
/// lengths.
std::string order_of_passes(const StepSpec& spec, int most_columns = 48);

/// The same as a list in chronological order, with messages, of at most this many lines.
std::string order_of_events(const StepSpec& spec, int most_lines = 40);

}  // namespace shardstone::reference
