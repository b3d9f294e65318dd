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
    std::string device = "cpu";
};

/// The options with their words understood.
struct NumericsPlan {
    std::vector<reference::Precision> policies;  ///< FP32 first if it is among them
    std::vector<reference::GptConfig> models;
    std::vector<std::string> parts;
    std::int64_t steps = 0;
    std::vector<int> seeds;  ///< one for each model
    std::int64_t gradient_steps = 0;
    reference::DeviceKind device = reference::DeviceKind::cpu;

    bool has(const std::string& part) const;
};

/// "kernels", "gradients", "trajectories" (with the entropy), "reductions".
const std::vector<std::string>& numerics_parts();

/// Throws Error naming the option, its value and what to give instead. Local.
NumericsPlan plan_numerics(const NumericsOptions& options);

/// What is finished at once: one of numerics_parts(), and the model where it is by model.
struct NumericsItem {
    std::string part;
    std::size_t model = 0;  ///< its place in the plan
};

/// In the order in which they are measured.
std::vector<NumericsItem> items_of(const NumericsPlan& plan);

/// What was measured of a plan; what was not is empty.
struct NumericsResult {
    std::vector<KernelError> kernels;
    std::vector<ReductionError> reductions;
    std::vector<GradientComparison> gradients;
    std::vector<TrajectoryResult> trajectories;
    std::vector<PolicyFinding> findings;  ///< a verdict for each part, policy and model
};

/// Whom validate_numerics() tells.
struct NumericsObserver {
    /// A line of text now and then, on the rank that got there.
    std::function<void(const std::string&)> progress;
    /// What an item gave, on rank 0.
    std::function<void(const NumericsResult&)> finished;
};

/// The items of the plan without the first `finished`. Collective; rank 0 does kernels and
/// reductions alone. False on all ranks where interrupts are caught (interrupt.hpp) and one came to
/// any of them: the item that was under way is left out.
bool validate_numerics(collectives::Communicator& world, const NumericsPlan& plan,
                       std::size_t finished, const NumericsObserver& observer);

}  // namespace shardstone::validation
