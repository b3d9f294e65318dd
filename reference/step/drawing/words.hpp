// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Description of an action for readers: "backward of micro-batch 3, chunk 1", "send gradient of
/// micro-batch 3, stage 0", "data all-reduce of gradients [0, 4096)", "update".
std::string words_of(const Action& action);

}  // namespace shardstone::reference
