// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "reference/data/dataset.hpp"

namespace shardstone::reference {

/// reference/data/text/paradise_lost.txt, embedded in the program when it is built. It never
/// changes, so that the losses of a command stay the same over time.
extern const std::string_view default_text;

/// Its bytes as tokens, the last tenth of them held out. Local.
Dataset default_dataset();

}  // namespace shardstone::reference
