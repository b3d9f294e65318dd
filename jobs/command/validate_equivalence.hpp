// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace shardstone::command {

/// The end of its --help.
extern const char* const equivalence_details;

/// Adds the options of `validate equivalence`; returns the function that runs it.
std::function<int()> declare_equivalence(CLI::App& app);

}  // namespace shardstone::command
