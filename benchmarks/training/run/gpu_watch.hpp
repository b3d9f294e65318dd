// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/harness/gpu_meter.hpp"
#include "collectives/cluster/communicator.hpp"
#include "reference/trainer/options.hpp"
#include "results/record/record.hpp"
#include "results/schema/gpu_use.hpp"

namespace shardstone::benchmarks {

/// What the GPUs of ranks told of themselves while these trained; empty of ranks on cores.
struct GpuLogs {
    std::vector<results::GpuReadingRow> readings;
    std::vector<results::GpuUseRow> use;
};

/// Watches the GPU of each rank while it trains. Does nothing on cores.
class GpuWatch {
  public:
    /// After choose_gpu_of_rank(), and before a trainer takes memory.
    explicit GpuWatch(reference::DeviceKind device);

    /// Reads for the first time: before the first step. Local.
    void begin();
    /// After a step. Local.
    void lap();
    /// After the last, while the trainer holds `trainer_bytes`. Collective; of all ranks on rank 0,
    /// elsewhere empty.
    GpuLogs end(const collectives::Communicator& world, std::int64_t trainer_bytes);

  private:
    void add_memory(std::int64_t trainer_bytes, results::GpuUseRow& use) const;

    std::string model_, address_;
    std::unique_ptr<GpuMeter> meter_;
    std::int64_t taken_before_bytes_ = 0, own_before_bytes_ = 0;
};

/// Adds both tables, if there are readings or reasons why there are none.
void add_gpu_tables(const GpuLogs& logs, results::Record& record);

}  // namespace shardstone::benchmarks
