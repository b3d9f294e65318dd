// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::command {

/// For --device cuda: the name of the first GPU that this process sees. Throws Error where it sees
/// none, or was built without CUDA.
std::string require_gpu();

}  // namespace shardstone::command
