// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/collectives/known_data.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

/// This rank's vectors for a collective whose result is known, one for both where it is in place.
class KnownVectors {
  public:
    KnownVectors(const collectives::Operation& operation, const collectives::CollectiveSpec& spec,
                 bool in_place)
        : data_(operation, spec, world().size(), world().rank()),
          in_place_(in_place),
          given_(bytes(spec, in_place ? data_.in_place_count() : data_.input_count())),
          output_(in_place ? 0 : bytes(spec, data_.output_count())) {
        refill();
    }

    /// Ready for a run, with other values than before: a slot that still holds what went through it
    /// last time would else look right.
    void refill() {
        data_.renew();
        data_.fill(given_.data(), in_place_);
        input_ = given_;
        std::ranges::fill(output_, std::byte{});
    }
    std::byte* input() { return input_.data(); }
    std::byte* output() { return in_place_ ? input_.data() : output_.data(); }
    std::int64_t wrong_elements() { return data_.wrong_elements(output(), in_place_); }
    bool input_is_kept() const { return in_place_ || input_ == given_; }

  private:
    static std::size_t bytes(const collectives::CollectiveSpec& spec, std::int64_t count) {
        return static_cast<std::size_t>(count * spec.vector.element_bytes());
    }

    benchmarks::KnownData data_;
    bool in_place_;
    std::vector<std::byte> given_, input_, output_;
};

/// Which case a failure is of.
inline std::string described(const std::string& operation, const std::string& algorithm,
                             const collectives::CollectiveSpec& spec, bool in_place) {
    return fmt::format("{} {}, {} elements of {}, {}, root {}{}{}", operation, algorithm,
                       spec.vector.count, to_string(spec.vector.type),
                       to_string(spec.vector.reduction), spec.root,
                       spec.shares.empty() ? "" : ", uneven", in_place ? ", in place" : "");
}

}  // namespace shardstone::validation
