// SPDX-License-Identifier: BSD-3-Clause
// The report's section on layouts that train the same model as one rank, bit by bit or in bounds.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/validation.hpp"

namespace shardstone::results {

namespace {

/// One layout with a word for each arithmetic, in the order of the record.
struct LayoutLine {
    std::string layout, claim;
    double ranks = 0.0;
    std::map<std::string, std::string> words;
};

std::string equality_word(const LayoutRow& row) {
    if (row.equal == 0.0) return "different";
    const std::string share = fmt::format("{:.0f} % of bound", 100.0 * row.share_of_bound);
    if (row.claim == "bounded") return share;
    // Of GPUs, also against a core.
    return row.share_of_bound > 0.0 ? "equal; " + share : "equal";
}

/// What was found equal, to what, and on which device where that is no core.
std::string finding_of(const Source& source, const std::vector<LayoutLine>& lines) {
    const auto bounded = std::ranges::count(lines, "bounded", &LayoutLine::claim);
    const double most = std::ranges::max(lines, {}, &LayoutLine::ranks).ranks;
    const bool gpus = is_on_gpus(source);
    return fmt::format(
        "{} of training on up to {} {} the same model as one {}, {} of them bitwise{}.",
        plural(static_cast<double>(lines.size()), "layout"), plural(most, gpus ? "GPU" : "rank"),
        lines.size() == 1 ? "trains" : "train", gpus ? "GPU" : "rank", std::ssize(lines) - bounded,
        gpus ? ", and all within the bound of a core's (" + gpu_names_of(source) + ")" : "");
}

std::vector<LayoutLine> layout_lines(const Source& source) {
    std::vector<LayoutLine> lines;
    for (const auto& row : rows<LayoutRow>(source)) {
        if (lines.empty() || lines.back().layout != row.layout || lines.back().ranks != row.ranks) {
            lines.push_back({row.layout, row.claim, row.ranks, {}});
        }
        lines.back().words[row.arithmetic.empty() ? "result" : row.arithmetic] = equality_word(row);
    }
    return lines;
}

std::string layout_table(const Source& source, const std::vector<LayoutLine>& lines) {
    std::vector<std::string> header{"Layout", "Ranks", "Claim"};
    for (const auto& [arithmetic, word] : lines.front().words) header.push_back(arithmetic);
    HtmlTable table(header);
    table.tell_scripts({source.file(), "layout_matrix", header, {}});
    for (const LayoutLine& line : lines) {
        std::vector<std::string> cells{line.layout, count_text(line.ranks),
                                       line.claim.empty() ? "bitwise" : line.claim};
        for (const auto& [arithmetic, word] : lines.front().words) {
            const auto found = line.words.find(arithmetic);
            cells.push_back(found == line.words.end() ? "" : found->second);
        }
        table.add_row(std::move(cells));
    }
    return table.html() + origin_html({&source});
}

}  // namespace

std::optional<Section> equivalence_section(const std::vector<Source>& sources) {
    const auto found = with_rows<LayoutRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"equivalence", "Equal training in every layout"};
    section.lead =
        "Each layout trains the same small model as a plain loop on one rank. Where no sum is "
        "split between ranks, losses, gradients, norm, weights and moments of every step are "
        "bitwise equal; elsewhere gradients lie within a bound derived from the number of "
        "additions and the unit roundoff, and everything computed from them is again bitwise "
        "equal.";
    if (std::ranges::any_of(found, [](const Source* one) { return is_on_gpus(*one); })) {
        section.lead +=
            " On GPUs, equal bits are those of one GPU, and all layouts are also within the bound "
            "of the plain loop on a core.";
    }
    for (const Source* source : found) {
        const auto lines = layout_lines(*source);
        section.findings.push_back({finding_of(*source, lines), {source}});
        section.body += foldable(fmt::format("{} layouts, {}", lines.size(), source->file()),
                                 layout_table(*source, lines));
    }
    return section;
}

}  // namespace shardstone::results
