// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone compare` prints: the sides, their differences, the rows, and how to read them.
#include "jobs/command/compare_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/two_samples.hpp"
#include "kernels/base/units.hpp"
#include "results/report/comparison_words.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::command {

namespace {

using results::Comparison;
using results::ComparisonRow;

constexpr std::size_t most_named = 20;
/// Rows of a table; of a longer one, such as the pairs of many nodes, those better or worse.
constexpr std::size_t most_listed = 100;

std::string sides_text(const Comparison& comparison) {
    std::string text;
    for (const char* side : {"A", "B"}) text += results::side_text(comparison.records, side) + "\n";
    for (const auto& record : comparison.records) {
        if (record.left_out.empty()) continue;
        text +=
            fmt::format("left out of {}: '{}': {}\n", record.side, record.file, record.left_out);
    }
    if (comparison.same_runs) text += "A and B are the same runs, so that every ratio is 1.\n";
    return text;
}

std::string differences_text(const Comparison& comparison) {
    if (comparison.differences.empty()) {
        return "What differs: nothing that the records hold of environment and settings.\n";
    }
    std::size_t width = 0;
    for (const auto& one : comparison.differences) width = std::max(width, one.name.size());
    std::string text = "What differs\n";
    for (const auto& one : comparison.differences) {
        const auto values = results::shortened(one.a, one.b);
        const bool everywhere = one.rows == static_cast<double>(comparison.rows.size());
        text += fmt::format("  {:<12} {:<{}}  {} -> {}{}\n", one.group, one.name, width,
                            values.first, values.second,
                            everywhere ? ""
                                       : fmt::format("   ({} of {} rows: {})", one.rows,
                                                     comparison.rows.size(), one.benchmark));
    }
    return text;
}

std::string row_text(const ComparisonRow& row, std::size_t width) {
    return fmt::format("  {:<{}} {:>12} {:>12} {:>7} {:>16} {:>8} {:>7}  {}{}\n", row.label, width,
                       results::value_text(row, row.a), results::value_text(row, row.b),
                       std::isnan(row.ratio) ? "-" : fmt::format("{:.3f}", row.ratio),
                       results::ratio_interval_text(row), results::floor_text(row),
                       fmt::format("{}/{}", row.runs_a, row.runs_b), results::verdict_text(row),
                       results::marks_of(row));
}

bool is_called(const ComparisonRow& row) {
    return row.verdict == "better" || row.verdict == "worse";
}

/// The rows of one quantity in one table of one kind of record.
std::string table_text(const Comparison& comparison, const std::vector<ComparisonRow>& rows) {
    std::size_t width = 3;
    for (const auto& row : rows) width = std::max(width, row.label.size());
    const auto& first = rows.front();
    const std::string common =
        comparison.labels.common(first.benchmark, first.table, first.quantity);
    std::string text =
        fmt::format("\n{}, {} of table '{}', {} is better{}\n", first.benchmark, first.quantity,
                    first.table, first.better_if, common.empty() ? "" : ": " + common);
    text += fmt::format("  {:<{}} {:>12} {:>12} {:>7} {:>16} {:>8} {:>7}  {}\n", "row", width, "A",
                        "B", "B/A", "95 % interval", "floor", "runs", "B is");
    std::int64_t unlisted = 0;
    for (const auto& row : rows) {
        if (rows.size() > most_listed && !is_called(row)) {
            ++unlisted;
        } else {
            text += row_text(row, width);
        }
    }
    if (unlisted == 0) return text;
    return text + fmt::format(
                      "  {} more, the same or undecided (--csv, --json and --report have "
                      "them)\n",
                      counted(unlisted, "row"));
}

std::string tables_text(const Comparison& comparison) {
    std::vector<std::vector<ComparisonRow>> tables;
    for (const auto& row : comparison.rows) {
        const bool fresh = tables.empty() || tables.back().front().table != row.table ||
                           tables.back().front().quantity != row.quantity ||
                           tables.back().front().benchmark != row.benchmark;
        if (fresh) tables.emplace_back();
        tables.back().push_back(row);
    }
    std::string text;
    for (const auto& rows : tables) text += table_text(comparison, rows);
    return text;
}

std::string missing_text(const Comparison& comparison) {
    std::string text;
    for (const char* side : {"A", "B"}) {
        std::size_t count = 0;
        for (const auto& row : comparison.missing) {
            if (row.only_in != side || ++count > most_named) continue;
            text += fmt::format("only in {}: {}, {}\n", side, row.table, row.label);
        }
        if (count > most_named) {
            text += fmt::format("only in {}: {} more rows\n", side, count - most_named);
        }
    }
    return text;
}

/// What more runs would show, if some row is undecided for lack of them.
std::string more_runs_text(const Comparison& comparison, const results::JudgeOptions& options) {
    if (comparison.runs_needed == 0 || options.margin <= 0.0) return "";
    if (comparison.runs_needed >= most_samples_each) {
        return "More runs will not decide the undecided rows: they vary too much.\n";
    }
    return fmt::format(
        "About {} on each side would put the noise floor of an undecided row at "
        "{:.3g} %.\n",
        results::plural(static_cast<double>(comparison.runs_needed), "run"),
        100.0 * options.margin);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const results::JudgeOptions& options) {
    std::string text =
        sides_text(comparison) + "\n" + differences_text(comparison) + tables_text(comparison);
    const std::string missing = missing_text(comparison);
    if (!missing.empty()) text += "\n" + missing;
    text += "\n" + results::counts_text(comparison.rows) + "\n";
    for (const auto& line : results::reading_of(
             comparison.rows, {options.margin, options.run_deviation, options.deviation_is_stated,
                               results::false_alarm_rate})) {
        text += line + "\n";
    }
    return text + more_runs_text(comparison, options);
}

std::string worse_row_text(const ComparisonRow& row) {
    return fmt::format("{} of {} {} (by a factor of {:.3f})", row.quantity, row.table, row.label,
                       1.0 + row.worse_by);
}

}  // namespace shardstone::command
