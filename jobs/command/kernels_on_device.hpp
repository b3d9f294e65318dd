// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::command {

/// `shardstone kernels --device cuda`: those whose names contain the filter, ignoring case. Returns
/// the exit code; throws Error if there is no GPU or no such kernel.
int run_kernels_on_device(const std::string& filter, const std::string& json,
                          const std::string& hdf5);

}  // namespace shardstone::command
