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

/// What a figure was measured in, and the how manieth try it is.
struct Watched {
    Surroundings surroundings;
    int tries = 1;
};

/// How often a disturbed measurement is taken, at most.
inline constexpr int most_tries = 3;

/// Watches the machine while its ranks measure.
///
/// On each node one rank looks, at the beginning and the end of every measurement, at what the
/// kernel tells of the cores that the node's ranks may use and of these ranks. A measurement
/// shorter than least_window_s is judged by a window of that length that ends with it; where none
/// has passed yet, its end is waited for.
class Watch {
  public:
    using Gather = std::function<std::vector<double>(std::span<const double>)>;

    /// Collective. The communicator must outlive this object.
    explicit Watch(const collectives::Communicator& communicator,
                   std::unique_ptr<const MachineReader> reader = std::make_unique<MachineReader>());
    /// Of a process that measures by itself.
    explicit Watch(std::unique_ptr<const MachineReader> reader = std::make_unique<MachineReader>());

    /// A measurement begins. Local.
    void begin();
    /// It has ended. Collective; equal on all ranks.
    Surroundings end();
    /// In between: adds a window to the log where the last such call that did was least_window_s
    /// ago. Local, and cheap enough for every step of a training.
    void lap();

    /// Whether samples of the newest try were stalled, by what was seen of it; the same on all
    /// ranks.
    using Stalled = std::function<bool(const Surroundings&)>;

    /// Calls `measure` until it was quiet, most_tries times at most; `better` is called after each
    /// try that was less disturbed than all before, so at least once, to keep what it gave. Once a
    /// figure has been disturbed in all its tries, those after it are taken once, until one is
    /// quiet: on a machine that stays busy, repeating only takes longer. A try that was `stalled`
    /// is taken again once in any case; of tries that are disturbed or not alike, one that was not
    /// stalled is better. Once a rank is interrupted(), nothing is taken again. Collective.
    Watched until_quiet(const std::function<void()>& measure, const std::function<void()>& better,
                        const Stalled& stalled = {});

    /// All that was seen, in order: every window that end() gave, and on the rank that looked every
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
    std::vector<pid_t> processes_;  ///< that this rank looks at; none where another does
    std::vector<int> cores_;
    double start_s_ = 0.0;
    std::vector<Moment> moments_;  ///< in order; those that a window may still begin with
    Moment begun_, last_lap_;
    bool stays_busy_ = false;
    std::vector<Surroundings> log_;
};

}  // namespace shardstone::benchmarks
