// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

namespace shardstone::emulated {

/// Whether it is an error's name, as in CUDA's header; `code` is then that error.
bool is_name_of_error(std::string_view name, cudaError_t& code);

}  // namespace shardstone::emulated
