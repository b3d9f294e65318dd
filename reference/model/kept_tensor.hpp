// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/model/partition.hpp"

namespace shardstone::reference {

/// Conditions under which a tensor is kept from the forward to the backward pass.
enum class Kept : std::uint8_t {
    always,
    unless_full,      ///< all but recompute=full
    with_none,        ///< only recompute=none
    for_split_halves  ///< only a split backward pass, between its halves
};

/// A line of a table of activations: (rows, columns) on one rank, i.e. already divided among the
/// tensor ranks where they share it.
struct KeptTensor {
    std::string_view name;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    Kept kept = Kept::always;
    std::int64_t element_bytes = 0;  ///< 0: those of KeptMemory
};

/// Columns to which factors of products are padded.
constexpr std::int64_t columns_of_64(std::int64_t columns) {
    return (columns + 63) / 64 * 64;
}

/// Evaluates tables of activations. Independent of the model: ours (memory_formula.hpp) and
/// published ones (validation/unit/memory) are both tables.
struct KeptMemory {
    Recompute recompute = Recompute::none;
    bool splits_backward = false;
    std::int64_t element_bytes = sizeof(float);
    std::int64_t alignment_bytes = 1;  ///< every tensor takes a multiple of it

    bool keeps(const KeptTensor& tensor) const;
    /// Bytes kept, per layer and micro-batch.
    std::int64_t kept(const std::vector<KeptTensor>& table) const;
    /// Bytes of recomputed tensors, allocated once, for the current layer.
    std::int64_t recomputed(const std::vector<KeptTensor>& table) const;

  private:
    std::int64_t size(const KeptTensor& tensor) const;
};

}  // namespace shardstone::reference
