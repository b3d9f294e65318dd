// SPDX-License-Identifier: BSD-3-Clause
// One-way times from acknowledged messages, and their medians by pair and by path.
#include "validation/interconnect/pair_figures.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/base/statistics.hpp"
#include "validation/interconnect/path_costs.hpp"

namespace shardstone::validation {

namespace {

using results::PairSampleRow;

/// Sender, receiver, whether alone.
using TestKey = std::tuple<int, int, bool>;

TestKey key_of(const PairSampleRow& row) {
    return {static_cast<int>(row.sender), static_cast<int>(row.receiver), row.alone > 0.0};
}

/// The smallest size's half time, by test and pass.
class HalfTimes {
  public:
    explicit HalfTimes(std::span<const PairSampleRow> rows) {
        for (const auto& row : rows) {
            const auto [place, is_new] = smallest_.try_emplace(key_of(row), row.size_bytes);
            place->second = std::min(place->second, row.size_bytes);
        }
        for (const auto& row : rows) {
            if (is_smallest(row)) halves_s_[{key_of(row), row.pass}] = row.time_s / 2.0;
        }
    }
    bool is_smallest(const PairSampleRow& row) const {
        return row.size_bytes == smallest_.at(key_of(row));
    }
    double one_way_s(const PairSampleRow& row) const {
        if (is_smallest(row)) return row.time_s / 2.0;
        const auto half = halves_s_.find({key_of(row), row.pass});
        const double back_s = half == halves_s_.end() ? 0.0 : half->second;
        return std::max(row.time_s - back_s, row.time_s / 2.0);
    }

  private:
    std::map<TestKey, double> smallest_;
    std::map<std::pair<TestKey, double>, double> halves_s_;
};

/// Medians of the same path, manner and size.
using Kind = std::tuple<Path, bool, std::int64_t>;

Kind kind_of(std::span<const Place> places, const PairTime& time) {
    return {path_of(places, time.test), time.test.alone, time.size_bytes};
}

double in_gb_s(double bytes, double time_s) {
    return 1e-9 * bytes / time_s;
}

/// None where more bytes took no more time.
double rate_gb_s(double beta_s_per_byte) {
    return beta_s_per_byte > 0.0 ? in_gb_s(1.0, beta_s_per_byte) : results::not_measured;
}

}  // namespace

std::vector<Place> places_of(std::span<const results::RankPlaceRow> rows) {
    std::vector<Place> places;
    for (const auto& row : rows) {
        places.push_back({static_cast<int>(row.node), static_cast<int>(row.rail),
                          static_cast<int>(row.leaf), 0, row.host});
    }
    return places;
}

bool is_further(const PairTime& time, std::span<const PairTime> times) {
    return time.test.alone && std::ranges::any_of(times, [&](const PairTime& other) {
               return !other.test.alone && other.test.sender == time.test.sender &&
                      other.test.receiver == time.test.receiver &&
                      other.size_bytes == time.size_bytes;
           });
}

bool are_cores_shared(std::span<const results::RankPlaceRow> ranks) {
    return std::ranges::any_of(ranks, [](const auto& rank) { return rank.sharers > 1.0; });
}

std::vector<std::int64_t> sizes_to_judge(std::span<const PairTime> times,
                                         std::span<const results::RankPlaceRow> ranks) {
    const auto sizes = sizes_of(times);
    if (sizes.empty()) return {};
    std::vector<std::int64_t> telling{sizes.back()};
    if (sizes.size() > 1 && !are_cores_shared(ranks)) telling.push_back(sizes.front());
    return telling;
}

std::vector<PairTime> times_to_judge(std::span<const PairTime> times,
                                     std::span<const results::RankPlaceRow> ranks,
                                     std::int64_t size_bytes) {
    std::vector<PairTime> chosen;
    for (const PairTime& time : times) {
        const auto& sender = ranks[static_cast<std::size_t>(time.test.sender)];
        const auto& receiver = ranks[static_cast<std::size_t>(time.test.receiver)];
        const bool waits_for_cores = sender.node == receiver.node && sender.sharers > 1.0;
        if (time.size_bytes == size_bytes && !waits_for_cores) chosen.push_back(time);
    }
    return chosen;
}

std::vector<PairTime> pair_times_of(std::span<const PairSampleRow> rows) {
    const HalfTimes halves(rows);
    std::map<std::pair<TestKey, double>, PairTime> tests;
    for (const auto& row : rows) {
        PairTime& time = tests[{key_of(row), row.size_bytes}];
        time.test.sender = static_cast<int>(row.sender);
        time.test.receiver = static_cast<int>(row.receiver);
        time.test.alone = row.alone > 0.0;
        time.size_bytes = static_cast<std::int64_t>(row.size_bytes);
        time.round = static_cast<int>(row.round);
        time.times_s.push_back(halves.one_way_s(row));
    }
    std::vector<PairTime> times;
    for (auto& [key, time] : tests) times.push_back(std::move(time));
    return times;
}

std::string where_of(Path path, std::span<const Place> places) {
    const bool knows_leaves =
        std::ranges::any_of(places, [](const Place& place) { return place.leaf >= 0; });
    return path == Path::same_leaf && !knows_leaves ? "between nodes" : to_string(path);
}

std::vector<results::PairRow> pair_rows(std::span<const Place> places,
                                        std::span<const PairTime> times) {
    std::map<Kind, std::vector<double>> medians_s;
    for (const PairTime& time : times) {
        medians_s[kind_of(places, time)].push_back(median(time.times_s));
    }
    std::vector<results::PairRow> rows;
    for (const PairTime& time : times) {
        results::PairRow row;
        row.sender = time.test.sender;
        row.receiver = time.test.receiver;
        row.path = where_of(path_of(places, time.test), places);
        row.alone = time.test.alone ? 1.0 : 0.0;
        row.size_bytes = static_cast<double>(time.size_bytes);
        row.samples = static_cast<double>(time.times_s.size());
        row.time_s = median(time.times_s);
        if (const auto interval = median_interval(time.times_s)) {
            row.time_low_s = interval->low;
            row.time_high_s = interval->high;
        }
        row.rate_gb_s = in_gb_s(row.size_bytes, row.time_s);
        row.factor = row.time_s / median(medians_s.at(kind_of(places, time)));
        rows.push_back(row);
    }
    return rows;
}

std::vector<results::PathRow> path_rows(std::span<const Place> places,
                                        std::span<const PairTime> times) {
    std::vector<results::PathRow> rows;
    for (const PathCost& cost : path_costs(places, times)) {
        results::PathRow row;
        row.path = where_of(cost.path, places);
        row.alone = cost.alone ? 1.0 : 0.0;
        row.tests = cost.tests;
        row.alpha_s = cost.alpha_s;
        row.rate_gb_s = rate_gb_s(cost.beta_s_per_byte);
        if (cost.alpha_interval_s) {
            row.alpha_low_s = cost.alpha_interval_s->low;
            row.alpha_high_s = cost.alpha_interval_s->high;
        }
        if (cost.beta_interval_s_per_byte) {
            row.rate_low_gb_s = rate_gb_s(cost.beta_interval_s_per_byte->high);
            row.rate_high_gb_s = rate_gb_s(cost.beta_interval_s_per_byte->low);
        }
        rows.push_back(row);
    }
    return rows;
}

}  // namespace shardstone::validation
