// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/model/partition.hpp"

namespace shardstone::reference {

/// Who keeps a tensor from the forward to the backward pass.
enum class Kept : std::uint8_t {
    always,
    unless_full,      ///< all but recompute=full
    with_none,        ///< only recompute=none
    for_split_halves  ///< only a split backward pass, between its halves
};

/// A line of a table of activations: (rows, columns) as one rank has them, that is what the tensor
/// ranks share out already shared out.
struct KeptTensor {
    std::string_view name;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    Kept kept = Kept::always;
    std::int64_t element_bytes = 0;  ///< 0: as KeptMemory has them
};

/// What factors of products are padded to.
constexpr std::int64_t columns_of_64(std::int64_t columns) {
    return (columns + 63) / 64 * 64;
}

/// What tables of activations come to. It knows no model: ours (memory_formula.hpp) and published
/// ones (validation/unit/memory) are tables alike.
struct KeptMemory {
    Recompute recompute = Recompute::none;
    bool splits_backward = false;
    std::int64_t element_bytes = sizeof(float);
    std::int64_t alignment_bytes = 1;  ///< a multiple of which every tensor takes

    bool keeps(const KeptTensor& tensor) const;
    /// Of what is kept, per layer and micro-batch.
    std::int64_t kept(const std::vector<KeptTensor>& table) const;
    /// Of what is computed again, which is there once, for the layer whose turn it is.
    std::int64_t recomputed(const std::vector<KeptTensor>& table) const;

  private:
    std::int64_t size(const KeptTensor& tensor) const;
};

}  // namespace shardstone::reference
