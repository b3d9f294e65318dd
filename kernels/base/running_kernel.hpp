// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// A number that stands for the kernel that runs this process, by the identity that it draws when
/// it boots: equal in all containers and namespaces of a machine, which share its cores and its
/// clock. Exact in a double; negative where the kernel does not say.
double running_kernel();

}  // namespace shardstone
