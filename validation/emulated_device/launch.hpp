// SPDX-License-Identifier: BSD-3-Clause
// What takes the place of the launches in kernels/base/device/language.hpp, which includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>
#include <utility>

#include "kernels/base/check_cuda.hpp"
#include "validation/emulated_device/kernel.hpp"
#include "validation/emulated_device/threads.hpp"

namespace shardstone::device {

template <class T>
T* dynamic_shared() {
    return static_cast<T*>(emulated::dynamic_shared_bytes());
}

/// As where kernels are compiled for a GPU.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Launch& as, cudaStream_t stream,
            Arguments&&... arguments) {
    constexpr std::size_t without_asking = 48 * 1024;
    const auto* const function = reinterpret_cast<const void*>(kernel);
    if (as.shared_bytes > without_asking) {
        SHARDSTONE_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(as.shared_bytes)));
    }
    const std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
    emulated::Kernel launched{as.grid, as.block, as.shared_bytes,
                              [=] { std::apply(kernel, values); }, function};
    std::apply(
        [&](const auto&... each) { (emulated::check_argument(stream, launched, each), ...); },
        values);
    SHARDSTONE_CUDA(emulated::enqueue_kernel(stream, std::move(launched)));
}

}  // namespace shardstone::device
