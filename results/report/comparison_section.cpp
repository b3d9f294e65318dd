// SPDX-License-Identifier: BSD-3-Clause
// The report's section on comparisons: what differs between two sets of runs, and who is faster.
#include <fmt/format.h>

#include <algorithm>

#include "results/report/comparison_words.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

std::string differences_html(const std::vector<ComparisonDifferenceRow>& differences) {
    if (differences.empty()) {
        return paragraph("Nothing differs that the records hold of environment and settings.");
    }
    HtmlTable table({"Group", "What differs", "A", "B", "Rows", "Benchmark"});
    for (const auto& one : differences) {
        table.add_row({one.group, one.name, one.a, one.b, count_text(one.rows), one.benchmark});
    }
    return "<h3>What differs</h3>\n" + table.html();
}

std::string rows_html(const std::vector<ComparisonRow>& rows) {
    HtmlTable table({"Row", "Quantity", "A", "B", "B / A", "95 % interval", "Noise floor",
                     "Runs of A", "Runs of B", "B is"});
    for (const auto& row : rows) {
        table.add_row({row.benchmark + ", " + row.table + ": " + row.label, row.quantity,
                       value_text(row, row.a), value_text(row, row.b), digits_text(row.ratio, 4),
                       ratio_interval_text(row), floor_text(row), count_text(row.runs_a),
                       count_text(row.runs_b), verdict_text(row) + marks_of(row)});
    }
    return "<h3>Rows</h3>\n" + table.html();
}

/// " Most of all it is worse in collectives, ring, 4 KiB: 1.053."; "" if no row has the verdict.
std::string extreme_text(const std::vector<ComparisonRow>& rows, const char* verdict, double sign) {
    const ComparisonRow* extreme = nullptr;
    for (const auto& row : rows) {
        if (row.verdict != verdict) continue;
        if (extreme == nullptr || sign * row.worse_by > sign * extreme->worse_by) extreme = &row;
    }
    if (extreme == nullptr) return "";
    return fmt::format(" Most of all it is {} in {} of {}, {}: B / A is {}.", verdict,
                       extreme->quantity, extreme->table, extreme->label,
                       digits_text(extreme->ratio, 4));
}

ComparisonRules rules_of(const Source& source) {
    const auto& settings = source.record.configuration;
    return {settings.value("margin", 0.0), settings.value("assumed_run_deviation", 0.0),
            settings.value("deviation_is_stated", false), settings.value("false_alarm_rate", 0.0)};
}

void add_comparison(const Source& source, Section& section) {
    const auto all = rows<ComparisonRow>(source);
    const auto records = rows<ComparisonRecordRow>(source);
    const auto differences = rows<ComparisonDifferenceRow>(source);
    const auto differing = differences.empty() ? std::string("nothing recorded")
                                               : plural(static_cast<double>(differences.size()),
                                                        "property", "properties");
    section.findings.push_back(
        {fmt::format("B next to A, from which it differs in {}: {}{}{}", differing,
                     counts_text(all), extreme_text(all, "worse", 1.0),
                     extreme_text(all, "better", -1.0)),
         {&source}});
    for (const char* side : {"A", "B"}) section.body += paragraph(side_text(records, side));
    section.body += differences_html(differences) + rows_html(all);
    for (const auto& line : reading_of(all, rules_of(source))) section.body += paragraph(line);
    section.body += whole_table<ComparisonMissingRow>(source, "Rows that only one side has");
    section.body += whole_table<ComparisonRecordRow>(source, "Files");
    section.body += foldable("All columns", whole_table<ComparisonRow>(source, "Rows in full"));
}

}  // namespace

std::optional<Section> comparison_section(const std::vector<Source>& sources) {
    const auto found = with_rows<ComparisonRow>(sources);
    with_rows<ComparisonDifferenceRow>(sources);
    with_rows<ComparisonMissingRow>(sources);
    with_rows<ComparisonRecordRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"comparison", "Comparison"};
    section.lead =
        "The same benchmark in two sets of runs, A and B: what differs between them, then the "
        "ratio "
        "of every figure that both have.";
    for (const Source* source : found) add_comparison(*source, section);
    return section;
}

}  // namespace shardstone::results
