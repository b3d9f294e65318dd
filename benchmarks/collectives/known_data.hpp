// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "benchmarks/collectives/exact_inputs.hpp"
#include "collectives/operation/layout.hpp"

namespace shardstone::benchmarks {

/// The input of a rank for any collective, and its expected output, derived from the operation's
/// specification of contents before and after, independently of all algorithms.
class KnownData {
  public:
    KnownData(const collectives::Operation& operation, const collectives::CollectiveSpec& spec,
              int size, int rank);

    /// Elements of the rank's input and output if out of place, and of the buffer if in place.
    std::int64_t input_count() const noexcept { return input_.count; }
    std::int64_t output_count() const noexcept { return output_.count; }
    std::int64_t in_place_count() const noexcept { return in_place_count_; }

    /// Switches to other values, which share no position with any before, so that leftovers of a
    /// run cannot pass for the result of the next.
    void renew() noexcept { first_ += spec_.vector.count + 1; }

    /// Sets the input; if `in_place`, `input` is the common buffer (see collectives::Executor).
    void fill(void* input, bool in_place) const;
    /// Number of wrong elements in the output.
    std::int64_t wrong_elements(const void* output, bool in_place) const;

  private:
    /// Created on first use: a type too narrow for the sums matters only if they are checked.
    const ExactInputs& inputs() const;
    template <class Visit>
    void for_each_block(Visit&& visit) const;
    std::int64_t offset_bytes(const collectives::Extent& place, const collectives::Extent& span,
                              bool in_place) const;
    std::int64_t wrong_in(const std::byte* data, const collectives::Extent& place,
                          const collectives::Content& wanted) const;

    const collectives::Operation& operation_;
    collectives::CollectiveSpec spec_;
    collectives::RankRole role_;
    std::vector<collectives::BlockRange> blocks_;
    collectives::BlockLayout layout_;
    collectives::Extent input_, output_;
    std::int64_t in_place_count_;
    std::int64_t first_ = 0;  ///< position of the vector's first element among all values
    mutable std::optional<ExactInputs> inputs_;
};

}  // namespace shardstone::benchmarks
