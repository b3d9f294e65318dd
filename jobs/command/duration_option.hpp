// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace shardstone::command {

/// Check of an option's word: a time, as parse_duration_s() reads it.
CLI::Validator duration();

}  // namespace shardstone::command
