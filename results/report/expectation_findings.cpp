// SPDX-License-Identifier: BSD-3-Clause
// The cost model, and the measurements that `auto` chose by, against what was measured.
#include "results/report/expectation_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/statistics.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// One kind of what is expected, and how it is spoken of.
struct Expectation {
    double CollectiveRow::*time_s;
    const char* subject;
    const char* noun;
};

constexpr Expectation by_model{&CollectiveRow::predicted_s, "the cost model", "prediction"};
constexpr Expectation by_measurement{&CollectiveRow::measured_before_s,
                                     "the earlier measurement by which `auto` chose", "choice"};

void add_finding(const ReportedSweep& sweep, const Expectation& expectation, Section& section) {
    std::vector<double> factors;
    std::ptrdiff_t busy = 0;
    for (const auto& point : sweep.points) {
        if (!has_expected(point, expectation.time_s)) continue;
        if (is_disturbed(point)) {
            ++busy;
        } else {
            factors.push_back(factor_apart(point.time_s / point.*expectation.time_s));
        }
    }
    if (factors.empty() && busy == 0) return;
    const auto costs = rows<CostParameterRow>(*sweep.source);
    const bool costs_disturbed = std::ranges::any_of(costs, is_disturbed<CostParameterRow>);
    std::string text;
    if (factors.empty() || costs_disturbed) {
        text = fmt::format(
            "{}: the error of {} is {}{}.", sweep.title(), expectation.subject, undecided,
            costs_disturbed ? " when it was calibrated" : left_out_note(busy, "point"));
    } else {
        text = fmt::format(
            "{}: {} is off by a factor of {} in the median of {}, and of {} at worst{}.",
            sweep.title(), expectation.subject, digits_text(median(factors), 3),
            plural(static_cast<double>(factors.size()), expectation.noun),
            digits_text(std::ranges::max(factors), 3), left_out_note(busy, "point"));
    }
    section.findings.push_back({text, {sweep.source}});
}

}  // namespace

void add_expectation_findings(const ReportedSweep& sweep, Section& section) {
    add_finding(sweep, by_model, section);
    add_finding(sweep, by_measurement, section);
}

}  // namespace shardstone::results
