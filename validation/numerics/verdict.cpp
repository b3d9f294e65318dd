// SPDX-License-Identifier: BSD-3-Clause
// Pass, fail or undecided from a confidence interval, and how many more samples would decide.
#include "validation/numerics/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

std::string to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass:
            return "pass";
        case Verdict::fail:
            return "fail";
        case Verdict::undecided:
            return "undecided";
    }
    fail("unknown verdict");
}

Verdict judge(const Interval& found, const Interval& allowed) {
    if (found.low >= allowed.low && found.high <= allowed.high) return Verdict::pass;
    const bool meets = found.low <= allowed.high && found.high >= allowed.low;
    return meets ? Verdict::undecided : Verdict::fail;
}

std::int64_t further_samples(std::span<const double> samples, const Interval& allowed) {
    const auto estimate = mean_estimate(samples);
    const double to_edge =
        std::min(std::abs(estimate.mean - allowed.low), std::abs(estimate.mean - allowed.high));
    const auto decides = [&](std::int64_t count) {
        return half_width(estimate.deviation, static_cast<std::size_t>(count)) <= to_edge;
    };
    const auto have = static_cast<std::int64_t>(samples.size());
    if (decides(have)) return 0;
    std::int64_t too_few = have, enough = 2 * have;
    while (enough - have < most_samples && !decides(enough)) {
        too_few = enough;
        enough *= 2;
    }
    while (too_few + 1 < enough) {
        const std::int64_t middle = too_few + (enough - too_few) / 2;
        (decides(middle) ? enough : too_few) = middle;
    }
    return std::min(enough - have, most_samples);
}

PolicyFinding judged_against(double value, double limit, PolicyFinding finding) {
    finding.value = value;
    finding.interval = {value, value};
    finding.allowed = {-std::numeric_limits<double>::infinity(), limit};
    finding.verdict = judge(finding.interval, finding.allowed);
    return finding;
}

PolicyFinding worst_of(const std::vector<PolicyFinding>& findings) {
    SHARDSTONE_EXPECTS(!findings.empty());
    const auto rank = [](const PolicyFinding& finding) {
        const int severity = finding.verdict == Verdict::fail        ? 2
                             : finding.verdict == Verdict::undecided ? 1
                                                                     : 0;
        return std::tuple(severity, finding.further, finding.value);
    };
    return *std::ranges::max_element(findings, {}, rank);
}

std::string verdict_text(const PolicyFinding& finding) {
    if (finding.verdict != Verdict::undecided) return to_string(finding.verdict);
    if (finding.further == 0) return "undecided";
    if (finding.further >= most_samples) return "undecided, on the edge";
    return fmt::format("undecided, {} more {}", finding.further, finding.sample_unit);
}

}  // namespace shardstone::validation
