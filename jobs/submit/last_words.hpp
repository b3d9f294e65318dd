// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace shardstone::submit {

/// Empty if the file cannot be read.
std::string text_or_nothing(const std::filesystem::path& file);

/// What a run said last of why it ended: the program's own words, else Slurm's or the launcher's,
/// and what only sums up how tasks ended where there is nothing else.
std::string telling_line(const std::string& text);

/// The line in which a validation that is done says FAIL or INCONCLUSIVE and why; "" if there is
/// none.
std::string verdict_line(const std::string& text);

/// What a run that is done found, from what it printed: "11230 tokens/s", if it is a training, and
/// "disturbed (at worst others took 97 % of 2 cores)".
std::string found_line(const std::string& text);

}  // namespace shardstone::submit
