// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/communicator.hpp"
#include "jobs/command/dry_run.hpp"
#include "jobs/command/train_options.hpp"

namespace shardstone::command {

/// The machine that the arguments describe, with the rates of the pace where there is one. Throws
/// Error for a description that cannot be read.
PricingMachine pricing_of(const TrainArguments& arguments, const reference::TrainOptions& options);

/// The same for the job that runs: where no cluster is described, typical links of as many nodes as
/// there are, if ranks are dealt to them evenly. Throws Error also if it has too few ranks. Local.
reference::Machine priced_on(const TrainArguments& arguments,
                             const reference::TrainOptions& options,
                             const collectives::Communicator& world);

/// Throws Error if a cluster is described, and cannot be read or has too few ranks for the plan.
void require_described_room(const TrainArguments& arguments,
                            const reference::TrainOptions& options);

}  // namespace shardstone::command
