// SPDX-License-Identifier: BSD-3-Clause
// What being watched costs the smallest collective, on the ranks at hand:
//   watching_cost [ROUNDS]
// A round times a tenth of a second of 4-byte all-reduces in each of these ways, in changing order:
// alone; with the watchdog's thread, and on rank 0 a point written to the journal every half second;
// with that and the pulse, which is everything that a sweep has beside them; and with every entry in
// the whereabouts, which no run does without, made twice. Prints the medians of the rounds' ratios
// and their 95 % intervals.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/pulse.hpp"
#include "collectives/cluster/session.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/watchdog/last_words.hpp"
#include "collectives/watchdog/watchdog.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/whereabouts.hpp"
#include "results/journal/journal.hpp"

namespace {

using namespace shardstone;
using collectives::Communicator;

constexpr double block_s = 0.1;
constexpr int blocks_of_a_point = 5;  // of a sweep by default

/// A point of a sweep, as the journal gets one: a row of a dozen figures and a check.
results::Record point() {
    results::Table table{"collectives", {}};
    for (int column = 0; column < 12; ++column) {
        table.columns.push_back({fmt::format("column_{}", column), {1e-6 * column}, {}});
    }
    results::Record record;
    record.derived = {table};
    record.verification = {{"all_reduce ring 4 B: exact", true, ""}};
    return record;
}

enum class Beside : std::uint8_t { nothing, watchdog_and_journal, pulse_too, entries_again };
constexpr std::array all_ways{Beside::nothing, Beside::watchdog_and_journal, Beside::pulse_too,
                              Beside::entries_again};

class Comparison {
  public:
    Comparison(Communicator& world, const std::string& algorithm)
        : world_(world),
          all_reduce_(world, algorithm, 1, ElementType::fp32, collectives::Reduction::sum) {
        if (world.rank() == 0) {
            journal_.emplace(std::filesystem::temp_directory_path() /
                                 fmt::format("watching_cost.{}.journal", getpid()),
                             results::new_record("collectives", "cost", {}), "nothing");
        }
        constexpr std::int64_t first = 10'000;
        runs_ = first;
        runs_ = static_cast<std::int64_t>(first * block_s / seconds_of(Beside::nothing)) + 1;
    }
    ~Comparison() {
        if (journal_) journal_->remove();
    }
    Comparison(const Comparison&) = delete;
    Comparison& operator=(const Comparison&) = delete;

    /// Time of a run in each of all_ways, measured in turns.
    std::array<double, all_ways.size()> round(std::size_t begin) {
        std::array<double, all_ways.size()> seconds{};
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            const std::size_t way = (begin + i) % seconds.size();
            seconds[way] = seconds_of(all_ways[way]) / static_cast<double>(runs_);
        }
        return seconds;
    }

  private:
    double seconds_of(Beside beside) {
        std::optional<collectives::Watchdog> watchdog;
        std::optional<benchmarks::Pulse> pulse;
        const bool watched = beside == Beside::watchdog_and_journal || beside == Beside::pulse_too;
        if (watched) watchdog.emplace(world_, collectives::StallLimits{}, getppid());
        if (beside == Beside::pulse_too) pulse.emplace(pulse_period_s_);
        world_.barrier();
        const double begin_s = now_s();
        if (beside == Beside::entries_again) {
            run_with_entries();
        } else {
            for (std::int64_t run = 0; run < runs_; ++run) all_reduce_.run(&value_);
        }
        const bool is_point = watched && ++watched_blocks_ % blocks_of_a_point == 0;
        if (is_point && journal_) journal_->add(point(), "a point");
        return world_.max(now_s() - begin_s);
    }

    void run_with_entries() {
        for (std::int64_t run = 0; run < runs_; ++run) {
            action_.begin();
            all_reduce_.run(&value_);
            whereabouts().moved();
        }
    }

    Communicator& world_;
    const double pulse_period_s_ = benchmarks::pulse_period_s(
        world_.size(), static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
    NamedAction action_{"all_reduce once more"};
    collectives::AllReduce all_reduce_;
    float value_ = 0.0F;
    std::optional<results::Journal> journal_;
    std::int64_t runs_ = 0;
    int watched_blocks_ = 0;
};

std::string in_percent(const std::vector<double>& ratios) {
    std::string text = fmt::format("{:+.2f} %", 100.0 * (median(ratios) - 1.0));
    if (const auto interval = median_interval(ratios)) {
        text += fmt::format(" ({:+.2f} to {:+.2f})", 100.0 * (interval->low - 1.0),
                            100.0 * (interval->high - 1.0));
    }
    return text;
}

int compare(Communicator& world, int rounds) {
    for (const char* algorithm : {"ring", "over_shared_memory:ring", "shared_memory"}) {
        Comparison comparison(world, algorithm);
        std::array<std::vector<double>, all_ways.size()> ratios;
        std::vector<double> alone_s;
        for (int round = 0; round < rounds; ++round) {
            const auto seconds = comparison.round(static_cast<std::size_t>(round));
            alone_s.push_back(seconds[0]);
            for (std::size_t way = 1; way < seconds.size(); ++way) {
                ratios[way].push_back(seconds[way] / seconds[0]);
            }
        }
        if (world.rank() != 0) continue;
        fmt::print("{}: {:.3f} us; watchdog and journal {}; pulse too {}; entries {}; {} rounds\n",
                   algorithm, 1e6 * median(alone_s), in_percent(ratios[1]), in_percent(ratios[2]),
                   in_percent(ratios[3]), rounds);
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 500;
    collectives::set_stall_limits(std::nullopt);
    return collectives::run_session([&](Communicator& world) { return compare(world, rounds); });
}
