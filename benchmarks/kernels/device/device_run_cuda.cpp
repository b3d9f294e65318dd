// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the GPU are timed by its own events, and its two rates measured.
#include <algorithm>
#include <cmath>

#include "benchmarks/kernels/device/device_run.hpp"
#include "kernels/base/narrow_float.hpp"
#include "kernels/roofline/device_roofline.hpp"

namespace shardstone::benchmarks {

DeviceRates measured_device_rates() {
    return {measured_device_copy_bytes_s(), measured_device_product_flop_s<bf16>(),
            measured_device_product_flop_s<float>(4096)};
}

DeviceKernelResult run_device_kernel(const DeviceKernel& kernel) {
    constexpr int samples = 15, warm_up = 3;
    constexpr double sample_s = 3e-3;
    constexpr double most_calls = 400.0;
    const CudaQueue queue;
    const std::function<void()> call = kernel.prepare();
    const auto first_s = device_times_s(queue, call, warm_up, 1);
    const double about_s = *std::ranges::min_element(first_s);
    const auto calls = static_cast<int>(std::clamp(std::ceil(sample_s / about_s), 1.0, most_calls));
    DeviceKernelResult result{kernel.name, kernel.size, kernel.bytes, kernel.flop, {}, 0.0, {}};
    result.samples_s = device_times_s(queue, call, samples, calls);
    result.median_s = median(result.samples_s);
    result.interval_s = median_interval(result.samples_s);
    return result;
}

}  // namespace shardstone::benchmarks
