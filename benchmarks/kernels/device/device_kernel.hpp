// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/cuda.hpp"

namespace shardstone::benchmarks {

/// A kernel of the GPU at one size.
struct DeviceKernel {
    std::string name;    ///< "layernorm forward, bf16"
    std::string size;    ///< "16384 x 768"
    double bytes = 0.0;  ///< every operand read once, every result written once
    double flop = 0.0;   ///< of its products; 0: it has none, and memory limits it
    /// Allocates what it works on, which the function owns that it returns: that enqueues a call.
    std::function<std::function<void()>()> prepare;
};

class DeviceKernelRegistration {
  public:
    explicit DeviceKernelRegistration(const std::vector<DeviceKernel>& kernels);
};

/// All registered ones, by name: none in a program built without CUDA.
const std::vector<DeviceKernel>& device_kernels();

/// Random numbers in the GPU's memory: normal ones, or tokens of GPT-2's vocabulary.
template <class T>
std::shared_ptr<Buffer<T, Cuda>> device_tensor(std::int64_t count);

/// A call on one set of tensors after the other: `make` makes a call on a set of its own, of so
/// many bytes, as often as it takes for all of them to exceed the GPU's caches.
std::function<void()> rotating(double set_bytes,
                               const std::function<std::function<void()>()>& make);

}  // namespace shardstone::benchmarks
