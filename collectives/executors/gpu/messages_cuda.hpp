// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/executor.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// Through which memory the messages of ranks on GPUs go.
enum class MessagePlace : std::uint8_t {
    pinned,  ///< pinned memory of the host: copied there, sent by MPI, and read there by kernels
    device,  ///< that of the device, which this MPI takes
    peer,    ///< that of the receiver's device, where the sender's copies it
};

/// Longer messages are cut into pieces, so that one is copied while another travels or is reduced:
/// each long enough that its copy takes several times what a copy and a message cost by themselves,
/// over PCIe or, to a peer, over the faster links between GPUs. Estimated: not yet measured on
/// GPUs.
std::int64_t largest_message_bytes(MessagePlace place);

/// Runs the schedule of an algorithm on data in the memory of GPUs, with reductions in kernels of
/// our own. Several ranks may share a GPU. Collective. For `peer`: ranks of one host, whose GPUs
/// have access to each other.
///
/// Nothing blocks: the messages of a step are started once the device has done what was enqueued
/// before it, one leaves when its copy is over, and what has arrived is enqueued, in the order of
/// the plan.
std::unique_ptr<Executor> make_device_messages(Communicator& communicator,
                                               const Algorithm& algorithm,
                                               const CollectiveSpec& spec, MessagePlace place);

}  // namespace shardstone::collectives
