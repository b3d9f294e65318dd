// SPDX-License-Identifier: BSD-3-Clause
// Turns of ranks by test, judged beside each other.
#include "validation/interconnect/rank_findings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "benchmarks/interconnect/rank_work.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/gpu_clocks.hpp"
#include "validation/interconnect/interval_words.hpp"
#include "validation/interconnect/slow_ranks.hpp"

namespace shardstone::validation {

namespace {

/// The turns of each rank in one test.
using Turns = std::map<double, std::vector<double>>;

RankFinding finding_of(double rank, const std::string& test, std::size_t turns,
                       const RankJudgement& judged, const Disturbance& seen) {
    // A wake-up is short beside the time for which another program keeps a core.
    const double surely_slower =
        test == "wake-up" ? 0.0 : judged.factor * std::exp(-2.0 * judged.noise) - 1.0;
    RankFinding found;
    found.seen = seen;
    found.is_slow = judged.suspected;
    found.is_doubtful =
        judged.suspected && benchmarks::test_needs_cores(test) && seen.may_explain(surely_slower);
    found.row = {rank,
                 test,
                 static_cast<double>(turns),
                 judged.time_s,
                 judged.factor,
                 judged.noise,
                 judged.log10_odds,
                 judged.suspected && !found.is_doubtful ? 1.0 : 0.0,
                 seen.is_any() ? 1.0 : 0.0};
    return found;
}

std::string reason_of(const results::RankTestRow& row, const InterconnectSamples& samples,
                      std::span<const results::GpuUseRow> gpus) {
    return fmt::format("{} is slow: {} takes {:.0f} % longer than on other ranks, odds {}{}",
                       name_of_rank(row.rank, samples.places), row.test, 100.0 * (row.factor - 1.0),
                       odds_in_words(row.log10_odds),
                       row.test == "GPU product" ? clock_in_words(row.rank, gpus) : "");
}

}  // namespace

std::vector<RankFinding> find_slow_ranks(const InterconnectSamples& samples,
                                         const Disturbances& disturbances,
                                         std::span<const results::GpuUseRow> gpus) {
    std::map<std::string, Turns> turns_of_tests;
    for (const auto& row : samples.ranks) {
        turns_of_tests[row.test][row.rank].push_back(row.time_s);
    }
    std::vector<RankFinding> found;
    for (const auto& [test, of_ranks] : turns_of_tests) {
        std::vector<std::vector<double>> times_s;
        for (const auto& [rank, turns_s] : of_ranks) times_s.push_back(turns_s);
        const auto judgements = judge_ranks(times_s);
        auto judgement = judgements.begin();
        for (const auto& [rank, turns_s] : of_ranks) {
            const Disturbance seen = disturbances.during(during_ranks, {&rank, 1});
            RankFinding& one =
                found.emplace_back(finding_of(rank, test, turns_s.size(), *judgement++, seen));
            if (one.is_slow) one.reason = reason_of(one.row, samples, gpus);
        }
    }
    return found;
}

}  // namespace shardstone::validation
