// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

constexpr const char* layouts_table = "layouts";

/// The rows of one layout, in the order of the record.
struct LayoutRow {
    std::string layout, claim;
    double ranks = 0.0;
    std::map<std::string, std::string> words;  ///< by arithmetic
};

std::string word_of(bool equal, const std::string& claim, double share) {
    if (!equal) return "different";
    if (claim == "bitwise") return "equal";
    return fmt::format("{:.0f} % of bound", 100.0 * share);
}

std::vector<LayoutRow> rows_of(const Source& source) {
    const auto& layouts = texts(source, layouts_table, "layout");
    const auto& arithmetics = texts(source, layouts_table, "arithmetic");
    const auto& claims = texts(source, layouts_table, "claim");
    const auto& ranks = numbers(source, layouts_table, "ranks");
    const auto& shares = numbers(source, layouts_table, "share_of_bound");
    const auto& equal = numbers(source, layouts_table, "equal");
    std::vector<LayoutRow> rows;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        if (rows.empty() || rows.back().layout != layouts[i]) {
            rows.push_back({layouts[i], claims[i], ranks[i], {}});
        }
        rows.back().words[arithmetics[i]] = word_of(equal[i] != 0.0, claims[i], shares[i]);
    }
    return rows;
}

std::string table_html(const std::vector<LayoutRow>& rows) {
    std::vector<std::string> header{"Layout", "Ranks", "Claim"};
    for (const auto& [arithmetic, word] : rows.front().words) header.push_back(arithmetic);
    HtmlTable table(header);
    for (const LayoutRow& row : rows) {
        std::vector<std::string> cells{row.layout, count_text(row.ranks), row.claim};
        for (const auto& [arithmetic, word] : rows.front().words) {
            const auto found = row.words.find(arithmetic);
            cells.push_back(found == row.words.end() ? "" : found->second);
        }
        table.add_row(std::move(cells));
    }
    return table.html();
}

}  // namespace

std::optional<Section> equivalence_section(const std::vector<Source>& sources) {
    const auto found = with_table(sources, layouts_table);
    if (found.empty()) return std::nullopt;
    Section section{"equivalence", "Equal training in every layout", {}, {}, {}, {}, {}};
    section.lead =
        "Each layout trains the same small model as a plain loop on one rank. Where no sum is "
        "split "
        "between ranks, losses, gradients, norm, weights and moments of every step are equal to "
        "the "
        "last bit; elsewhere gradients lie within a bound derived from the number of additions and "
        "the unit roundoff, and everything after them is again equal to the last bit.";
    for (const Source* source : found) {
        const auto rows = rows_of(*source);
        if (rows.empty()) continue;
        const auto bitwise = std::ranges::count(rows, "bitwise", &LayoutRow::claim);
        const auto most = std::ranges::max(rows, {}, &LayoutRow::ranks).ranks;
        section.findings.push_back(fmt::format(
            "{} on up to {} train the model that one rank trains, {} of them to the last bit.",
            plural(static_cast<double>(rows.size()), "layout"), plural(most, "rank"), bitwise));
        section.body += foldable(fmt::format("{} layouts", rows.size()), table_html(rows));
    }
    return section;
}

}  // namespace shardstone::results
