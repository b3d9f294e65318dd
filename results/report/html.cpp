// SPDX-License-Identifier: BSD-3-Clause
// Escaping, tables and foldable parts: the HTML that a report's sections are built from.
#include "results/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "kernels/base/error.hpp"
#include "kernels/base/markup.hpp"

namespace shardstone::results {

std::string json_for_script(const nlohmann::json& document) {
    std::string safe;
    for (const char c : document.dump()) {
        if (c == '<') {  // neither "</script" nor "<!--" can arise
            safe += "\\u003c";
        } else {
            safe += c;
        }
    }
    return safe;
}

namespace {

/// A text over all columns.
std::string wide_row(const char* kind, std::size_t columns, const std::string& text) {
    return fmt::format("<tr><td class=\"{}\" colspan=\"{}\"><div>{}</div></td></tr>\n", kind,
                       columns, escape_markup(text));
}

}  // namespace

void HtmlTable::add_row(std::vector<std::string> cells, const std::string& below) {
    SHARDSTONE_EXPECTS(cells.size() == header_.size());
    rows_.push_back(std::move(cells));
    below_.push_back(below);
}

bool HtmlTable::is_numeric(std::size_t column) const {
    constexpr std::size_t longest_number = 48;  // with its unit and interval; sentences are longer
    return std::ranges::all_of(rows_, [&](const auto& row) {
        const std::string& cell = row[column];
        if (cell.size() > longest_number) return false;
        const std::size_t sign = !cell.empty() && cell[0] == '-' ? 1 : 0;
        return cell.empty() || cell == "-" || cell.starts_with("error:") ||
               (cell.size() > sign && std::isdigit(static_cast<unsigned char>(cell[sign])) != 0);
    });
}

void HtmlTable::put_under(const std::string& heading) {
    if (!headings_.empty() && headings_.rbegin()->second == heading) return;
    headings_[rows_.size()] = heading;
}

bool HtmlTable::stands_right(std::size_t column) const {
    return (column > 0 || !headings_.empty()) && is_numeric(column);
}

bool HtmlTable::is_empty(std::size_t column) const {
    const auto is_nothing = [](const std::string& cell) { return cell.empty() || cell == "-"; };
    return std::ranges::all_of(rows_, is_nothing, [&](const auto& row) { return row[column]; });
}

void HtmlTable::drop_empty_columns() {
    for (std::size_t i = header_.size(); i-- > 0;) {
        if (!is_empty(i)) continue;
        const auto drop = [&](std::vector<std::string>& of_columns) {
            if (i < of_columns.size()) {
                of_columns.erase(of_columns.begin() + static_cast<std::ptrdiff_t>(i));
            }
        };
        drop(header_);
        drop(origin_.columns);
        drop(origin_.meanings);
        std::ranges::for_each(rows_, drop);
    }
}

bool HtmlTable::has_long_labels() const {
    constexpr std::size_t three_lines = 60;  // in the narrowest column of labels
    return std::ranges::any_of(rows_,
                               [](const auto& row) { return row.front().size() > three_lines; });
}

bool HtmlTable::has_many_columns() const {
    constexpr std::size_t most_at_full_size = 10;  // on a page of 1,180 pixels
    return header_.size() > most_at_full_size;
}

std::string HtmlTable::heading_html() const {
    std::string html = "<tr>";
    for (std::size_t i = 0; i < header_.size(); ++i) {
        html += "<th";
        if (stands_right(i)) html += " class=\"number\"";
        if (i < origin_.columns.size()) {
            html += fmt::format(" data-column=\"{}\"", escape_markup(origin_.columns[i]));
        }
        if (i < origin_.meanings.size()) {
            html += fmt::format(" title=\"{}\"", escape_markup(origin_.meanings[i]));
        }
        html += ">" + escape_markup(header_[i]) + "</th>";
    }
    return html + "</tr>\n";
}

std::string HtmlTable::row_html(std::size_t row, const std::vector<bool>& numeric) const {
    std::string html = below_[row].empty() ? "<tr>" : "<tr class=\"above\">";
    for (std::size_t i = 0; i < header_.size(); ++i) {
        const std::string& cell = rows_[row][i];
        const char* kind = cell.starts_with("error:") ? " class=\"wrong\""
                           : numeric[i]               ? " class=\"number\""
                                                      : "";
        html += fmt::format("<td{}>{}</td>", kind, escape_markup(cell));
    }
    return html + "</tr>\n";
}

std::string HtmlTable::html() const {
    std::vector<bool> numeric;
    for (std::size_t i = 0; i < header_.size(); ++i) numeric.push_back(stands_right(i));
    std::string html = "<div class=\"scroll\" tabindex=\"0\"><table";
    if (has_many_columns()) {
        html += " class=\"dense\"";
    } else if (has_long_labels()) {
        html += " class=\"long\"";
    }
    if (!origin_.table.empty()) {
        html += fmt::format(" data-file=\"{}\" data-table=\"{}\"", escape_markup(origin_.file),
                            escape_markup(origin_.table));
    }
    html += ">\n<thead>" + heading_html() + "</thead>\n<tbody>\n";
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (const auto heading = headings_.find(r); heading != headings_.end()) {
            html += wide_row("heading", header_.size(), heading->second);
        }
        html += row_html(r, numeric);
        if (!below_[r].empty()) html += wide_row("below", header_.size(), below_[r]);
    }
    return html + "</tbody>\n</table></div>\n";
}

std::string foldable(const std::string& summary, const std::string& inner) {
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape_markup(summary),
                       inner);
}

std::string paragraph(std::string_view text) {
    return fmt::format("<p>{}</p>\n", escape_markup(text));
}

}  // namespace shardstone::results
