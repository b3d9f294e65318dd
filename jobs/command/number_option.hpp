// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace shardstone::command {

// Checks of an option's word, which a refusal quotes as it was given: CLI11's own take the nearest
// number of 64 bits for one beyond, let nan through, and print bounds of 309 digits.

/// A whole number within these bounds.
CLI::Validator whole_number(std::int64_t least,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max());
/// A finite number above 0.
CLI::Validator positive_number();
/// A size, as parse_size_bytes() reads it.
CLI::Validator size_in_bytes();
/// A percentage, as parse_percent() reads it, from `least` (a share) to 1000 %.
CLI::Validator percentage(double least = 0.0);

/// Adds to every option of `app` and its subcommands that holds a number the check that its type
/// can: a whole number of 64 bits, or a finite one.
void check_numbers(CLI::App& app);

/// The refusal of an option that was given an empty word: that of a shell variable which is not
/// set.
extern const char* const nothing_given;

}  // namespace shardstone::command
