// SPDX-License-Identifier: BSD-3-Clause
// The kernel that adds up a step's losses, pass by pass, without bringing them to the program.
#pragma once

#include <array>

#include "kernels/base/exact_sum.hpp"
#include "kernels/tensor/host.hpp"
#include "reference/model/rows.hpp"

namespace shardstone::reference {

/// By each_loss_sum; the last are zero in a model without experts.
using LossTotals = std::array<ExactPair, each_loss_sum.size()>;

/// Adds to `totals` (1) `factor` times what forward passes have put into `sums` (1), and clears
/// those. The cross-entropy is added exactly, and makes its total a NaN where it is over `limit`
/// (exact_term_limit()) or not a number: a diverging training then comes to its end in order on all
/// ranks. What is only reported of experts, by every block, is summed in FP64.
void add_losses(HostQueue queue, LossSums& sums, double factor, double limit, LossTotals& totals);

}  // namespace shardstone::reference
