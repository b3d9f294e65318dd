// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of a training while it runs: what each used, what held its clocks down, who took its
// memory.
#include "benchmarks/training/run/gpu_watch.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/tensor/cuda.hpp"

namespace shardstone::benchmarks {

namespace {

using results::GpuReadingRow;
using results::GpuUseRow;

/// A number that is none is null in JSON.
double number_in(const nlohmann::json& value) {
    return value.is_number() ? value.get<double>() : results::not_measured;
}

/// Their times count from the first.
nlohmann::json readings_of(const GpuMeter& meter) {
    nlohmann::json rows = nlohmann::json::array();
    for (const GpuReadingRow& row : meter.readings()) {
        rows.push_back({row.time_s - meter.readings().front().time_s, row.energy_j, row.power_w,
                        row.sm_mhz, row.celsius, row.limited_by});
    }
    return rows;
}

/// The memory of a GPU by whom it is taken, as text between ranks.
constexpr std::array memory_columns{std::pair{"trainer", &GpuUseRow::trainer_bytes},
                                    std::pair{"scratch", &GpuUseRow::scratch_bytes},
                                    std::pair{"libraries", &GpuUseRow::libraries_bytes},
                                    std::pair{"before", &GpuUseRow::before_bytes},
                                    std::pair{"total", &GpuUseRow::memory_bytes}};

void add(const std::string& text, int rank, GpuLogs& logs) {
    const auto told = nlohmann::json::parse(text);
    std::vector<GpuReadingRow> readings;
    for (const auto& row : told.at("readings")) {
        readings.push_back({static_cast<double>(rank), number_in(row[0]), number_in(row[1]),
                            number_in(row[2]), number_in(row[3]), number_in(row[4]),
                            row[5].get<std::string>()});
    }
    GpuUseRow use = results::use_of(readings);
    use.rank = rank;
    use.model = told.at("model").get<std::string>();
    use.address = told.at("address").get<std::string>();
    use.not_told = told.at("why_none").get<std::string>();
    for (const auto& [name, column] : memory_columns) use.*column = told.at(name).get<double>();
    logs.use.push_back(std::move(use));
    logs.readings.insert(logs.readings.end(), readings.begin(), readings.end());
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
    nlohmann::json mine{{"model", model_},
                        {"address", address_},
                        {"why_none", meter_->why_none()},
                        {"readings", readings_of(*meter_)}};
    for (const auto& [name, column] : memory_columns) mine[name] = memory.*column;
    const auto texts = world.gather(mine.dump());
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        add(texts[rank], static_cast<int>(rank), logs);
    }
    return logs;
}

void add_gpu_tables(const GpuLogs& logs, results::Record& record) {
    if (logs.use.empty()) return;
    record.samples.push_back(results::table_of(logs.readings));
    record.derived.push_back(results::table_of(logs.use));
}

}  // namespace shardstone::benchmarks
