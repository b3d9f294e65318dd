// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/executor.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// Where MPI finds the messages of ranks on GPUs.
enum class MessagePlace : std::uint8_t {
    pinned,  ///< in pinned memory of the host, copied there and from there in pieces
    device,  ///< in the memory of the device, which this MPI takes
};

/// Runs the schedule of an algorithm over MPI's messages, on data in the memory of GPUs, with
/// reductions in kernels of our own. Several ranks may share a GPU. Collective.
///
/// Nothing blocks: a step is posted once the device has done what was enqueued before it, a message
/// is handed to MPI once its copy is over, and what has arrived is enqueued, in the order of the
/// plan. Pinned messages are cut into pieces, so that one is copied while another travels.
std::unique_ptr<Executor> make_device_messages(Communicator& communicator,
                                               const Algorithm& algorithm,
                                               const CollectiveSpec& spec, MessagePlace place);

}  // namespace shardstone::collectives
