// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep/record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/collectives/sweep/record_tables.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "collectives/operation/operation.hpp"
#include "kernels/base/units.hpp"
#include "results/format/incomplete.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Check;
using results::Record;

Check check_of(const SweepPoint& point, const SweepOptions& options) {
    const bool reduces = collectives::find_operation(point.operation).reduces;
    return {fmt::format("{} {}{} {} {}{}: exact on {} ranks", point.operation, point.algorithm,
                        point.in_place ? "" : " out of place", format_size(point.size_bytes),
                        options.type, reduces ? " " + options.reduction : "", point.ranks),
            point.passed(),
            fmt::format("{} wrong elements in the last timed iteration and {} more runs",
                        point.wrong_elements, point.checked_runs - 1)};
}

std::string title_of(const SweepPlan& plan, int ranks) {
    const std::string what = plan.operations.size() == 1
                                 ? plan.operations.front().operation
                                 : fmt::format("{} operations", plan.operations.size());
    return fmt::format("{} on {} ranks", what, ranks);
}

}  // namespace

Record begin_record(const SweepOptions& options, const SweepPlan& plan,
                    const collectives::Communicator& communicator,
                    const std::vector<std::string>& command_line) {
    Record record =
        results::new_record("collectives", title_of(plan, communicator.size()), command_line);
    record.configuration = to_json(options);
    record.configuration["topology"] = communicator.topology().description();
    record.configuration["time"] =
        "from the last rank's start to the last rank's end where all ranks have one clock (skew_s "
        "is a number there), else the maximum over ranks of the time since their own start";
    record.configuration["check"] =
        "every element of the result of the last timed iteration, in the buffers it was timed on, "
        "and that inputs out of place were left alone";
    record.configuration["prediction"] = collectives::to_toml(communicator.cluster());
    return record;
}

void complete_record(const Sweep& sweep, const SweepOptions& options, Record& record) {
    record.samples.push_back(results::table_of(sample_rows(sweep)));
    record.samples.push_back(surroundings_table(sweep.surroundings));
    record.derived.push_back(results::table_of(point_rows(sweep)));
    record.derived.push_back(results::table_of(cost_rows(sweep)));
    if (!sweep.floors.empty()) {
        record.samples.push_back(results::table_of(noise_floor_round_rows(sweep)));
        record.derived.push_back(results::table_of(noise_floor_rows(sweep)));
    }
    for (const SweepPoint& point : sweep.points) {
        if (point.checked_runs > 0) record.verification.push_back(check_of(point, options));
    }
    if (!sweep.interrupted) return;
    record.verification.push_back(results::incomplete_check(
        fmt::format("{} of {} points were measured", sweep.points.size(), sweep.planned_points)));
}

}  // namespace shardstone::benchmarks
