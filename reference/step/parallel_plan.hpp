// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::reference {

/// How a model is spread over ranks: one size per axis; their product is the number of ranks.
struct ParallelPlan {
    int data = 1;  ///< "dp": replicas that share the global batch

    int ranks() const { return data; }
};

/// "dp=4". Axes are separated by commas, each given once. Throws Error naming what it does not
/// understand; tp, pp and zero are axes of the grammar that this program does not train yet.
ParallelPlan parse_plan(std::string_view text);

/// The text that parse_plan reads.
std::string to_string(const ParallelPlan& plan);

/// Throws Error unless the plan needs exactly `ranks` ranks.
void require_fits(const ParallelPlan& plan, int ranks);

}  // namespace shardstone::reference
