// SPDX-License-Identifier: BSD-3-Clause
// Staged and single-copy all-reduces timed against each other, to tune both to this processor.
#include "collectives/executors/shared_memory/trial.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "collectives/cluster/shared_barrier.hpp"
#include "collectives/cluster/waiting.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::collectives {

namespace {

/// A way must be so much faster than the one that needs less to be preferred to it.
constexpr double clear_gain = 1.05;
/// Runs of each way at each size, in turns, and before them those that find memory as a run that is
/// repeated does: touched, known to the kernel, in cache.
constexpr int trial_rounds = 31;
constexpr int first_rounds = 3;
constexpr std::int64_t largest_trial_bytes = 1 << 20;
/// Processors that were idle raise the clocks of their cores, and of what connects these, over a
/// tenth of a second; until then lines go between cores at half their rate.
constexpr double wake_up_s = 0.2;

using Ways = std::vector<SharedMemoryTuning>;

/// What is tried first: no size is copied once.
SharedMemoryTuning staged_tuning(int ranks) {
    SharedMemoryTuning staged = SharedMemoryTuning::for_ranks(ranks);
    staged.single_copy_bytes = 0;
    return staged;
}

/// The default, or a half or a quarter of it.
std::int64_t fastest_segment(const SharedMemoryTuning& tuning, const TimesOfWays& times_s) {
    Ways ways(3, tuning);
    for (std::size_t i = 1; i < ways.size(); ++i) {
        ways[i].segment_bytes = ways[i - 1].segment_bytes / 2;
    }
    const auto times = times_s(largest_trial_bytes, ways);
    const auto fastest = std::ranges::min_element(times) - times.begin();
    const bool clear = times.front() > clear_gain * times[static_cast<std::size_t>(fastest)];
    return ways[clear ? static_cast<std::size_t>(fastest) : 0].segment_bytes;
}

class Trial {
  public:
    explicit Trial(const Communicator& communicator)
        : communicator_(communicator), barrier_(communicator) {}

    SharedMemoryTuning run() {
        const int ranks = communicator_.size();
        wake_up(staged_tuning(ranks));
        return fastest_tuning(ranks, [this](std::int64_t size_bytes, const Ways& ways) {
            return times_s(size_bytes, ways);
        });
    }

  private:
    void wake_up(const SharedMemoryTuning& tuning) {
        const double start_s = now_s();
        while (communicator_.max(now_s() - start_s) < wake_up_s) {
            times_s(largest_trial_bytes, {tuning});
        }
    }

    /// Of each way, the maximum over ranks, equal on all. Ways are compared within rounds: the
    /// cores of a virtual machine may come together or part in between.
    std::vector<double> times_s(std::int64_t size_bytes, const Ways& ways) {
        const std::int64_t count = size_bytes / static_cast<std::int64_t>(sizeof(float));
        std::vector<float> vector(static_cast<std::size_t>(count));
        std::vector<std::unique_ptr<Executor>> executors;
        for (const auto& tuning : ways) {
            executors.push_back(make_shared_memory_all_reduce(
                communicator_, {count, ElementType::fp32, Reduction::sum}, tuning));
        }
        std::vector<double> mine;
        for (int round = -first_rounds; round < trial_rounds; ++round) {
            for (const auto& executor : executors) {
                const double run_s = time_s(*executor, vector);
                if (round >= 0) mine.push_back(run_s);
            }
        }
        return paired_medians(
            rounds_of_each(communicator_.all_gather(mine), communicator_.size(), ways.size()));
    }

    /// Of the second of two runs, so that caches hold what this way leaves in them.
    double time_s(Executor& executor, std::vector<float>& vector) {
        double start_s = 0.0;
        for (int run = 0; run < 2; ++run) {
            std::ranges::fill(vector, 1.0F);
            barrier_.wait();
            start_s = now_s();
            executor.run(vector.data());
        }
        return now_s() - start_s;
    }

    const Communicator& communicator_;
    SharedBarrier barrier_;
};

/// What an earlier trial of as many ranks found, where all of these ranks took part in one: that of
/// the first rank, since they may not have been in the same.
std::optional<SharedMemoryTuning> known_tuning(const Communicator& communicator,
                                               const SharedMemoryTuning* mine) {
    std::array<double, 3> words{};
    if (mine != nullptr) {
        words = {1.0, static_cast<double>(mine->segment_bytes),
                 static_cast<double>(mine->single_copy_bytes)};
    }
    const auto all = communicator.all_gather(words);
    for (std::size_t at = 0; at < all.size(); at += words.size()) {
        if (all[at] == 0.0) return std::nullopt;
    }
    SharedMemoryTuning tuning = SharedMemoryTuning::for_ranks(communicator.size());
    tuning.segment_bytes = static_cast<std::int64_t>(all[1]);
    tuning.single_copy_bytes = static_cast<std::int64_t>(all[2]);
    return tuning;
}

}  // namespace

std::int64_t copies_pay_from(const std::vector<TrialTimes>& ascending) {
    std::int64_t from_bytes = 0;
    for (auto at = ascending.rbegin(); at != ascending.rend(); ++at) {
        if (at->staged_s <= clear_gain * at->copied_s) break;
        from_bytes = at->size_bytes;
    }
    return from_bytes;
}

std::vector<std::vector<double>> rounds_of_each(const std::vector<double>& gathered, int ranks,
                                                std::size_t ways) {
    std::vector<std::vector<double>> rounds(ways);
    const std::size_t runs = gathered.size() / static_cast<std::size_t>(ranks);
    for (std::size_t run = 0; run < runs; ++run) {
        double slowest_rank_s = 0.0;
        for (std::size_t at = run; at < gathered.size(); at += runs) {
            slowest_rank_s = std::max(slowest_rank_s, gathered[at]);
        }
        rounds[run % ways].push_back(slowest_rank_s);
    }
    return rounds;
}

SharedMemoryTuning fastest_tuning(int ranks, const TimesOfWays& times_s) {
    const std::int64_t from_bytes = SharedMemoryTuning::for_ranks(ranks).single_copy_bytes;
    SHARDSTONE_EXPECTS(from_bytes > 0);
    SharedMemoryTuning tuning = staged_tuning(ranks);
    tuning.segment_bytes = fastest_segment(tuning, times_s);
    SharedMemoryTuning copied = tuning;
    copied.single_copy_bytes = 1;
    std::vector<TrialTimes> times;
    for (std::int64_t size = from_bytes; size <= largest_trial_bytes; size *= 4) {
        const auto of_both = times_s(size, {tuning, copied});
        times.push_back({size, of_both[0], of_both[1]});
    }
    tuning.single_copy_bytes = copies_pay_from(times);
    return tuning;
}

SharedMemoryTuning tried_tuning(const Communicator& communicator) {
    static std::map<int, SharedMemoryTuning> tried;  // by ranks
    const int ranks = communicator.size();
    if (!Waiter::own_core() || ranks == 1) return SharedMemoryTuning::for_ranks(ranks);
    const auto found = tried.find(ranks);
    if (const auto tuning =
            known_tuning(communicator, found == tried.end() ? nullptr : &found->second)) {
        return *tuning;
    }
    return tried[ranks] = Trial(communicator).run();
}

}  // namespace shardstone::collectives
