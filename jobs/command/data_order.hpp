// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>

namespace shardstone::command {

/// The sequences to list with `data order`.
struct OrderOptions {
    std::int64_t sequence = 128;
    std::int64_t shortest = 0;
    std::uint64_t seed = 1;
    std::int64_t first_step = 1;  ///< counted from 1, as in `train`
    std::int64_t steps = 1;
    std::int64_t global_batch = 16;
    bool tokens = false;
};

void declare_order(CLI::App& app, OrderOptions& options);

/// Prints, sequence by sequence, the data used by `train --data FOLDER` in its steps, by the rule
/// of reference/data/README.md. Throws Error for options inconsistent with each other or the data.
void print_order(const OrderOptions& options, const std::filesystem::path& folder);

}  // namespace shardstone::command
