// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

/// Contents of each block on each rank: an item of data (Content), and the set of ranks whose
/// contributions it contains, as bits in words.
class Contributions {
  public:
    /// At the start all blocks are empty.
    Contributions(int size, int blocks);

    void set(int rank, int block, Content content);

    /// Content::nothing if the block is empty.
    int item(int rank, int block) const { return items_[place(rank, block)]; }

    std::size_t words() const noexcept { return words_; }
    std::span<const std::uint64_t> at(int rank, int block) const {
        return std::span(sets_).subspan(index(rank, block), words_);
    }

    /// Adds `brought`, of the same item, to the set. Returns a rank contained in both, or -1.
    int add(int rank, int block, std::span<const std::uint64_t> brought);
    /// Replaces the contents by `brought`, of `item`. Returns a rank whose contribution to the same
    /// item is thereby lost, or -1.
    int replace(int rank, int block, int item, std::span<const std::uint64_t> brought);
    /// The first of the ranks of `wanted` that the set lacks, or -1.
    int first_missing(int rank, int block, Content wanted) const;
    /// A rank in the set that is not one of those of `wanted`, or -1.
    int first_unwanted(int rank, int block, Content wanted) const;

  private:
    std::size_t place(int rank, int block) const {
        return static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block);
    }
    std::size_t index(int rank, int block) const { return place(rank, block) * words_; }
    std::uint64_t wanted_word(std::size_t word, Content wanted) const;

    int size_;
    std::size_t blocks_;
    std::size_t words_;
    std::vector<std::uint64_t> sets_;
    std::vector<int> items_;
};

}  // namespace shardstone::collectives
