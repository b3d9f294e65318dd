// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace shardstone::command {

/// For the details of `shardstone study`.
extern const char* const batch_size_details;

/// Adds the options of `study batch-size`; returns the function that runs it.
std::function<int()> declare_batch_size(CLI::App& app);

}  // namespace shardstone::command
