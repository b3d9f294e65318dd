// SPDX-License-Identifier: BSD-3-Clause
// What others did on the machines while a part of the tests was made, and what that can explain.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/harness/surroundings.hpp"
#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

/// The parts of the tests, as table "conditions" names them.
inline constexpr const char* during_pairs = "passes over pairs";
inline constexpr const char* during_loads = "loads of the network";
inline constexpr const char* during_traffic = "traffic";
inline constexpr const char* during_ranks = "tests of ranks";
std::string part_of_window(double window);

/// What others took of the machines that a finding is about. The rule, with its derivation:
/// reference/decisions/2026-11-26-disturbed-verdicts.md.
struct Disturbance {
    benchmarks::Surroundings worst = {};
    /// Most machines were disturbed, so that there was nothing quiet beside them. Otherwise what is
    /// slow on a disturbed machine is that machine's own fault.
    bool is_everywhere = false;

    bool is_any() const { return worst.disturbed(); }
    /// Whether it may be why a median (or lower quartile) of times is by this larger than others:
    /// time / usual time - 1.
    bool may_explain(double slowdown) const;
    /// Whether without it the quickest of some times, as it is in units of the limit, might have
    /// been within that. From half of the cores on nothing bounds what one wait costs.
    bool may_break_limit(double quickest_over_limit) const;
    /// The same for times that are short beside a time slice, as wake-ups, which no share of the
    /// cores bounds.
    bool may_break_limit_of_short() const { return is_any() && is_everywhere; }
    /// " (disturbed: others took 48 % of the cores)", or nothing.
    std::string words() const;
};

/// By part and machine. For a record without conditions nothing was disturbed.
class Disturbances {
  public:
    explicit Disturbances(const InterconnectSamples& samples);

    /// On the machines of these ranks; of all machines for none.
    Disturbance during(const std::string& part, std::span<const double> ranks = {}) const;
    /// The same in all windows of a soak that overlap a time, in seconds since 1970. Ranks meet
    /// between two windows, too, which is watched in neither: then in those before and after.
    Disturbance between(double begin_unix_s, double end_unix_s,
                        std::span<const double> ranks) const;
    /// In most windows of the soak most machines were disturbed; the worst of all.
    Disturbance during_soak() const;

  private:
    Disturbance among(std::span<const std::string> parts, std::span<const double> ranks) const;

    /// Of each part, by machine.
    std::map<std::string, std::map<double, benchmarks::Surroundings>> seen_;
    std::map<double, double> machines_;  ///< by rank
    struct Window {
        double begin_unix_s = 0.0, end_unix_s = 0.0;
    };
    std::map<std::string, Window> windows_;
};

}  // namespace shardstone::validation
