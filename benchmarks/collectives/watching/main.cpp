// SPDX-License-Identifier: BSD-3-Clause
// What being watched costs the smallest collective and a step of training, on the ranks at hand:
//   watching_cost [ROUNDS]
// A round times at least a tenth of a second of 4-byte all-reduces in each of these ways, in
// changing order: alone; with the watchdog's thread, and on rank 0 a point written to the journal
// every fifth time; with that and the pulse, which is everything that a sweep has beside them; and
// with every entry in the whereabouts, which no run does without, made twice. Of steps of training
// it is a second, with a point written every time, and a fifth of the rounds. Prints the medians of
// the rounds' ratios and their 95 % intervals.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/harness/pulse.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/session/session.hpp"
#include "collectives/watchdog/last_words.hpp"
#include "collectives/watchdog/watchdog.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/whereabouts.hpp"
#include "reference/model/gpt_config.hpp"
#include "reference/trainer/trainer.hpp"
#include "results/journal/journal.hpp"

namespace {

using namespace shardstone;
using collectives::Communicator;

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

/// The smallest collective: what watching could cost most.
class SmallestCollective {
  public:
    static constexpr double block_s = 0.1;
    static constexpr int blocks_of_a_point = 5;  // of a sweep by default
    static constexpr int ways = 4;

    SmallestCollective(Communicator& world, const std::string& algorithm)
        : all_reduce_(world, algorithm, 1, ElementType::fp32, collectives::Reduction::sum) {}
    void run() { all_reduce_.run(&value_); }
    void run_with_entries() {
        action_.begin();
        run();
    }

  private:
    NamedAction action_{"all_reduce once more"};
    collectives::AllReduce all_reduce_;
    float value_ = 0.0F;
};

/// Steps of a small model, in data parallelism.
class Training {
  public:
    static constexpr double block_s = 1.0;
    static constexpr int blocks_of_a_point = 1;
    static constexpr int ways = 3;

    explicit Training(Communicator& world)
        : options_(training(world.size())),
          dataset_(reference::Dataset::from_tokens(
              "zeros", options_.model.vocabulary,
              std::vector<reference::Token>(1 << 16, reference::Token{0}), {})),
          trainer_(world, options_, dataset_,
                   reference::checked_step_program(options_, world.rank())) {}
    void run() { trainer_.step(); }
    void run_with_entries() { run(); }

  private:
    static reference::TrainOptions training(int ranks) {
        reference::TrainOptions options;
        options.model = reference::gpt_preset("nano");
        options.plan.data = ranks;
        options.batch.global_batch = 8 * ranks;
        options.batch.micro_batch = 8;
        options.batch.sequence = options.model.context;
        options.steps = 1'000'000;
        return options;
    }

    reference::TrainOptions options_;
    reference::Dataset dataset_;
    reference::Trainer<float> trainer_;
};

enum class Beside : std::uint8_t { nothing, watchdog_and_journal, pulse_too, entries_again };

template <class Work>
class Comparison {
  public:
    static constexpr std::size_t ways = Work::ways;

    template <class... Arguments>
    explicit Comparison(Communicator& world, Arguments&&... arguments)
        : world_(world), work_(world, std::forward<Arguments>(arguments)...) {
        if (world.rank() == 0) {
            journal_.emplace(std::filesystem::temp_directory_path() /
                                 fmt::format("watching_cost.{}.journal", getpid()),
                             results::new_record("collectives", "cost", {}), "nothing");
        }
        while (seconds_of(Beside::nothing) < Work::block_s) runs_ *= 2;
    }
    ~Comparison() {
        if (journal_) journal_->remove();
    }
    Comparison(const Comparison&) = delete;
    Comparison& operator=(const Comparison&) = delete;

    /// Time of a run in each of the ways, measured in turns.
    std::array<double, ways> round(std::size_t begin) {
        std::array<double, ways> seconds{};
        for (std::size_t i = 0; i < ways; ++i) {
            const std::size_t way = (begin + i) % ways;
            seconds[way] = seconds_of(static_cast<Beside>(way)) / static_cast<double>(runs_);
        }
        return seconds;
    }

  private:
    /// Of a block, beside what it says.
    double seconds_of(Beside beside) {
        std::optional<collectives::Watchdog> watchdog;
        std::optional<benchmarks::Pulse> pulse;
        const bool watched = beside == Beside::watchdog_and_journal || beside == Beside::pulse_too;
        if (watched) watchdog.emplace(world_, collectives::StallLimits{}, getppid());
        if (beside == Beside::pulse_too) pulse.emplace(pulse_period_s_);
        world_.barrier();
        const double begin_s = now_s();
        if (beside == Beside::entries_again) {
            for (std::int64_t run = 0; run < runs_; ++run) work_.run_with_entries();
        } else {
            for (std::int64_t run = 0; run < runs_; ++run) work_.run();
        }
        const bool is_point = watched && ++watched_blocks_ % Work::blocks_of_a_point == 0;
        if (is_point && journal_) journal_->add(point(), "a point");
        return world_.max(now_s() - begin_s);
    }

    Communicator& world_;
    const double pulse_period_s_ =
        benchmarks::pulse_period_s(world_.size(), static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
    Work work_;
    std::optional<results::Journal> journal_;
    std::int64_t runs_ = 1;
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

template <class Work>
void compare(Communicator& world, std::string_view name, Comparison<Work>& comparison, int rounds) {
    constexpr std::array<const char*, 4> names{"", "watchdog and journal", "pulse too", "entries"};
    std::array<std::vector<double>, Work::ways> ratios;
    std::vector<double> alone_s;
    for (int round = 0; round < rounds; ++round) {
        const auto seconds = comparison.round(static_cast<std::size_t>(round));
        alone_s.push_back(seconds[0]);
        for (std::size_t way = 1; way < seconds.size(); ++way) {
            ratios[way].push_back(seconds[way] / seconds[0]);
        }
    }
    if (world.rank() != 0) return;
    std::string line = fmt::format("{}: {:.3f} us", name, 1e6 * median(alone_s));
    for (std::size_t way = 1; way < ratios.size(); ++way) {
        line += fmt::format("; {} {}", names[way], in_percent(ratios[way]));
    }
    fmt::print("{}; {} rounds\n", line, rounds);
    std::fflush(stdout);
}

int compare_all(Communicator& world, int rounds) {
    for (const char* algorithm : {"ring", "over_shared_memory:ring", "shared_memory"}) {
        Comparison<SmallestCollective> comparison(world, algorithm);
        compare(world, fmt::format("{}, 4 B", algorithm), comparison, rounds);
    }
    Comparison<Training> comparison(world);
    compare(world, "a step of training, nano", comparison, std::max(1, rounds / 5));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 500;
    collectives::set_stall_limits(std::nullopt);
    return collectives::run_session(
        [&](Communicator& world) { return compare_all(world, rounds); });
}
