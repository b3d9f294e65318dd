// SPDX-License-Identifier: BSD-3-Clause
// Whether the ranks of a training that hold the same parameters hold equal ones.
#pragma once

#include <fmt/format.h>

#include <map>
#include <span>
#include <sstream>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "reference/data/hash.hpp"
#include "reference/trainer/owned_ranges.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

/// One line per piece of a tensor that this rank holds: what it is, and the hash of its values.
template <class Real, class Space>
std::string held_pieces(reference::Trainer<Real, Space>& trainer) {
    using namespace reference;
    std::string lines;
    for (const ParameterInfo& tensor : trainer.layout().parameters()) {
        for (const Range& range :
             OwnedRanges(trainer.memory().held_weights()).within({tensor.offset, tensor.count})) {
            const auto values = trainer.memory().copy_of_weights(range);
            const auto slice = [&](const TensorPiece& piece) {
                return fmt::format("{} {} {} ", tensor.name,
                                   piece.global + range.first - tensor.offset, range.count);
            };
            lines += slice(tensor.pieces().front()) +
                     to_hex(hash_of_bytes(std::as_bytes(std::span<const Real>(values)))) + "\n";
        }
    }
    return lines;
}

/// Whether ranks that hold the same hold equal values. Collective; the same on all ranks.
template <class Real, class Space>
bool replicas_are_identical(reference::Trainer<Real, Space>& trainer,
                            const collectives::Communicator& world) {
    std::map<std::string, std::string> hashes;
    bool identical = true;
    for (const std::string& lines : world.gather(held_pieces(trainer))) {
        std::istringstream in(lines);
        std::string name, first, count, hash;
        while (in >> name >> first >> count >> hash) {
            const auto [known, is_new] = hashes.try_emplace(name + first + "+" + count, hash);
            identical = identical && (is_new || known->second == hash);
        }
    }
    return world.min(identical ? 1.0 : 0.0) > 0.0;
}

}  // namespace shardstone::benchmarks
