// SPDX-License-Identifier: BSD-3-Clause
// Differences in environment and settings, collected over the compared rows and counted.
#include "results/compare/row_differences.hpp"

#include <map>
#include <set>
#include <tuple>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// Rows whose figures come from the same runs.
struct SameRuns {
    const ComparableTable* table = nullptr;
    std::set<const Source*> a, b;

    auto operator<=>(const SameRuns&) const = default;
};

std::set<const Source*> sources_of(const std::vector<Repetition>& runs) {
    std::set<const Source*> sources;
    for (const Repetition& run : runs) sources.insert(run.source);
    return sources;
}

struct Concerned {
    std::set<std::string> kinds;
    double rows = 0.0;
};

class PropertyCache {
  public:
    std::vector<const Properties*> of(const SameRuns& runs, bool of_a) {
        std::vector<const Properties*> found;
        for (const Source* source : of_a ? runs.a : runs.b) {
            const auto [place, fresh] = cache_.try_emplace({source, runs.table});
            if (fresh) place->second = properties_of(source->record, runs.table->scope);
            found.push_back(&place->second);
        }
        return found;
    }

  private:
    std::map<std::pair<const Source*, const ComparableTable*>, Properties> cache_;
};

}  // namespace

std::vector<ComparisonDifferenceRow> differences_of(const std::vector<MatchedRow>& rows) {
    std::map<SameRuns, double> groups;
    for (const MatchedRow& row : rows) {
        if (row.is_complete()) groups[{row.table, sources_of(row.a), sources_of(row.b)}] += 1.0;
    }
    PropertyCache cache;
    std::map<std::tuple<PropertyName, std::string, std::string>, Concerned> all;
    for (const auto& [runs, count] : groups) {
        for (const Difference& one :
             differences_between(cache.of(runs, true), cache.of(runs, false))) {
            Concerned& concerned = all[{one.name, one.a, one.b}];
            concerned.kinds.insert((*runs.a.begin())->record.kind);
            concerned.rows += count;
        }
    }
    std::vector<ComparisonDifferenceRow> found;
    for (const auto& [what, concerned] : all) {
        const auto& [name, a, b] = what;
        found.push_back({name.first, listed({concerned.kinds.begin(), concerned.kinds.end()}),
                         name.second, a, b, concerned.rows});
    }
    return found;
}

}  // namespace shardstone::results
