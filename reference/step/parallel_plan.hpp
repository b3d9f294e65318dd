// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::reference {

/// Distribution of a model over ranks: one size per axis of the mesh (mesh.hpp), whose product is
/// the number of ranks, and options.
struct ParallelPlan {
    int data = 1;      ///< "dp": replicas that share the global batch
    int tensor = 1;    ///< "tp": ranks that share every layer
    int pipeline = 1;  ///< "pp": stages that share the layers
    int zero = 0;      ///< "zero": sharded state: 1 optimizer, 2 + gradients, 3 + weights
    int sequence = 0;  ///< "sp": 1 splits the positions between layers over the tensor ranks, too
    int context = 1;   ///< "cp": ranks that share the positions of every sequence
    int expert = 1;    ///< "ep": replicas that share the experts of every block

    int ranks() const;
    bool operator==(const ParallelPlan&) const = default;
};

/// "dp=2,tp=2,pp=2,zero=1". Axes are separated by commas and given at most once; the default is 1
/// (zero and sp: 0). Throws Error naming the part that it does not understand.
ParallelPlan parse_plan(std::string_view text);

/// The text read by parse_plan, without defaults; "dp=1" for a single rank.
std::string to_string(const ParallelPlan& plan);

/// Every plan for this number of ranks, with every option, whether or not a model can be split that
/// way.
std::vector<ParallelPlan> plans_of(int ranks);

/// Distance between two plans on each axis: octaves between sizes, steps between options.
std::vector<double> differences(const ParallelPlan& a, const ParallelPlan& b);

/// Throws Error unless the plan needs exactly `ranks` ranks.
void require_fits(const ParallelPlan& plan, int ranks);

}  // namespace shardstone::reference
