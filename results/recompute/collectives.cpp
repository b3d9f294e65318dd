// SPDX-License-Identifier: BSD-3-Clause
// Sweeps again from their samples: medians, means, intervals, percentiles, rates, noise floors.
#include "results/schema/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "kernels/base/statistics.hpp"
#include "results/recompute/comparer.hpp"

namespace shardstone::results {

namespace {

/// What a row and its samples have in common.
using PointKey = std::tuple<std::string, std::string, double, double>;

/// What is not known is one value, too, so that keys have an order.
template <class Row>
PointKey key_of(const Row& row) {
    const auto known = [](double value) { return std::isnan(value) ? -1.0 : value; };
    return {row.operation, row.algorithm, known(row.in_place), known(row.size_bytes)};
}

template <class Row>
std::string name_of(const Row& row) {
    return fmt::format("{} {} {} B", row.operation, row.algorithm, row.size_bytes);
}

struct PointSamples {
    std::vector<double> times_s, skews_s;
};

std::map<PointKey, PointSamples> samples_by_point(const Record& record) {
    std::map<PointKey, PointSamples> samples;
    for (const auto& row : rows_of<CollectiveSampleRow>(record)) {
        auto& of_point = samples[key_of(row)];
        of_point.times_s.push_back(row.time_s);
        if (!std::isnan(row.skew_s)) of_point.skews_s.push_back(row.skew_s);
    }
    return samples;
}

/// nccl-tests, doc/PERFORMANCE.md; nothing for operations that it does not name.
std::optional<double> bus_factor(const std::string& operation, double ranks) {
    if (operation == "all_reduce") return 2.0 * (ranks - 1.0) / ranks;
    if (operation == "broadcast" || operation == "reduce") return 1.0;
    for (const char* shared : {"reduce_scatter", "all_gather", "all_to_all", "gather", "scatter"}) {
        if (operation == shared) return (ranks - 1.0) / ranks;
    }
    return std::nullopt;
}

void compare_point(const CollectiveRow& row, const PointSamples& samples, RowComparer& compare) {
    const auto& times_s = samples.times_s;
    const double median_s = median(times_s);
    compare.number("time_s", row.time_s, median_s);
    compare.number("mean_s", row.mean_s, mean(times_s));
    compare.interval("time_low_s", row.time_low_s, "time_high_s", row.time_high_s, times_s);
    compare.number("p95_s", row.p95_s, quantile(times_s, 0.95).value_or(not_measured));
    compare.number("p99_s", row.p99_s, quantile(times_s, 0.99).value_or(not_measured));
    if (samples.skews_s.size() == times_s.size()) {
        compare.number("skew_s", row.skew_s, median(samples.skews_s));
    }
    const double rate_gb_s = row.size_bytes / median_s * 1e-9;
    // One rank sends nothing.
    compare.number("algbw_gb_s", row.algbw_gb_s, row.ranks == 1 ? not_measured : rate_gb_s);
    if (const auto factor = bus_factor(row.operation, row.ranks)) {
        compare.number("busbw_gb_s", row.busbw_gb_s, rate_gb_s * *factor);
    }
}

}  // namespace

void compare_collectives(const Record& record, Recomputed& found) {
    const auto rows = rows_of<CollectiveRow>(record);
    if (rows.empty()) return;
    const auto samples = samples_by_point(record);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto of_point = samples.find(key_of(rows[i]));
        if (of_point == samples.end()) continue;
        RowComparer compare(record, found, "collectives", i, name_of(rows[i]));
        compare_point(rows[i], of_point->second, compare);
    }
}

void compare_noise_floor(const Record& record, Recomputed& found) {
    std::map<PointKey, std::vector<double>> ratios;
    for (const auto& row : rows_of<NoiseFloorRoundRow>(record)) {
        ratios[key_of(row)].push_back(row.ratio);
    }
    const auto rows = rows_of<NoiseFloorRow>(record);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto rounds = ratios.find(key_of(rows[i]));
        if (rounds == ratios.end()) continue;
        RowComparer compare(record, found, "noise_floor", i, name_of(rows[i]));
        compare.number("ratio", rows[i].ratio, median(rounds->second));
        compare.number("ratio_low", rows[i].ratio_low, std::ranges::min(rounds->second));
        compare.number("ratio_high", rows[i].ratio_high, std::ranges::max(rounds->second));
    }
}

}  // namespace shardstone::results
