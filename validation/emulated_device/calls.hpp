// SPDX-License-Identifier: BSD-3-Clause
// What all functions of the runtime have in common: one at a time, errors that are remembered, and
// errors that tests have ordered.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <string_view>

#include "validation/emulated_device/clock.hpp"

namespace shardstone::emulated {

/// Makes the number-th call of this name from now on fail with this code, as
/// SHARDSTONE_EMULATED_FAIL=NAME:NUMBER[:CODE],... does from the start; there NUMBER+ makes all
/// later ones fail, too. The name is that of a function of the runtime, cudaLaunchKernel, or
/// "kernel": that kernel then fails while it runs, which is told by the next call that waits; or
/// "product": that product of cuBLASLt is wrong, and nothing tells it. Without a code it is what
/// such a call fails with most often.
void order_failure(std::string_view name, int number, cudaError_t code);

/// The code that the call has been ordered to fail with, or success.
cudaError_t ordered_failure(std::string_view name);

/// Nothing works any more: a kernel has failed.
void fail_for_good(cudaError_t code);
cudaError_t failure_for_good();

/// Remembers an error for cudaGetLastError(), and yields it.
cudaError_t remembered(cudaError_t code);

std::recursive_mutex& one_call_at_a_time();

/// Why no call can succeed, or success.
cudaError_t general_failure();

/// A function of the runtime, by its name and what it does if it was not ordered to fail.
template <class Body>
cudaError_t call(const char* name, Body body) {
    const std::lock_guard lock(one_call_at_a_time());
    host_calls();
    cudaError_t code = general_failure();
    if (code == cudaSuccess) code = ordered_failure(name);
    if (code == cudaSuccess) code = body();
    if (code == cudaSuccess) code = failure_for_good();  // of what ran meanwhile
    return remembered(code);
}

/// The device that the calling thread has chosen.
int current_device();

}  // namespace shardstone::emulated
