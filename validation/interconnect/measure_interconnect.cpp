// SPDX-License-Identifier: BSD-3-Clause
// The tests of an interconnect one after another, within a budget of time.
#include "validation/interconnect/measure_interconnect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "benchmarks/harness/clock_origin.hpp"
#include "benchmarks/harness/watch.hpp"
#include "benchmarks/interconnect/clock_readings.hpp"
#include "benchmarks/interconnect/rails.hpp"
#include "benchmarks/interconnect/rank_tests.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/running_kernel.hpp"
#include "results/inventory/nics.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/load_tests.hpp"
#include "validation/interconnect/more_turns.hpp"
#include "validation/interconnect/pair_tests.hpp"
#include "validation/interconnect/soak.hpp"
#include "validation/interconnect/test_counts.hpp"
#include "validation/interconnect/traffic.hpp"
#include "validation/interconnect/undecided_limits.hpp"

namespace shardstone::validation {

namespace {

/// Of the budget; of the loads beyond their least passes.
constexpr double share_of_rank_tests = 0.4, share_of_loads = 0.1, share_of_traffic = 0.2;

/// The turns of ranks that a suspicion calls for, over those that the budget has room for.
constexpr int most_times = 3;

/// What a signal during passes lets end.
constexpr const char* pass_over_pairs = "this pass over the pairs";
constexpr const char* pass_over_loads = "this pass over the loads of the network";
constexpr const char* turn_of_ranks = "this turn of the tests of ranks";

/// In the order of the first rank on each; -1 for all, unless all are named.
std::vector<double> leaf_numbers(const std::vector<std::string>& names) {
    if (std::ranges::find(names, "") != names.end()) return std::vector(names.size(), -1.0);
    std::map<std::string, double> numbers;
    std::vector<double> leaves;
    for (const std::string& name : names) {
        const auto next = static_cast<double>(numbers.size());
        leaves.push_back(numbers.try_emplace(name, next).first->second);
    }
    return leaves;
}

class InterconnectRun {
  public:
    InterconnectRun(collectives::Communicator& world, const InterconnectOptions& options,
                    const InterconnectObserver& observer, InterconnectSamples earlier)
        : world_(world),
          options_(options),
          observer_(observer),
          turns_(benchmarks::agree_on_turns(world)),
          watch_(world),
          begin_s_(benchmarks::clock_origin(world)),
          pairs_(world, options, observer, turns_.turns > 1, begin_s_, measured_),
          loads_(world, options, observer, measured_) {
        measured_.samples = std::move(earlier);
        measured_.samples.limits = options.limits;
    }

    InterconnectMeasurement run() {
        const bool goes_on = world_.max(measured_.samples.windows.empty() ? 0.0 : 1.0) > 0.0;
        if (goes_on) {
            measured_.expected = measured_.samples.taken();
            measured_.compared_bytes = timed_bytes(measured_.samples);
        } else {
            test_once();
            measured_.tests_s = now_s() - begin_s_;
        }
        if (options_.soak_s > 0.0 && !measured_.stopped) {
            observer_.stops_after(pass_over_pairs);
            soak(world_, pairs_.rounds(), options_, observer_, watch_, measured_);
        }
        measured_.surroundings = watch_.log();
        return std::move(measured_);
    }

  private:
    void test_once() {
        note_places();
        const InterconnectParts& parts = options_.parts;
        const bool has_nodes = world_.topology().nodes() > 1;
        std::optional<benchmarks::RankTests> ranks;
        if (parts.ranks) {
            ranks.emplace(world_, options_.budget_s * share_of_rank_tests, begin_s_,
                          options_.memory);
        }
        const double loads_s =
            parts.congestion && has_nodes ? options_.budget_s * share_of_loads : 0.0;
        const double traffic_s = parts.traffic ? options_.budget_s * share_of_traffic : 0.0;
        if (parts.clocks && has_nodes) read_clocks(0);
        if (parts.pairs && !pairs_.rounds().empty()) {
            const double pairs_s =
                options_.budget_s - loads_s - traffic_s - (ranks ? ranks->duration_s() : 0.0);
            watched(during_pairs, pass_over_pairs, [&] { pairs_.run(begin_s_ + pairs_s); });
        }
        if (loads_s > 0.0) {
            watched(during_loads, pass_over_loads, [&] { loads_.run(loads_s); });
        }
        if (traffic_s > 0.0) {
            watched(during_traffic, "this repetition of the traffic",
                    [&] { test_traffic(traffic_s); });
        }
        if (ranks) {
            watched(during_ranks, turn_of_ranks, [&] { test_ranks(*ranks); });
        }
        if (!options_.limits.empty()) decide_limits(ranks ? &*ranks : nullptr);
        if (parts.clocks && has_nodes && !measured_.stopped) read_clocks(1);
    }

    /// More samples of what limits are on while they are undecided, and time is left.
    void decide_limits(benchmarks::RankTests* ranks) {
        const UndecidedLimits limits(world_, measured_, begin_s_ + options_.budget_s);
        decide(limits, during_pairs, pass_over_pairs,
               [&](std::int64_t passes) { return pairs_.run_again(passes, limits); });
        decide(limits, during_loads, pass_over_loads,
               [&](std::int64_t passes) { return loads_.run_again(passes, limits); });
        decide(limits, during_ranks, turn_of_ranks, [&](std::int64_t turns) {
            const double turn_s = ranks->duration_s() / ranks->turns();
            return limits.repeat(turns, turn_s, [&](bool counts) {
                if (counts) take_turns(*ranks, 1, ", for a limit");
            });
        });
    }

    /// `take` returns how many samples of each subject it took of those that are wanted.
    void decide(const UndecidedLimits& limits, const char* part, const char* step,
                const std::function<std::int64_t(std::int64_t)>& take) {
        if (measured_.stopped || limits.samples_wanted(part) == 0) return;
        if (!limits.has_time_for(0.0)) return;
        watched(part, step, [&] {
            std::int64_t wanted = 0, took = 0;
            do {
                wanted = limits.samples_wanted(part);
                took = wanted > 0 ? take(wanted) : 0;
            } while (took > 0 && took == wanted);
        });
    }

    /// Nothing once it was stopped.
    void watched(const std::string& part, const char* step, const std::function<void()>& measure) {
        if (measured_.stopped) return;
        observer_.stops_after(step);
        watch_.begin();
        const double begin_s = now_s();
        measure();
        note_duration(part, now_s() - begin_s);
        watch_.end();
        if (!is_root()) return;
        InterconnectSamples more;
        more.conditions = conditions_rows(part, watch_.machines());
        measured_.samples.add(more);
        observer_.took(more);
    }

    void note_duration(const std::string& part, double took_s) {
        auto& parts = measured_.parts;
        const auto place = std::ranges::find(parts, part, &std::pair<std::string, double>::first);
        if (place == parts.end()) {
            parts.emplace_back(part, took_s);
        } else {
            place->second += took_s;
        }
    }

    bool is_root() const { return world_.is_root(); }

    int first_on_node_of(int rank) const {
        const auto& topology = world_.topology();
        return topology.ranks_on(topology.node_of(rank)).front();
    }

    /// One rank of a node reads the files of all its NICs.
    double nics_if_first_on_node() const {
        const bool is_first = first_on_node_of(world_.rank()) == world_.rank();
        return is_first ? results::count_fastest_nics() : 0.0;
    }

    void note_places() {
        const auto hosts = world_.gather(collectives::node_name());
        const auto leaves = leaf_numbers(world_.gather(collectives::leaf_switch()));
        const auto kernels = world_.all_gather(std::array{running_kernel()});
        const auto nics = world_.all_gather(std::array{nics_if_first_on_node()});
        const bool on_gpus = options_.memory == collectives::DataMemory::gpu;
        InterconnectSamples part;
        for (int rank = 0; is_root() && rank < world_.size(); ++rank) {
            part.places.push_back(
                {static_cast<double>(rank), static_cast<double>(world_.topology().node_of(rank)),
                 hosts[static_cast<std::size_t>(rank)], leaves[static_cast<std::size_t>(rank)],
                 static_cast<double>(turns_.turns),
                 static_cast<double>(benchmarks::rail_of(world_.topology(), rank, options_.rails)),
                 static_cast<double>(std::distance(
                     kernels.begin(),
                     std::ranges::find(kernels, kernels[static_cast<std::size_t>(rank)]))),
                 nics[static_cast<std::size_t>(first_on_node_of(rank))],
                 on_gpus ? collectives::used_gpu_in_words(static_cast<std::size_t>(rank)) : ""});
        }
        measured_.samples.add(part);
        observer_.took(part);
    }

    void test_ranks(benchmarks::RankTests& tests) {
        const int most = std::min(most_times * tests.turns(), benchmarks::most_turns);
        take_turns(tests, tests.turns(), "");
        const double begin_s = now_s();
        while (!measured_.stopped && tests.turns_taken() < most && needs_more_turns()) {
            take_turns(tests, std::min(tests.turns(), most - tests.turns_taken()),
                       ", as one may be slow");
            measured_.turns_again_s = now_s() - begin_s;
        }
    }

    void take_turns(benchmarks::RankTests& tests, int turns, const char* why) {
        InterconnectSamples part;
        const int before = tests.turns_taken(), end = before + turns;
        part.ranks = rows_of_turns(tests.run(
            turns,
            [&](int turn) {
                observer_.progress(
                    fmt::format("tests of ranks, turn {} of {}{}", turn + 1, end, why));
            },
            observer_.stops));
        if (tests.turns_taken() >= benchmarks::least_turns) {
            measured_.expected +=
                static_cast<std::size_t>(world_.size() * (tests.turns_taken() - before)) *
                tests.tests().size();
        }
        part.gpu_readings = tests.take_gpu_readings();
        measured_.samples.note_unread_gpus(tests.why_no_gpu_readings());
        take(part, observer_, measured_);
    }

    /// Equal on all ranks.
    bool needs_more_turns() const {
        const bool needed = is_root() && more_turns_are_needed(measured_.samples);
        return world_.max(needed ? 1.0 : 0.0) > 0.0;
    }

    void test_traffic(double budget_s) {
        InterconnectSamples part;
        part.traffic = measure_traffic(
            world_, {options_.sizes_bytes.back(), budget_s},
            [&](const std::string& what) { observer_.progress(what); },
            [&] { return observer_.stops(); });
        measured_.expected += part.traffic.size();
        take(part, observer_, measured_);
    }

    void read_clocks(int round) {
        observer_.progress("clocks of nodes");
        const double begin_s = now_s();
        std::vector<int> ranks;  // first ones of other nodes than rank 0's
        for (int node = 0; node < world_.topology().nodes(); ++node) {
            if (node == world_.topology().node_of(0)) continue;
            ranks.push_back(world_.topology().ranks_on(node).front());
        }
        InterconnectSamples part;
        part.clocks =
            rows_of_clocks(benchmarks::read_clocks(world_, ranks, readings_of_clocks), round);
        note_duration("readings of clocks", now_s() - begin_s);
        measured_.expected += ranks.size() * readings_of_clocks;
        take(part, observer_, measured_);
    }

    collectives::Communicator& world_;
    const InterconnectOptions& options_;
    const InterconnectObserver& observer_;
    benchmarks::RankTurn turns_;
    benchmarks::Watch watch_;
    double begin_s_;  ///< one moment for all ranks, from which the times of all samples count
    InterconnectMeasurement measured_;
    PairTests pairs_;
    LoadTests loads_;
};

}  // namespace

InterconnectMeasurement measure_interconnect(collectives::Communicator& world,
                                             const InterconnectOptions& options,
                                             const InterconnectObserver& observer,
                                             InterconnectSamples earlier) {
    return InterconnectRun(world, options, observer, std::move(earlier)).run();
}

}  // namespace shardstone::validation
