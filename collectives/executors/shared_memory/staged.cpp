// SPDX-License-Identifier: BSD-3-Clause
// The staged way of SharedMemoryAllReduce.
#include <algorithm>
#include <cstring>

#include "collectives/executors/shared_memory/all_reduce.hpp"

namespace shardstone::collectives {

void SharedMemoryAllReduce::take_staged(std::int64_t turn) {
    if (turn == lag_) require_same_kind();
    if (is_segment(turn - lag_)) reduce_segment(turn - lag_);
    if (is_segment(turn)) copy_in(turn);
    end_turn();
    if (is_segment(turn - 2 * lag_)) copy_out(turn - 2 * lag_);
}

std::int64_t SharedMemoryAllReduce::count_of(std::int64_t segment) const {
    return std::min(segment_, vector_.count - segment * segment_);
}

std::byte* SharedMemoryAllReduce::segment_of_buffer(std::int64_t segment) const {
    return buffer() + segment * segment_ * element_bytes_;
}

void SharedMemoryAllReduce::copy_in(std::int64_t segment) const {
    for (int to = 0; to < ranks(); ++to) {
        if (to != rank())
            copy(slice(to, count_of(segment)), segment_of_buffer(segment), slot(rank(), segment));
    }
}

void SharedMemoryAllReduce::reduce_segment(std::int64_t segment) {
    const Slice mine = slice(rank(), count_of(segment));
    for (int r = 0; r < ranks(); ++r) {
        const std::byte* const vector = r == rank() ? segment_of_buffer(segment) : slot(r, segment);
        sources_[static_cast<std::size_t>(r)] = vector + mine.offset_bytes;
    }
    results_.assign({segment_of_buffer(segment) + mine.offset_bytes,
                     slot(rank(), segment) + mine.offset_bytes});
    reduce(sources_, results_, mine.count);
}

void SharedMemoryAllReduce::copy_out(std::int64_t segment) const {
    for (int distance = 1; distance < ranks(); ++distance) {
        // Each rank begins with another neighbour, so that not all read one part at a time.
        const int from = (rank() + distance) % ranks();
        copy(slice(from, count_of(segment)), slot(from, segment), segment_of_buffer(segment));
    }
}

void SharedMemoryAllReduce::copy(const Slice& part, const std::byte* from, std::byte* to) {
    std::memcpy(to + part.offset_bytes, from + part.offset_bytes,
                static_cast<std::size_t>(part.size_bytes));
}

}  // namespace shardstone::collectives
