// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/precision/loss_scale.hpp"
#include "reference/precision/storage.hpp"

namespace shardstone::reference {

/// The rounding policy of a step, used by kernels, optimizer, memory and wire alike.
///
/// Under every policy these are in FP32; experiments (validation/numerics) show the failure
/// otherwise:
///   sums within products, and gradients over micro-batches and ranks: a sum in BF16 stops growing
///     once a term is under half a unit in its last place, 256 equal terms;
///   softmax, norms' moments, the loss: differences of large and nearly equal numbers;
///   optimizer state: moments change by a thousandth of themselves per step (beta2);
///   master weights: an update of under 2^-9 of the weight is lost in BF16.
struct Precision {
    std::string name = "fp32";
    std::string summary = "everything in FP32";
    /// Storage of the weights that products read, of the inputs and outputs of products within a
    /// branch, and of logits; weights are also sent in it.
    Storage storage = Storage::full;
    /// Storage of the residual stream and its gradient, in memory, between stages, and between
    /// tensor ranks, which also sum their partial results in it: `full`, or bf16 if the storage is
    /// bf16. Every layer adds to the stream and rounds it; in FP32 the error is negligible.
    Storage stream = Storage::full;
    /// The optimizer keeps and updates its own weights in FP32, and the stored ones are rounded
    /// from them. Without them an update is rounded to the storage type directly.
    bool master_weights = false;
    bool stochastic_rounding = false;  ///< of updates without master weights
    /// Products of the blocks' linear layers read e4m3 activations and weights and e5m2 gradients,
    /// each tensor with a scale of its own (fp8_scales.hpp); the storage is bf16.
    bool fp8_products = false;
    /// Everything in FP64, to distinguish rounding differences from bugs. The storage is full.
    bool fp64 = false;
    LossScaling scaling{};

    /// Bytes of the numbers in which it computes.
    std::int64_t element_bytes() const { return fp64 ? sizeof(double) : sizeof(float); }
};

/// The policies by name: fp32, bf16, bf16-stream, bf16-pure, bf16-stochastic, fp16, fp16-static,
/// fp8, fp64.
const std::vector<Precision>& precisions();
/// "fp32, bf16, ..."
std::string precision_names();
/// Throws Error naming the value and the choices.
const Precision& find_precision(const std::string& name);

}  // namespace shardstone::reference
