// SPDX-License-Identifier: BSD-3-Clause
// The order of the training data from its written rule: every start listed, then one drawn.
#include "validation/oracle/sample_order.hpp"

#include "validation/oracle/random.hpp"

namespace shardstone::validation::oracle {

namespace {

std::uint64_t counter(std::int64_t step, std::int64_t sample) {
    return static_cast<std::uint64_t>(step) * 16777216U + static_cast<std::uint64_t>(sample);
}

}  // namespace

SampleOrder::SampleOrder(const std::vector<Piece>& pieces, std::int64_t sequence,
                         std::uint64_t seed, std::int64_t shortest)
    : sequence_(sequence), shortest_(shortest == 0 ? sequence : shortest), seed_(seed) {
    for (const Piece& piece : pieces) {
        const auto tokens = static_cast<std::int64_t>(piece.size());
        for (std::int64_t place = 0; place + sequence < tokens; ++place) {
            places_.push_back(&piece[static_cast<std::size_t>(place)]);
        }
    }
}

std::int64_t SampleOrder::length(std::int64_t step, std::int64_t sample) const {
    const std::int64_t lengths = sequence_ - shortest_ + 1;
    const std::uint64_t drawn = number_below(static_cast<std::uint64_t>(lengths), seed_,
                                             stream_named("data/lengths"), counter(step, sample));
    return shortest_ + static_cast<std::int64_t>(drawn);
}

void SampleOrder::write(std::int64_t step, std::int64_t sample, std::uint16_t* inputs,
                        std::int32_t* targets) const {
    const std::uint64_t drawn =
        number_below(places_.size(), seed_, stream_named("data/sequences"), counter(step, sample));
    const std::uint16_t* tokens = places_[drawn];
    const std::int64_t counting = length(step, sample);
    for (std::int64_t t = 0; t < sequence_; ++t) {
        inputs[t] = tokens[t];
        targets[t] = t < counting ? tokens[t + 1] : -1;
    }
}

}  // namespace shardstone::validation::oracle
