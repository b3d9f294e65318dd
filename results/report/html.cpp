// SPDX-License-Identifier: BSD-3-Clause
// Escaping, tables and foldable parts: the HTML that a report's sections are built from.
#include "results/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

void HtmlTable::add_row(std::vector<std::string> cells, const std::string& below) {
    SHARDSTONE_EXPECTS(cells.size() == header_.size());
    rows_.push_back(std::move(cells));
    below_.push_back(below);
}

bool HtmlTable::is_numeric(std::size_t column) const {
    return std::ranges::all_of(rows_, [&](const auto& row) {
        const std::string& cell = row[column];
        const std::size_t sign = !cell.empty() && cell[0] == '-' ? 1 : 0;
        return cell.empty() || cell == "-" || cell.starts_with("error:") ||
               (cell.size() > sign && std::isdigit(static_cast<unsigned char>(cell[sign])) != 0);
    });
}

bool HtmlTable::has_long_labels() const {
    constexpr std::size_t three_lines = 60;  // in the narrowest column of labels
    return std::ranges::any_of(rows_,
                               [](const auto& row) { return row.front().size() > three_lines; });
}

std::string HtmlTable::heading_html() const {
    std::string html = "<tr>";
    for (std::size_t i = 0; i < header_.size(); ++i) {
        html += "<th";
        if (i > 0 && is_numeric(i)) html += " class=\"number\"";
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

std::string HtmlTable::html() const {
    std::vector<bool> numeric;
    for (std::size_t i = 0; i < header_.size(); ++i) numeric.push_back(i > 0 && is_numeric(i));
    std::string html = "<div class=\"scroll\" tabindex=\"0\"><table";
    if (has_long_labels()) html += " class=\"long\"";
    if (!origin_.table.empty()) {
        html += fmt::format(" data-file=\"{}\" data-table=\"{}\"", escape_markup(origin_.file),
                            escape_markup(origin_.table));
    }
    html += ">\n<thead>" + heading_html() + "</thead>\n<tbody>\n";
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        const auto& row = rows_[r];
        html += below_[r].empty() ? "<tr>" : "<tr class=\"above\">";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const char* kind = row[i].starts_with("error:") ? " class=\"wrong\""
                               : numeric[i]                 ? " class=\"number\""
                                                            : "";
            html += fmt::format("<td{}>{}</td>", kind, escape_markup(row[i]));
        }
        html += "</tr>\n";
        if (below_[r].empty()) continue;
        html += fmt::format("<tr><td class=\"below\" colspan=\"{}\"><div>{}</div></td></tr>\n",
                            row.size(), escape_markup(below_[r]));
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
