// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of a training while it runs: what each used, what held its clocks down, who took its
// memory.
#include "benchmarks/training/run/gpu_watch.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "benchmarks/harness/gathered_gpu_readings.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/tensor/cuda.hpp"

namespace shardstone::benchmarks {

namespace {

using results::GpuReadingRow;
using results::GpuUseRow;

/// Their times count from the first.
std::vector<GpuReadingRow> readings_of(const GpuMeter& meter) {
    auto readings = meter.readings();
    const double begin_s = readings.empty() ? 0.0 : readings.front().time_s;
    for (GpuReadingRow& row : readings) row.time_s -= begin_s;
    return readings;
}

/// The memory of a GPU by whom it is taken, as text between ranks.
constexpr std::array memory_columns{std::pair{"trainer", &GpuUseRow::trainer_bytes},
                                    std::pair{"scratch", &GpuUseRow::scratch_bytes},
                                    std::pair{"libraries", &GpuUseRow::libraries_bytes},
                                    std::pair{"before", &GpuUseRow::before_bytes},
                                    std::pair{"total", &GpuUseRow::memory_bytes}};

/// Of a rank, by what it told but its readings.
GpuUseRow use_told(const std::string& text, int rank, const std::vector<GpuReadingRow>& readings) {
    const auto told = nlohmann::json::parse(text);
    GpuUseRow use = results::use_of(readings);
    use.rank = rank;
    use.model = told.at("model").get<std::string>();
    use.address = told.at("address").get<std::string>();
    use.not_told = told.at("why_none").get<std::string>();
    for (const auto& [name, column] : memory_columns) use.*column = told.at(name).get<double>();
    return use;
}

}  // namespace

GpuWatch::GpuWatch([[maybe_unused]] reference::DeviceKind device) {
#ifdef SHARDSTONE_HAS_CUDA
    if (device == reference::DeviceKind::cpu) return;
    const auto gpus = collectives::list_devices().devices;
    const auto& mine = gpus.at(static_cast<std::size_t>(collectives::chosen_gpu().value()));
    model_ = mine.name;
    address_ = mine.address;
    meter_ = std::make_unique<GpuMeter>(address_);
    taken_before_bytes_ = Cuda::room().taken_bytes();
    own_before_bytes_ = Cuda::in_use_bytes();
#endif
}

void GpuWatch::begin() {
    if (meter_) meter_->read(now_s());
}

void GpuWatch::lap() {
    if (meter_) meter_->lap(now_s());
}

/// What is taken since, but by no Buffer, is the libraries'.
void GpuWatch::add_memory([[maybe_unused]] std::int64_t trainer_bytes,
                          [[maybe_unused]] GpuUseRow& use) const {
#ifdef SHARDSTONE_HAS_CUDA
    const Cuda::Room room = Cuda::room();
    const std::int64_t own = Cuda::in_use_bytes();
    const std::int64_t before = taken_before_bytes_ - own_before_bytes_;
    use.trainer_bytes = static_cast<double>(trainer_bytes);
    use.scratch_bytes = static_cast<double>(own - trainer_bytes);
    use.libraries_bytes = std::max(0.0, static_cast<double>(room.taken_bytes() - own - before));
    use.before_bytes = static_cast<double>(before);
    use.memory_bytes = static_cast<double>(room.total_bytes);
#endif
}

GpuLogs GpuWatch::end(const collectives::Communicator& world, std::int64_t trainer_bytes) {
    GpuLogs logs;
    if (!meter_) return logs;
    meter_->read(now_s());
    GpuUseRow memory;
    add_memory(trainer_bytes, memory);
    nlohmann::json mine{{"model", model_}, {"address", address_}, {"why_none", meter_->why_none()}};
    for (const auto& [name, column] : memory_columns) mine[name] = memory.*column;
    const auto texts = world.gather(mine.dump());
    logs.readings = gathered_gpu_readings(world, readings_of(*meter_));
    auto of_ranks = results::by_rank(logs.readings);
    for (int rank = 0; rank < static_cast<int>(texts.size()); ++rank) {
        logs.use.push_back(use_told(texts[static_cast<std::size_t>(rank)], rank, of_ranks[rank]));
    }
    return logs;
}

void add_gpu_tables(const GpuLogs& logs, results::Record& record) {
    if (logs.use.empty()) return;
    record.samples.push_back(results::table_of(logs.readings));
    record.derived.push_back(results::table_of(logs.use));
}

}  // namespace shardstone::benchmarks
