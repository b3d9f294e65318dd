// SPDX-License-Identifier: BSD-3-Clause
// The same moment on all ranks' clocks: shared by the ranks of a machine, else found by barriers.
#include "benchmarks/harness/clock_origin.hpp"

#include <array>
#include <vector>

#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

double clock_origin(const collectives::Communicator& communicator, double kernel,
                    const std::function<double()>& clock) {
    constexpr std::size_t rounds = 9;
    std::array<double, rounds> mine{};
    for (double& left_s : mine) {
        communicator.barrier();
        left_s = clock();
    }
    // Before rank 0's moments: its kernel.
    std::vector<double> told{kernel};
    told.insert(told.end(), mine.begin(), mine.end());
    const auto all = communicator.all_gather(told);
    const double* const of_root = all.data();
    const double origin_s = of_root[rounds];
    // All ranks of a kernel take the offset that its lowest rank sees, or they would not share it.
    const double* seen = all.data() + told.size() * static_cast<std::size_t>(communicator.rank());
    for (const double* one = all.data(); kernel >= 0.0 && one < seen; one += told.size()) {
        if (*one == kernel) seen = one;
    }
    std::vector<double> offsets_s;
    for (std::size_t i = 1; i <= rounds; ++i) offsets_s.push_back(seen[i] - of_root[i]);
    return origin_s + median(offsets_s);
}

}  // namespace shardstone::benchmarks
