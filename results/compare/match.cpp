// SPDX-License-Identifier: BSD-3-Clause
// Finds the rows that two sets of records share, and the runs of each side behind every row.
#include "results/compare/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernels/base/error.hpp"
#include "results/report/system.hpp"

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

/// One row of one run, among those of the same name in all runs of both sides.
struct Candidate {
    const Run* run = nullptr;
    const MeasuredRow* row = nullptr;
};

/// Two candidates of one side whose runs differ in settings.
using Clash = std::pair<const Run*, const Run*>;

std::vector<Clash> clashes_of(const std::vector<Candidate>& candidates) {
    std::vector<Clash> clashes;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        for (std::size_t j = i + 1; j < candidates.size(); ++j) {
            const Run &one = *candidates[i].run, &other = *candidates[j].run;
            if (one.of_a == other.of_a && one.settings != other.settings) {
                clashes.emplace_back(&one, &other);
            }
        }
    }
    return clashes;
}

/// Settings that tell the runs of every clash apart: first those that the table prefers.
std::vector<std::string> telling_settings(const ComparableTable& table,
                                          const std::vector<Candidate>& candidates) {
    auto clashes = clashes_of(candidates);
    std::vector<std::string> names = table.telling;
    std::set<std::string> others;
    for (const auto& [one, other] : clashes) {
        for (const Run* run : {one, other}) {
            for (const auto& [name, value] : run->settings) others.insert(name);
        }
    }
    names.insert(names.end(), others.begin(), others.end());
    std::vector<std::string> chosen;
    for (const auto& name : names) {
        const auto told = std::erase_if(clashes, [&](const Clash& clash) {
            return setting(*clash.first, name) != setting(*clash.second, name);
        });
        if (told > 0) chosen.push_back(name);
    }
    return chosen;
}

/// The rows that candidates of one name become: several if settings tell runs of a side apart.
std::vector<MatchedRow> rows_of(const ComparableTable& table, const std::string& kind,
                                const std::vector<Candidate>& candidates) {
    const auto telling = telling_settings(table, candidates);
    std::vector<MatchedRow> rows;
    std::map<std::string, std::size_t> places;
    for (const auto& [run, row] : candidates) {
        auto keys = row->keys;
        for (const auto& name : telling) {
            const auto value = setting(*run, name);
            keys.push_back({name, value, name + " " + value});
        }
        const auto [place, fresh] = places.emplace(name_of(keys), rows.size());
        if (fresh) rows.push_back({&table, kind, keys, row->unit, {}, {}, telling});
        auto& side = run->of_a ? rows[place->second].a : rows[place->second].b;
        side.push_back({run->source, row->value, row->low, row->high, row->disturbed});
    }
    return rows;
}

/// In order of appearance.
std::vector<std::vector<Candidate>> by_name(const std::vector<Run>& runs) {
    std::vector<std::vector<Candidate>> groups;
    std::map<std::string, std::size_t> places;
    for (const Run& run : runs) {
        for (const MeasuredRow& row : run.rows) {
            const auto [place, fresh] = places.emplace(name_of(row.keys), groups.size());
            if (fresh) groups.emplace_back();
            groups[place->second].push_back({&run, &row});
        }
    }
    return groups;
}

}  // namespace

bool any_paced(const std::vector<Repetition>& runs) {
    return std::ranges::any_of(runs, [](const auto& run) { return is_paced(*run.source); });
}

bool any_emulated(const std::vector<Repetition>& runs) {
    return std::ranges::any_of(runs, [](const auto& run) { return is_emulated(*run.source); });
}

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
            for (const auto& candidates : by_name(runs)) {
                const auto rows = rows_of(table, kind, candidates);
                all.insert(all.end(), rows.begin(), rows.end());
            }
        }
    }
    return all;
}

}  // namespace shardstone::results
