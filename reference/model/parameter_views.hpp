// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/matrix.hpp"
#include "reference/model/parameter_layout.hpp"

namespace shardstone::reference {

/// Location of the weights of a parameter group while in use, and of the gradients to add to. Two
/// groups that are never used at the same time may share memory.
template <class Real>
struct GroupMemory {
    void* weights = nullptr;  ///< in the model's storage type S
    Real* gradients = nullptr;
};

/// A linear layer's parameters and gradients: weight (O, I), bias (O) or nullptr. Non-owning.
template <class S, class Space = Host>
struct LinearView {
    using Real = compute_t<S>;
    Matrix<S, Space> weight;
    Matrix<Real, Space> d_weight;
    S* bias = nullptr;
    Real* d_bias = nullptr;

    LinearView(Matrix<S, Space> table, Matrix<Real, Space> d_table)
        : weight(table), d_weight(d_table) {}
    LinearView(const AffineSlot& slot, const GroupMemory<Real>& memory)
        : weight(matrix<Space>(static_cast<S*>(memory.weights) + slot.weight, slot.outputs,
                               slot.inputs)),
          d_weight(matrix<Space>(memory.gradients + slot.weight, slot.outputs, slot.inputs)),
          bias(static_cast<S*>(memory.weights) + slot.bias),
          d_bias(memory.gradients + slot.bias) {}
};

/// A norm's parameters and gradients, (C) each. Non-owning.
template <class S, class Space = Host>
struct NormView {
    using Real = compute_t<S>;
    S *weight = nullptr, *bias = nullptr;
    Real *d_weight = nullptr, *d_bias = nullptr;

    NormView(const AffineSlot& slot, const GroupMemory<Real>& memory)
        : weight(static_cast<S*>(memory.weights) + slot.weight),
          bias(static_cast<S*>(memory.weights) + slot.bias),
          d_weight(memory.gradients + slot.weight),
          d_bias(memory.gradients + slot.bias) {}
};

/// An embedding's table and its gradient, both (rows, C), from the group that contains nothing
/// else.
template <class S, class Space = Host>
LinearView<S, Space> table_view(std::int64_t rows, std::int64_t channels,
                                const GroupMemory<compute_t<S>>& memory) {
    return {matrix<Space>(static_cast<S*>(memory.weights), rows, channels),
            matrix<Space>(memory.gradients, rows, channels)};
}

}  // namespace shardstone::reference
