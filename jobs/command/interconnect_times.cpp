// SPDX-License-Identifier: BSD-3-Clause
// How long the tests of `shardstone validate interconnect` took, for its record.
#include "jobs/command/interconnect_times.hpp"

#include <cmath>
#include <vector>

#include "results/schema/held_against.hpp"
#include "validation/interconnect/budget_words.hpp"
#include "validation/interconnect/undecided_limits.hpp"

namespace shardstone::command {

using namespace validation;

void add_test_time(const InterconnectMeasurement& measured, const InterconnectFindings& findings,
                   const InterconnectOptions& options, results::Record& record) {
    if (measured.parts.empty()) return;
    const double deciding_s = budget_to_decide_s(measured, findings.acceptance);
    const bool is_told = deciding_s > 0.0 && !measured.stopped;
    record.samples.push_back(results::table_of(std::vector{
        results::TestTimeRow{options.budget_s, measured.tests_s, times_of_parts(measured),
                             is_told ? std::ceil(deciding_s) : results::not_measured}}));
}

}  // namespace shardstone::command
