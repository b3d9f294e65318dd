// SPDX-License-Identifier: BSD-3-Clause
// Samples of all kinds, put together and counted.
#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

namespace {

template <class Row>
void append(const std::vector<Row>& more, std::vector<Row>& all) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void InterconnectSamples::add(const InterconnectSamples& more) {
    append(more.places, places);
    append(more.pairs, pairs);
    append(more.ranks, ranks);
    append(more.wrong, wrong);
    append(more.conditions, conditions);
    append(more.clocks, clocks);
    append(more.congestion, congestion);
    append(more.traffic, traffic);
    append(more.windows, windows);
    append(more.slow, slow);
    append(more.standstills, standstills);
    append(more.waits, waits);
    append(more.gpu_readings, gpu_readings);
}

void InterconnectSamples::note_unread_gpus(const std::vector<std::string>& why) {
    for (std::size_t i = 0; i < why.size(); ++i) places.at(i).gpu_unread = why[i];
}

std::size_t InterconnectSamples::taken() const {
    return pairs.size() + ranks.size() + clocks.size() + congestion.size() + traffic.size();
}

}  // namespace shardstone::validation
