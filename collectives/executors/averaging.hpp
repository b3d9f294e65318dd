// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// Turns the sums of `summing` into averages: once it is done, this rank divides its output by the
/// number of ranks, in one step. Local.
std::unique_ptr<Executor> make_averaging(std::unique_ptr<Executor> summing,
                                         const Operation& operation, const CollectiveSpec& spec,
                                         int size, int rank);

}  // namespace shardstone::collectives
