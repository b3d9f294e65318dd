// SPDX-License-Identifier: BSD-3-Clause
// A matrix of pairs drawn as an SVG, in the colours of the page and without a script.
#include "results/report/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/markup.hpp"

namespace shardstone::results {

namespace {

constexpr std::size_t most_with_all_cells = 64;
constexpr double within_the_usual = 1.02;
constexpr double margin = 90.0;  // for the labels

/// So that few nodes are not drawn huge, nor many too small to be told apart.
double cell_size(std::size_t rows) {
    return std::clamp(640.0 / static_cast<double>(std::max<std::size_t>(rows, 1)), 5.0, 34.0);
}

/// Of a cell: none at the usual time, all at `full_at` times that.
constexpr double full_at = 2.0;
double opacity_of(double factor) {
    return std::clamp((factor - 1.0) / (full_at - 1.0), 0.0, 1.0);
}

std::string cell_svg(const HeatCell& cell, double size) {
    const double opacity = opacity_of(cell.factor);
    return fmt::format(R"svg(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )svg"
                       R"svg(fill="var(--wrong)" fill-opacity="{:.3f}" stroke="var(--rule)">)svg"
                       "<title>{}</title></rect>",
                       margin + size * static_cast<double>(cell.column),
                       margin + size * static_cast<double>(cell.row), size, size, opacity,
                       escape_markup(cell.note));
}

std::string label_svg(const std::string& text, double x, double y, bool upright) {
    const std::string place =
        upright ? fmt::format(R"svg(transform="rotate(-60 {:.1f} {:.1f})")svg", x, y)
                : R"svg(text-anchor="end")svg";
    return fmt::format(
        R"svg(<text x="{:.1f}" y="{:.1f}" fill="var(--quiet)" font-size="11" {}>{}</text>)svg", x,
        y, place, escape_markup(text));
}

/// From the least to the largest of what is drawn, with the colours between them.
std::string scale_html(const std::vector<HeatCell>& cells) {
    if (cells.empty()) return "";
    const auto [least, largest] = std::ranges::minmax(cells, {}, &HeatCell::factor);
    return fmt::format(
        R"svg(<p class="scale">{:.2f} <svg role="img" aria-label="scale of colours" width="120" )svg"
        R"svg(height="12"><rect width="40" height="12" fill="var(--wrong)" fill-opacity="{:.3f}" )svg"
        R"svg(stroke="var(--rule)"/><rect x="40" width="40" height="12" fill="var(--wrong)" )svg"
        R"svg(fill-opacity="{:.3f}" stroke="var(--rule)"/><rect x="80" width="40" height="12" )svg"
        R"svg(fill="var(--wrong)" fill-opacity="{:.3f}" stroke="var(--rule)"/></svg> {:.2f} times )svg"
        "the usual of the path, least to largest; full red from {:.0f} times on</p>",
        least.factor, opacity_of(least.factor), opacity_of(0.5 * (least.factor + largest.factor)),
        opacity_of(largest.factor), largest.factor, full_at);
}

}  // namespace

std::string heat_map_html(const std::string& title, const std::vector<std::string>& labels,
                          const std::vector<HeatCell>& cells) {
    const double size = cell_size(labels.size());
    const double whole = margin + size * static_cast<double>(labels.size());
    std::string svg = fmt::format(
        R"svg(<svg role="img" aria-label="{0}" viewBox="0 0 {1:.0f} {1:.0f}" width="{1:.0f}" )svg"
        R"svg(height="{1:.0f}">)svg",
        escape_markup(title), whole + 20.0);
    for (const HeatCell& cell : cells) {
        if (labels.size() > most_with_all_cells && cell.factor < within_the_usual) continue;
        svg += cell_svg(cell, size);
    }
    for (std::size_t i = 0; labels.size() <= most_with_all_cells && i < labels.size(); ++i) {
        const double at = margin + size * (static_cast<double>(i) + 0.5);
        svg += label_svg(labels[i], margin - 6.0, at + 4.0, false);
        svg += label_svg(labels[i], at, margin - 6.0, true);
    }
    return fmt::format("<h3>{}</h3>{}</svg>{}", escape_markup(title), svg, scale_html(cells));
}

}  // namespace shardstone::results
