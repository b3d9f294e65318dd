// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace shardstone::results {

/// Whether a record's algorithm of that name is a library's own: MPI's, or NCCL's between GPUs.
/// These are the rivals in every table; all others are ours.
constexpr bool is_rival(std::string_view algorithm) {
    return algorithm == "mpi" || algorithm == "nccl";
}

}  // namespace shardstone::results
