// SPDX-License-Identifier: BSD-3-Clause
// A rank's block of all vectors, read, reduced and written back to every rank chunk by chunk.
#include "collectives/executors/shared_memory/single_copy.hpp"

#include <algorithm>

namespace shardstone::collectives {

SingleCopy::SingleCopy(PeerMemory peers, const Communicator& communicator, const VectorSpec& vector,
                       std::int64_t chunk_bytes)
    : peers_(std::move(peers)),
      rank_(communicator.rank()),
      ranks_(communicator.size()),
      reduce_(reduce_across_function(vector.type, vector.reduction)),
      element_bytes_(static_cast<std::int64_t>(element_size(vector.type))),
      chunk_(std::max<std::int64_t>(1, chunk_bytes / element_bytes_)),
      sources_(static_cast<std::size_t>(ranks_)) {
    constexpr auto line_bytes = static_cast<std::int64_t>(sizeof(Line));
    lines_ = (chunk_ * element_bytes_ + line_bytes - 1) / line_bytes;
    chunks_ = std::make_unique_for_overwrite<Line[]>(static_cast<std::size_t>(lines_ * ranks_));
    for (int r = 0; r < ranks_; ++r) {
        sources_[static_cast<std::size_t>(r)] = chunks_[r * lines_].bytes.data();
    }
}

void SingleCopy::reduce(std::span<const std::uint64_t> addresses, std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += chunk_) {
        reduce_chunk(addresses, first * element_bytes_, std::min(chunk_, count - first));
    }
}

void SingleCopy::reduce_chunk(std::span<const std::uint64_t> addresses, std::int64_t offset_bytes,
                              std::int64_t count) {
    const auto address = [&](int rank) {
        return addresses[static_cast<std::size_t>(rank)] + static_cast<std::uint64_t>(offset_bytes);
    };
    const std::int64_t size_bytes = count * element_bytes_;
    for (int distance = 1; distance < ranks_; ++distance) {
        const int from = neighbour(distance);
        peers_.read(from, address(from), chunks_[from * lines_].bytes.data(), size_bytes);
    }
    auto* const mine = reinterpret_cast<std::byte*>(address(rank_));
    sources_[static_cast<std::size_t>(rank_)] = mine;
    reduce_(sources_, std::span(&mine, 1), count);
    for (int distance = 1; distance < ranks_; ++distance) {
        const int to = neighbour(distance);
        peers_.write(to, address(to), mine, size_bytes);
    }
}

}  // namespace shardstone::collectives
