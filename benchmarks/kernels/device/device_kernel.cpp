// SPDX-License-Identifier: BSD-3-Clause
// The registry to which the benchmarks of the GPU's kernels add themselves.
#include "benchmarks/kernels/device/device_kernel.hpp"

#include <algorithm>

namespace shardstone::benchmarks {

namespace {

std::vector<DeviceKernel>& registry() {
    static std::vector<DeviceKernel> all;
    return all;
}

}  // namespace

DeviceKernelRegistration::DeviceKernelRegistration(const std::vector<DeviceKernel>& kernels) {
    auto& all = registry();
    all.insert(all.end(), kernels.begin(), kernels.end());
    std::ranges::stable_sort(all, {}, &DeviceKernel::name);
}

const std::vector<DeviceKernel>& device_kernels() {
    return registry();
}

}  // namespace shardstone::benchmarks
