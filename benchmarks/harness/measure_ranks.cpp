// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/rank_team.hpp"

namespace shardstone::benchmarks {

namespace {

/// A number that stands for the kernel that runs this process; negative when it does not say.
double identity_of_kernel() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string identity;
    if (!(file >> identity)) return -1.0;
    constexpr std::size_t exact_in_double = (std::size_t{1} << 53) - 1;
    return static_cast<double>(std::hash<std::string>{}(identity)&exact_in_double);
}

bool run_by_one_kernel(const collectives::Communicator& communicator) {
    const double mine = identity_of_kernel();
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
