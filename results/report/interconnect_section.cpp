// SPDX-License-Identifier: BSD-3-Clause
// The report's section on a validated interconnect: verdict, suspects, a map of pairs, evidence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernels/base/units.hpp"
#include "results/record/nature.hpp"
#include "results/report/heat_map.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/congestion.hpp"
#include "results/schema/gpu_use.hpp"
#include "results/schema/gpu_use_in_words.hpp"
#include "results/schema/held_against.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/long_messages.hpp"
#include "results/schema/node_clocks.hpp"
#include "results/schema/own_verdict.hpp"
#include "results/schema/soak.hpp"
#include "results/schema/soak_in_words.hpp"
#include "results/schema/traffic.hpp"

namespace shardstone::results {

namespace {

void add_verdict(const Source& source, Section& section) {
    static_cast<void>(rows<InterconnectVerdictRow>(source));  // they are shown here
    const auto own = own_verdict(source.record);
    const std::string gpus = is_on_gpus(source) ? " of " + gpu_names_of(source) : "";
    section.findings.push_back(
        {fmt::format("Interconnect{}: {}.", gpus, verdict_words(*own)), {&source}});
    section.findings.back().details = own->reasons;
}

void add_gpu_clocks(const Source& source, Section& section) {
    const std::string clocks = clocks_in_words(rows<GpuUseRow>(source));
    if (clocks.empty()) return;
    section.findings.push_back({fmt::format("Clock of multiprocessors of {} during products: {}.",
                                            gpu_names_of(source), clocks),
                                {&source}});
}

std::string rank_label(double rank, const std::map<double, std::string>& hosts) {
    const auto host = hosts.find(rank);
    return host == hosts.end() ? fmt::format("{}", rank) : fmt::format("{} {}", rank, host->second);
}

std::set<double> ranks_in(const std::vector<PairRow>& pairs) {
    std::set<double> ranks;
    for (const PairRow& pair : pairs) ranks.insert({pair.sender, pair.receiver});
    return ranks;
}

/// How these, of one size, were tested, as table "paths" tells it: of fewer than four ranks, too,
/// some pairs may have been tested once more, alone.
const char* manner_of(const std::vector<PairRow>& pairs) {
    if (pairs.front().alone > 0.0) return "one pair at a time";
    return ranks_in(pairs).size() < 4 ? "as many pairs at once as there can be: one"
                                      : "as many pairs at once as there can be";
}

/// The pairs of these, of one size, tested in one manner.
std::string map_of(const std::vector<PairRow>& pairs, const std::string& title,
                   const std::map<double, std::string>& hosts) {
    const auto ranks = ranks_in(pairs);
    std::vector<std::string> labels;
    for (const double rank : ranks) labels.push_back(rank_label(rank, hosts));
    const auto place = [&](double rank) {
        return static_cast<std::size_t>(std::distance(ranks.begin(), ranks.find(rank)));
    };
    std::vector<HeatCell> cells;
    for (const PairRow& pair : pairs) {
        cells.push_back({place(pair.sender), place(pair.receiver), pair.factor,
                         fmt::format("{} to {}: {}, {}, {:.2f} times the usual ({})",
                                     rank_label(pair.sender, hosts),
                                     rank_label(pair.receiver, hosts), time_text(pair.time_s),
                                     rate_text(pair.rate_gb_s), pair.factor, pair.path)});
    }
    return heat_map_html(title, labels, cells);
}

std::string maps_of(const Source& source) {
    std::map<double, std::string> hosts;
    for (const auto& place : rows<RankPlaceRow>(source)) hosts[place.rank] = place.host;
    std::map<std::pair<double, double>, std::vector<PairRow>> parts;
    for (const auto& pair : rows<PairRow>(source)) {
        parts[{pair.alone, -pair.size_bytes}].push_back(pair);
    }
    std::string html;
    for (const auto& [manner, pairs] : parts) {
        html += map_of(pairs,
                       fmt::format("{}: {} from row to column, {}", source.file(),
                                   size_text(-manner.second), manner_of(pairs)),
                       hosts);
    }
    return html;
}

/// How long the soak was, and the times in which something was wrong.
std::string soak_of(const Source& source) {
    const auto windows = rows<SoakWindowRow>(source);
    if (windows.empty()) return "";
    return paragraph(fmt::format(
               "{}: soak: {}; {}.", source.file(),
               soak_in_words(windows, rows<WrongDataRow>(source), rows<StandstillRow>(source)),
               episodes_in_words(rows<EpisodeRow>(source), windows, rows<ConditionsRow>(source)))) +
           whole_table<EpisodeRow>(source, source.file() + ": episodes",
                                   {.above = "subject",
                                    .below = {"host", "begin_unix_s", "end_unix_s"},
                                    .left_out = {"begin", "end"}}) +
           whole_table<SoakWindowRow>(source, source.file() + ": windows of the soak");
}

/// Of tests that took their medians from more passes.
std::string long_messages_of(const Source& source) {
    constexpr std::size_t most = 8;
    const auto found = long_messages(rows<PairSampleRow>(source));
    if (found.empty()) return "";
    std::string words;
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
        words += (i == 0 ? "" : "; ") + in_words(found[i]);
    }
    if (found.size() > most) words += fmt::format("; and {} more", found.size() - most);
    return paragraph(
        fmt::format("{}: single messages that took over ten times their usual, which decided "
                    "nothing: {}.",
                    source.file(), words));
}

/// What no verdict vouches for, how long the tests took, and what would decide more.
std::string bounds_of(const Source& source) {
    std::string words =
        paragraph(fmt::format("{}: not tested: {}.", source.file(),
                              not_tested(rows<RankPlaceRow>(source), rows<RankSampleRow>(source),
                                         !rows<PairSampleRow>(source).empty() ||
                                             !rows<CongestionSampleRow>(source).empty())));
    for (const TestTimeRow& row : rows<TestTimeRow>(source)) {
        std::string sentence = fmt::format("{}: the tests took {:.0f} s, with --budget {:g}: {}.",
                                           source.file(), row.took_s, row.budget_s, row.parts);
        if (row.deciding_s > 0.0) {
            sentence += fmt::format(
                " To decide the limits that need more samples: --budget {:.0f}, by the time that "
                "these took.",
                row.deciding_s);
        }
        words += paragraph(sentence);
    }
    return words;
}

std::string tables_of(const Source& source) {
    const std::string file = source.file() + ": ";
    return bounds_of(source) +
           whole_table<HeldAgainstRow>(source, file + "what it was held against") +
           whole_table<SuspectRow>(source, file + "suspects",
                                   {.above = "part", .below = {"rivals"}}) +
           long_messages_of(source) + soak_of(source) +
           whole_table<WrongDataRow>(source, file + "wrong data") +
           whole_table<AcceptanceRow>(
               source, file + "limits",
               {.first = {"verdict", "quantity"},
                .below = {"statistic", "subject", "confidence", "most", "source"}}) +
           whole_table<PathRow>(source, file + "paths") + maps_of(source) +
           whole_table<TrafficRow>(source, file + "traffic beside its prediction") +
           whole_table<BisectionRow>(source, file + "half to half of the nodes") +
           whole_table<CongestionRow>(source, file + "congestion") +
           whole_table<RankTestRow>(source, file + "tests of ranks") +
           whole_table<GpuUseRow>(source, file + "GPUs during products") +
           whole_table<ClockRow>(source, file + "clocks of nodes") +
           whole_table<PairRow>(source, file + "pairs") +
           whole_table<ConditionsRow>(source, file + "conditions");
}

/// Those without rows count as shown.
template <class... Rows>
void read_all(const std::vector<Source>& sources) {
    (static_cast<void>(with_rows<Rows>(sources)), ...);
}

/// Samples behind the tables that are shown.
template <class... Rows>
void read_behind(const Source& source) {
    (static_cast<void>(rows<Rows>(source)), ...);
}

}  // namespace

std::optional<Section> interconnect_section(const std::vector<Source>& sources) {
    read_all<HeldAgainstRow, TestTimeRow, SuspectRow, RankTestRow, AcceptanceRow, PathRow, PairRow,
             WrongDataRow, PairSampleRow, RankSampleRow, RankPlaceRow, EpisodeRow, ConditionsRow,
             SoakWindowRow, SlowMessageRow, StandstillRow, LongWaitRow, BisectionRow, CongestionRow,
             CongestionSampleRow, TrafficRow, TrafficSampleRow, ClockRow, ClockSampleRow>(sources);
    const auto shown = with_rows<InterconnectVerdictRow>(sources);
    if (shown.empty()) return std::nullopt;
    Section section{"interconnect", "Interconnect"};
    section.lead =
        "Messages between all pairs of nodes and of ranks inside nodes, in both directions; "
        "between two halves of the nodes, alone and at once; fixed work on every rank and its GPU; "
        "clocks of nodes. A suspect is a part of the network, or a rank, that the odds hold to be "
        "slower than others of its kind. In the maps a cell is a pair: the redder, the slower than "
        "the usual of its path.";
    for (const Source* source : shown) {
        add_verdict(*source, section);
        add_gpu_clocks(*source, section);
        section.body += tables_of(*source);
        read_behind<PairSampleRow, RankSampleRow, SlowMessageRow, StandstillRow, LongWaitRow,
                    CongestionSampleRow, TrafficSampleRow, ClockSampleRow, GpuReadingRow>(*source);
    }
    return section;
}

}  // namespace shardstone::results
