// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/tensor/matrix.hpp"
#include "reference/model/parameter_layout.hpp"

namespace shardstone::reference {

/// Where the weights of a parameter group are while they are used, and where its gradients are to
/// be added. Two groups that are never used at a time may share the memory.
template <class Real>
struct GroupMemory {
    Real* weights = nullptr;
    Real* gradients = nullptr;
};

/// A linear layer's parameters and gradients: weight (O, I), bias (O) or nullptr. Owns nothing.
template <class Real>
struct LinearView {
    Matrix<Real> weight, d_weight;
    Real *bias = nullptr, *d_bias = nullptr;

    LinearView(Matrix<Real> table, Matrix<Real> d_table) : weight(table), d_weight(d_table) {}
    LinearView(const AffineSlot& slot, const GroupMemory<Real>& memory)
        : weight(matrix(memory.weights + slot.weight, slot.outputs, slot.inputs)),
          d_weight(matrix(memory.gradients + slot.weight, slot.outputs, slot.inputs)),
          bias(memory.weights + slot.bias),
          d_bias(memory.gradients + slot.bias) {}
};

/// A norm's parameters and gradients, (C) each. Owns nothing.
template <class Real>
struct NormView {
    Real *weight = nullptr, *bias = nullptr, *d_weight = nullptr, *d_bias = nullptr;

    NormView(const AffineSlot& slot, const GroupMemory<Real>& memory)
        : weight(memory.weights + slot.weight),
          bias(memory.weights + slot.bias),
          d_weight(memory.gradients + slot.weight),
          d_bias(memory.gradients + slot.bias) {}
};

/// An embedding's table and its gradient, both (rows, C), from the group that holds nothing else.
template <class Real>
LinearView<Real> table_view(std::int64_t rows, std::int64_t channels,
                            const GroupMemory<Real>& memory) {
    return {matrix(memory.weights, rows, channels), matrix(memory.gradients, rows, channels)};
}

}  // namespace shardstone::reference
