// SPDX-License-Identifier: BSD-3-Clause
// Compares two sets of records: what differs, every shared row with its verdict, what is missing.
#include "results/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "kernels/base/error.hpp"
#include "results/compare/row_differences.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// "collectives, train"
std::string kinds_of(const std::vector<Source>& sources) {
    std::vector<std::string> kinds;
    for (const Source& source : sources) {
        if (std::ranges::find(kinds, source.record.kind) == kinds.end()) {
            kinds.push_back(source.record.kind);
        }
    }
    return listed(kinds);
}

/// Whether both sides are the same runs. A run on both sides beside others would be compared with
/// itself in part.
bool are_same_runs(const std::vector<Source>& a, const std::vector<Source>& b) {
    std::set<std::string> of_a;
    for (const Source& source : a) of_a.insert(source.hash);
    std::size_t shared = 0;
    const Source* last = nullptr;
    for (const Source& source : b) {
        if (!of_a.contains(source.hash)) continue;
        ++shared;
        last = &source;
    }
    if (shared == a.size() && shared == b.size()) return true;
    require(shared == 0, [&] {
        return fmt::format("'{}' is on both sides beside other records: give each run to one side",
                           last->path.string());
    });
    return false;
}

/// A copy of a run with other contents under the same name is a mistake.
void require_different_runs(const std::vector<Source>& a, const std::vector<Source>& b) {
    std::map<std::string, const Source*> seen;
    for (const auto* side : {&a, &b}) {
        for (const Source& source : *side) {
            const auto id = source.record.identity.value("id", "");
            if (id.empty()) continue;
            const Source* first = seen.emplace(id, &source).first->second;
            require(first->hash == source.hash, [&] {
                return fmt::format(
                    "'{}' and '{}' have different contents, though both are of run {}: one of them "
                    "was changed",
                    first->path.string(), source.path.string(), id);
            });
        }
    }
}

/// "paced (A)": of what kind the sides are.
std::string sides(const std::string& kind, bool a, bool b) {
    if (a && b) return kind + " (A and B)";
    if (a) return kind + " (A)";
    return b ? kind + " (B)" : "";
}

ComparisonRow recorded(const JudgedRow& judged, const Labels& labels) {
    ComparisonRow row;
    row.benchmark = judged.row.kind;
    row.table = judged.row.table->table;
    row.row = judged.row.name();
    row.label = labels.of(judged.row);
    row.quantity = judged.row.table->quantity;
    row.unit = judged.row.unit;
    row.better_if = judged.row.table->better == Better::lower ? "lower" : "higher";
    row.a = judged.a;
    row.b = judged.b;
    row.ratio = judged.ratio;
    row.ratio_low = judged.interval.low;
    row.ratio_high = judged.interval.high;
    row.noise_floor = judged.noise_floor;
    row.worse_by = judged.worse_by();
    row.runs_a = static_cast<double>(judged.runs_a);
    row.runs_b = static_cast<double>(judged.runs_b);
    row.deviation = judged.deviation;
    row.assumed = judged.assumed ? 1.0 : 0.0;
    row.p_value = judged.p_value;
    row.left_out = static_cast<double>(judged.left_out);
    row.disturbed = judged.disturbed ? 1.0 : 0.0;
    row.paced = sides("paced", any_paced(judged.row.a), any_paced(judged.row.b));
    row.emulated = sides("emulated", any_emulated(judged.row.a), any_emulated(judged.row.b));
    row.verdict = to_string(judged.verdict);
    row.reason = judged.reason;
    return row;
}

/// By which rows of one side are told apart.
std::set<std::string> telling_settings(const std::vector<MatchedRow>& rows) {
    std::set<std::string> settings;
    for (const MatchedRow& row : rows) settings.insert(row.told_by.begin(), row.told_by.end());
    return settings;
}

std::vector<ComparisonMissingRow> missing_of(const std::vector<MatchedRow>& rows,
                                             const Labels& labels) {
    std::vector<ComparisonMissingRow> missing;
    std::set<std::tuple<std::string, std::string, std::string>> said;  // whatever the quantity
    for (const MatchedRow& row : rows) {
        if (row.is_complete()) continue;
        if (!said.emplace(row.kind, row.table->table, row.name()).second) continue;
        missing.push_back(
            {row.kind, row.table->table, row.name(), labels.of(row), row.b.empty() ? "A" : "B"});
    }
    return missing;
}

std::vector<ComparisonRecordRow> records_of(const ComparedSide& side, const std::string& name) {
    std::vector<ComparisonRecordRow> records;
    for (const Source& source : side.given.sources) {
        records.push_back({name, source.path.string(), source.record.kind,
                           source.record.identity.value("start_time", ""), source.hash, ""});
    }
    for (const NotShown& one : side.left_out) {
        records.push_back({name, one.file, "", "", "", one.why});
    }
    return records;
}

/// Of the median row that is undecided for lack of runs; single runs do not tell how many.
std::size_t runs_needed_by(const std::vector<JudgedRow>& judged, const JudgeOptions& how) {
    std::vector<std::size_t> needed;
    for (const JudgedRow& row : judged) {
        if (row.assumed && !how.deviation_is_stated) continue;
        if (row.verdict != Verdict::undecided || row.disturbed || std::isnan(row.ratio)) continue;
        needed.push_back(runs_needed(row, how.margin, judged.size()));
    }
    if (needed.empty()) return 0;
    std::ranges::sort(needed);
    return needed[needed.size() / 2];
}

std::vector<MatchedRow> exchanged(std::vector<MatchedRow> rows) {
    for (MatchedRow& row : rows) std::swap(row.a, row.b);
    return rows;
}

}  // namespace

Comparison compare(const ComparedSide& a, const ComparedSide& b, const JudgeOptions& options) {
    const auto &of_a = a.given.sources, &of_b = b.given.sources;
    require_different_runs(of_a, of_b);
    auto how = options;
    how.same_runs = are_same_runs(of_a, of_b);
    const auto rows = match(of_a, of_b);
    const auto judged = judge(rows, how);
    require(!judged.empty(), [&] {
        const auto settings = telling_settings(rows);
        if (!settings.empty()) {
            return fmt::format(
                "the records of one side differ among themselves in {}, and no row has the same on "
                "the other side: compare the records of one setting at a time",
                listed({settings.begin(), settings.end()}));
        }
        return fmt::format(
            "A ({}) and B ({}) have no row in common: compare records of the same "
            "benchmark, operations, sizes and ranks",
            kinds_of(of_a), kinds_of(of_b));
    });
    Comparison comparison;
    comparison.labels = Labels(rows);
    for (const JudgedRow& row : judged) {
        comparison.rows.push_back(recorded(row, comparison.labels));
    }
    comparison.differences = differences_of(rows);
    comparison.missing = missing_of(rows, comparison.labels);
    comparison.records = records_of(a, "A");
    const auto others = records_of(b, "B");
    comparison.records.insert(comparison.records.end(), others.begin(), others.end());
    comparison.same_runs = how.same_runs;
    comparison.runs_needed = runs_needed_by(judged, how);
    const auto is_verified = [](const Source& source) { return source.record.verified(); };
    comparison.verified =
        std::ranges::all_of(of_a, is_verified) && std::ranges::all_of(of_b, is_verified);
    comparison.mirrored = are_inverse(judged, judge(exchanged(rows), how));
    return comparison;
}

std::string Comparison::records_of(const std::string& side) const {
    const auto count = std::ranges::count_if(records, [&](const ComparisonRecordRow& record) {
        return record.side == side && record.left_out.empty();
    });
    return plural(static_cast<double>(count), "run");
}

void fill_record(const Comparison& comparison, const JudgeOptions& options, Record& record) {
    record.configuration = {{"margin", options.margin},
                            {"assumed_run_deviation", options.run_deviation},
                            {"deviation_is_stated", options.deviation_is_stated},
                            {"false_alarm_rate", false_alarm_rate},
                            {"same_runs", comparison.same_runs}};
    record.derived = {table_of(comparison.rows), table_of(comparison.differences),
                      table_of(comparison.missing), table_of(comparison.records)};
    const auto compared =
        std::ranges::count(comparison.records, "", &ComparisonRecordRow::left_out);
    record.verification = {{"every compared record passed its own verification",
                            comparison.verified, fmt::format("{} records", compared)},
                           {"the comparison of B with A is the inverse of that of A with B",
                            comparison.mirrored, fmt::format("{} rows", comparison.rows.size())}};
}

}  // namespace shardstone::results
