// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone validate interconnect` prints: the verdict first, the matrix last.
#include "jobs/command/interconnect_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "benchmarks/harness/surroundings.hpp"
#include "benchmarks/interconnect/congestion.hpp"
#include "jobs/command/long_messages_screen.hpp"
#include "kernels/base/units.hpp"
#include "results/record/nature.hpp"
#include "results/schema/gpu_use_in_words.hpp"
#include "results/schema/soak_in_words.hpp"
#include "results/schema/verdict_counts.hpp"
#include "validation/interconnect/episodes.hpp"
#include "validation/interconnect/held_against.hpp"
#include "validation/interconnect/interval_words.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/interconnect/node_clocks.hpp"

namespace shardstone::command {

namespace {

using validation::InterconnectFindings;
using validation::with_interval;

std::string upper(std::string text) {
    for (char& letter : text) {
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    return text;
}

bool is_traffic_judged(const validation::InterconnectSamples& samples) {
    return !samples.traffic.empty() && samples.traffic.front().judged > 0.0;
}

void print_stopped(const std::string& done) {
    fmt::print("STOPPED, incomplete: {}; no verdict\n", done);
}

/// The first line, which is all that many will read.
void print_verdict(const InterconnectFindings& findings, const RunOfInterconnect& run) {
    std::string verdict = upper(to_string(findings.verdict));
    if (!run.stopped_after.empty()) {
        print_stopped(run.stopped_after);
        verdict = "  so far";
    }
    fmt::print("{}{}{}\n", verdict, run.counts.empty() ? "" : ": ", run.counts);
    if (!run.gpu.empty()) {
        fmt::print(
            "  GPUs ({}): messages between them go through NCCL, with their launch; clocks, and "
            "tests of ranks without GPU in their names, are of the hosts\n",
            run.gpu);
    }
    if (run.declared_nodes) fmt::print("  {}\n", results::declared_nodes_words);
    for (const std::string& reason : findings.reasons) fmt::print("  - {}\n", reason);
    if (findings.reasons.empty()) {
        fmt::print("  {}\n", validation::in_words(findings.held_against, findings.not_tested));
    }
}

template <class Row>
const char* disturbed_mark(const Row& row) {
    return row.disturbed > 0.0 ? " (disturbed)" : "";
}

void print_suspects(const InterconnectFindings& findings) {
    for (const auto& row : findings.suspects) {
        fmt::print("  {}: {:.0f} tests cross it; probability {:.3g}{}{}{}\n", row.part, row.tests,
                   row.probability, row.rivals.empty() ? "" : ", else ", row.rivals,
                   disturbed_mark(row));
    }
}

void print_held_against(const InterconnectFindings& findings) {
    if (findings.held_against.empty()) return;
    fmt::print("\nHeld against\n");
    for (const auto& row : findings.held_against) {
        const std::string tests = row.tests > 0.0 ? fmt::format(" ({:.0f} tested)", row.tests) : "";
        fmt::print("  {:<12} {}{}{}{}\n", row.against, validation::name_of(row), tests,
                   row.why.empty() ? "" : ": ", row.why);
    }
    fmt::print("  {:<12} {}\n", "not tested", findings.not_tested);
}

void print_limits(const InterconnectFindings& findings) {
    if (findings.acceptance.empty()) return;
    fmt::print("\nLimits\n");
    for (const auto& row : findings.acceptance) {
        const std::string size = row.size_bytes > 0.0
                                     ? " " + format_size(static_cast<std::int64_t>(row.size_bytes))
                                     : "";
        const std::string of_all = results::subjects_in_words(row);
        fmt::print("  {:<12} {}{}{}{}{}\n", row.verdict, row.quantity, size,
                   of_all.empty() ? "" : ", ", of_all, disturbed_mark(row));
        fmt::print("  {:<12} {}{}: {}\n", "", of_all.empty() ? "" : "worst: ", row.subject,
                   validation::against_limit(row));
        if (!row.source.empty()) fmt::print("  {:<12} limit: {}\n", "", row.source);
    }
}

void print_paths(const InterconnectFindings& findings) {
    if (findings.paths.empty()) {
        if (!findings.pairs.empty()) {
            fmt::print("\nPaths: latency and rate are told apart by two sizes (--sizes)\n");
        }
        return;
    }
    fmt::print("\nPaths (medians over pairs, 95 % intervals)\n");
    for (const auto& row : findings.paths) {
        fmt::print(
            "  {:<16} {:<10} {:>4.0f} tests  latency {}  rate {}\n", row.path,
            row.alone > 0.0 ? "alone" : "at once", row.tests,
            with_interval(1e6 * row.alpha_s, 1e6 * row.alpha_low_s, 1e6 * row.alpha_high_s, "us",
                          "pairs"),
            with_interval(row.rate_gb_s, row.rate_low_gb_s, row.rate_high_gb_s, "GB/s", "pairs"));
    }
    if (findings.unjudged)
        fmt::print("  Ranks share cores: latencies and times inside nodes are not judged.\n");
}

void print_traffic(const InterconnectFindings& findings,
                   const validation::InterconnectSamples& samples) {
    if (findings.traffic.empty()) return;
    fmt::print("\nTraffic (medians) beside the prediction\n");
    for (const auto& row : findings.traffic) {
        fmt::print("  {:<34} {:>8}  time {:>8}, predicted {:>8}: over prediction {}{}{}\n",
                   row.traffic, format_size(static_cast<std::int64_t>(row.size_bytes)),
                   format_time(row.time_s), format_time(row.predicted_s),
                   with_interval(row.over_prediction, row.over_low, row.over_high, "times"),
                   row.slow > 0.0 ? "  SLOW" : "", disturbed_mark(row));
    }
    if (!is_traffic_judged(samples)) {
        fmt::print(
            "  Not judged: --cluster was not measured by ranks that have cores as these do: "
            "calibrate.\n");
    }
}

/// By load and size, the pair that it slows down most.
std::map<std::pair<std::string, double>, results::CongestionRow> worst_of_loads(
    const InterconnectFindings& findings) {
    std::map<std::pair<std::string, double>, results::CongestionRow> worst;
    for (const auto& row : findings.congestion) {
        // One pair at once, as of two halves of few nodes, is that pair alone.
        const bool is_at_once = row.load == to_string(benchmarks::NetworkLoad::at_once);
        if (is_at_once && findings.bisection.empty()) continue;
        const auto place = worst.try_emplace({row.load, row.size_bytes}, row).first;
        if (row.slowdown > place->second.slowdown) place->second = row;
    }
    return worst;
}

void print_congestion(const InterconnectFindings& findings) {
    const auto worst = worst_of_loads(findings);
    if (worst.empty()) return;
    fmt::print("\nCongestion (medians, 95 % intervals)\n");
    for (const auto& row : findings.bisection) {
        fmt::print("  {}: rate {} of {:.3g} GB/s that its {} have alone\n", row.direction,
                   with_interval(row.rate_gb_s, row.rate_low_gb_s, row.rate_high_gb_s, "GB/s"),
                   row.alone_gb_s, counted(static_cast<std::int64_t>(row.pairs), "pair"));
    }
    for (const auto& [load, row] : worst) {
        fmt::print("  {}, {}: slowdown over alone {}; worst: rank {:.0f} to rank {:.0f}\n",
                   row.load, format_size(static_cast<std::int64_t>(row.size_bytes)),
                   with_interval(row.slowdown, row.slowdown_low, row.slowdown_high, "times"),
                   row.sender, row.receiver);
    }
}

void print_clocks(const InterconnectFindings& findings) {
    if (findings.clocks.empty()) return;
    fmt::print("\nClocks of nodes, beside rank 0's ({} read)\n  {}\n", findings.clocks.size(),
               validation::clocks_in_words(findings.clocks));
}

void print_ranks(const InterconnectFindings& findings) {
    std::map<std::string, std::vector<results::RankTestRow>> tests;
    for (const auto& row : findings.rank_tests) tests[row.test].push_back(row);
    if (!tests.empty()) fmt::print("\nRanks (lower quartile of the turns of each)\n");
    for (const auto& [test, rows] : tests) {
        const auto [best, worst] = std::ranges::minmax(rows, {}, &results::RankTestRow::factor);
        fmt::print(
            "  {:<12} {} to {} for {}; slowest: rank {:.0f}, factor {:.2f} over the median of "
            "ranks (noise {:.1f} %)\n",
            test, format_time(best.time_s), format_time(worst.time_s), results::work_in_words(test),
            worst.rank, worst.factor, 100.0 * worst.noise);
    }
    const std::string clocks = results::clocks_in_words(findings.gpus);
    if (!clocks.empty()) fmt::print("  {:<12} {}\n", "GPU clocks", clocks);
}

/// Rows send, columns receive. Of more than so many ranks nobody reads a matrix: the report has it.
constexpr std::size_t most_printed = 16;

void print_matrix(const InterconnectFindings& findings) {
    double largest = 0.0;
    std::set<double> ranks;
    for (const auto& row : findings.pairs) {
        largest = std::max(largest, row.size_bytes);
        ranks.insert({row.sender, row.receiver});
    }
    if (ranks.empty() || ranks.size() > most_printed) return;
    constexpr double most_for_latency_bytes = 4096.0;  // of which a rate says nothing
    const bool is_latency = largest <= most_for_latency_bytes;
    std::map<std::pair<double, double>, double> shown;
    for (const auto& row : findings.pairs) {
        const std::pair place{row.sender, row.receiver};
        if (row.size_bytes == largest && (row.alone == 0.0 || !shown.contains(place))) {
            shown[place] = is_latency ? 1e6 * row.time_s : row.rate_gb_s;
        }
    }
    fmt::print("\nPairs: {} of {} from rank (row) to rank (column)\n      ",
               is_latency ? "time in us" : "rate in GB/s",
               format_size(static_cast<std::int64_t>(largest)));
    for (const double to : ranks) fmt::print(" {:>8}", to);
    for (const double from : ranks) {
        fmt::print("\n  {:>4}", from);
        for (const double to : ranks) {
            const auto cell = shown.find({from, to});
            fmt::print(" {:>8}", cell == shown.end() ? "-" : fmt::format("{:.3g}", cell->second));
        }
    }
    fmt::print("\n");
}

void print_soak(const InterconnectFindings& findings,
                const validation::InterconnectSamples& samples) {
    if (samples.windows.empty()) return;
    fmt::print("\nSoak: {}; {}\n",
               results::soak_in_words(samples.windows, samples.wrong, samples.standstills),
               results::episodes_in_words(findings.episodes, samples.windows, samples.conditions));
}

/// Those that decide are among the reasons.
void print_excused_episodes(const InterconnectFindings& findings) {
    for (const auto& row : findings.episodes) {
        const std::string words = validation::in_words(row);
        const bool is_reason = std::ranges::any_of(findings.reasons, [&](const auto& reason) {
            return reason.find(words) != std::string::npos;
        });
        if (row.suspected > 0.0 || is_reason) continue;
        fmt::print("  not held against the cluster: {}{}\n", words, disturbed_mark(row));
    }
}

void print_conditions(const std::vector<results::ConditionsRow>& conditions) {
    std::set<std::string> parts, disturbed;
    benchmarks::Surroundings worst;
    for (const auto& row : conditions) {
        parts.insert(row.part);
        if (row.disturbed > 0.0) disturbed.insert(row.part);
        worst.others_share = std::fmax(worst.others_share, row.others_share);
        worst.waiting_share = std::fmax(worst.waiting_share, row.waiting_share);
        worst.stolen_share = std::fmax(worst.stolen_share, row.stolen_share);
    }
    if (disturbed.empty()) return;
    fmt::print(
        "\n! DISTURBED: {} of {} parts of the tests (at worst {}).\n! What that may explain is "
        "undecided: end the other programs, or give the job cores of its own, and run\n! again.\n",
        disturbed.size(), parts.size(), worst.all_words());
}

}  // namespace

void print_early_end(const std::string& done, const std::string& reason) {
    print_stopped(done);
    fmt::print("  - {}\n", reason);
    std::fflush(stdout);  // nobody else will
}

void print_interconnect(const validation::InterconnectFindings& findings,
                        const validation::InterconnectSamples& samples,
                        const RunOfInterconnect& run) {
    print_verdict(findings, run);
    print_suspects(findings);
    print_held_against(findings);
    print_limits(findings);
    print_soak(findings, samples);
    print_excused_episodes(findings);
    print_long_messages(samples);
    print_paths(findings);
    print_congestion(findings);
    print_traffic(findings, samples);
    print_ranks(findings);
    print_clocks(findings);
    print_matrix(findings);
    print_conditions(samples.conditions);
}

}  // namespace shardstone::command
