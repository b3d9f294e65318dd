// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "results/inventory/nvml_library.hpp"
#include "results/schema/gpu_use.hpp"

namespace shardstone::benchmarks {

/// Reads what a GPU counts of itself while something runs on it, by NVML. It neither uses the GPU
/// nor waits for it; a reading takes the host some hundred microseconds.
class GpuMeter {
  public:
    /// Between two readings; doubled, and every other reading dropped, when there are
    /// most_readings.
    static constexpr double first_pace_s = 0.1;
    static constexpr std::size_t most_readings = 4096;

    /// `address`: of the GPU on PCIe, "0000:13:00.0". `library`: a path, or a name for the loader.
    explicit GpuMeter(const std::string& address,
                      const std::string& library = results::nvml_library);

    /// Why it cannot be read; empty if it can.
    const std::string& why_none() const noexcept { return why_none_; }

    /// Reads it at this time (now_s()), if it can be read.
    void read(double time_s);
    /// The same if the pace allows it.
    void lap(double time_s);

    /// Without their ranks.
    const std::vector<results::GpuReadingRow>& readings() const noexcept { return readings_; }
    /// The same, which it forgets.
    std::vector<results::GpuReadingRow> take_readings() { return std::exchange(readings_, {}); }

  private:
    void thin_out();

    results::NvmlLibrary library_;
    results::nvml::Device device_ = nullptr;
    std::string why_none_;
    double pace_s_ = first_pace_s;
    std::vector<results::GpuReadingRow> readings_;
};

}  // namespace shardstone::benchmarks
