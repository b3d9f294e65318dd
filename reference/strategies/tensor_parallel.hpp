// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Tensor parallelism: the ranks of a tensor group share every layer.
///
/// What is split:  attention by heads, the MLP by its 4C hidden columns, token embedding, logits
///                 and loss by the vocabulary, each as evenly as whole numbers allow; with sequence
///                 parallelism also what lies between the layers, by rows of the residual stream.
/// What is sent:   sums of partial results, (N, C) each: after a row-parallel product going
///                 forward, before a column-parallel one going backward; in the head N maxima, N
///                 sums and N logits. With sequence parallelism a sum becomes a reduce-scatter of
///                 rows, with an all-gather on the other side of the layer, and one more in the
///                 backward pass for the rows of the norm's output that were not kept.
/// When and why:   inside the passes, which wait for them: there is nothing else to do meanwhile.
///                 Sums are in Real under any precision; what is gathered to be multiplied is in
///                 the storage type.
/// What it costs:  per block and micro-batch 4 all-reduces of N C elements, or as many bytes as
///                 all-gathers and reduce-scatters; norms and biases are computed on every rank
///                 (without sequence parallelism), and so is all activation memory between layers.
///
/// Shoeybi et al. 2019 (Megatron-LM); Korthikanti et al. 2023 (sequence parallelism).
struct TensorTransfer {
    GroupTransfer::Operation operation = GroupTransfer::Operation::all_reduce;
    std::int64_t rows = 0;  ///< what is shared out is shared out by rows
    std::int64_t columns = 1;
    bool stored = false;  ///< what products read, in the storage type; else Real

    std::int64_t count() const { return rows * columns; }
    bool operator==(const TensorTransfer&) const = default;
};

/// What a pass of a unit sends within its tensor group, in order.
std::vector<TensorTransfer> tensor_transfers(const StepSpec& spec, const Unit& unit,
                                             Action::Kind pass);

}  // namespace shardstone::reference
