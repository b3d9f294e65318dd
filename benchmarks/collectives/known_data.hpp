// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "benchmarks/collectives/exact_inputs.hpp"
#include "collectives/operation/layout.hpp"

namespace shardstone::benchmarks {

/// What a rank puts into any collective, and what it must get, from the operation's own statement
/// of what is where before and after: no algorithm takes part in it.
class KnownData {
  public:
    KnownData(const collectives::Operation& operation, const collectives::CollectiveSpec& spec,
              int size, int rank);

    /// Elements that the rank has and gets when not in place, and of the buffer when in place.
    std::int64_t input_count() const noexcept { return input_.count; }
    std::int64_t output_count() const noexcept { return output_.count; }
    std::int64_t in_place_count() const noexcept { return in_place_count_; }

    /// From now on other values, which share no position with any before: so what a run left behind
    /// cannot pass for the result of the next one.
    void renew() noexcept { first_ += spec_.vector.count + 1; }

    /// Sets the input; `in_place` is the buffer for both then (see collectives::Executor).
    void fill(void* input, bool in_place) const;
    /// How many elements of the output are not what they must be.
    std::int64_t wrong_elements(const void* output, bool in_place) const;

  private:
    /// Made when first asked for: a type too narrow for the sums only matters to who checks them.
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
    std::int64_t first_ = 0;  ///< position among all values of what is the vector's first element
    mutable std::optional<ExactInputs> inputs_;
};

}  // namespace shardstone::benchmarks
