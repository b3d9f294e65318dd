// SPDX-License-Identifier: BSD-3-Clause
// What others took of the cores during a measurement, judged by node and put in words.
#include "benchmarks/harness/surroundings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace shardstone::benchmarks {

namespace {

/// Larger than what is not a number.
double larger(double a, double b) {
    return std::fmax(a, b);
}

/// All ranks that one kernel runs. Who looked there looked at the same cores at about the same
/// time.
NodeReport together(const NodeReport& known, const NodeReport& more) {
    NodeReport all = known.cores >= more.cores ? known : more;
    all.ranks = known.ranks + more.ranks;
    all.cpu_s = known.cpu_s + more.cpu_s;
    all.longest_waited_s = larger(known.longest_waited_s, more.longest_waited_s);
    all.switches = known.switches + more.switches;
    return all;
}

/// Records do not say how many they were.
std::string cores_in_words(int cores) {
    if (cores <= 0) return "the cores";
    return fmt::format("{} core{}", cores, cores == 1 ? "" : "s");
}

struct Share {
    double value = 0.0;
    std::string words;
};

std::array<Share, 3> shares_of(const Surroundings& seen) {
    const std::string cores = cores_in_words(seen.cores);
    return {{{seen.others_share,
              fmt::format("others took {:.0f} % of {}", 100.0 * seen.others_share, cores)},
             {seen.waiting_share, fmt::format("a rank waited {:.0f} % of the time for a core",
                                              100.0 * seen.waiting_share)},
             {seen.stolen_share, fmt::format("the hypervisor took {:.0f} % of {}",
                                             100.0 * seen.stolen_share, cores)}}};
}

Surroundings of_node(const NodeReport& node) {
    Surroundings seen;
    seen.begin_s = node.begin_s;
    seen.window_s = node.window_s;
    seen.switches = node.switches;
    seen.clock_mhz = node.clock_mhz;
    seen.cores = static_cast<int>(node.cores);
    const double core_s = node.cores * node.window_s;
    if (!(core_s > 0.0)) return seen;
    const double busy_s = core_s - node.idle_s - node.stolen_s;
    const double others_s =
        std::isnan(node.cpu_s) ? Surroundings::not_told : std::max(0.0, busy_s - node.cpu_s);
    seen.others_share = others_s / core_s;
    seen.stolen_share = std::max(0.0, node.stolen_s) / core_s;
    // The kernel counts a wait when it ends, also what lay before the window.
    const double waited_s = node.ranks > node.cores                 ? 0.0
                            : node.longest_waited_s > node.window_s ? node.window_s
                                                                    : node.longest_waited_s;
    // fmin and fmax pass over what is not a number; here it is to stay.
    seen.waiting_share = std::isnan(waited_s) || std::isnan(others_s)
                             ? Surroundings::not_told
                             : std::min(waited_s, others_s) / node.window_s;
    return seen;
}

}  // namespace

bool Surroundings::known() const {
    return !std::isnan(others_share);
}

double Surroundings::worst_share() const {
    return larger(larger(0.0, others_share), larger(waiting_share, stolen_share));
}

std::string Surroundings::words() const {
    const auto shares = shares_of(*this);
    const auto worst = std::ranges::find(shares, worst_share(), &Share::value);
    return worst == shares.end() ? shares.back().words : worst->words;
}

std::string Surroundings::all_words() const {
    std::vector<std::string> lost;
    for (const Share& share : shares_of(*this)) {
        if (share.value > 0.0) lost.push_back(share.words);
    }
    return fmt::format("{}", fmt::join(lost, ", "));
}

Surroundings judge(const std::vector<NodeReport>& reports) {
    std::map<double, NodeReport> nodes;
    for (const NodeReport& report : reports) {
        const auto [place, is_new] = nodes.try_emplace(report.kernel, report);
        if (!is_new) place->second = together(place->second, report);
    }
    Surroundings all;
    double worst = -1.0, switches = 0.0;
    for (const auto& [kernel, node] : nodes) {
        const Surroundings one = of_node(node);
        const Surroundings before = all;
        if (one.worst_share() > worst) all = one;
        worst = std::max(worst, one.worst_share());
        all.others_share = larger(before.others_share, one.others_share);
        all.waiting_share = larger(before.waiting_share, one.waiting_share);
        all.stolen_share = larger(before.stolen_share, one.stolen_share);
        switches += one.switches;
    }
    all.switches = switches;
    return all;
}

std::string disturbance_mark(const Surroundings& surroundings) {
    return surroundings.disturbed() ? "! " + surroundings.words() : "";
}

std::string disturbance_note(const std::vector<Surroundings>& figures, const std::string& what) {
    if (figures.empty()) return "";
    if (std::ranges::none_of(figures, &Surroundings::known)) {
        return "! The system does not report other activity: whether figures were disturbed is "
               "unknown.\n";
    }
    const auto count = std::ranges::count_if(figures, &Surroundings::disturbed);
    if (count == 0) return "";
    const auto& worst = *std::ranges::max_element(figures, {}, &Surroundings::worst_share);
    return fmt::format(
        "! DISTURBED: {} of {} {}{} (at worst {}).\n"
        "! Do not rely on marked figures: end the other programs, or give the job cores of its "
        "own, "
        "and run again.\n",
        count, figures.size(), what, figures.size() == 1 ? "" : "s", worst.words());
}

}  // namespace shardstone::benchmarks
