// SPDX-License-Identifier: BSD-3-Clause
// Adds up the bytes of activations that are kept, and of those that are recomputed.
#include "reference/model/kept_tensor.hpp"

namespace shardstone::reference {

bool KeptMemory::keeps(const KeptTensor& tensor) const {
    switch (tensor.kept) {
        case Kept::always:
            return true;
        case Kept::unless_full:
            return recompute != Recompute::full;
        case Kept::with_none:
            return recompute == Recompute::none;
        case Kept::for_split_halves:
            return splits_backward;
    }
    return true;
}

std::int64_t KeptMemory::size(const KeptTensor& tensor) const {
    const std::int64_t bytes = tensor.rows * tensor.columns *
                               (tensor.element_bytes > 0 ? tensor.element_bytes : element_bytes);
    return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

std::int64_t KeptMemory::kept(const std::vector<KeptTensor>& table) const {
    std::int64_t bytes = 0;
    for (const KeptTensor& tensor : table) {
        if (keeps(tensor)) bytes += size(tensor);
    }
    return bytes;
}

std::int64_t KeptMemory::recomputed(const std::vector<KeptTensor>& table) const {
    std::int64_t bytes = 0;
    for (const KeptTensor& tensor : table) {
        if (!keeps(tensor) && tensor.kept != Kept::for_split_halves) bytes += size(tensor);
    }
    return bytes;
}

}  // namespace shardstone::reference
