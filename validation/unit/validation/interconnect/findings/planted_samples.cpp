// SPDX-License-Identifier: BSD-3-Clause
// Samples of a small cluster with known times.
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

#include <fmt/format.h>

#include "kernels/base/random.hpp"

namespace shardstone::validation {

namespace {

constexpr int nodes = 4, passes = 10, turns = 5;
constexpr double small_bytes = 8, large_bytes = 1 << 20;

void add_pair(int pass, int sender, int receiver, double noise, InterconnectSamples& samples) {
    results::PairSampleRow row;
    row.sender = sender;
    row.receiver = receiver;
    row.alone = 0.0;
    row.pass = pass;
    row.round = 0.0;
    row.size_bytes = small_bytes;
    row.time_s = 40e-6 * noise;
    samples.pairs.push_back(row);
    row.size_bytes = large_bytes;
    row.time_s = (10e-3 + 40e-6) * noise;
    samples.pairs.push_back(row);
}

}  // namespace

InterconnectSamples planted_samples() {
    InterconnectSamples samples;
    const RandomStream random(1, "planted samples");
    std::uint64_t draw = 0;
    const auto noise = [&] { return 1.0 + 0.005 * random.normal(draw++); };
    for (int rank = 0; rank < nodes; ++rank) {
        samples.places.push_back(
            {static_cast<double>(rank), static_cast<double>(rank), fmt::format("cn{}", rank), -1});
        for (const char* test : {"arithmetic", "memory", "wake-up"}) {
            for (int turn = 0; turn < turns; ++turn) {
                samples.ranks.push_back({static_cast<double>(rank), test, static_cast<double>(turn),
                                         0.0, 1e-3 * noise()});
            }
        }
    }
    for (int pass = 0; pass < passes; ++pass) {
        for (int sender = 0; sender < nodes; ++sender) {
            for (int receiver = 0; receiver < nodes; ++receiver) {
                if (sender != receiver) add_pair(pass, sender, receiver, noise(), samples);
            }
        }
    }
    return samples;
}

void slow_down_sender(InterconnectSamples& samples, double sender, double factor) {
    for (auto& row : samples.pairs) {
        if (row.sender == sender && row.size_bytes == large_bytes) row.time_s *= factor;
    }
}

}  // namespace shardstone::validation
