// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "benchmarks/harness/machine_reader.hpp"
#include "benchmarks/harness/surroundings.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// Conditions of a figure's measurement, and the number of tries.
struct Watched {
    Surroundings surroundings;
    int tries = 1;
};

/// What was seen on one machine, of which there may be several.
struct MachineSeen {
    int first_rank = 0;  ///< the lowest of those that its kernel runs
    Surroundings seen;
};

/// Maximum number of tries of a disturbed measurement.
inline constexpr int most_tries = 3;

/// Watches the machine while its ranks measure.
///
/// On each node one rank reads, at the beginning and the end of every measurement, the kernel's
/// figures for the cores that the node's ranks may use and for these ranks. A measurement shorter
/// than least_window_s is judged by a window of that length that ends with it; if that much time
/// has not passed yet, end() waits.
class Watch {
  public:
    using Gather = std::function<std::vector<double>(std::span<const double>)>;

    /// Collective. The communicator must outlive this object.
    explicit Watch(const collectives::Communicator& communicator,
                   std::unique_ptr<const MachineReader> reader = std::make_unique<MachineReader>());
    /// For a process that measures by itself.
    explicit Watch(std::unique_ptr<const MachineReader> reader = std::make_unique<MachineReader>());

    /// Begins a measurement. Local.
    void begin();
    /// Ends it. Collective; equal on all ranks.
    Surroundings end();
    /// Of the last end(), machine by machine, by their first ranks. Equal on all ranks.
    const std::vector<MachineSeen>& machines() const { return machines_; }
    /// In between: adds a window to the log if the last one is at least least_window_s ago. Local,
    /// and cheap enough for every step of a training. Nothing where other containers of this
    /// machine have ranks, too: what those take of its cores is known to end() only, and nobody
    /// else's.
    void lap();

    /// Whether samples of the newest try were stalled, given its observations; the same on all
    /// ranks.
    using Stalled = std::function<bool(const Surroundings&)>;

    /// Calls `measure` until it was quiet, at most most_tries times; `better` is called after each
    /// try that was less disturbed than all before, hence at least once, to keep its result. Once a
    /// figure has been disturbed in all its tries, later figures are measured once, until one is
    /// quiet: on a machine that stays busy, repetition only takes longer. A try that was `stalled`
    /// is repeated once in any case; of tries that are equally disturbed or undisturbed, one that
    /// was not stalled is better. Once a rank is interrupted(), nothing is repeated. Collective.
    Watched until_quiet(const std::function<void()>& measure, const std::function<void()>& better,
                        const Stalled& stalled = {});

    /// All observations, in order: every window returned by end(), and on the watching rank every
    /// lap().
    const std::vector<Surroundings>& log() const { return log_; }

  private:
    struct Moment {
        double time_s = 0.0;
        std::optional<CoreTimes> cores;
        std::vector<ProcessTimes> processes;
    };

    bool looks() const { return !processes_.empty(); }
    void start();
    Moment look() const;
    const Moment& from_for(const Moment& to) const;
    NodeReport report(const Moment& from, const Moment& to) const;
    NodeReport report_on_window();
    bool any_interrupted() const;
    void keep(Moment moment);

    std::unique_ptr<const MachineReader> reader_;
    Gather gather_;
    double kernel_ = -1.0;
    std::vector<pid_t> processes_;  ///< watched by this rank; none if another rank does
    bool sees_all_ranks_ = true;    ///< that the kernel runs
    std::vector<int> cores_;
    double start_s_ = 0.0;
    std::vector<Moment> moments_;  ///< in order; possible beginnings of a window
    Moment begun_, last_lap_;
    bool stays_busy_ = false;
    std::vector<Surroundings> log_;
    std::vector<MachineSeen> machines_;
};

}  // namespace shardstone::benchmarks
