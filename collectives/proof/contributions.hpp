// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

/// What each rank holds in each block: an item of data (Content), and whose contributions to it, a
/// set of ranks, as bits in words.
class Contributions {
  public:
    /// At the start nobody holds anything.
    Contributions(int size, int blocks);

    void set(int rank, int block, Content content);

    /// Content::nothing where nothing is.
    int item(int rank, int block) const { return items_[place(rank, block)]; }

    std::size_t words() const noexcept { return words_; }
    std::span<const std::uint64_t> at(int rank, int block) const {
        return std::span(sets_).subspan(index(rank, block), words_);
    }

    /// Joins `brought`, of the same item, to the set. Returns a rank that both held, or -1 when
    /// there is none.
    int add(int rank, int block, std::span<const std::uint64_t> brought);
    /// Puts `brought`, of `item`, in place of what is there. Returns a rank whose contribution to
    /// the same item is lost by it, or -1.
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
