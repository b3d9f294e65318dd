// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/precision/loss_scale.hpp"
#include "reference/precision/storage.hpp"

namespace shardstone::reference {

/// How a step rounds: one value that kernels, optimizer, memory and wire all go by.
///
/// Under every policy these are in FP32, because the experiment beside each shows what breaks
/// otherwise (validation/numerics):
///   sums within products, and gradients over micro-batches and ranks: a sum in BF16 stops growing
///     once a term is under half a unit in its last place, 256 equal terms;
///   softmax, norms' moments, the loss: differences of large and nearly equal numbers;
///   optimizer state: moments change by a thousandth of themselves per step (beta2);
///   master weights: an update of under 2^-9 of the weight is lost in BF16.
struct Precision {
    std::string name = "fp32";
    std::string summary = "everything in FP32";
    /// Of the weights that products read, of what those read and write within a branch, and of
    /// logits; weights travel in it, too.
    Storage storage = Storage::full;
    /// Of the residual stream and its gradient, in memory, between stages, and between tensor
    /// ranks, who also add up their partial results in it: `full`, or bf16 where the storage is
    /// that. Every layer adds to the stream and rounds it; in FP32 that costs nothing worth naming.
    Storage stream = Storage::full;
    /// The optimizer keeps and updates its own weights in FP32, of which the stored ones are
    /// roundings. Without them an update is rounded to the storage type at once.
    bool master_weights = false;
    bool stochastic_rounding = false;  ///< of those updates, where there are no master weights
    /// Products of the blocks' linear layers read e4m3 activations and weights and e5m2 gradients,
    /// each tensor with a scale of its own (fp8_scales.hpp); the storage is bf16.
    bool fp8_products = false;
    /// Everything in FP64: what tells a rounding difference from a mistake. The storage is full.
    bool fp64 = false;
    LossScaling scaling{};

    /// Bytes of the numbers that it computes in.
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
