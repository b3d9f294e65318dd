// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/reduction/reduction.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::collectives {

/// The vector of a collective. Its count is that of the whole vector: the input of a rank in an
/// all-reduce, a broadcast, a scatter (of the root) or an all-to-all, and the output in an
/// all-gather or a gather (of the root).
struct VectorSpec {
    std::int64_t count = 0;
    ElementType type = ElementType::fp32;
    Reduction reduction = Reduction::sum;

    std::int64_t element_bytes() const { return static_cast<std::int64_t>(element_size(type)); }
    std::int64_t size_bytes() const { return count * element_bytes(); }
    bool operator==(const VectorSpec&) const = default;
};

/// One collective on given data; equal on all ranks.
struct CollectiveSpec {
    VectorSpec vector;
    int root = 0;  ///< of an operation that has one
    /// Elements of each rank's share, if the operation has shares: for rank r at [r]; in an
    /// all-to-all, from rank r to rank d at [r * P + d], where the vector's count is then the
    /// longest input or output of a rank. Empty: as even as whole elements allow.
    std::vector<std::int64_t> shares;

    bool operator==(const CollectiveSpec&) const = default;
};

}  // namespace shardstone::collectives
