// SPDX-License-Identifier: BSD-3-Clause
// Adds the losses of a pass to those of the step on the GPU, in one thread.
#include <limits>
#include <utility>

#include "kernels/base/device/unfused.hpp"
#include "reference/model/loss_totals.hpp"

namespace shardstone::reference {

namespace {

using Number = device::Unfused<double>;

/// The sums of experts: all but the first.
template <std::size_t... i>
__device__ void add_others(const LossSums& sums, double factor, LossTotals& totals,
                           std::index_sequence<i...>) {
    const auto add = [&](double sum, ExactPair& total) {
        total.high = (Number(total.high) + Number(sum) * factor).value;
    };
    (add(sums.*std::get<i + 1>(each_loss_sum), totals[i + 1]), ...);
}

__global__ void add_to_totals(LossSums* sums, double factor, double limit, LossTotals* totals) {
    const double loss = (Number(sums->loss) * factor).value;
    ExactPair& total = (*totals)[0];
    if (fabs(loss) <= limit) {
        shardstone::detail::add_split(loss, total);
    } else {
        total.high = std::numeric_limits<double>::quiet_NaN();
    }
    add_others(*sums, factor, *totals, std::make_index_sequence<each_loss_sum.size() - 1>());
    *sums = {};
}

}  // namespace

void add_losses(CudaQueue queue, LossSums& sums, double factor, double limit, LossTotals& totals) {
    device::launch(add_to_totals, {dim3(1), dim3(1)}, queue.stream(), &sums, factor, limit,
                   &totals);
}

}  // namespace shardstone::reference
