// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/kernels/device/device_kernel.hpp"
#include "kernels/base/statistics.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// What the GPU reaches in copies and products: the two lines of its roofline.
struct DeviceRates {
    double copy_bytes_per_s = 0.0, bf16_flop_per_s = 0.0, fp32_flop_per_s = 0.0;
};
DeviceRates measured_device_rates();
/// The better of each.
DeviceRates better_of(const DeviceRates& one, const DeviceRates& other);

struct DeviceKernelResult {
    std::string name, size;
    double bytes = 0.0, flop = 0.0;
    std::vector<double> samples_s;
    double median_s = 0.0;
    std::optional<Interval> interval_s;
};

/// Times a kernel of the GPU: 15 samples of as many calls as take 3 ms, after a warm-up. Throws
/// Error without CUDA.
DeviceKernelResult run_device_kernel(const DeviceKernel& kernel);

/// "copies 4100 GB/s, products of ...".
std::string in_words(const DeviceRates& rates);
/// A line for the screen, and the one above all of them.
std::string device_heading(const std::string& gpu, const DeviceRates& rates);
std::string device_line(const DeviceKernelResult& result, const DeviceRates& rates);

/// Fills the tables, and checks that no kernel is quicker than the rates allow.
void fill_device_record(const std::string& gpu, const DeviceRates& rates,
                        const std::vector<DeviceKernelResult>& results, results::Record& record);

}  // namespace shardstone::benchmarks
