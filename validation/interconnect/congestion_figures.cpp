// SPDX-License-Identifier: BSD-3-Clause
// Pairs under a load beside themselves alone, and all pairs of two halves together.
#include "validation/interconnect/congestion_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/interconnect/congestion.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::NetworkLoad;
using results::CongestionRow;
using results::CongestionSampleRow;

bool is_of(const CongestionSampleRow& sample, const std::string& load,
           const CongestionRow& subject) {
    return sample.load == load && sample.sender == subject.sender &&
           sample.receiver == subject.receiver && sample.size_bytes == subject.size_bytes;
}

std::vector<double> times_of(CongestionSamples samples, const std::string& load,
                             const CongestionRow& subject) {
    std::vector<double> times_s;
    for (const auto& sample : samples) {
        if (is_of(sample, load, subject)) times_s.push_back(sample.time_s);
    }
    return times_s;
}

void compare(std::span<const double> alone_s, std::span<const double> times_s, CongestionRow& row) {
    row.samples = static_cast<double>(times_s.size());
    row.time_s = median(times_s);
    row.longest_s = std::ranges::max(times_s);
    if (alone_s.empty()) return;
    row.alone_s = median(alone_s);
    row.longest_alone_s = std::ranges::max(alone_s);
}

void put_slowdown(std::span<const double> slowdowns, CongestionRow& row) {
    row.passes = static_cast<double>(slowdowns.size());
    if (slowdowns.empty()) return;
    row.slowdown = median(slowdowns);
    const auto interval = median_interval(slowdowns);
    if (!interval) return;
    row.slowdown_low = interval->low;
    row.slowdown_high = interval->high;
}

/// Whether a rank is on a node of the first half, as Congestion halves them.
bool is_in_first_half(double rank, RankPlaces places) {
    const double last_node = std::ranges::max(places, {}, &results::RankPlaceRow::node).node;
    const auto place = std::ranges::find(places, rank, &results::RankPlaceRow::rank);
    return place != places.end() && place->node < std::floor((last_node + 1.0) / 2.0);
}

/// Halves of fewer nodes are a pair or two links of one node: their rate is that of the pair.
bool has_bisection(RankPlaces places) {
    constexpr double least_nodes = 4.0;
    if (places.empty()) return false;
    return std::ranges::max(places, {}, &results::RankPlaceRow::node).node + 1.0 >= least_nodes;
}

/// Sums of rates by pass, of messages in one direction under a load.
std::map<double, double> sums_of_rates(CongestionSamples samples, RankPlaces places,
                                       NetworkLoad load, bool from_first_half) {
    std::map<double, double> sums_gb_s;
    for (const auto& sample : samples) {
        if (sample.load != to_string(load)) continue;
        if (is_in_first_half(sample.sender, places) != from_first_half) continue;
        sums_gb_s[sample.pass] += 1e-9 * sample.size_bytes / sample.time_s;
    }
    return sums_gb_s;
}

std::vector<double> values_of(const std::map<double, double>& sums) {
    std::vector<double> values;
    for (const auto& [pass, sum] : sums) values.push_back(sum);
    return values;
}

}  // namespace

std::string load_without(const std::string& load) {
    if (load == to_string(NetworkLoad::at_once)) return to_string(NetworkLoad::alone);
    if (load == to_string(NetworkLoad::all_to_all)) return to_string(NetworkLoad::victim);
    return "";
}

std::vector<CongestionRow> congestion_rows(CongestionSamples samples) {
    std::vector<CongestionRow> rows;
    for (const auto& sample : samples) {
        const std::string alone = load_without(sample.load);
        if (alone.empty()) continue;
        const auto known = std::ranges::find_if(
            rows, [&](const CongestionRow& row) { return is_of(sample, row.load, row); });
        if (known != rows.end()) continue;
        CongestionRow& row = rows.emplace_back();
        row.load = sample.load;
        row.sender = sample.sender;
        row.receiver = sample.receiver;
        row.size_bytes = sample.size_bytes;
        compare(times_of(samples, alone, row), times_of(samples, row.load, row), row);
        put_slowdown(slowdowns_of(samples, row), row);
    }
    return rows;
}

std::vector<results::BisectionRow> bisection_rows(CongestionSamples samples, RankPlaces places) {
    std::vector<results::BisectionRow> rows;
    for (const bool from_first_half : {true, false}) {
        const auto rates_gb_s = bisection_rates(samples, places, from_first_half);
        if (rates_gb_s.empty()) continue;
        results::BisectionRow& row = rows.emplace_back();
        row.direction = direction_of(from_first_half);
        row.passes = static_cast<double>(rates_gb_s.size());
        row.rate_gb_s = median(rates_gb_s);
        if (const auto interval = median_interval(rates_gb_s)) {
            row.rate_low_gb_s = interval->low;
            row.rate_high_gb_s = interval->high;
        }
        row.alone_gb_s =
            median(values_of(sums_of_rates(samples, places, NetworkLoad::alone, from_first_half)));
        const auto first =
            std::ranges::find(samples, to_string(NetworkLoad::at_once), &CongestionSampleRow::load);
        row.size_bytes = first->size_bytes;
        row.pairs = static_cast<double>(std::ranges::count_if(samples, [&](const auto& sample) {
            return sample.load == first->load && sample.pass == first->pass &&
                   is_in_first_half(sample.sender, places);
        }));
    }
    return rows;
}

std::vector<double> slowdowns_of(CongestionSamples samples, const CongestionRow& subject) {
    std::map<double, std::vector<double>> alone_s, loaded_s;  // by pass
    for (const auto& sample : samples) {
        if (is_of(sample, load_without(subject.load), subject)) {
            alone_s[sample.pass].push_back(sample.time_s);
        } else if (is_of(sample, subject.load, subject)) {
            loaded_s[sample.pass].push_back(sample.time_s);
        }
    }
    std::vector<double> slowdowns;
    for (const auto& [pass, times_s] : loaded_s) {
        if (!alone_s.contains(pass)) continue;
        slowdowns.push_back(median(times_s) / median(alone_s.at(pass)));
    }
    return slowdowns;
}

std::vector<double> bisection_rates(CongestionSamples samples, RankPlaces places,
                                    bool from_first_half) {
    if (!has_bisection(places)) return {};
    return values_of(sums_of_rates(samples, places, NetworkLoad::at_once, from_first_half));
}

std::string direction_of(bool from_first_half) {
    return from_first_half ? "first to second half" : "second to first half";
}

}  // namespace shardstone::validation
