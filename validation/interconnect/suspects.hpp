// SPDX-License-Identifier: BSD-3-Clause
// From the times of pair tests to the parts that are slow, with odds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/statistics.hpp"
#include "validation/interconnect/components.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

struct SuspicionSettings {
    /// The largest probability that anything is suspected in a healthy cluster. A suspect needs
    /// odds of 1 / false_alarms: the prior probabilities of all components sum to 1, and under
    /// "nothing wrong" a Bayes factor B has the mean 1, so that P(B p > 1 / f) <= f p for each
    /// (Markov) and
    /// <= f for all of them together, however many there are.
    double false_alarms = 1e-3;
    /// Slowdowns (time / usual time - 1) below this are healthy variation, not faults.
    double least_slowdown = 0.02;
    /// Standard deviation of the logarithm of the slowdown a fault causes, before anything is
    /// known.
    double usual_log_slowdown = 0.3;
    /// The likeliest further fault is a lead, worth further tests, from these odds on.
    double least_odds_of_lead = 0.1;
    /// More than this are not looked for.
    int most_suspects = 16;
};

/// Another component that explains the same tests.
struct Rival {
    Component component = {};
    double probability = 0.0;
};

struct Suspect {
    Component component = {};
    double slowdown = 0.0;            ///< of the tests that cross it: time / usual time - 1
    Interval slowdown_interval = {};  ///< 95 %
    double log10_odds = 0.0;          ///< of this fault against none, the prior odds included
    double probability = 0.0;  ///< that it is this component, if one component is at fault here
    int tests = 0;             ///< that cross it and no other suspect
    std::vector<Rival> rivals = {};  ///< likelier than 1 in 1000, the likeliest first
};

struct Suspicion {
    std::vector<Suspect> suspects = {};  ///< the highest odds first
    /// The likeliest further fault if its odds are worth further tests, though not enough for a
    /// suspect.
    std::optional<Suspect> lead = {};
    double noise = 0.0;  ///< standard deviation of a healthy test relative to its time
    std::int64_t tests = 0;
    /// Tests of a path with fewer than three of its kind: there is nothing to compare them with.
    std::int64_t incomparable = 0;
};

/// The suspects among all components of these places, from all times of one size (of the small one
/// for latency, the large one for rate).
///
/// The logarithm of a test's time relative to the median of its path is zero plus noise in a
/// healthy cluster. A message is as slow as the slowest component that it crosses. The tests of one
/// component are reduced to medians per NIC and direction, so that neither rare delays nor a
/// minority of other faults move them; the noise of such a median comes from the repetitions and
/// from the scatter of all other components of the same kind, whichever is larger, with a variance
/// that is moderated for few components (Smyth 2004, doi:10.2202/1544-6115.1027). Odds are
/// approximate Bayes factors (Wakefield 2009, doi:10.1002/gepi.20359) with Student's t in place of
/// the normal, times the prior odds, which divide one expected fault among the kinds (suspects.cpp)
/// and equally within each. Further faults are added one by one while the odds suffice, and each is
/// then compared with its rivals given the others.
Suspicion find_suspects(std::span<const Place> places, std::span<const PairTime> times_of_one_size,
                        const SuspicionSettings& settings = {});

}  // namespace shardstone::validation
