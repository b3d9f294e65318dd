// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The only header that includes mpi.h; included by sources of collectives/ only.
#include <mpi.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::collectives {

/// Throws with MPI's own text: an Error with ExitCode::lost_rank if messages fail,
/// std::runtime_error if we called it incorrectly.
[[noreturn]] void mpi_failed(int code, const char* call);

inline void check_mpi(int code, const char* call) {
    if (code != MPI_SUCCESS) mpi_failed(code, call);
}

#define SHARDSTONE_MPI(call) ::shardstone::collectives::check_mpi((call), #call)

struct NativeCommunicator {
    MPI_Comm comm = MPI_COMM_NULL;
    /// Next unused message tag: every prepared collective takes a range of its own, so that several
    /// can be in flight. Advances equally on all ranks because preparing one is collective.
    int next_tag = 0;
    /// What its ranks once found out together and would be asked again for every collective, by the
    /// name of the question. Equal on all ranks.
    std::map<std::string, std::string> answers;

    explicit NativeCommunicator(MPI_Comm source);
    ~NativeCommunicator();
    NativeCommunicator(const NativeCommunicator&) = delete;
    NativeCommunicator& operator=(const NativeCommunicator&) = delete;

    /// Reserves `count` consecutive tags and returns the first.
    int take_tags(int count);

    /// Lets MPI progress pending messages, for loops that wait for something else. Local.
    void drive_messages() const;
};

/// Ranks that can share memory are on one node. Collective; for set-up, since it blocks in MPI.
Topology discover_topology(MPI_Comm comm);

}  // namespace shardstone::collectives
