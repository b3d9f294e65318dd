// SPDX-License-Identifier: BSD-3-Clause
// Single messages that took far longer than others of their pair.
#include "results/schema/long_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

constexpr double least_factor = 10.0;
/// Programs that share a core are kept waiting for some scheduling periods, of 10 ms at most each.
constexpr double least_excess_s = 0.1;

}  // namespace

std::vector<LongMessage> long_messages(std::span<const PairSampleRow> samples) {
    const auto kind_of = [](const PairSampleRow& row) {
        return std::tuple(row.sender, row.receiver, row.size_bytes);
    };
    std::map<std::tuple<double, double, double>, std::vector<double>> times_s;
    for (const auto& row : samples) times_s[kind_of(row)].push_back(row.time_s);
    std::map<std::tuple<double, double, double>, double> usual_s;
    for (const auto& [kind, times] : times_s) usual_s[kind] = median(times);
    std::vector<LongMessage> found;
    for (const auto& row : samples) {
        const double usual = usual_s.at(kind_of(row));
        const bool is_long =
            row.time_s > least_factor * usual && row.time_s - usual >= least_excess_s;
        if (is_long) found.push_back({row, usual});
    }
    std::ranges::stable_sort(found, std::greater{}, [](const LongMessage& one) {
        return one.message.time_s - one.usual_s;
    });
    return found;
}

std::string in_words(const LongMessage& one) {
    const PairSampleRow& row = one.message;
    return fmt::format(
        "rank {:.0f} to rank {:.0f}, {}, pass {:.0f}: {}, usually {} ({} after the tests began)",
        row.sender, row.receiver, format_size(static_cast<std::int64_t>(row.size_bytes)), row.pass,
        format_time(row.time_s), format_time(one.usual_s), format_time(row.at_s));
}

}  // namespace shardstone::results
