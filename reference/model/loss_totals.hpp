// SPDX-License-Identifier: BSD-3-Clause
// The kernel that adds up a step's losses, pass by pass, without bringing them to the program.
#pragma once

#include <array>

#include "kernels/base/exact_sum.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "reference/model/rows.hpp"

namespace shardstone::reference {

/// Indexed as each_loss_sum; all but the first are zero in a model without experts.
using LossTotals = std::array<ExactPair, each_loss_sum.size()>;

/// Adds `factor` times the `sums` (1) of forward passes to `totals` (1), and clears `sums`. The
/// cross-entropy is added exactly, and makes its total a NaN if it exceeds `limit`
/// (exact_term_limit()) or is a NaN: a diverging training then ends in an orderly way on all ranks.
/// The sums of experts, which are only reported, are added in FP64.
void add_losses(HostQueue queue, LossSums& sums, double factor, double limit, LossTotals& totals);
void add_losses(CudaQueue queue, LossSums& sums, double factor, double limit, LossTotals& totals);

}  // namespace shardstone::reference
