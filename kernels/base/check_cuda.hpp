// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

namespace shardstone {

/// "kernels/tensor/space_cuda.cpp:40", wherever the sources were compiled.
std::string place_of(const std::source_location& where);

/// Throws Error with CUDA's own text, the call and its place when `code` is not cudaSuccess; with
/// ExitCode::our_bug for what only a wrong kernel does.
void check_cuda(cudaError_t code, const char* call,
                std::source_location where = std::source_location::current());

#define SHARDSTONE_CUDA(call) ::shardstone::check_cuda((call), #call)

}  // namespace shardstone
