// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace shardstone::command {

/// The end of its --help.
extern const char* const self_test_details;

/// Adds the options of `validate self-test`; returns the function that runs it.
std::function<int()> declare_self_test(CLI::App& app);

}  // namespace shardstone::command
