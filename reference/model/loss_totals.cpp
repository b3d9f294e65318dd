// SPDX-License-Identifier: BSD-3-Clause
// Adds the losses of a pass to those of the step.
#include "reference/model/loss_totals.hpp"

#include <cmath>
#include <limits>

namespace shardstone::reference {

void add_losses(HostQueue, LossSums& sums, double factor, double limit, LossTotals& totals) {
    const double loss = sums.loss * factor;
    if (std::abs(loss) <= limit) {
        add_exactly(loss, limit, totals[0]);
    } else {
        totals[0].high = std::numeric_limits<double>::quiet_NaN();
    }
    for (std::size_t i = 1; i < totals.size(); ++i) {
        totals[i].high += sums.*each_loss_sum[i] * factor;
    }
    sums = {};
}

}  // namespace shardstone::reference
