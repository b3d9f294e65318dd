// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/tensor/matrix.hpp"
#include "reference/model/parameter_layout.hpp"

namespace shardstone::reference {

/// The two flat buffers of a model; both hold ParameterLayout::count() elements.
template <class Real>
struct ParameterBuffers {
    Real* weights = nullptr;
    Real* gradients = nullptr;
};

/// A linear layer's parameters and gradients: weight (O, I), bias (O). Owns nothing.
template <class Real>
struct LinearView {
    Matrix<Real> weight, d_weight;
    Real *bias = nullptr, *d_bias = nullptr;
    std::int64_t end = 0;  ///< prefix of the flat buffer that is final with these gradients

    LinearView() = default;
    LinearView(const AffineSlot& slot, const ParameterBuffers<Real>& buffers)
        : weight(matrix(buffers.weights + slot.weight, slot.outputs, slot.inputs)),
          d_weight(matrix(buffers.gradients + slot.weight, slot.outputs, slot.inputs)),
          bias(buffers.weights + slot.bias),
          d_bias(buffers.gradients + slot.bias),
          end(slot.end) {}
};

/// A norm's parameters and gradients, (C) each. Owns nothing.
template <class Real>
struct NormView {
    Real *weight = nullptr, *bias = nullptr, *d_weight = nullptr, *d_bias = nullptr;
    std::int64_t end = 0;

    NormView() = default;
    NormView(const AffineSlot& slot, const ParameterBuffers<Real>& buffers)
        : weight(buffers.weights + slot.weight),
          bias(buffers.weights + slot.bias),
          d_weight(buffers.gradients + slot.weight),
          d_bias(buffers.gradients + slot.bias),
          end(slot.end) {}
};

}  // namespace shardstone::reference
