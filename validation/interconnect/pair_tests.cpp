// SPDX-License-Identifier: BSD-3-Clause
// Pair tests in passes, as many as there is time for, and further tests of suspects.
#include "validation/interconnect/pair_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/base/clock.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/next_tests.hpp"
#include "validation/interconnect/pair_figures.hpp"
#include "validation/interconnect/rank_rounds.hpp"
#include "validation/interconnect/suspects.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::LinkRound;

/// Further tests are few, and repeated as often as needed for an interval.
constexpr int passes_of_further_tests = 6, most_batches = 3;

std::size_t pairs_in(const std::vector<LinkRound>& rounds) {
    std::size_t pairs = 0;
    for (const LinkRound& round : rounds) pairs += round.size();
    return pairs;
}

}  // namespace

void take(const InterconnectSamples& part, const InterconnectObserver& observer,
          InterconnectMeasurement& measured) {
    measured.samples.add(part);
    observer.took(part);
    measured.stopped = observer.stops();
}

PairTests::PairTests(const collectives::Communicator& world, const InterconnectOptions& options,
                     const InterconnectObserver& observer, bool share_cores, double began_s,
                     InterconnectMeasurement& measured)
    : world_(world),
      options_(options),
      observer_(observer),
      share_cores_(share_cores),
      began_s_(began_s),
      measured_(measured) {}

std::vector<LinkRound> PairTests::rounds() const {
    auto rounds = rounds_between_nodes(world_.topology(), options_.rails);
    const auto inside = rounds_inside_nodes(world_.topology(), share_cores_);
    rounds.insert(rounds.end(), inside.begin(), inside.end());
    return options_.alone ? one_by_one(rounds) : rounds;
}

void PairTests::run(double until_s) {
    until_s_ = until_s;
    pass_over_all();
    for (int batch = 0; batch < most_batches && test_further(); ++batch) {
    }
}

/// Further passes and further tests count their times from the same moment as the first ones.
benchmarks::LinkPasses PairTests::passes_over(const std::vector<LinkRound>& rounds) const {
    return {world_, options_.memory, rounds, options_.sizes_bytes, began_s_};
}

/// One pass; `counts` is false for one that opens connections: only its data count.
void PairTests::pass(benchmarks::LinkPasses& passes, bool alone, bool counts) {
    auto found = passes.run([&](std::size_t round) {
        observer_.progress(
            fmt::format("pass {}: pairs, round {} of {}", passes_ + 1, round + 1, passes.rounds()));
    });
    InterconnectSamples part;
    if (counts) {
        part.pairs = rows_of_pass(found, passes_++, alone);
        measured_.compared_bytes += found.compared_bytes;
    }
    part.wrong = wrong_rows_of(found.wrong, passes);
    take(part, observer_, measured_);
}

void PairTests::pass_over_all() {
    const auto rounds = this->rounds();
    if (rounds.empty()) return;
    auto passes = passes_over(rounds);
    pass(passes, options_.alone, false);
    const double start_s = now_s();
    for (int done = 0; done < usual_passes && !measured_.stopped; ++done) {
        if (done > 0) {
            round_s_ = (now_s() - start_s) / static_cast<double>(rounds.size()) / done;
        }
        if (done >= least_passes && rounds_left() < rounds.size()) return;
        pass(passes, options_.alone, true);
        expect(rounds);
    }
}

std::int64_t PairTests::run_again(std::int64_t count, const UndecidedLimits& limits) {
    const auto rounds = this->rounds();
    auto passes = passes_over(rounds);
    return limits.repeat(count, 0.0, [&](bool counts) {
        pass(passes, options_.alone, counts);
        if (counts) expect(rounds);
    });
}

void PairTests::expect(const std::vector<LinkRound>& rounds) {
    measured_.expected += 2 * pairs_in(rounds) * options_.sizes_bytes.size();
}

/// Rounds that the time left for pairs is enough for; as rank 0 sees it, on all ranks.
std::size_t PairTests::rounds_left() const {
    const double left = std::max(0.0, (until_s_ - now_s()) / round_s_);
    return static_cast<std::size_t>(world_.max(world_.is_root() ? std::min(left, 1e9) : 0.0));
}

/// A batch of tests that tell the suspects apart; false if there is nothing to tell.
bool PairTests::test_further() {
    if (measured_.stopped) return false;
    // The best come first; what there is no time for is left out.
    auto rounds = further_rounds();
    rounds.resize(std::min(rounds.size(), rounds_left() / (passes_of_further_tests + 1)));
    if (rounds.empty()) return false;
    auto passes = passes_over(rounds);
    pass(passes, true, false);
    for (int done = 0; done < passes_of_further_tests && !measured_.stopped; ++done) {
        pass(passes, true, true);
        expect(rounds);
    }
    return !measured_.stopped;
}

/// Decided on rank 0, which has the samples; equal on all ranks.
std::vector<LinkRound> PairTests::further_rounds() const {
    nlohmann::json tests = nlohmann::json::array();
    if (world_.is_root() && !measured_.samples.pairs.empty()) {
        for (const PairTest& test : tests_called_for()) {
            const auto [low, high] = std::minmax(test.sender, test.receiver);
            const nlohmann::json pair{low, high};
            if (std::ranges::find(tests, pair) == tests.end()) tests.push_back(pair);
        }
    }
    std::vector<LinkRound> rounds;
    for (const auto& pair : nlohmann::json::parse(world_.broadcast(tests.dump()))) {
        rounds.push_back({{pair.at(0).get<int>(), pair.at(1).get<int>()}});
    }
    return rounds;
}

std::vector<PairTest> PairTests::tests_called_for() const {
    const auto places = places_of(measured_.samples.places);
    const auto times = times_to_judge(pair_times_of(measured_.samples.pairs),
                                      measured_.samples.places, options_.sizes_bytes.back());
    NextTestsSettings settings;
    settings.loopback = false;
    return next_tests(places, times, find_suspects(places, times), settings);
}

}  // namespace shardstone::validation
