// SPDX-License-Identifier: BSD-3-Clause
// How long the tests of `shardstone validate interconnect` took, and what would decide more.
#include "jobs/command/interconnect_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/base/units.hpp"
#include "results/schema/held_against.hpp"
#include "validation/interconnect/undecided_limits.hpp"

namespace shardstone::command {

using namespace validation;

namespace {

std::string times_of_parts(const InterconnectMeasurement& measured) {
    std::vector<std::string> parts;
    for (const auto& [part, took_s] : measured.parts) {
        parts.push_back(fmt::format("{} {}", part, format_time(took_s)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void add_test_time(const InterconnectMeasurement& measured, const InterconnectFindings& findings,
                   const InterconnectOptions& options, results::Record& record) {
    if (measured.parts.empty()) return;
    const double deciding_s = budget_to_decide_s(measured, findings.acceptance);
    const bool is_told = deciding_s > 0.0 && !measured.stopped;
    record.samples.push_back(results::table_of(std::vector{
        results::TestTimeRow{options.budget_s, measured.tests_s, times_of_parts(measured),
                             is_told ? std::ceil(deciding_s) : results::not_measured}}));
}

void say_if_over_budget(const InterconnectMeasurement& measured, double budget_s) {
    constexpr double about_as_long = 1.05;
    if (measured.tests_s <= about_as_long * budget_s) return;
    fmt::print(
        "\nThe tests took {:.0f} s instead of --budget {:g}: {}.\n"
        "Each part has a least number of repetitions, below which it decides nothing.\n",
        measured.tests_s, budget_s, times_of_parts(measured));
}

void say_what_decides(const InterconnectMeasurement& measured, const InterconnectFindings& findings,
                      const InterconnectOptions& options) {
    const double needed_s = budget_to_decide_s(measured, findings.acceptance);
    if (measured.stopped || !(needed_s > 0.0)) return;
    fmt::print(
        "\nTo decide the limits that need more samples: --budget {:.0f}, by the time that these "
        "took.\n",
        std::ceil(needed_s));
    if (options.soak_s > 0.0)
        fmt::print("The messages of the soak (--for) do not count for them.\n");
}

}  // namespace shardstone::command
