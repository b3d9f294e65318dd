// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "validation/interconnect/interconnect_options.hpp"

namespace shardstone::command {

/// What a user asks `validate interconnect` for.
struct InterconnectRequest {
    validation::InterconnectOptions options;
    std::vector<std::string> sizes{"8", "64K", "4M"};
    std::vector<std::string> parts;  ///< empty: the usual ones
    std::string device = "cpu";      ///< "cuda": messages of pairs are between GPUs
    std::string gpu;                 ///< its name, by resolve(); empty: none
    std::string cluster;             ///< measured description, for traffic; empty: none
    std::string accept, accept_text;
    std::filesystem::path json, hdf5;
    int ranks_per_node = 0;  ///< 0: nodes as found
    std::string soak;        ///< duration; empty: none
    std::string resume;      ///< journal or record of the run that this one goes on from
};

/// Finds the GPUs, reads the sizes, the description of the cluster, which is declared, and on rank
/// 0 the acceptance file; the sizes of its limits are measured as well. Collective. Throws Error
/// equally on all ranks for what cannot be.
void resolve(InterconnectRequest& request, collectives::Communicator& world);

}  // namespace shardstone::command
