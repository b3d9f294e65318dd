// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::benchmarks {

/// A sum over elements of a mix of tensor name, index in the whole tensor and the value's bits,
/// modulo 2^64: the same for the same values, regardless of their distribution and of the order in
/// which the shares are added.
template <class Real>
class Fingerprint {
  public:
    explicit Fingerprint(const reference::ParameterLayout& layout) : layout_(layout) {}

    /// Returns the values of a range of the flat buffer.
    using Values = std::function<std::vector<Real>(const reference::Range&)>;
    /// Fingerprint of the elements in `ranges` (within one bucket each) that no other rank accounts
    /// for.
    std::uint64_t of(const std::vector<reference::Range>& ranges, const reference::Coordinates& at,
                     const Values& values) const;

  private:
    std::uint64_t of_tensor(const reference::ParameterInfo& tensor, const reference::Range& range,
                            std::span<const Real> values) const;

    const reference::ParameterLayout& layout_;
};

/// The sum of a fingerprint over all ranks, modulo 2^64, on all of them. Collective.
std::uint64_t sum_over_ranks(const collectives::Communicator& world, std::uint64_t fingerprint);

extern template class Fingerprint<float>;
extern template class Fingerprint<double>;

}  // namespace shardstone::benchmarks
