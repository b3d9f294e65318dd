// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "kernels/base/statistics.hpp"
#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr const char* kernels_table = "kernels";

/// The peak and the memory's slanted line through all intensities. Kernels may have bounds below
/// the peak, by arithmetic that is not all multiply-adds, and above the slant, by a cache.
json roof_trace(const Source& source) {
    const auto& intensity = numbers(source, kernels_table, "intensity");
    const double peak = std::ranges::max(numbers(source, kernels_table, "roofline_gflop_s"));
    const double bandwidth = std::ranges::min(numbers(source, kernels_table, "bandwidth_gb_s"));
    const auto [least, most] = std::ranges::minmax(intensity);
    const double ridge = peak / bandwidth;
    const double first = std::min(least, ridge) / 2.0;
    json trace = line_trace("measured roofline", {first, ridge, std::max(most, ridge) * 2.0},
                            {bandwidth * first, peak, peak}, -1);
    trace["mode"] = "lines";
    return trace;
}

/// What a kernel's passes and types have in common: "GELU" of "GELU backward, bf16".
std::string family_of(const std::string& name) {
    std::string family = name.substr(0, name.find(','));
    for (const std::string_view pass : {" forward", " backward"}) {
        if (family.ends_with(pass)) family.resize(family.size() - pass.size());
    }
    return family;
}

/// One trace of markers per family of kernels, their sizes in it.
void add_kernels(const Source& source, Figure& figure) {
    const auto& names = texts(source, kernels_table, "name");
    const auto value = [&](const char* column, std::size_t row) {
        return numbers(source, kernels_table, column)[row];
    };
    std::map<std::string, json> traces;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string family = family_of(names[i]);
        auto [place, fresh] = traces.try_emplace(family);
        json& trace = place->second;
        if (fresh) {
            trace = line_trace(family, {}, {}, static_cast<int>(order.size()));
            trace["mode"] = "markers";
            trace["marker"] = {{"size", 10}};
            trace["hovertemplate"] = "%{text}<br>%{x:.3g} FLOP/B, %{y:.3g} GFLOP/s<extra></extra>";
            order.push_back(family);
        }
        trace["x"].push_back(value("intensity", i));
        trace["y"].push_back(value("gflop_s", i));
        trace["text"].push_back(fmt::format("{} at {}: {} of its bound", escape_html(names[i]),
                                            count_text(value("size", i)),
                                            percent_text(value("share", i))));
    }
    for (const auto& name : order) figure.data.push_back(traces.at(name));
}

void add_roofline_findings(const Source& source, Section& section) {
    const auto& names = texts(source, kernels_table, "name");
    const auto& rates = numbers(source, kernels_table, "gflop_s");
    const auto& share = numbers(source, kernels_table, "share");
    const auto fastest = std::ranges::max_element(rates) - rates.begin();
    const auto place = static_cast<std::size_t>(fastest);
    section.tiles.push_back({flop_rate_text(rates[place]), names[place] + ", one core"});
    const Quartiles spread = quartiles(share);
    section.findings.push_back(fmt::format(
        "The quickest kernel, {}, runs at {}, {} of its bound; half of all {} reach between {} and "
        "{} of theirs.",
        names[place], flop_rate_text(rates[place]), percent_text(share[place]),
        plural(static_cast<double>(names.size()), "kernel measurement"), percent_text(spread.low),
        percent_text(spread.high)));
}

std::string kernel_table(const Source& source) {
    HtmlTable table({"Kernel", "Size", "Time", "FLOP rate", "Memory rate", "FLOP/B", "Bound",
                     "Share of the bound", "Of the FP32 library"});
    const auto& names = texts(source, kernels_table, "name");
    const auto value = [&](const char* column, std::size_t row) {
        return numbers(source, kernels_table, column)[row];
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
        table.add_row(
            {names[i], count_text(value("size", i)), time_text(value("time_s", i)),
             flop_rate_text(value("gflop_s", i)), rate_text(value("gb_s", i)),
             digits_text(value("intensity", i), 3), flop_rate_text(value("roofline_gflop_s", i)),
             percent_text(value("share", i)),
             std::isnan(value("of_library", i)) ? "" : percent_text(value("of_library", i))});
    }
    return table.html();
}

}  // namespace

std::optional<Section> roofline_section(const std::vector<Source>& sources) {
    const auto found = with_table(sources, kernels_table);
    if (found.empty()) return std::nullopt;
    Section section{"kernels", "Kernels", {}, {}, {}, {}, {}};
    section.lead =
        "Each kernel on one core against its bound: its operations at the measured rate of the "
        "arithmetic, or its bytes at the rate measured over a working set of the same size, "
        "whichever takes longer. The slanted line is the memory's; kernels whose data stay in a "
        "cache have a higher bound and may lie above it.";
    for (const Source* source : found) {
        Figure figure{"Roofline of one core", json::array(), json::object(), true};
        if (found.size() > 1) figure.title += ", " + environment_text(*source, "/machine/host");
        figure.data.push_back(roof_trace(*source));
        add_kernels(*source, figure);
        figure.layout = {
            {"xaxis", decade_axis("Arithmetic intensity (FLOP per byte)",
                                  numbers(*source, kernels_table, "intensity"), number_tick)},
            {"yaxis",
             decade_axis("GFLOP/s", numbers(*source, kernels_table, "gflop_s"), number_tick)}};
        section.figures.push_back(figure);
        add_roofline_findings(*source, section);
        section.body += kernel_table(*source);
    }
    return section;
}

}  // namespace shardstone::results
