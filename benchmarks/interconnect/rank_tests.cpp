// SPDX-License-Identifier: BSD-3-Clause
// Turns of ranks at agreed times: each works alone on its cores while the others sleep.
#include "benchmarks/interconnect/rank_tests.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/harness/gathered_gpu_readings.hpp"
#include "benchmarks/interconnect/gathered.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::benchmarks {

namespace {

/// Of arithmetic and memory of a host. Long enough for a limit on CPU time, which cgroups by
/// default impose per 100 ms, to take effect in every turn.
constexpr double turn_s = 0.16;

double length_s(RankTest test) {
    const bool is_long = test == RankTest::arithmetic || test == RankTest::memory;
    return is_long ? turn_s : turn_s / 4.0;
}

/// Room after a turn for a rank that is slower than rank 0, before the next begins.
constexpr double room = 1.25;

void sleep_until(double time_s) {
    const double left_s = time_s - now_s();
    if (left_s <= 0.0) return;
    const double whole_s = std::floor(left_s);
    const timespec pause{static_cast<time_t>(whole_s), static_cast<long>(1e9 * (left_s - whole_s))};
    whereabouts().waits("its turn in the tests of ranks");
    nanosleep(&pause, nullptr);
    whereabouts().moved();
}

std::unique_ptr<GpuWork> gpu_work(collectives::DataMemory memory) {
    return memory == collectives::DataMemory::gpu ? GpuWorkSource::function()() : nullptr;
}

/// Those of rank 0, on all.
PieceSizes agreed(const collectives::Communicator& world, const PieceSizes& of_root) {
    const auto agree = [&](std::int64_t number) {
        return static_cast<std::int64_t>(
            world.max(world.is_root() ? static_cast<double>(number) : 0.0));
    };
    return {agree(of_root.steps), agree(of_root.rows)};
}

}  // namespace

RankTests::RankTests(const collectives::Communicator& world, double budget_s,
                     std::optional<double> began_s, collectives::DataMemory memory)
    : world_(world),
      tests_(rank_tests(memory)),
      order_(agree_on_turns(world)),
      turns_(static_cast<int>(std::clamp<double>(budget_s / once_s(), least_turns, most_turns))),
      work_(gpu_work(memory)),
      begin_s_(began_s.value_or(now_s())) {
    // Before this the pages of the arrays are not there.
    for (const RankTest test : tests_) work_.piece_s(test);
    work_.take_over(agreed(world, world.is_root() ? work_.find_sizes() : PieceSizes()));
    for (const RankTest test : tests_) {
        piece_s_.push_back(world.max(world.is_root() ? work_.usual_piece_s(test) : 0.0));
    }
}

/// Seconds that a turn of all tests takes on all ranks.
double RankTests::once_s() const {
    double all_s = 0.0;
    for (const RankTest test : tests_) all_s += room * length_s(test);
    return all_s * order_.turns;
}

double RankTests::duration_s() const {
    return once_s() * turns_;
}

RankSample RankTests::take_turn(RankTest test, int turn) {
    const auto which = static_cast<std::size_t>(test);
    const int pieces = std::max(1, static_cast<int>(length_s(test) / piece_s_[which]));
    RankSample sample{world_.rank(), test, turn, now_s() - begin_s_, 0.0};
    for (int piece = 1; piece < pieces; ++piece) sample.time_s += work_.piece_s(test);
    sample.time_s += work_.last_piece_s(test);  // when a GPU is as warm as it gets
    sample.time_s /= pieces;
    return sample;
}

std::vector<RankSample> RankTests::run(int turns, const std::function<void(int)>& began,
                                       const std::function<bool()>& stops) {
    std::vector<RankSample> mine;
    for (const int end = taken_ + turns; taken_ < end; ++taken_) {
        if (taken_ > 0 && stops && stops()) {
            if (taken_ < least_turns) mine.clear();
            break;
        }
        if (began) began(taken_);
        enter_phase("tests of ranks, turn", taken_);
        // Another slot each time: what comes back at regular times meets no rank twice.
        const int slot = (order_.turn + taken_) % order_.turns;
        for (const RankTest test : tests_) {
            world_.barrier();
            const double start_s = now_s();
            const double slot_s = room * length_s(test);
            sleep_until(start_s + slot_s * slot);
            mine.push_back(take_turn(test, taken_));
            sleep_until(start_s + slot_s * order_.turns);
        }
    }
    return gathered(world_, mine);
}

std::vector<results::GpuReadingRow> RankTests::take_gpu_readings() {
    auto mine = work_.take_gpu_readings();
    for (results::GpuReadingRow& row : mine) row.time_s -= begin_s_;
    return gathered_gpu_readings(world_, mine);
}

std::vector<std::string> RankTests::why_no_gpu_readings() const {
    return world_.gather(work_.why_no_gpu_readings());
}

}  // namespace shardstone::benchmarks
