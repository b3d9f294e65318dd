// SPDX-License-Identifier: BSD-3-Clause
// The loop of a soak: a pass, what it leaves, and whether there is time for another.
#include "validation/interconnect/soak.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/harness/pulse.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/interconnect/gathered.hpp"
#include "collectives/cluster/long_waits.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/units.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/soak_sums.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::LinkPasses;
using benchmarks::Standstill;

/// A soak lasts for hours; a standstill that counts is longer than ten of these.
constexpr double pulse_s = 0.1;

/// A standstill of one rank, as it is sent to rank 0.
struct RankStill {
    int rank = 0;
    Standstill still;
};

class Soak {
  public:
    Soak(const collectives::Communicator& world, LinkPasses& passes,
         const InterconnectOptions& options, const InterconnectObserver& observer,
         benchmarks::Watch& watch, InterconnectMeasurement& measured)
        : world_(world),
          passes_(passes),
          options_(options),
          observer_(observer),
          watch_(watch),
          measured_(measured),
          sums_(measured.samples, soak_window_s(options.soak_s, tests())),
          pulse_(pulse_s),
          waits_(silence_s),
          until_s_(now_s() + options.soak_s - soaked_s(measured.samples)) {}

    void run() {
        open();
        watch_.begin();
        while (!measured_.stopped && time_left()) {
            pass();
            measured_.stopped = observer_.stops();
        }
        InterconnectSamples last;
        if (world_.is_root()) last.windows = sums_.end_window();
        end_window(last);
        note_waits(last);
        keep(last);
    }

  private:
    std::size_t tests() const {
        return std::max<std::size_t>(1, UsualTimes(measured_.samples.pairs).tests());
    }

    /// A pass that opens connections: only its data count.
    void open() {
        const auto found = passes_.run([&](std::size_t) { tell(); });
        InterconnectSamples part;
        part.wrong = wrong_rows_of(found.wrong, passes_);
        keep(part);
        waits_.take();
    }

    /// As rank 0 sees it, on all ranks.
    bool time_left() const {
        return world_.max(world_.is_root() && now_s() < until_s_ ? 1.0 : 0.0) > 0.0;
    }

    void pass() {
        const double begin_s = now_s();
        const auto found = passes_.run([&](std::size_t) { tell(); });
        const auto stills = benchmarks::gathered(world_, own_standstills());
        measured_.compared_bytes += found.compared_bytes;
        InterconnectSamples part;
        if (world_.is_root()) {
            note(stills, part);
            auto kept =
                sums_.add(found, passes_, passes_.unix_s_of(begin_s), passes_.unix_s_of(now_s()));
            kept.standstills = std::move(part.standstills);
            part = std::move(kept);
        }
        note_waits(part);
        end_window(part);
        keep(part);
    }

    std::vector<RankStill> own_standstills() {
        std::vector<RankStill> own;
        for (const Standstill& still : pulse_.take()) {
            if (still.still_s >= silence_s) own.push_back({world_.rank(), in_time_of_day(still)});
        }
        return own;
    }

    Standstill in_time_of_day(Standstill still) const {
        still.begin_s = passes_.unix_s_of(still.begin_s);
        still.end_s = passes_.unix_s_of(still.end_s);
        return still;
    }

    void note(const std::vector<RankStill>& stills, InterconnectSamples& part) const {
        const std::size_t room =
            most_standstill_rows -
            std::min(most_standstill_rows, measured_.samples.standstills.size());
        for (const auto& [rank, still] : stills) {
            if (part.standstills.size() >= room) return;
            part.standstills.push_back({static_cast<double>(rank),
                                        static_cast<double>(sums_.pass()), still.begin_s,
                                        still.end_s, still.still_s, still.stolen_s});
        }
    }

    /// Those that ended since the last call. Collective; its own are left to the next.
    void note_waits(InterconnectSamples& part) {
        std::vector<results::LongWaitRow> own;
        for (const collectives::LongWait& wait : waits_.take()) own.push_back(row_of(wait));
        part.waits = benchmarks::gathered(world_, own);
        const std::size_t room =
            most_wait_rows - std::min(most_wait_rows, measured_.samples.waits.size());
        part.waits.resize(std::min(room, part.waits.size()));
        const std::int64_t last_pass = std::max<std::int64_t>(0, sums_.pass() - 1);
        for (auto& row : part.waits) row.pass = static_cast<double>(last_pass);
    }

    results::LongWaitRow row_of(const collectives::LongWait& wait) const {
        const benchmarks::LinkStage stage = passes_.stage(wait.stage);
        results::LongWaitRow row;
        row.rank = world_.rank();
        row.awaited = wait.awaited;
        row.stage = static_cast<double>(wait.stage);
        row.step = static_cast<double>(wait.step);
        row.round = stage.round;
        row.size_bytes = static_cast<double>(stage.size_bytes);
        row.begin_unix_s = passes_.unix_s_of(wait.begin_s);
        row.end_unix_s = passes_.unix_s_of(wait.end_s);
        row.no_core_s = wait.no_core_s;
        return row;
    }

    /// Where the part ends a window, its conditions. Collective.
    void end_window(InterconnectSamples& part) {
        if (world_.max(part.windows.empty() ? 0.0 : 1.0) == 0.0) return;
        watch_.end();
        if (world_.is_root()) {
            part.conditions =
                conditions_rows(part_of_window(part.windows.front().window), watch_.machines());
        }
        passes_.compare_clocks();
        watch_.begin();
    }

    void keep(const InterconnectSamples& part) {
        measured_.samples.add(part);
        const bool is_empty = part.wrong.empty() && part.windows.empty() && part.slow.empty() &&
                              part.standstills.empty() && part.waits.empty();
        if (!is_empty) observer_.took(part);
    }

    void tell() {
        const double done_s = options_.soak_s - std::max(0.0, until_s_ - now_s());
        observer_.progress(fmt::format(
            "soak, pass {}, {:.0f} of {:.0f} s: {}, {}, {}", sums_.pass() + 1, done_s,
            options_.soak_s, counted(static_cast<std::int64_t>(sums_.slow()), "slow message"),
            counted(static_cast<std::int64_t>(measured_.samples.standstills.size()), "standstill"),
            counted(static_cast<std::int64_t>(sums_.wrong()), "message") + " with wrong data"));
    }

    const collectives::Communicator& world_;
    LinkPasses& passes_;
    const InterconnectOptions& options_;
    const InterconnectObserver& observer_;
    benchmarks::Watch& watch_;
    InterconnectMeasurement& measured_;
    SoakSums sums_;  ///< on rank 0
    benchmarks::Pulse pulse_;
    collectives::LongWaits waits_;
    double until_s_;  ///< by the clock of rank 0
};

}  // namespace

void soak(const collectives::Communicator& world, const std::vector<benchmarks::LinkRound>& rounds,
          const InterconnectOptions& options, const InterconnectObserver& observer,
          benchmarks::Watch& watch, InterconnectMeasurement& measured) {
    if (rounds.empty()) return;
    LinkPasses passes(world, options.memory, rounds, options.sizes_bytes);
    Soak(world, passes, options, observer, watch, measured).run();
}

std::vector<results::ConditionsRow> conditions_rows(
    const std::string& part, const std::vector<benchmarks::MachineSeen>& machines) {
    std::vector<results::ConditionsRow> rows;
    for (const auto& [first_rank, seen] : machines) {
        results::ConditionsRow& row = rows.emplace_back();
        row.part = part;
        row.machine = first_rank;
        benchmarks::put_watched(benchmarks::Watched{seen, 1}, row);
    }
    return rows;
}

}  // namespace shardstone::validation
