// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::collectives {

/// MPI_Abort() for a process whose MPI has not started: the request that it would make of a
/// launcher that speaks PMI 1 (Hydra, Slurm's default); nothing with others. Hydra does not notice
/// a process that merely exits before MPI's start, and the others would wait for it forever. May be
/// called in a signal handler. Where it could ask, it gives the launcher two seconds to end the
/// job, this process included: one that ends sooner can be what counts instead of `code`, and a
/// request that reaches Hydra together with the end of its process can be lost. The process must
/// then end.
void ask_launcher_to_abort(int code) noexcept;

}  // namespace shardstone::collectives
