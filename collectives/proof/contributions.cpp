// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks, as bits, that say whose contributions each block holds in a proof.
#include "collectives/proof/contributions.hpp"

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
      sets_(static_cast<std::size_t>(size) * blocks_ * words_, 0),
      items_(static_cast<std::size_t>(size) * blocks_, Content::nothing) {}

void Contributions::set(int rank, int block, Content content) {
    items_[place(rank, block)] = content.item;
    for (std::size_t word = 0; word < words_; ++word) {
        sets_[index(rank, block) + word] =
            content.item == Content::nothing ? 0 : wanted_word(word, content);
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

int Contributions::replace(int rank, int block, int item, std::span<const std::uint64_t> brought) {
    const bool same_item = items_[place(rank, block)] == item;
    items_[place(rank, block)] = item;
    for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t& mine = sets_[index(rank, block) + word];
        if (same_item && (mine & ~brought[word]) != 0) return rank_of(word, mine & ~brought[word]);
        mine = brought[word];
    }
    return -1;
}

std::uint64_t Contributions::wanted_word(std::size_t word, Content wanted) const {
    const int first = static_cast<int>(word) * word_bits;
    if (wanted.from != Content::everyone) {
        const int bit = wanted.from - first;
        return bit >= 0 && bit < word_bits ? std::uint64_t{1} << bit : 0;
    }
    return ~std::uint64_t{0} >> (word_bits - std::min(word_bits, size_ - first));
}

int Contributions::first_missing(int rank, int block, Content wanted) const {
    const auto held = at(rank, block);
    for (std::size_t word = 0; word < words_; ++word) {
        const std::uint64_t missing = wanted_word(word, wanted) & ~held[word];
        if (missing != 0) return rank_of(word, missing);
    }
    return -1;
}

int Contributions::first_unwanted(int rank, int block, Content wanted) const {
    const auto held = at(rank, block);
    for (std::size_t word = 0; word < words_; ++word) {
        const std::uint64_t unwanted = held[word] & ~wanted_word(word, wanted);
        if (unwanted != 0) return rank_of(word, unwanted);
    }
    return -1;
}

}  // namespace shardstone::collectives
