// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// A number identifying the kernel that runs this process, from its random boot ID: equal in all
/// containers and namespaces of a machine, which share its cores and its clock. Where nodes play
/// machines of their own, with boot IDs of their own (jobs/virtual_cluster), SHARDSTONE_MACHINE
/// says what runs them. Exact in a double; negative if the kernel does not provide it.
double running_kernel();

}  // namespace shardstone
