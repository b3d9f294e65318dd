// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// Makes averages of the sums that `summing` gives: once it is done, what this rank gets is divided
/// by the number of ranks, in one go and by nobody else. Local.
std::unique_ptr<Executor> make_averaging(std::unique_ptr<Executor> summing,
                                         const Operation& operation, const CollectiveSpec& spec,
                                         int size, int rank);

}  // namespace shardstone::collectives
