// SPDX-License-Identifier: BSD-3-Clause
// Pair tests in passes, further tests of suspects, and tests of ranks, within a budget of time.
#include "validation/interconnect/measure_interconnect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "benchmarks/harness/watch.hpp"
#include "benchmarks/interconnect/link_pass.hpp"
#include "benchmarks/interconnect/rank_tests.hpp"
#include "collectives/cluster/process.hpp"
#include "kernels/base/available_memory.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/next_tests.hpp"
#include "validation/interconnect/pair_figures.hpp"
#include "validation/interconnect/rank_rounds.hpp"
#include "validation/interconnect/soak.hpp"
#include "validation/interconnect/suspects.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::LinkRound;
using benchmarks::RankPair;

/// So many samples give a median an interval of 95 % with one to spare, and more than so many
/// narrow it by little.
constexpr int least_passes = 7, most_passes = 24;
/// Further tests are few, and repeated as often as needed for an interval.
constexpr int passes_of_further_tests = 6, most_batches = 3;

constexpr double share_of_rank_tests = 0.4;

std::size_t pairs_in(const std::vector<LinkRound>& rounds) {
    std::size_t pairs = 0;
    for (const LinkRound& round : rounds) pairs += round.size();
    return pairs;
}

class InterconnectRun {
  public:
    InterconnectRun(const collectives::Communicator& world, const InterconnectOptions& options,
                    const InterconnectObserver& observer, InterconnectSamples earlier)
        : world_(world),
          options_(options),
          observer_(observer),
          turns_(benchmarks::agree_on_turns(world)),
          watch_(world),
          begin_s_(now_s()) {
        measured_.samples = std::move(earlier);
        measured_.samples.limits = options.limits;
    }

    InterconnectMeasurement run() {
        const bool goes_on = world_.max(measured_.samples.windows.empty() ? 0.0 : 1.0) > 0.0;
        if (goes_on) {
            measured_.expected = measured_.samples.pairs.size() + measured_.samples.ranks.size();
        } else {
            test_once();
        }
        if (options_.soak_s > 0.0 && !measured_.stopped) {
            soak(world_, all_rounds(), options_, observer_, watch_, measured_);
        }
        measured_.surroundings = watch_.log();
        return std::move(measured_);
    }

  private:
    void test_once() {
        note_places();
        std::optional<benchmarks::RankTests> ranks;
        if (options_.ranks) ranks.emplace(world_, options_.budget_s * share_of_rank_tests);
        if (options_.pairs) {
            pairs_until_s_ = begin_s_ + options_.budget_s - (ranks ? ranks->duration_s() : 0.0);
            watched("passes over pairs", [&] {
                test_pairs();
                for (int batch = 0; batch < most_batches && test_further(); ++batch) {
                }
            });
        }
        if (ranks && !measured_.stopped) watched("tests of ranks", [&] { test_ranks(*ranks); });
    }

    void watched(const std::string& part, const std::function<void()>& measure) {
        watch_.begin();
        measure();
        const auto seen = watch_.end();
        if (!is_root()) return;
        InterconnectSamples more;
        more.conditions.push_back(conditions_row(part, seen));
        keep(more);
    }

    bool is_root() const { return world_.is_root(); }

    void note_places() {
        const auto hosts = world_.gather(collectives::node_name());
        for (int rank = 0; is_root() && rank < world_.size(); ++rank) {
            measured_.samples.places.push_back(
                {static_cast<double>(rank), static_cast<double>(world_.topology().node_of(rank)),
                 hosts[static_cast<std::size_t>(rank)], -1.0, static_cast<double>(turns_.turns)});
        }
        InterconnectSamples part;
        part.places = measured_.samples.places;
        observer_.took(part);
    }

    std::vector<LinkRound> all_rounds() const {
        auto rounds = rounds_between_nodes(world_.topology());
        const auto inside = rounds_inside_nodes(world_.topology(), turns_.turns > 1);
        rounds.insert(rounds.end(), inside.begin(), inside.end());
        return options_.alone ? one_by_one(rounds) : rounds;
    }

    /// One pass; `counts` is false for one that opens connections: only its data count.
    void pass(benchmarks::LinkPasses& passes, bool alone, bool counts) {
        auto found = passes.run([&](std::size_t round) {
            observer_.progress(fmt::format("pass {}: pairs, round {} of {}", passes_ + 1, round + 1,
                                           passes.rounds()));
        });
        InterconnectSamples part;
        if (counts) part.pairs = rows_of_pass(found, passes_++, alone);
        part.wrong = wrong_rows_of(found, passes);
        keep(part);
        measured_.stopped = observer_.stops();
    }

    void keep(const InterconnectSamples& part) {
        auto& all = measured_.samples;
        all.pairs.insert(all.pairs.end(), part.pairs.begin(), part.pairs.end());
        all.ranks.insert(all.ranks.end(), part.ranks.begin(), part.ranks.end());
        all.wrong.insert(all.wrong.end(), part.wrong.begin(), part.wrong.end());
        all.conditions.insert(all.conditions.end(), part.conditions.begin(), part.conditions.end());
        observer_.took(part);
    }

    void test_pairs() {
        const auto rounds = all_rounds();
        if (rounds.empty()) return;
        benchmarks::LinkPasses passes(world_, rounds, options_.sizes_bytes);
        pass(passes, options_.alone, false);
        const double start_s = now_s();
        for (int done = 0; done < most_passes && !measured_.stopped; ++done) {
            if (done > 0) {
                round_s_ = (now_s() - start_s) / static_cast<double>(rounds.size()) / done;
            }
            if (done >= least_passes && rounds_left() < rounds.size()) return;
            pass(passes, options_.alone, true);
            expect(rounds);
        }
    }

    void expect(const std::vector<LinkRound>& rounds) {
        measured_.expected += 2 * pairs_in(rounds) * options_.sizes_bytes.size();
    }

    /// Rounds that the time left for pairs is enough for; as rank 0 sees it, on all ranks.
    std::size_t rounds_left() const {
        const double left = std::max(0.0, (pairs_until_s_ - now_s()) / round_s_);
        return static_cast<std::size_t>(world_.max(is_root() ? std::min(left, 1e9) : 0.0));
    }

    /// A batch of tests that tell the suspects apart; false if there is nothing to tell.
    bool test_further() {
        if (measured_.stopped) return false;
        // The best come first; what there is no time for is left out.
        auto rounds = further_rounds();
        rounds.resize(std::min(rounds.size(), rounds_left() / (passes_of_further_tests + 1)));
        if (rounds.empty()) return false;
        benchmarks::LinkPasses passes(world_, rounds, options_.sizes_bytes);
        pass(passes, true, false);
        for (int done = 0; done < passes_of_further_tests && !measured_.stopped; ++done) {
            pass(passes, true, true);
            expect(rounds);
        }
        return !measured_.stopped;
    }

    /// Decided on rank 0, which has the samples; equal on all ranks.
    std::vector<LinkRound> further_rounds() const {
        nlohmann::json tests = nlohmann::json::array();
        if (is_root() && !measured_.samples.pairs.empty()) {
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

    std::vector<PairTest> tests_called_for() const {
        const auto places = places_of(measured_.samples.places);
        const auto times = times_to_judge(pair_times_of(measured_.samples.pairs),
                                          measured_.samples.places, options_.sizes_bytes.back());
        NextTestsSettings settings;
        settings.loopback = false;
        return next_tests(places, times, find_suspects(places, times), settings);
    }

    void test_ranks(benchmarks::RankTests& tests) {
        InterconnectSamples part;
        part.ranks = rows_of_turns(tests.run([&](int turn) {
            observer_.progress(fmt::format("turn {} of the tests of ranks", turn + 1));
        }));
        measured_.expected += static_cast<std::size_t>(world_.size() * tests.turns()) *
                              std::size(benchmarks::rank_tests);
        keep(part);
        measured_.stopped = observer_.stops();
    }

    const collectives::Communicator& world_;
    const InterconnectOptions& options_;
    const InterconnectObserver& observer_;
    benchmarks::RankTurn turns_;
    benchmarks::Watch watch_;
    double begin_s_;
    double pairs_until_s_ = 0.0;  ///< by the clock of this rank
    double round_s_ = 1.0;        ///< that a round of one pair each has taken
    int passes_ = 0;
    InterconnectMeasurement measured_;
};

}  // namespace

void require_measurable(const InterconnectOptions& options, int ranks_on_node) {
    require(!options.sizes_bytes.empty() && options.sizes_bytes.front() > 0,
            "--sizes: give at least one size above 0");
    for (const std::int64_t size_bytes : options.sizes_bytes) {
        require(size_bytes % 8 == 0, [&] {
            return fmt::format("--sizes {}: give multiples of 8 bytes, which are compared",
                               size_bytes);
        });
    }
    const auto room = available_memory().for_each_of(ranks_on_node);
    const std::int64_t largest_bytes = options.sizes_bytes.back();
    require(!room || largest_bytes <= room->bytes, [&] {
        return fmt::format(
            "--sizes {}: a message of {} is more than each of {} has left ({}: {}): give at most "
            "{}M",
            largest_bytes, format_size(largest_bytes), counted(ranks_on_node, "rank"), room->name,
            format_size(room->bytes), room->bytes >> 20);
    });
    require(options.soak_s <= 0.0 || options.pairs,
            "--for repeats the tests of pairs: add pairs to --part");
}

InterconnectMeasurement measure_interconnect(const collectives::Communicator& world,
                                             const InterconnectOptions& options,
                                             const InterconnectObserver& observer,
                                             InterconnectSamples earlier) {
    return InterconnectRun(world, options, observer, std::move(earlier)).run();
}

}  // namespace shardstone::validation
