// SPDX-License-Identifier: BSD-3-Clause
// Medians of the times of all pairs before a soak.
#include "validation/interconnect/usual_times.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

UsualTimes::UsualTimes(std::span<const results::PairSampleRow> rows) {
    std::map<std::tuple<int, int, std::int64_t>, std::vector<double>> samples_s;
    for (const auto& row : rows) {
        // The first passes are over all pairs; further tests may be made in another manner.
        if (row.alone != rows.front().alone) continue;
        samples_s[{static_cast<int>(row.sender), static_cast<int>(row.receiver),
                   static_cast<std::int64_t>(row.size_bytes)}]
            .push_back(row.time_s);
    }
    for (const auto& [test, times_s] : samples_s) {
        times_s_[test] = median(times_s);
        largest_bytes_ = std::max(largest_bytes_, std::get<2>(test));
    }
}

double UsualTimes::time_s(int sender, int receiver, std::int64_t size_bytes) const {
    const auto found = times_s_.find({sender, receiver, size_bytes});
    return found == times_s_.end() ? std::numeric_limits<double>::infinity() : found->second;
}

}  // namespace shardstone::validation
