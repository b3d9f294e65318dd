// SPDX-License-Identifier: BSD-3-Clause
// Tables of a record as HTML, each cell in its column's unit, disturbed measurements marked.
#include "results/report/rows_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <ranges>
#include <string_view>

#include "kernels/base/error.hpp"
#include "kernels/base/markup.hpp"
#include "results/record/utc.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// Columns that hold parts of what is possible. What may exceed 1 (a ratio to a library, an error
/// over its bound in a failed check) is not among them.
constexpr std::array share_columns{"share",         "mfu",         "measured",     "measured_low",
                                   "measured_high", "utilisation", "limited_share"};

bool holds_something(const Table::Column& column) {
    return column.texts.empty()
               ? std::ranges::any_of(column.numbers, [](double x) { return !std::isnan(x); })
               : std::ranges::any_of(column.texts, [](const auto& t) { return !t.empty(); });
}

/// Columns of times of day, in seconds since 1970: "unix_s", "begin_unix_s".
constexpr const char* time_of_day = "unix_s";

/// "begin (UTC)" of "begin_unix_s"; "" of other columns.
std::string heading_of_time_of_day(const std::string& name) {
    if (!name.ends_with(time_of_day)) return "";
    const std::string what = name.substr(0, name.find(time_of_day));
    return what.empty() ? "UTC" : what.substr(0, what.size() - 1) + " (UTC)";
}

/// "2026-11-26T00:41:30.250Z". Of what is no day of four digits, seconds.
std::string time_of_day_text(double unix_s) {
    constexpr double year_10000_s = 253402300800.0;
    if (!(unix_s >= 0.0 && unix_s < year_10000_s)) return time_text(unix_s);
    const double ms = std::floor(1e3 * unix_s);
    const double whole_s = std::floor(ms / 1e3);
    std::string text = utc_text(static_cast<std::time_t>(whole_s));
    text.pop_back();
    return fmt::format("{}.{:03.0f}Z", text, ms - 1e3 * whole_s);
}

struct PlainHeading {
    std::string_view column, words;
};

/// For columns whose name in the record is a term of our formulas.
constexpr std::array plain_headings{
    PlainHeading{"alpha_s", "latency"},           PlainHeading{"alpha_low_s", "latency low"},
    PlainHeading{"alpha_high_s", "latency high"}, PlainHeading{"log10_odds", "odds"},
    PlainHeading{"further", "samples missing"},   PlainHeading{"most", "samples at most"}};

/// "8 900 000 to 1" of a decimal logarithm, in two digits: what is beyond a million is as good as
/// sure.
std::string odds_text(double log10_odds) {
    constexpr double most = 6.0;
    if (log10_odds > most) return "over a million to 1";
    if (log10_odds < -most) return "under 1 to a million";
    const double odds = std::pow(10.0, std::abs(log10_odds));
    const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(odds)) - 1.0));
    const std::string text = count_text(unit * std::round(odds / unit));
    return log10_odds < 0.0 ? "1 to " + text : text + " to 1";
}

/// Columns that say whether: "1 if the odds make it a suspect, else 0."
bool is_flag(const ColumnDescription& column) {
    const auto says = [&](const char* words) {
        return column.meaning.find(words) != std::string::npos;
    };
    return (says("else 0") || says("0 if ") || says("0 for ")) && column.meaning.starts_with("1 ");
}

/// Ends of an interval that has none.
std::string unbounded_text(const ColumnDescription& column, double value) {
    const auto is_end = [&](const std::string& end) {
        return column.name == end || column.name.ends_with("_" + end) ||
               column.name.find("_" + end + "_") != std::string::npos;
    };
    if (value > 0.0) return is_end("high") ? "no upper bound" : "unbounded";
    return is_end("low") ? "no lower bound" : "-unbounded";
}

/// "time low" of "time_low_s": the unit stands in every cell. The unit where nothing else is left.
std::string heading_of(const ColumnDescription& column) {
    constexpr std::array<std::array<const char*, 2>, 5> suffixes{
        {{"s", "s"}, {"B", "bytes"}, {"GB/s", "gb_s"}, {"GFLOP/s", "gflop_s"}, {"ulp", "ulp"}}};
    std::string heading = heading_of_time_of_day(column.name);
    if (!heading.empty()) return heading;
    const auto plain = std::ranges::find(plain_headings, column.name, &PlainHeading::column);
    if (plain != plain_headings.end()) return std::string(plain->words);
    heading = column.name;
    for (const auto& [unit, suffix] : suffixes) {
        if (column.unit != unit) continue;
        if (heading == suffix) return unit;
        const std::string ending = std::string("_") + suffix;
        if (heading.ends_with(ending)) heading.resize(heading.size() - ending.size());
    }
    std::ranges::replace(heading, '_', ' ');
    return heading;
}

bool has_no_column(const std::string& column, const TableLayout& layout) {
    const auto is_among = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, column) != names.end();
    };
    return column == layout.above || is_among(layout.below) || is_among(layout.left_out);
}

/// Where the column of this name is.
std::size_t place_of(const std::string& name, const std::vector<ColumnDescription>& columns) {
    const auto column = std::ranges::find(columns, name, &ColumnDescription::name);
    SHARDSTONE_EXPECTS(column != columns.end());
    return static_cast<std::size_t>(column - columns.begin());
}

/// A cell of a column of texts or numbers.
std::string text_in(const Table& table, const std::vector<ColumnDescription>& columns,
                    std::size_t row, std::size_t column) {
    return columns[column].is_text ? table.columns[column].texts[row]
                                   : cell_text(columns[column], table.columns[column].numbers[row]);
}

/// "subject: rank 1 to rank 0; source: data sheet"; those of them that are not empty.
std::string texts_below(const Table& table, const std::vector<ColumnDescription>& columns,
                        std::size_t row, const TableLayout& layout) {
    std::string words;
    for (const std::string& name : layout.below) {
        const std::size_t column = place_of(name, columns);
        const std::string text = text_in(table, columns, row, column);
        if (text.empty()) continue;
        words +=
            fmt::format("{}{}: {}", words.empty() ? "" : "; ", heading_of(columns[column]), text);
    }
    return words;
}

}  // namespace

std::string cell_text(const ColumnDescription& column, double value) {
    if (std::isnan(value)) return "-";
    if (column.name == "log10_odds") return odds_text(value);
    if (std::isinf(value)) return unbounded_text(column, value);
    if (is_flag(column) && (value == 0.0 || value == 1.0)) return value == 1.0 ? "yes" : "no";
    if (column.name.ends_with(time_of_day)) return time_of_day_text(value);
    if (column.unit == "s") return time_text(value);
    if (column.name == "mtu_bytes") return count_text(value) + " B";  // as every tool has it
    if (column.unit == "B") return size_text(value);
    if (column.unit == "GB/s") return rate_text(value);
    if (column.unit == "GFLOP/s") return flop_rate_text(value);
    if (column.unit == "B/s") return rate_text(value * 1e-9);
    if (column.unit == "FLOP/s") return flop_rate_text(value * 1e-9);
    if (std::ranges::find(share_columns, column.name) != share_columns.end()) {
        return share_text(value);
    }
    constexpr double most_counted = 1e15;
    if (value == std::round(value) && std::abs(value) < most_counted) return count_text(value);
    return digits_text(value, 4);
}

void put_first(const std::vector<std::string>& names, Table& table,
               std::vector<ColumnDescription>& columns) {
    for (const std::string& name : std::views::reverse(names)) {
        const auto at =
            std::ranges::find(columns, name, &ColumnDescription::name) - columns.begin();
        SHARDSTONE_EXPECTS(at < std::ssize(columns));
        std::rotate(columns.begin(), columns.begin() + at, columns.begin() + at + 1);
        std::rotate(table.columns.begin(), table.columns.begin() + at,
                    table.columns.begin() + at + 1);
    }
}

HtmlTable table_of_columns(const Source& source, const Table& table,
                           const std::vector<ColumnDescription>& columns,
                           const TableLayout& layout) {
    std::vector<std::string> headings, names, meanings;
    std::vector<std::size_t> shown;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (!holds_something(table.columns[c]) || has_no_column(columns[c].name, layout)) {
            continue;
        }
        shown.push_back(c);
        headings.push_back(heading_of(columns[c]));
        names.push_back(columns[c].name);
        meanings.push_back(columns[c].meaning);
    }
    HtmlTable html(headings);
    html.tell_scripts({source.file(), table.name, names, meanings});
    if (shown.empty()) return html;  // a row has a first cell
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::vector<std::string> cells;
        for (const std::size_t c : shown) {
            cells.push_back(text_in(table, columns, row, c));
        }
        if (!layout.above.empty()) {
            html.put_under(text_in(table, columns, row, place_of(layout.above, columns)));
        }
        html.add_row(std::move(cells), texts_below(table, columns, row, layout));
    }
    return html;
}

std::string folded_if_long(const std::string& title, const HtmlTable& table,
                           const std::string& below) {
    constexpr std::size_t most_unfolded = 12;
    const std::string inner = table.html() + below;
    if (table.size() > most_unfolded) {
        return foldable(
            fmt::format("{} ({})", title, plural(static_cast<double>(table.size()), "row")), inner);
    }
    return fmt::format("<h3>{}</h3>\n{}", escape_markup(title), inner);
}

std::string titled_table(const Source& source, const std::string& title, const HtmlTable& table) {
    return folded_if_long(title, table, origin_html({&source}));
}

std::string disturbance_note(bool disturbed) {
    return disturbed ? " (disturbed: the machine was busy with other work)" : "";
}

std::string disturbance_mark(bool disturbed) {
    return disturbed ? " !" : "";
}

std::string left_out_note(std::ptrdiff_t disturbed, const std::string& noun) {
    if (disturbed == 0) return "";
    return fmt::format(" ({} left out)",
                       plural(static_cast<double>(disturbed), "disturbed " + noun));
}

}  // namespace shardstone::results
