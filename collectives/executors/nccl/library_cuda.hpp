// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// A collective of NCCL's own.
struct NcclCollective {
    std::string operation;
    std::string call;  ///< its name in nccl.h
};

/// All of them.
std::vector<NcclCollective> nccl_collectives();

/// Runs NCCL's own collective for the operation, which is one of nccl_collectives(). Shares, if
/// any, are equal. Collective.
std::unique_ptr<Executor> make_nccl_collective(Communicator& communicator,
                                               const Operation& operation,
                                               const CollectiveSpec& spec);

}  // namespace shardstone::collectives
