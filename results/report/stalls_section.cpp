// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/base/statistics.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::results {

namespace {

/// Of one rank in all points of a sweep, or in a training.
struct RankSummary {
    double node = not_measured;
    std::vector<double> factors, late_s;
    double stood_still_s = 0.0;
};

std::map<double, RankSummary> ranks_of(const Source& source) {
    std::map<double, RankSummary> ranks;
    for (const auto& row : rows<RankTimesRow>(source)) {
        RankSummary& one = ranks[row.rank];
        one.node = row.node;
        if (std::isfinite(row.factor)) one.factors.push_back(row.factor);
        if (std::isfinite(row.late_s)) one.late_s.push_back(row.late_s);
    }
    for (const auto& row : rows<OutlierRow>(source)) {
        const auto found = ranks.find(row.rank);
        if (found != ranks.end()) found->second.stood_still_s += row.still_s;
    }
    return ranks;
}

std::string median_text(const std::vector<double>& values, std::string (*text)(double)) {
    return values.empty() ? "-" : text(median(values));
}

std::string factor_text(double factor) {
    return digits_text(factor, 3);
}

std::string ranks_table(const Source& source) {
    HtmlTable table({"Rank", "Node", "Its time over the median rank's", "At most",
                     "Starts after the first", "Stood still"});
    table.tell_scripts({source.file(),
                        "stragglers",
                        {"rank", "node", "factor", "factor_most", "late_s", "still_s"},
                        {}});
    for (const auto& [rank, one] : ranks_of(source)) {
        table.add_row({count_text(rank), count_text(one.node),
                       median_text(one.factors, factor_text),
                       one.factors.empty() ? "-" : factor_text(std::ranges::max(one.factors)),
                       median_text(one.late_s, time_text), time_text(one.stood_still_s)});
    }
    return table.empty() ? "" : titled_table(source, source.file() + ": its ranks", table);
}

/// "rank 3 on node 0 (n0): stood still for 60 ms ...".
void add_stall_finding(const Source& source, Section& section) {
    auto stalls = rows<OutlierRow>(source);
    std::erase_if(stalls, [](const auto& row) { return row.excused > 0.0; });
    if (stalls.empty()) return;
    const auto& worst = *std::ranges::max_element(stalls, {}, &OutlierRow::still_s);
    const auto timed = static_cast<double>(
        std::ranges::count_if(stalls, [](const auto& row) { return row.timed > 0.0; }));
    section.findings.push_back(
        {fmt::format("{} stalled and {} outside of what was timed; at worst {}: {}.",
                     plural(timed, "sample was", "samples were"),
                     plural(static_cast<double>(stalls.size()) - timed, "standstill"), worst.place,
                     worst.machine),
         {&source}});
}

}  // namespace

std::optional<Section> stalls_section(const std::vector<Source>& sources) {
    with_rows<OutlierRow>(sources);
    const auto found = with_rows<RankTimesRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"stalls", "Stalls and stragglers"};
    section.lead =
        "Ranks that stood still while they were measured, samples far beyond all others of their "
        "series, and how each rank's time compares with the median rank's (a median over the "
        "points of a sweep). In a sweep that time is from a rank's start to its end: a rank for "
        "which the others wait has less. In a training, and in a pipeline study, it is a rank's "
        "work "
        "without communication and waits, so a plan that gives ranks unequal work shows here, too.";
    std::string quiet;
    for (const Source* source : found) {
        add_stall_finding(*source, section);
        const std::string outliers =
            whole_table<OutlierRow>(*source, source->file() + ": stalled samples and standstills");
        if (outliers.empty()) quiet += (quiet.empty() ? "" : ", ") + source->file();
        section.body += outliers + ranks_table(*source);
    }
    if (!quiet.empty()) section.body += paragraph("No sample was stalled in: " + quiet + ".");
    return section;
}

}  // namespace shardstone::results
