// SPDX-License-Identifier: BSD-3-Clause
// Sides, ratios, verdicts and differences of a comparison in words.
#include "results/report/comparison_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

constexpr std::size_t most_files = 3;
constexpr std::size_t longest = 60;

/// "3", "0.5"
std::string percent(double share) {
    return fmt::format("{:.4g}", 100.0 * share);
}

/// The part of a text between two places, with "..." where something was left out.
std::string middle_of(const std::string& text, std::size_t begin, std::size_t end) {
    std::string middle = text.substr(begin, std::min(end - begin, longest));
    const bool cut = end - begin > longest || end < text.size();
    return (begin > 0 ? "..." : "") + middle + (cut ? "..." : "");
}

std::ptrdiff_t count_of(const std::vector<ComparisonRow>& rows, const char* verdict) {
    return std::ranges::count(rows, verdict, &ComparisonRow::verdict);
}

}  // namespace

std::string side_text(const std::vector<ComparisonRecordRow>& records, const std::string& side) {
    std::vector<std::string> files, starts;
    for (const ComparisonRecordRow& record : records) {
        if (record.side != side || !record.left_out.empty()) continue;
        files.push_back(record.file);
        starts.push_back(record.start_time);
    }
    const auto [first, last] = std::ranges::minmax(starts);
    std::string names;
    for (std::size_t i = 0; i < std::min(files.size(), most_files); ++i) {
        names += (i > 0 ? ", " : "") + files[i];
    }
    return fmt::format("{}: {} {}: {}{}", side, plural(static_cast<double>(files.size()), "run"),
                       first == last ? "of " + first : fmt::format("from {} to {}", first, last),
                       names, files.size() > most_files ? ", ..." : "");
}

std::string value_text(const ComparisonRow& row, double value) {
    const std::string text = cell_text({row.quantity, row.unit, ""}, value);
    const bool has_unit = row.unit == "s" || row.unit == "GB/s" || row.unit == "GFLOP/s" ||
                          row.unit == "1" || row.unit.empty() || std::isnan(value);
    return has_unit ? text : text + " " + row.unit;
}

std::string ratio_interval_text(const ComparisonRow& row) {
    if (std::isnan(row.ratio)) return "-";
    return fmt::format("{:.3f} to {:.3f}", row.ratio_low, row.ratio_high);
}

std::string floor_text(const ComparisonRow& row) {
    constexpr double largest_told = 10.0;
    if (std::isnan(row.noise_floor)) return "-";
    return row.noise_floor > largest_told ? fmt::format("> {} %", percent(largest_told))
                                          : fmt::format("{:.1f} %", 100.0 * row.noise_floor);
}

std::string marks_of(const ComparisonRow& row) {
    return disturbance_mark(row.disturbed > 0.0 || row.left_out > 0.0) +
           (row.paced.empty() ? "" : " ~ " + row.paced) +
           (row.emulated.empty() ? "" : " ~ " + row.emulated);
}

std::string verdict_text(const ComparisonRow& row) {
    return row.reason.empty() ? row.verdict : fmt::format("{} ({})", row.verdict, row.reason);
}

std::pair<std::string, std::string> shortened(const std::string& a, const std::string& b) {
    if (a.size() <= longest && b.size() <= longest) return {a, b};
    constexpr std::size_t kept = 12;  // characters of what is equal, to find the place by
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t begin = 0, end = 0;
    while (begin < most && a[begin] == b[begin]) ++begin;
    while (end < most - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
    begin -= std::min(begin, kept);
    end -= std::min(end, kept);
    return {middle_of(a, begin, a.size() - end), middle_of(b, begin, b.size() - end)};
}

std::string counts_text(const std::vector<ComparisonRow>& rows) {
    return fmt::format("{}: {} better, {} worse, {} same, {} undecided.",
                       plural(static_cast<double>(rows.size()), "row"), count_of(rows, "better"),
                       count_of(rows, "worse"), count_of(rows, "same"),
                       count_of(rows, "undecided"));
}

std::vector<std::string> reading_of(const std::vector<ComparisonRow>& rows,
                                    const ComparisonRules& rules) {
    std::vector<std::string> text{
        fmt::format("Same: the 95 % interval of the ratio lies within {} % of 1, the margin. This "
                    "rule comes first: a change beyond the noise floor but within the margin is "
                    "the same.",
                    percent(rules.margin)),
        fmt::format("Better or worse: of the other rows those whose ratio is beyond the noise "
                    "floor, the smallest change that these runs could have shown. Equal systems "
                    "show any such row in {} of 100 comparisons. Everything else is undecided.",
                    percent(rules.false_alarm_rate))};
    if (std::ranges::any_of(rows, [](const auto& row) { return row.assumed > 0.0; })) {
        text.push_back(fmt::format(
            "With one run on each side, the deviation between runs is not measured but {} to be {} "
            "% "
            "(--run-deviation){}: repeat the runs.",
            rules.deviation_is_stated ? "stated" : "assumed", percent(rules.run_deviation),
            rules.deviation_is_stated ? "" : ", on which no verdict is based"));
    }
    if (std::ranges::any_of(
            rows, [](const auto& row) { return row.disturbed > 0.0 || row.left_out > 0.0; })) {
        text.push_back(std::string(meaning_of_the_mark) +
                       " during a measurement, which does not count if there are others.");
    }
    if (std::ranges::any_of(rows, [](const auto& row) { return !row.paced.empty(); })) {
        text.emplace_back(
            "~ paced: the ranks of that side computed nothing, but took the time of a device "
            "(--pace); messages were real. Such a figure is no speed of that machine.");
    }
    if (std::ranges::any_of(rows, [](const auto& row) { return !row.emulated.empty(); })) {
        text.emplace_back(
            "~ emulated: cores did what GPUs would have done on that side, and took times that say "
            "nothing of one.");
    }
    return text;
}

}  // namespace shardstone::results
