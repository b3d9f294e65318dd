// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/model/kept_tensor.hpp"
#include "reference/step/memory_model.hpp"

namespace shardstone::validation {

/// Whether a paper that prints `text` can mean `value`: rounded, or cut off, after its last digit.
inline bool prints_as(double value, const std::string& text) {
    const std::size_t point = text.find('.');
    const auto decimals = point == std::string::npos ? 0 : text.size() - point - 1;
    const double unit = std::pow(10.0, -static_cast<double>(decimals));
    const double beyond = (value - std::stod(text)) / unit;
    return beyond > -0.5 - 1e-9 && beyond < 1.0;
}

/// Of `parameters` on the first of `replicas`.
inline reference::ParameterCounts even_counts(std::int64_t parameters, int replicas,
                                              std::int64_t places = 0) {
    return {parameters, reference::even_share(parameters, replicas, 0).count, places};
}

inline double state_bytes(const std::vector<reference::StateClass>& classes,
                          const reference::ParameterCounts& counts, int stage) {
    const reference::Sharding sharding{stage >= 1, stage >= 2, stage >= 3};
    double bytes = 0.0;
    for (const auto& each : classes)
        bytes += static_cast<double>(each.size_bytes(counts, sharding));
    return bytes;
}

/// Bytes per parameter of weights, gradients and optimizer, sharded as ZeRO has it.
inline std::vector<reference::StateClass> zero_classes(std::int64_t weights, std::int64_t gradients,
                                                       std::int64_t optimizer) {
    using reference::Sharding;
    return {{"weights", weights, &Sharding::weights},
            {"gradients", gradients, &Sharding::gradients},
            {"optimizer", optimizer, &Sharding::optimizer}};
}

/// What one rank keeps of a layer in half precision: Korthikanti et al. 2023, section 4.
struct PaperLayer {
    std::int64_t sequence = 0;
    std::int64_t micro_batch = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t tensor_ranks = 1;
    bool sequence_parallel = false;

    std::int64_t positions() const { return sequence * micro_batch; }
    std::int64_t own_positions() const {
        return sequence_parallel ? positions() / tensor_ranks : positions();
    }

    std::vector<reference::KeptTensor> table() const {
        using reference::Kept;
        const std::int64_t all = positions();
        const std::int64_t own = own_positions();
        const std::int64_t share = hidden / tensor_ranks;
        const std::int64_t scores = heads * sequence / tensor_ranks;
        return {{"norm 1: input", own, hidden, Kept::always, 2},
                {"queries, keys, values: input", own, hidden, Kept::unless_full, 2},
                {"queries and keys", all, 2 * share, Kept::unless_full, 2},
                {"softmax", all, scores, Kept::with_none, 2},
                {"softmax: dropout mask", all, scores, Kept::with_none, 1},
                {"softmax: after dropout", all, scores, Kept::with_none, 2},
                {"values", all, share, Kept::unless_full, 2},
                {"attention projection: input", all, share, Kept::unless_full, 2},
                {"attention: dropout mask", own, hidden, Kept::unless_full, 1},
                {"norm 2: input", own, hidden, Kept::unless_full, 2},
                {"expansion: input", own, hidden, Kept::unless_full, 2},
                {"GELU: input", all, 4 * share, Kept::unless_full, 2},
                {"projection: input", all, 4 * share, Kept::unless_full, 2},
                {"MLP: dropout mask", own, hidden, Kept::unless_full, 1}};
    }
    /// Outside the layers, section 4.3: with sequence parallelism.
    std::vector<reference::KeptTensor> embedding() const {
        return {{"dropout mask", own_positions(), hidden, reference::Kept::always, 1}};
    }
    std::vector<reference::KeptTensor> head(std::int64_t vocabulary) const {
        using reference::Kept;
        return {{"norm: input", own_positions(), hidden, Kept::always, 2},
                {"logits: input", own_positions(), hidden, Kept::always, 2},
                {"logits", positions(), vocabulary / tensor_ranks, Kept::always, 4}};
    }
};

inline double kept_bytes(const std::vector<reference::KeptTensor>& table,
                         reference::Recompute recompute) {
    return static_cast<double>(reference::KeptMemory{.recompute = recompute}.kept(table));
}

}  // namespace shardstone::validation
