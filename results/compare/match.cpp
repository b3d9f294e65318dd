// SPDX-License-Identifier: BSD-3-Clause
// Finds the rows that two sets of records share, and the runs of each side behind every row.
#include "results/compare/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernels/base/error.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using Settings = std::map<std::string, std::string>;

/// One record's rows of one table.
struct Run {
    const Source* source = nullptr;
    bool of_a = true;
    Settings settings;
    std::vector<MeasuredRow> rows;
};

std::string name_of(const std::vector<RowKey>& keys) {
    std::string name;
    for (const RowKey& key : keys) {
        name += fmt::format("{}{}={}", name.empty() ? "" : " ", key.name, key.value);
    }
    return name;
}

Run run_of(const ComparableTable& table, const Source& source, bool of_a) {
    Run run{&source, of_a, {}, {}};
    for (const auto& [name, value] : properties_of(source.record, table.scope)) {
        if (name.first == "settings") run.settings[name.second] = value;
    }
    try {
        run.rows = table.rows(source.record);
    } catch (const Error& error) {
        fail("'" + source.path.string() + "': " + error.what());
    }
    std::erase_if(run.rows, [](const MeasuredRow& row) { return std::isnan(row.value); });
    std::set<std::string> names;
    for (const MeasuredRow& row : run.rows) {
        require(names.insert(name_of(row.keys)).second, [&] {
            return fmt::format(
                "'{}' has two rows '{}' in its table '{}': compare the records of "
                "its parts",
                source.path.string(), name_of(row.keys), table.table);
        });
    }
    return run;
}

std::string setting(const Run& run, const std::string& name) {
    const auto found = run.settings.find(name);
    return found == run.settings.end() ? not_set : found->second;
}

bool share_a_row(const Run& one, const Run& other) {
    return std::ranges::any_of(one.rows, [&](const MeasuredRow& row) {
        return std::ranges::any_of(other.rows,
                                   [&](const MeasuredRow& same) { return same.keys == row.keys; });
    });
}

/// Two runs of one side that have a row in common but differ in settings.
using Clash = std::pair<const Run*, const Run*>;

std::vector<Clash> clashes_of(const std::vector<Run>& runs) {
    std::vector<Clash> clashes;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t j = i + 1; j < runs.size(); ++j) {
            if (runs[i].of_a == runs[j].of_a && runs[i].settings != runs[j].settings &&
                share_a_row(runs[i], runs[j])) {
                clashes.emplace_back(&runs[i], &runs[j]);
            }
        }
    }
    return clashes;
}

/// Settings that tell the runs of every clash apart: first those that the table prefers.
std::vector<std::string> telling_settings(const ComparableTable& table,
                                          const std::vector<Run>& runs) {
    auto clashes = clashes_of(runs);
    std::vector<std::string> candidates = table.telling;
    std::set<std::string> others;
    for (const auto& [one, other] : clashes) {
        for (const Run* run : {one, other}) {
            for (const auto& [name, value] : run->settings) others.insert(name);
        }
    }
    candidates.insert(candidates.end(), others.begin(), others.end());
    std::vector<std::string> chosen;
    for (const auto& name : candidates) {
        const auto told = std::erase_if(clashes, [&](const Clash& clash) {
            return setting(*clash.first, name) != setting(*clash.second, name);
        });
        if (told > 0) chosen.push_back(name);
    }
    return chosen;
}

std::vector<MatchedRow> rows_of_runs(const ComparableTable& table, const std::string& kind,
                                     const std::vector<Run>& runs,
                                     const std::vector<std::string>& telling) {
    std::vector<MatchedRow> matched;
    std::map<std::string, std::size_t> places;
    for (const Run& run : runs) {
        for (const MeasuredRow& row : run.rows) {
            auto keys = row.keys;
            for (const auto& name : telling) {
                const auto value = setting(run, name);
                keys.push_back({name, value, name + " " + value});
            }
            const auto [place, fresh] = places.emplace(name_of(keys), matched.size());
            if (fresh) matched.push_back({&table, kind, keys, row.unit, {}, {}});
            auto& side = run.of_a ? matched[place->second].a : matched[place->second].b;
            side.push_back({run.source, row.value, row.low, row.high, row.disturbed});
        }
    }
    return matched;
}

/// Whether runs of both sides share a row before settings are part of names.
bool would_match(const std::vector<Run>& runs) {
    return std::ranges::any_of(runs, [&](const Run& one) {
        return std::ranges::any_of(runs, [&](const Run& other) {
            return one.of_a && !other.of_a && share_a_row(one, other);
        });
    });
}

std::vector<MatchedRow> match_table(const ComparableTable& table, const std::string& kind,
                                    const std::vector<Run>& runs) {
    const auto telling = telling_settings(table, runs);
    auto matched = rows_of_runs(table, kind, runs, telling);
    const bool found = std::ranges::any_of(matched, &MatchedRow::is_complete);
    require(found || telling.empty() || !would_match(runs), [&] {
        return fmt::format(
            "the {} records of one side differ among themselves in {}, and no row of table '{}' "
            "has "
            "the same on the other side: compare the records of one setting at a time",
            kind, listed(telling), table.table);
    });
    return matched;
}

}  // namespace

std::string MatchedRow::name() const {
    return name_of(keys);
}

std::vector<MatchedRow> match(const std::vector<Source>& a, const std::vector<Source>& b) {
    std::vector<std::string> kinds;
    for (const auto* side : {&a, &b}) {
        for (const Source& source : *side) {
            const auto& kind = source.record.kind;
            if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
        }
    }
    std::vector<MatchedRow> all;
    for (const auto& kind : kinds) {
        for (const ComparableTable& table : comparable_tables()) {
            std::vector<Run> runs;
            for (const auto* side : {&a, &b}) {
                for (const Source& source : *side) {
                    if (source.record.kind != kind) continue;
                    runs.push_back(run_of(table, source, side == &a));
                }
            }
            auto matched = match_table(table, kind, runs);
            all.insert(all.end(), matched.begin(), matched.end());
        }
    }
    return all;
}

}  // namespace shardstone::results
