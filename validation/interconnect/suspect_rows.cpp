// SPDX-License-Identifier: BSD-3-Clause
// A suspect as a row of its table, and in words.
#include "validation/interconnect/suspect_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"
#include "validation/interconnect/interval_words.hpp"

namespace shardstone::validation {

namespace {

std::string rivals_in_words(const Suspect& suspect, std::span<const Place> places) {
    std::vector<std::string> words;
    for (const Rival& rival : suspect.rivals) {
        words.push_back(
            fmt::format("{} ({:.2g})", name_of(rival.component, places), rival.probability));
    }
    return fmt::format("{}", fmt::join(words, "; "));
}

std::string host_of(int node, std::span<const results::RankPlaceRow> ranks) {
    const auto place = std::ranges::find(ranks, node, &results::RankPlaceRow::node);
    return place == ranks.end() ? "" : place->host;
}

}  // namespace

results::SuspectRow suspect_row(const Suspect& suspect, std::int64_t size_bytes,
                                std::span<const Place> places,
                                std::span<const results::RankPlaceRow> ranks) {
    results::SuspectRow row;
    row.part = name_of(suspect.component, places);
    row.culprit = to_string(suspect.component.culprit);
    if (const int node = suspect.component.node; node >= 0) {
        row.node = node;
        row.host = host_of(node, ranks);
    }
    row.size_bytes = static_cast<double>(size_bytes);
    row.slowdown = 1.0 + suspect.slowdown;
    row.slowdown_low = 1.0 + suspect.slowdown_interval.low;
    row.slowdown_high = 1.0 + suspect.slowdown_interval.high;
    row.log10_odds = suspect.log10_odds;
    row.probability = suspect.probability;
    row.tests = suspect.tests;
    row.rivals = rivals_in_words(suspect, places);
    return row;
}

std::string in_words(const results::SuspectRow& row) {
    const auto longer_percent = [](double slowdown) { return 100.0 * (slowdown - 1.0); };
    const std::string longer =
        fmt::format("{:.0f} % longer ({}{:.0f} to {:.0f} %)", longer_percent(row.slowdown),
                    is_informative({row.slowdown_low, row.slowdown_high}) ? "" : "uncertain: ",
                    longer_percent(row.slowdown_low), longer_percent(row.slowdown_high));
    return fmt::format("{}: messages of {} take {}, odds {}", row.part,
                       format_size(static_cast<std::int64_t>(row.size_bytes)), longer,
                       odds_in_words(row.log10_odds));
}

}  // namespace shardstone::validation
