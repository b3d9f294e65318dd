// SPDX-License-Identifier: BSD-3-Clause
// Readings of GPUs between ranks, as text, since they have texts.
#include "benchmarks/harness/gathered_gpu_readings.hpp"

#include <nlohmann/json.hpp>

namespace shardstone::benchmarks {

namespace {

using results::GpuReadingRow;

/// A number that is none is null in JSON.
double number_in(const nlohmann::json& value) {
    return value.is_number() ? value.get<double>() : results::not_measured;
}

std::string text_of(const std::vector<GpuReadingRow>& readings) {
    nlohmann::json rows = nlohmann::json::array();
    for (const GpuReadingRow& row : readings) {
        rows.push_back(
            {row.time_s, row.energy_j, row.power_w, row.sm_mhz, row.celsius, row.limited_by});
    }
    return rows.dump();
}

}  // namespace

std::vector<GpuReadingRow> gathered_gpu_readings(const collectives::Communicator& world,
                                                 const std::vector<GpuReadingRow>& mine) {
    std::vector<GpuReadingRow> all;
    const auto texts = world.gather(text_of(mine));
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        for (const auto& row : nlohmann::json::parse(texts[rank])) {
            all.push_back({static_cast<double>(rank), number_in(row[0]), number_in(row[1]),
                           number_in(row[2]), number_in(row[3]), number_in(row[4]),
                           row[5].get<std::string>()});
        }
    }
    return all;
}

}  // namespace shardstone::benchmarks
