// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "validation/numerics/gradients.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/reductions.hpp"
#include "validation/numerics/trajectories.hpp"

namespace shardstone::validation {

/// What `shardstone validate numerics` is asked for.
struct NumericsOptions {
    std::vector<std::string> policies{"all"};  ///< --policy
    std::vector<std::string> models{"nano", "tiny"};
    std::vector<std::string> parts{"all"};  ///< --part
    std::int64_t steps = 300;               ///< of a trajectory
    std::vector<int> seeds{8, 4};           ///< per model; the last one for the models behind
    std::int64_t gradient_steps = 100;      ///< FP32 steps before the second point
};

/// The options with their words understood.
struct NumericsPlan {
    std::vector<reference::Precision> policies;  ///< FP32 first if it is among them
    std::vector<reference::GptConfig> models;
    std::vector<std::string> parts;
    std::int64_t steps = 0;
    std::vector<int> seeds;  ///< one for each model
    std::int64_t gradient_steps = 0;

    bool has(const std::string& part) const;
};

/// "kernels", "gradients", "trajectories" (with the entropy), "reductions".
const std::vector<std::string>& numerics_parts();

/// Throws Error naming the option, its value and what to give instead. Local.
NumericsPlan plan_numerics(const NumericsOptions& options);

/// Everything that was measured; what was not asked for is empty.
struct NumericsResult {
    std::vector<KernelError> kernels;
    std::vector<ReductionError> reductions;
    std::vector<GradientComparison> gradients;
    std::vector<TrajectoryResult> trajectories;
    std::vector<Finding> findings;  ///< a verdict for each part, policy and model
};

/// Collective; complete on rank 0, which does kernels and reductions alone. `progress` is called
/// with a line of text now and then, on the rank that got there.
NumericsResult validate_numerics(collectives::Communicator& world, const NumericsPlan& plan,
                                 const std::function<void(const std::string&)>& progress);

}  // namespace shardstone::validation
