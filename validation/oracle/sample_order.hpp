// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shardstone::validation::oracle {

/// Which tokens the training sequences are made of, by the rule of reference/data/README.md: all
/// places where a sequence and the token behind it fit into a piece are written down one after the
/// other, and a random number says which of them each sequence begins at. For small texts.
class SampleOrder {
  public:
    using Piece = std::span<const std::uint16_t>;

    /// `shortest` 0: all sequences are full. The pieces must outlive this.
    SampleOrder(const std::vector<Piece>& pieces, std::int64_t sequence, std::uint64_t seed,
                std::int64_t shortest = 0);

    /// Positions of sequence `sample` of step `step`, both counted from 0, that have a target.
    std::int64_t length(std::int64_t step, std::int64_t sample) const;
    /// Writes one sequence: its tokens, and what each position has to predict, -1 for nothing.
    void write(std::int64_t step, std::int64_t sample, std::uint16_t* inputs,
               std::int32_t* targets) const;

  private:
    std::int64_t sequence_, shortest_;
    std::uint64_t seed_;
    std::vector<const std::uint16_t*> places_;
};

}  // namespace shardstone::validation::oracle
