// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// MPI_Abort() for a process whose MPI has not started: the request that it would make of a
/// launcher that speaks PMI 1 (Hydra, Slurm's default); nothing with others. Hydra does not notice
/// a process that merely exits before MPI's start, and the others would wait for it forever. May be
/// called in a signal handler. Returns at once; the process must then end.
void ask_launcher_to_abort(int code) noexcept;

}  // namespace shardstone::collectives
