// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shardstone::collectives {

/// Which ranks' contributions each rank holds in each block: sets of ranks, as bits in words.
class Contributions {
  public:
    /// At the start every rank holds its own in every block.
    Contributions(int size, int blocks);

    std::size_t words() const noexcept { return words_; }
    std::span<const std::uint64_t> at(int rank, int block) const {
        return std::span(sets_).subspan(index(rank, block), words_);
    }

    /// Joins `brought` to the set. Returns a rank that both held, or -1 when there is none.
    int add(int rank, int block, std::span<const std::uint64_t> brought);
    /// Puts `brought` in place of the set. Returns a rank that is lost by it, or -1.
    int replace(int rank, int block, std::span<const std::uint64_t> brought);
    /// The first rank that the set lacks, or -1.
    int first_missing(int rank, int block) const;

  private:
    std::size_t index(int rank, int block) const {
        return (static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block)) *
               words_;
    }

    int size_;
    std::size_t blocks_;
    std::size_t words_;
    std::vector<std::uint64_t> sets_;
};

}  // namespace shardstone::collectives
