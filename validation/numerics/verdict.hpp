// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

/// What numerical validation says of a policy: the quantity that is judged lies where it may lie
/// (pass), where it may not (fail), or the samples cannot tell (undecided).
enum class Verdict : std::uint8_t { pass, fail, undecided };
std::string to_string(Verdict verdict);

/// The whole interval inside what is allowed: pass; no point of both in common: fail; else
/// undecided. What is not a number fails. With 95 % intervals a policy whose true mean lies outside
/// passes, and one whose true mean lies inside fails, in one case of 40.
Verdict judge(const Interval& found, const Interval& allowed);

/// How many samples more, if mean and deviation stayed as they are, would make the t interval lie
/// inside what is allowed or apart from it; 0 where it does. At most `most_samples`, which stands
/// for "no number will do" when the mean lies on the edge.
std::int64_t further_samples(std::span<const double> samples, const Interval& allowed);
inline constexpr std::int64_t most_samples = 1 << 20;

/// The verdict on one policy in one part of the validation.
struct PolicyFinding {
    std::string part = {};     ///< "kernels", "gradients", "trajectories", "reductions", "entropy"
    std::string subject = {};  ///< a policy, or "wire TYPE"
    std::string model = {};    ///< empty where there is none
    Verdict verdict = Verdict::undecided;
    std::string quantity = {};  ///< what the numbers are, with their unit
    double value = 0.0;
    Interval interval = {};             ///< of the value; value to value where it is no estimate
    Interval allowed = {};              ///< where it must lie
    std::string worst = {};             ///< where the value was found; empty if that says nothing
    std::int64_t further = 0;           ///< samples (`sample_unit`) still needed if undecided
    std::string sample_unit = "seeds";  ///< "seeds", "batches", "steps"
};

/// A value that is no estimate: pass up to `limit`, else fail. NaN fails.
PolicyFinding judged_against(double value, double limit, PolicyFinding finding);

/// The worst of several: fail before undecided before pass, then the most further samples.
PolicyFinding worst_of(const std::vector<PolicyFinding>& findings);

/// "pass", "undecided, 12 more seeds".
std::string verdict_text(const PolicyFinding& finding);

}  // namespace shardstone::validation
