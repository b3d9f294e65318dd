// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/schedule/contributions.hpp"

#include <algorithm>
#include <bit>

namespace shardstone::collectives {

namespace {

constexpr int word_bits = 64;

int rank_of(std::size_t word, std::uint64_t bits) {
    return static_cast<int>(word) * word_bits + std::countr_zero(bits);
}

}  // namespace

Contributions::Contributions(int size, int blocks)
    : size_(size),
      blocks_(static_cast<std::size_t>(blocks)),
      words_(static_cast<std::size_t>((size + word_bits - 1) / word_bits)),
      sets_(static_cast<std::size_t>(size) * blocks_ * words_, 0) {
    for (int rank = 0; rank < size; ++rank) {
        for (int block = 0; block < blocks; ++block) {
            sets_[index(rank, block) + static_cast<std::size_t>(rank / word_bits)] |=
                std::uint64_t{1} << (rank % word_bits);
        }
    }
}

int Contributions::add(int rank, int block, std::span<const std::uint64_t> brought) {
    for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t& mine = sets_[index(rank, block) + word];
        if ((mine & brought[word]) != 0) return rank_of(word, mine & brought[word]);
        mine |= brought[word];
    }
    return -1;
}

int Contributions::replace(int rank, int block, std::span<const std::uint64_t> brought) {
    for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t& mine = sets_[index(rank, block) + word];
        if ((mine & ~brought[word]) != 0) return rank_of(word, mine & ~brought[word]);
        mine = brought[word];
    }
    return -1;
}

int Contributions::first_missing(int rank, int block) const {
    const auto held = at(rank, block);
    for (std::size_t word = 0; word < words_; ++word) {
        const int first = static_cast<int>(word) * word_bits;
        const int ranks = std::min(word_bits, size_ - first);
        const std::uint64_t all = ~std::uint64_t{0} >> (word_bits - ranks);
        if (held[word] != all) return rank_of(word, all & ~held[word]);
    }
    return -1;
}

}  // namespace shardstone::collectives
