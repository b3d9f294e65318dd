// SPDX-License-Identifier: BSD-3-Clause
// A soak of four nodes in which nothing happens, for tests to plant what does.
#include "validation/unit/validation/interconnect/soak/planted_soak.hpp"

#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {

namespace {

constexpr int nodes = 4, windows = 20, passes_of_window = 10;
constexpr double begin_s = 1000.0;
constexpr double usual_s = 10e-3 + 40e-6;  // of 1 MiB, as planted_samples() has it

}  // namespace

InterconnectSamples planted_soak() {
    InterconnectSamples samples = planted_samples();
    for (auto& place : samples.places) place.sharers = 1.0;
    for (int window = 0; window < windows; ++window) {
        for (int test = 0; test < nodes * nodes; ++test) {
            if (test / nodes == test % nodes) continue;
            for (const double size_bytes : {8.0, 1048576.0}) {
                results::SoakWindowRow row;
                row.window = window;
                row.sender = test / nodes;
                row.receiver = test % nodes;
                row.size_bytes = size_bytes;
                row.first_pass = window * passes_of_window;
                row.passes = passes_of_window;
                row.begin_unix_s = begin_s + row.first_pass;
                row.end_unix_s = row.begin_unix_s + passes_of_window;
                row.slow = 0.0;
                samples.windows.push_back(row);
            }
        }
    }
    return samples;
}

void plant_slow(InterconnectSamples& samples, int pass, int sender, int receiver, double factor) {
    samples.slow.push_back({static_cast<double>(sender), static_cast<double>(receiver), 0.0,
                            1048576.0, static_cast<double>(pass), begin_s + pass,
                            factor * usual_s});
    for (auto& row : samples.windows) {
        if (row.sender == sender && row.receiver == receiver && row.size_bytes == 1048576.0 &&
            row.first_pass <= pass && pass < row.first_pass + row.passes) {
            row.slow += 1.0;
        }
    }
}

std::vector<results::LongWaitRow> waits_for_each_other(double silent_s) {
    std::vector<results::LongWaitRow> rows;
    for (const auto& [rank, awaited] : {std::pair(1.0, 3.0), std::pair(3.0, 1.0)}) {
        rows.push_back(
            {rank, awaited, 500.0, 0.0, 2.0, 1048576.0, 60.0, 1060.0, 1060.0 + silent_s, 0.0});
    }
    return rows;
}

}  // namespace shardstone::validation
