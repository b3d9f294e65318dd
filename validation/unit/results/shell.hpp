// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {

/// How a command ended.
struct Outcome {
    int code = -1;  ///< exit code, -1 when a signal ended it
    std::string output;
    std::string errors;

    /// Bad input as it should be: exit code 2 and one line on stderr that holds `name`.
    bool is_one_line_about(const std::string& name) const;
};

/// Runs a command line with /bin/sh; what it prints goes through files in `folder`.
Outcome run_shell(const std::string& command, const TemporaryFolder& folder);

/// Path of the `shardstone` program, which the test's CMake gives in SHARDSTONE_BINARY. Throws
/// Error when that is not set.
std::string shardstone_binary();

}  // namespace shardstone::validation
