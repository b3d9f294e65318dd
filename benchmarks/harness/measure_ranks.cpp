// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a communicator as a timing team: a common start, maxima, one clock or several.
#include <algorithm>
#include <functional>

#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/rank_team.hpp"
#include "kernels/base/running_kernel.hpp"

namespace shardstone::benchmarks {

namespace {

bool run_by_one_kernel(const collectives::Communicator& communicator) {
    const double mine = running_kernel();
    const double least = communicator.min(mine);
    return least >= 0.0 && least == communicator.max(mine);
}

}  // namespace

RankTeam::RankTeam(const collectives::Communicator& communicator)
    : communicator_(communicator),
      start_line_(communicator),
      one_clock_(run_by_one_kernel(communicator)) {}

std::vector<double> RankTeam::maxima(std::span<const double> mine) {
    const auto all = communicator_.all_gather(mine);
    std::vector<double> largest(mine.begin(), mine.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
        double& place = largest[i % mine.size()];
        place = std::max(place, all[i]);
    }
    return largest;
}

Measurement measure(const collectives::Communicator& communicator, const MeasurePolicy& policy,
                    const std::function<void()>& run, const std::function<void()>& prepare) {
    RankTeam ranks(communicator);
    return measure(ranks, policy, run, prepare);
}

}  // namespace shardstone::benchmarks
