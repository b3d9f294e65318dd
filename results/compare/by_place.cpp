// SPDX-License-Identifier: BSD-3-Clause
// Rows of a validated interconnect by the places of ranks, so that days and orders of nodes differ.
#include "results/compare/by_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "kernels/base/error.hpp"
#include "results/report/rows_table.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/soak.hpp"

namespace shardstone::results {

namespace {

/// By the number of a rank as a key has it.
std::map<std::string, std::string> places_of(const Record& record) {
    std::map<std::string, std::string> places;
    std::map<std::string, int> ranks_of_host;
    for (const RankPlaceRow& row : rows_of<RankPlaceRow>(record)) {
        places[fmt::format("{}", row.rank)] =
            fmt::format("{} rank {}", row.host, ranks_of_host[row.host]++);
    }
    return places;
}

void name_places(MeasuredRow& row, const std::map<std::string, std::string>& places) {
    constexpr std::array of_ranks{"sender", "receiver", "rank"};
    for (RowKey& key : row.keys) {
        if (std::ranges::find(of_ranks, key.name) == of_ranks.end()) continue;
        const auto place = places.find(key.value);
        require(place != places.end(), [&] {
            return fmt::format("table 'rank_places' does not say where rank {} ran", key.value);
        });
        key.value = place->second;
        key.shown = (key.name == "receiver" ? "to " : "") + place->second;
    }
}

bool was_disturbed(const Record& record, const std::string& part) {
    return std::ranges::any_of(rows_of<ConditionsRow>(record), [&](const ConditionsRow& row) {
        return row.part == part && is_disturbed(row);
    });
}

}  // namespace

ComparableTable by_place(ComparableTable table, const std::string& part) {
    table.rows = [rows = std::move(table.rows), part](const Record& record) {
        auto found = rows(record);
        if (found.empty()) return found;
        const auto places = places_of(record);
        const bool disturbed = was_disturbed(record, part);
        for (MeasuredRow& row : found) {
            name_places(row, places);
            row.disturbed = disturbed;
        }
        return found;
    };
    return table;
}

}  // namespace shardstone::results
