// SPDX-License-Identifier: BSD-3-Clause
// The report's section on kernels: each one's rate under the roofline of one core.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "kernels/base/statistics.hpp"
#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/machine.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// The peak and the memory's slanted line through all intensities. Kernels may have bounds below
/// the peak, by arithmetic that is not all multiply-adds, and above the slant, by a cache.
json roof_trace(const std::vector<KernelRow>& kernels) {
    const double peak =
        std::ranges::max(kernels, {}, &KernelRow::roofline_gflop_s).roofline_gflop_s;
    const double bandwidth =
        std::ranges::min(kernels, {}, &KernelRow::bandwidth_gb_s).bandwidth_gb_s;
    const double least = std::ranges::min(kernels, {}, &KernelRow::intensity).intensity;
    const double most = std::ranges::max(kernels, {}, &KernelRow::intensity).intensity;
    const double ridge = peak / bandwidth;
    const double first = std::min(least, ridge) / 2.0;
    json trace = line_trace("measured roofline", {first, ridge, std::max(most, ridge) * 2.0},
                            {bandwidth * first, peak, peak}, -1);
    trace["points"] = false;
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

/// One trace of markers per family of kernels, their sizes in it. Kernels above their bound are an
/// error, and not drawn.
void add_kernels(const std::vector<KernelRow>& kernels, Figure& figure) {
    std::map<std::string, json> traces;
    std::vector<std::string> order;
    for (const KernelRow& kernel : kernels) {
        if (kernel.share > 1.0) continue;
        const std::string family = family_of(kernel.name);
        auto [place, fresh] = traces.try_emplace(family);
        json& trace = place->second;
        if (fresh) {
            trace = line_trace(family, {}, {}, static_cast<int>(order.size()));
            trace["lines"] = false;
            trace["notes"] = json::array();
            order.push_back(family);
        }
        trace["x"].push_back(kernel.intensity);
        trace["y"].push_back(kernel.gflop_s);
        trace["notes"].push_back(
            fmt::format("{} at {}: {}, {} of its bound{}", kernel.name, count_text(kernel.size),
                        flop_rate_text(kernel.gflop_s), share_text(kernel.share),
                        disturbance_note(is_disturbed(kernel))));
    }
    for (const auto& name : order) figure.traces.push_back(traces.at(name));
}

Figure roofline_figure(const Source& source, const std::vector<KernelRow>& kernels,
                       const std::string& note) {
    Figure figure{"Roofline of one core" + note, {&source}};
    figure.wide = true;
    figure.traces.push_back(roof_trace(kernels));
    add_kernels(kernels, figure);
    std::vector<double> intensities, rates;
    for (const KernelRow& kernel : kernels) {
        intensities.push_back(kernel.intensity);
        rates.push_back(kernel.gflop_s);
    }
    figure.layout = {
        {"x", decade_axis("Arithmetic intensity (FLOP per byte)", intensities, number_tick)},
        {"y", decade_axis("GFLOP/s", rates, number_tick)}};
    return figure;
}

void add_kernel_findings(const Source& source, std::vector<KernelRow> kernels, Section& section) {
    const auto all = kernels.size();
    const auto above =
        std::erase_if(kernels, [](const KernelRow& kernel) { return kernel.share > 1.0; });
    if (above > 0) {
        section.findings.push_back(
            {fmt::format("{} of {} lie above their bound, which is impossible: they are "
                         "measurement errors, marked in the table and counted nowhere.",
                         above, plural(static_cast<double>(all), "kernel measurement")),
             {&source}});
    }
    if (kernels.empty()) return;
    const KernelRow& fastest = std::ranges::max(kernels, {}, &KernelRow::gflop_s);
    const auto busy = std::ranges::count_if(kernels, is_disturbed<KernelRow>);
    std::vector<double> shares;
    for (const KernelRow& kernel : kernels) shares.push_back(kernel.share);
    const Quartiles spread = quartiles(shares);
    if (!is_disturbed(fastest)) {
        section.tiles.push_back(
            {flop_rate_text(fastest.gflop_s), fastest.name + ", one core", &source});
    }
    section.findings.push_back(
        {fmt::format("The fastest kernel on one core, {}, runs at {}, {} of its bound{}; half of "
                     "{} reach between {} and {} of theirs{}.",
                     fastest.name, flop_rate_text(fastest.gflop_s), share_text(fastest.share),
                     disturbance_note(is_disturbed(fastest)),
                     above == 0 ? fmt::format("all {} kernel measurements", kernels.size())
                                : fmt::format("the other {}", kernels.size()),
                     percent_text(spread.low), percent_text(spread.high),
                     busy == 0 ? "" : fmt::format(" ({} of them disturbed)", busy)),
         {&source}});
}

}  // namespace

std::optional<Section> roofline_section(const std::vector<Source>& sources) {
    const auto found = with_rows<KernelRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"kernels", "Kernels"};
    section.lead =
        "Each kernel on one core against its bound: its operations at the measured rate of the "
        "arithmetic, or its bytes at the rate measured over a working set of the same size, "
        "whichever takes longer. The slanted line is that of memory; kernels whose data stay in a "
        "cache have a higher bound and may lie above it.";
    for (const Source* source : found) {
        const auto kernels = rows<KernelRow>(*source);
        std::string note = machine_note(*source, sources);
        if (found.size() > 1) note += ", " + source->file();
        section.figures.push_back(roofline_figure(*source, kernels, note));
        add_kernel_findings(*source, kernels, section);
        section.body += paragraph(
            fmt::format("{}: medians are of {} repetitions.", source->file(),
                        count_text(static_cast<double>(rows<KernelTimeRow>(*source).size()))));
        section.body += whole_table<KernelRow>(*source, "Kernels" + note);
    }
    return section;
}

}  // namespace shardstone::results
