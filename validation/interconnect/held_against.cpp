// SPDX-License-Identifier: BSD-3-Clause
// The yardstick of each thing that was tested, from the samples that there are of it.
#include "validation/interconnect/held_against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "kernels/base/units.hpp"
#include "validation/interconnect/limited_subjects.hpp"
#include "validation/interconnect/pair_figures.hpp"
#include "validation/interconnect/slow_ranks.hpp"
#include "validation/interconnect/slowdowns.hpp"

namespace shardstone::validation {

namespace {

using results::HeldAgainstRow;

constexpr const char* median_of_kind = "median";
constexpr const char* limit_of_file = "limit";
constexpr const char* prediction = "prediction";
constexpr const char* itself = "itself";
constexpr const char* nothing = "nothing";

constexpr const char* too_few = "fewer than 3 of a kind have no median to go by";
constexpr const char* shares_cores = "ranks share cores, for which they wait";
constexpr const char* before_the_soak = "the same messages in the passes before the soak";
constexpr const char* by_limits_only = "judged by limits only (--accept)";

HeldAgainstRow held(std::string what, double tests, const char* against) {
    HeldAgainstRow row;
    row.what = std::move(what);
    row.tests = tests;
    row.between_nodes = 0.0;
    row.against = against;
    return row;
}

HeldAgainstRow not_held(std::string what, double tests, std::string why) {
    HeldAgainstRow row = held(std::move(what), tests, nothing);
    row.why = std::move(why);
    return row;
}

/// "messages between nodes, one pair at a time".
std::string messages_of(Path path, bool alone, std::span<const Place> places) {
    const std::string where = where_of(path, places);
    return fmt::format("messages {}{}", where == "same leaf" ? "below the same leaf" : where,
                       alone ? ", one pair at a time" : "");
}

/// Path, and whether one pair at a time.
using Manner = std::pair<Path, bool>;

std::map<Manner, std::size_t> tests_by_manner(std::span<const Place> places,
                                              std::span<const PairTime> times,
                                              std::int64_t size_bytes) {
    std::map<Manner, std::size_t> tests;
    for (const PairTime& time : times) {
        if (time.size_bytes != size_bytes || is_further(time, times)) continue;
        ++tests[{path_of(places, time.test), time.test.alone}];
    }
    return tests;
}

void add_pairs(const InterconnectSamples& samples, std::span<const Place> places,
               std::span<const PairTime> times, std::vector<HeldAgainstRow>& rows) {
    const auto judged_sizes = sizes_to_judge(times, samples.places);
    const auto sizes = sizes_of(times);
    if (sizes.empty()) return;
    for (const std::int64_t size_bytes : std::set{sizes.front(), sizes.back()}) {
        const bool is_judged = std::ranges::find(judged_sizes, size_bytes) != judged_sizes.end();
        const auto judged =
            is_judged ? times_to_judge(times, samples.places, size_bytes) : std::vector<PairTime>{};
        const auto of_judged = tests_by_manner(places, judged, size_bytes);
        for (const auto& [manner, tests] : tests_by_manner(places, times, size_bytes)) {
            const auto& [path, alone] = manner;
            const std::string what = messages_of(path, alone, places);
            const auto count = static_cast<double>(tests);
            HeldAgainstRow& row =
                rows.emplace_back(!of_judged.contains(manner) ? not_held(what, count, shares_cores)
                                  : tests < least_comparable  ? not_held(what, count, too_few)
                                                              : held(what, count, median_of_kind));
            row.size_bytes = static_cast<double>(size_bytes);
            row.between_nodes = path == Path::inside_node || path == Path::loopback ? 0.0 : 1.0;
        }
    }
}

void add_ranks(const InterconnectSamples& samples, std::vector<HeldAgainstRow>& rows) {
    std::map<std::string, std::set<double>> ranks;
    for (const auto& row : samples.ranks) ranks[row.test].insert(row.rank);
    for (const auto& [test, tested] : ranks) {
        const auto count = static_cast<double>(tested.size());
        const std::string what = test + " of ranks";
        rows.push_back(tested.size() < least_comparable_ranks ? not_held(what, count, too_few)
                                                              : held(what, count, median_of_kind));
    }
}

void add_traffic(const InterconnectSamples& samples, std::vector<HeldAgainstRow>& rows) {
    std::set<std::pair<std::string, double>> kinds;
    for (const auto& row : samples.traffic) kinds.insert({row.traffic, row.size_bytes});
    if (kinds.empty()) return;
    const auto count = static_cast<double>(kinds.size());
    rows.push_back(
        samples.traffic.front().judged > 0.0
            ? held("traffic", count, prediction)
            : not_held("traffic", count,
                       "--cluster was not measured by ranks that have cores as these do"));
}

void add_soak(const InterconnectSamples& samples, std::vector<HeldAgainstRow>& rows) {
    std::set<std::tuple<double, double, double>> tests;
    for (const auto& row : samples.windows) {
        tests.insert({row.sender, row.receiver, row.size_bytes});
    }
    if (tests.empty()) return;
    rows.push_back(held("messages of the soak", static_cast<double>(tests.size()), itself));
    rows.back().why = before_the_soak;
    const auto node_of = [&](double rank) {
        return samples.places[static_cast<std::size_t>(rank)].node;
    };
    const bool passes_links = std::ranges::any_of(samples.windows, [&](const auto& row) {
        return node_of(row.sender) != node_of(row.receiver);
    });
    rows.back().between_nodes = passes_links ? 1.0 : 0.0;
}

bool is_limited(std::span<const results::AcceptanceRow> limits,
                std::initializer_list<std::string_view> quantities) {
    return std::ranges::any_of(limits, [&](const auto& row) {
        return std::ranges::find(quantities, row.quantity) != quantities.end();
    });
}

void add_what_only_limits_judge(const InterconnectSamples& samples,
                                std::span<const results::AcceptanceRow> limits,
                                std::vector<HeldAgainstRow>& rows) {
    const bool are_loads_limited =
        is_limited(limits, {"bisection rate", "slowdown of pairs at once", "slowdown of a victim"});
    if (!samples.congestion.empty() && !are_loads_limited) {
        rows.push_back(not_held("loads of the network", results::not_measured, by_limits_only));
    }
    if (!samples.clocks.empty() && !is_limited(limits, {"clock offset", "clock drift"})) {
        rows.push_back(not_held("clocks of nodes", results::not_measured, by_limits_only));
    }
}

/// Where nodes are emulated on one machine, no message passes a NIC.
void add_untested_nics(const InterconnectSamples& samples, std::vector<HeldAgainstRow>& rows) {
    std::set<double> machines, rails;
    double found = 0.0;
    for (const auto& place : samples.places) {
        machines.insert(place.machine);
        rails.insert(place.rail);
        found = std::max(found, place.nics);
    }
    const bool passes_nics =
        !samples.congestion.empty() || std::ranges::any_of(rows, [](const HeldAgainstRow& row) {
            return row.between_nodes > 0.0;
        });
    const auto tested = static_cast<double>(rails.size());
    if (machines.size() < 2 || !passes_nics || found <= tested) return;
    rows.push_back(not_held(
        fmt::format("{} of {} NICs of a node", found - tested, found), results::not_measured,
        fmt::format("{} tested: --rails {}, with as many ranks on a node, tests each",
                    tested == 1.0 ? "one is" : fmt::format("{} are", tested), found)));
}

void add_limits(std::span<const results::AcceptanceRow> limits, std::vector<HeldAgainstRow>& rows) {
    for (const auto& limit : limits) {
        const std::string what = limit.statistic + " " + limit.quantity;
        HeldAgainstRow& row =
            rows.emplace_back(limit.subject == nothing_measured
                                  ? not_held(what, results::not_measured, nothing_measured)
                                  : held(what, results::not_measured, limit_of_file));
        row.size_bytes = limit.size_bytes;
        row.between_nodes = limits_links_between_nodes(limit.quantity) ? 1.0 : 0.0;
    }
}

/// That a link is as it was says nothing of whether it was well.
bool is_held(const HeldAgainstRow& row) {
    return row.against != nothing && row.against != itself;
}

/// Those that were held against this, by name.
std::string names_of(std::span<const HeldAgainstRow> rows, std::string_view against) {
    std::vector<std::string> names;
    for (const auto& row : rows) {
        if (row.against == against) names.push_back(name_of(row));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Those that were not held against anything, with why.
std::string complaint(std::span<const HeldAgainstRow> rows, bool between_nodes_only) {
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& row : rows) {
        const bool counts = row.between_nodes > 0.0 || !between_nodes_only;
        if (row.against == nothing && counts) names[row.why].push_back(name_of(row));
    }
    std::vector<std::string> words;
    for (const auto& [why, of_it] : names) {
        words.push_back(fmt::format("{} ({})", fmt::join(of_it, ", "), why));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::vector<HeldAgainstRow> held_against_rows(const InterconnectSamples& samples,
                                              std::span<const Place> places,
                                              std::span<const PairTime> times,
                                              std::span<const results::AcceptanceRow> limits) {
    std::vector<HeldAgainstRow> rows;
    add_pairs(samples, places, times, rows);
    add_ranks(samples, rows);
    add_traffic(samples, rows);
    add_soak(samples, rows);
    add_what_only_limits_judge(samples, limits, rows);
    add_untested_nics(samples, rows);
    add_limits(limits, rows);
    return rows;
}

bool limits_links_between_nodes(const std::string& quantity) {
    constexpr std::array between{"rate between nodes", "latency between nodes", "bisection rate"};
    return std::ranges::find(between, quantity) != between.end();
}

std::string lack_of_comparisons(std::span<const HeldAgainstRow> rows) {
    constexpr auto is_between = [](const HeldAgainstRow& row) { return row.between_nodes > 0.0; };
    const bool needs_peers = std::ranges::any_of(
        rows, [](const auto& row) { return row.why == too_few || row.why == shares_cores; });
    if (std::ranges::none_of(rows, is_held)) {
        if (!needs_peers) {
            return "nothing that was measured is judged: congestion and clocks are by limits "
                   "(--accept), traffic by a description that calibrate measured here (--cluster)";
        }
        return fmt::format(
            "nothing was compared with anything: {}: test more nodes or ranks, or give limits "
            "(--accept)",
            complaint(rows, false));
    }
    const bool are_links_held =
        std::ranges::any_of(rows, [&](const auto& row) { return is_between(row) && is_held(row); });
    if (are_links_held || std::ranges::none_of(rows, is_between)) return "";
    return fmt::format(
        "links between nodes were compared with nothing: {}: test more nodes, or give limits "
        "(--accept)",
        complaint(rows, true));
}

std::string name_of(const HeldAgainstRow& row) {
    if (!(row.size_bytes > 0.0)) return row.what;
    return fmt::format("{} of {}", row.what,
                       format_size(static_cast<std::int64_t>(row.size_bytes)));
}

std::string in_words(std::span<const HeldAgainstRow> rows, const std::string& not_tested) {
    constexpr std::array yardsticks{
        std::pair(median_of_kind, "the median of their kind"), std::pair(limit_of_file, "limits"),
        std::pair(prediction, "the prediction"), std::pair(itself, before_the_soak),
        std::pair(nothing, "nothing")};
    std::vector<std::string> parts;
    for (const auto& [against, words] : yardsticks) {
        const std::string names = names_of(rows, against);
        if (!names.empty()) parts.push_back(fmt::format("against {}: {}", words, names));
    }
    return fmt::format("held {}; not tested: {}", fmt::join(parts, "; "), not_tested);
}

}  // namespace shardstone::validation
