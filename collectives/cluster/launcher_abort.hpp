// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// MPI_Abort() for a process whose MPI has not started: the request that it would make of a
/// launcher that speaks PMI 1 (Hydra, Slurm's default); nothing with others. Of a process that
/// merely exits before MPI's start Hydra takes no notice, and the others wait for it for ever. May
/// be called in a signal handler. Returns at once; the process is to end.
void ask_launcher_to_abort(int code) noexcept;

}  // namespace shardstone::collectives
