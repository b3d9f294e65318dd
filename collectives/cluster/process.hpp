// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::collectives {

/// Name of this node, as MPI gives it.
std::string node_name();

/// "MPICH 4.0.2 (CH4:UCX)" or what the library says of itself; one line.
std::string mpi_library();

/// The device that MPICH and its derivatives were built with, "ch4:ucx"; empty for others.
std::string mpi_device();

/// The environment variables by which launchers tell a process its rank, in order of precedence.
inline constexpr const char* rank_variables[]{"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                              "SLURM_PROCID"};

/// The rank that the launcher gave this process, known before MPI is started; 0 without a launcher.
int launcher_rank();

/// Number of processes that the launcher started, likewise; 1 without a launcher, or if it does not
/// tell.
int launcher_size();

/// The number of them on this node; 0 if the launcher does not tell.
int launcher_local_size();

/// This process's place among them; 0 if the launcher does not tell.
int launcher_local_rank();

/// Name of the leaf switch of this node: SHARDSTONE_LEAF where it is set, otherwise as Slurm's
/// topology/tree has it (SLURM_TOPOLOGY_ADDR, "spine0.leaf3.cn042" by the pattern of
/// SLURM_TOPOLOGY_ADDR_PATTERN, "switch.switch.node"). Empty if nobody tells.
std::string leaf_switch();

}  // namespace shardstone::collectives
