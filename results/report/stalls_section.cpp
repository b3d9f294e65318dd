// SPDX-License-Identifier: BSD-3-Clause
// The report's section on stalled samples, standstills and straggling ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "kernels/base/ratios_to_others.hpp"
#include "kernels/base/statistics.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/stalls_in_words.hpp"

namespace shardstone::results {

namespace {

constexpr const char* how_to_read =
    "Stalled for: the least time for which the rank did not run although a core was available. "
    "Usual: the median of the samples. Excused: no rank can be named, and others used the "
    "machine or no sample is longer for it; --fail-on-outlier ignores it. Repeated "
    "tries are behind no figure. All columns are in table outliers of the record (`shardstone show "
    "RECORD --table outliers`).";

/// Records of older versions, and commands that time no ranks, have neither table.
bool is_watched(const Source& source) {
    return source.record.has_table(OutlierRow::schema.name()) ||
           source.record.has_table(RankTimesRow::schema.name());
}

/// Of one rank in all points of a sweep, or in a training.
struct RankSummary {
    double node = not_measured;
    std::vector<double> factors, late_s;
    double stood_still_s = 0.0;
};

/// Each row's time over the median of the other ranks' in its point, where they are known. Not as
/// the record has it: some of version 3 have it over the median of all ranks, which two ranks never
/// exceed twice. In the record the ranks of a point follow one another, by number.
std::vector<double> factors_of(const std::vector<RankTimesRow>& times) {
    std::vector<double> factors, own_s;
    for (std::size_t i = 0; i < times.size(); ++i) {
        own_s.push_back(times[i].own_s);
        const bool last = i + 1 == times.size() || !(times[i + 1].rank > times[i].rank);
        if (!last) continue;
        const bool known = std::ranges::all_of(own_s, [](double s) { return std::isfinite(s); });
        if (!known) own_s.assign(own_s.size(), 0.0);  // their ratios are no numbers
        std::ranges::copy(ratios_to_others(own_s), std::back_inserter(factors));
        own_s.clear();
    }
    return factors;
}

std::map<double, RankSummary> ranks_of(const Source& source) {
    std::map<double, RankSummary> ranks;
    const auto times = rows<RankTimesRow>(source);
    const auto factors = factors_of(times);
    for (std::size_t i = 0; i < times.size(); ++i) {
        RankSummary& one = ranks[times[i].rank];
        one.node = times[i].node;
        if (std::isfinite(factors[i])) one.factors.push_back(factors[i]);
        if (std::isfinite(times[i].late_s)) one.late_s.push_back(times[i].late_s);
    }
    for (const auto& row : rows<OutlierRow>(source)) {
        // A whole node, or nobody (a map would find any); or of a try that was taken again.
        if (!std::isfinite(row.rank) || row.kept == 0.0) continue;
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

/// Nothing of a single rank, which has no others to be held against.
std::string ranks_table(const Source& source) {
    HtmlTable table({"Rank", "Node", "Time over the other ranks' median", "At most",
                     "Start after the first rank", "Stalled for"});
    table.tell_scripts({source.file(),
                        "stragglers",
                        {"rank", "node", "factor", "factor_most", "late_s", "still_s"},
                        {}});
    const auto ranks = ranks_of(source);
    for (const auto& [rank, one] : ranks) {
        table.add_row({count_text(rank), count_text(one.node),
                       median_text(one.factors, factor_text),
                       one.factors.empty() ? "-" : factor_text(std::ranges::max(one.factors)),
                       median_text(one.late_s, time_text), time_text(one.stood_still_s)});
    }
    return ranks.size() < 2 ? "" : titled_table(source, source.file() + ": ranks", table);
}

std::string verdict_of(const OutlierRow& row) {
    return std::string(row.excused > 0.0 ? "excused" : "stalled") +
           (row.kept == 0.0 ? ", repeated" : "");
}

std::string time_or_none(double time_s) {
    return std::isfinite(time_s) ? time_text(time_s) : "-";
}

/// What happened stands below the figures, over the whole width: it is a sentence.
std::string stalls_table(const Source& source) {
    HtmlTable table({"Where", "Rank or node", "Sample", "Usual", "Stalled for", "Verdict"});
    table.tell_scripts({source.file(),
                        "stalls",
                        {"where", "place", "time_s", "usual_s", "still_s", "verdict"},
                        {}});
    for (const OutlierRow& row : rows<OutlierRow>(source)) {
        const std::string where = where_in_run(row);
        table.add_row(
            {where.empty() ? "in the measurement" : where, row.place, time_or_none(row.time_s),
             time_or_none(row.usual_s), time_or_none(row.still_s), verdict_of(row)},
            row.machine);
    }
    const std::string title = source.file() + ": stalled samples and ranks";
    return table.empty() ? "" : titled_table(source, title, table);
}

/// "Stalled: 1 sample; at worst step 224: rank 3 on node 0 (n0): 60 ms instead of ...".
void add_stall_finding(const Source& source, Section& section) {
    auto stalls = rows<OutlierRow>(source);
    std::erase_if(stalls, [](const auto& row) { return row.excused > 0.0; });
    if (stalls.empty()) return;
    // What was taken again stands behind no figure: it is the worst only where all was.
    const auto& worst = *std::ranges::max_element(
        stalls, {}, [](const auto& row) { return std::pair(row.kept != 0.0, row.still_s); });
    section.findings.push_back(
        {fmt::format("Stalled: {}; at worst {}.", counts_in_words(stalls), in_words(worst)),
         {&source}});
}

/// What of the records was watched, and what not: what is not named here was not given.
std::string quiet_lines(const std::vector<Source>& sources) {
    std::vector<std::string> quiet, unwatched;
    for (const Source& source : sources) {
        if (!is_watched(source)) {
            unwatched.push_back(source.file());
        } else if (rows<OutlierRow>(source).empty()) {
            quiet.push_back(source.file());
        }
    }
    std::string html;
    if (!quiet.empty()) html += paragraph("No sample was stalled in: " + listed(quiet) + ".");
    if (!unwatched.empty()) {
        html +=
            paragraph("Not monitored for stalls (older records, or commands that time no ranks): " +
                      listed(unwatched) + ".");
    }
    return html;
}

}  // namespace

std::optional<Section> stalls_section(const std::vector<Source>& sources) {
    with_rows<OutlierRow>(sources);
    with_rows<RankTimesRow>(sources);
    if (std::ranges::none_of(sources, is_watched)) return std::nullopt;
    Section section{"stalls", "Stalls and stragglers"};
    section.lead =
        "Ranks that stalled while they were measured, samples far beyond all others of their "
        "series, and each rank's time relative to the median of the other ranks (a median over the "
        "points of a sweep). In a sweep that time is from a rank's start to its end: a rank for "
        "which the others wait has less. In a training, and in a pipeline study, it is a rank's "
        "work without communication and waits, so a plan that gives ranks unequal work shows here "
        "as well.";
    std::string stalls, ranks;
    for (const Source& source : sources) {
        if (!is_watched(source)) continue;
        add_stall_finding(source, section);
        stalls += stalls_table(source);
        ranks += ranks_table(source);
    }
    if (!stalls.empty()) stalls = paragraph(how_to_read) + stalls;
    section.body = stalls + quiet_lines(sources) + ranks;
    return section;
}

}  // namespace shardstone::results
