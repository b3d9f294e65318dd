// SPDX-License-Identifier: BSD-3-Clause
// Cuts the model into parts: units of a chunk, even shares, and the kinds of recomputation.
#include "reference/model/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

constexpr std::array<std::pair<std::string_view, Recompute>, 3> recompute_names{{
    {"none", Recompute::none},
    {"selective", Recompute::selective},
    {"full", Recompute::full},
}};

}  // namespace

Recompute parse_recompute(std::string_view name) {
    for (const auto& [known, recompute] : recompute_names) {
        if (name == known) return recompute;
    }
    fail(fmt::format("unknown recompute '{}': use one of none, selective, full", name));
}

std::string to_string(Recompute recompute) {
    for (const auto& [name, known] : recompute_names) {
        if (recompute == known) return std::string(name);
    }
    return "?";
}

std::vector<Unit> ModelChunk::units() const {
    std::vector<Unit> result;
    if (embedding) result.push_back({Unit::Kind::embedding, 0});
    for (std::int64_t layer = first_layer; layer < first_layer + layers; ++layer) {
        result.push_back({Unit::Kind::block, layer});
    }
    if (head) result.push_back({Unit::Kind::head, 0});
    return result;
}

EvenShare even_share(std::int64_t total, int parts, int part) {
    const std::int64_t least = total / parts;
    const std::int64_t larger = total % parts;
    return {part * least + std::min<std::int64_t>(part, larger), least + (part < larger ? 1 : 0)};
}

std::int64_t ModelPart::layers() const {
    std::int64_t sum = 0;
    for (const ModelChunk& chunk : chunks) sum += chunk.layers;
    return sum;
}

ModelPart whole_model(const GptConfig& config) {
    ModelPart part;
    part.chunks.push_back(
        {.first_layer = 0, .layers = config.layers, .embedding = true, .head = true});
    return part;
}

}  // namespace shardstone::reference
