// SPDX-License-Identifier: BSD-3-Clause
// The rest of a budget, spent on limits that remain undecided.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "validation/interconnect/measure_interconnect.hpp"

namespace shardstone::validation {

/// What rank 0, which has the samples and whose clock counts, decides for all ranks.
class UndecidedLimits {
  public:
    /// Until now_s() of rank 0 is `until_s`. All must outlive this object.
    UndecidedLimits(const collectives::Communicator& world, const InterconnectMeasurement& measured,
                    double until_s)
        : world_(world), measured_(measured), until_s_(until_s) {}

    /// samples_to_next_look() of a part of the tests. Collective, equal on all ranks.
    std::int64_t samples_wanted(const std::string& part) const;
    /// Whether something that takes so long ends in time, and rank 0 has room for its samples (30
    /// million in all). Collective, equal on all ranks.
    bool has_time_for(double duration_s) const;
    /// pass(false), which opens connections, and pass(true) up to `count` times, while there is
    /// time for another as long as the longest so far, which usually is `usual_s`. How often it was
    /// made with true. Collective.
    std::int64_t repeat(std::int64_t count, double usual_s,
                        const std::function<void(bool counts)>& pass) const;

  private:
    const collectives::Communicator& world_;
    const InterconnectMeasurement& measured_;
    double until_s_;
};

/// Whether more samples would decide a limit that a run left undecided for want of them: one of
/// which something was measured, and as many as a run may take. Pure.
bool do_more_samples_decide(std::span<const results::AcceptanceRow> acceptance);

/// About what --budget would have decided the limits that a run left undecided for want of samples,
/// in seconds: what its tests took, with as many more samples of each part as its limits need. 0
/// where there is no such limit, no budget would do, or the tests were another run's, of which this
/// one is the soak. `acceptance` are the findings on them.
/// Pure.
double budget_to_decide_s(const InterconnectMeasurement& measured,
                          std::span<const results::AcceptanceRow> acceptance);

}  // namespace shardstone::validation
