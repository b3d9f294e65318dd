// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/step/state_layout.hpp"
#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

/// Buffers for gradients sent between replicas in a narrower type than they are stored in
/// (CommunicationOptions::gradient_wire): rounded into it before a reduction, whose sums are then
/// computed in that type hop by hop, and widened afterwards. As large as the working memory of the
/// gradients themselves: all of them, or the group buffers if they are sharded. Empty if there is
/// nothing to narrow.
template <class Real, class Space = Host>
class GradientWire {
    using Queue = typename Space::Queue;

  public:
    GradientWire(Queue queue, const ParameterLayout& layout, const StepSpec& spec,
                 const StateLayout& state);

    /// Location of the first element of a range, which lies in one group.
    std::byte* at(std::int64_t flat);
    /// Rounds `count` gradients from `flat` on into it, and widens them back.
    void fill(std::int64_t flat, const Real* gradients, std::int64_t count);
    void drain(std::int64_t flat, Real* gradients, std::int64_t count);
    std::int64_t size_bytes() const;

  private:
    Queue queue_;
    StateLayout state_;
    Storage wire_;
    std::vector<Buffer<std::byte, Space>> buffers_;
};

extern template class GradientWire<float>;
extern template class GradientWire<double>;

}  // namespace shardstone::reference
