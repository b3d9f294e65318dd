// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::reference {

/// How a model is spread over ranks: one size per axis of the mesh (mesh.hpp), whose product is the
/// number of ranks, and choices.
struct ParallelPlan {
    int data = 1;      ///< "dp": replicas that share the global batch
    int tensor = 1;    ///< "tp": ranks that share every layer
    int pipeline = 1;  ///< "pp": stages that share the layers
    int zero = 0;      ///< "zero": what the replicas shard: 1 optimizer, 2 + gradients, 3 + weights
    int sequence = 0;  ///< "sp": 1 splits the positions between layers over the tensor ranks, too
    int context = 1;   ///< "cp": ranks that share the positions of every sequence
    int expert = 1;    ///< "ep": replicas that share the experts of every block

    int ranks() const;
    bool operator==(const ParallelPlan&) const = default;
};

/// "dp=2,tp=2,pp=2,zero=1". Axes are separated by commas, each given once, those left out are 1
/// (zero and sp: 0). Throws Error naming what it does not understand.
ParallelPlan parse_plan(std::string_view text);

/// The text that parse_plan reads, without what is 1 (or 0) anyway; "dp=1" for a single rank.
std::string to_string(const ParallelPlan& plan);

/// Every plan for so many ranks, with every choice, whether or not a model can be split like that.
std::vector<ParallelPlan> plans_of(int ranks);

/// How far apart two plans are on each axis: octaves between sizes, steps between choices.
std::vector<double> differences(const ParallelPlan& a, const ParallelPlan& b);

/// Throws Error unless the plan needs exactly `ranks` ranks.
void require_fits(const ParallelPlan& plan, int ranks);

}  // namespace shardstone::reference
