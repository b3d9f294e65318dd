// SPDX-License-Identifier: BSD-3-Clause
// The record of a sweep grows point by point: its configuration, its parts and their checks.
#include "benchmarks/collectives/sweep/record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/collectives/sweep/record_tables.hpp"
#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "collectives/cluster/description.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/operation/operation.hpp"
#include "kernels/base/units.hpp"
#include "results/journal/recover.hpp"
#include "results/record/incomplete.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Check;
using results::Record;

Check exactness_check(const SweepPoint& point, const SweepOptions& options) {
    return {name_of_check(point, options), point.passed(),
            fmt::format("{} wrong elements in the last timed iteration and {} more runs",
                        point.wrong_elements, point.checked_runs - 1)};
}

std::string title_of(const SweepPlan& plan, const SweepOptions& options, int ranks) {
    const std::string what = plan.operations.size() == 1
                                 ? plan.operations.front().operation->name
                                 : fmt::format("{} operations", plan.operations.size());
    if (!options.on_gpus()) return fmt::format("{} on {}", what, counted(ranks, "rank"));
    return fmt::format("{} on {}", what, collectives::used_gpus_in_words(ranks));
}

}  // namespace

std::string name_of_check(const SweepPoint& point, const SweepOptions& options) {
    const bool reduces = collectives::find_operation(point.operation).reduces;
    return fmt::format("{} {}{} {} {}{}: exact on {} ranks", point.operation, point.algorithm,
                       point.in_place ? "" : " out of place", format_size(point.size_bytes),
                       options.type, reduces ? " " + options.reduction : "", point.ranks);
}

Record begin_record(const SweepOptions& options, const SweepPlan& plan,
                    const collectives::Communicator& communicator,
                    const std::optional<Watched>& calibration,
                    const std::vector<std::string>& command_line) {
    Record record = results::new_record("collectives", title_of(plan, options, communicator.size()),
                                        command_line);
    record.configuration = to_json(options);
    record.configuration["topology"] = communicator.topology().description();
    record.configuration["time"] =
        "from the last rank's start to the last rank's end where all ranks have one clock (skew_s "
        "is a number there), else the maximum over ranks of the time since their own start";
    record.configuration["check"] =
        "every element of the result of the last timed iteration, in the buffers it was timed on, "
        "and that inputs out of place were left alone";
    record.samples.push_back(results::table_of(std::vector<results::CollectiveSampleRow>{}));
    record.derived.push_back(results::table_of(std::vector<results::CollectiveRow>{}));
    record.derived.push_back(results::table_of(std::vector<results::OutlierRow>{}));
    record.derived.push_back(results::table_of(std::vector<results::RankTimesRow>{}));
    if (!options.on_gpus() || communicator.cluster().gpus) {  // what predictions go by
        record.configuration[cluster_field] = collectives::to_toml(communicator.cluster());
        record.derived.push_back(results::table_of(cost_rows(communicator.cluster(), calibration)));
    }
    return record;
}

Record part_of(const SweepPoint& point, const SweepOptions& options) {
    Record part;
    part.samples.push_back(results::table_of(sample_rows(point)));
    part.derived.push_back(results::table_of(std::vector{point_row(point)}));
    part.derived.push_back(results::table_of(outlier_rows(point)));
    part.derived.push_back(results::table_of(rank_times_rows(point)));
    if (point.checked_runs > 0) part.verification.push_back(exactness_check(point, options));
    return part;
}

Record part_of(const NoiseFloor& floor) {
    Record part;
    part.samples.push_back(results::table_of(noise_floor_round_rows(floor)));
    part.derived.push_back(results::table_of(std::vector{noise_floor_row(floor)}));
    return part;
}

std::string progress_of(std::size_t measured, std::size_t planned) {
    return fmt::format("{} of {} points were measured", measured, planned);
}

void complete_record(const Sweep& sweep, const SweepOptions& options, Record& record) {
    for (const SweepPoint& point : sweep.points) results::add_part(record, part_of(point, options));
    for (const NoiseFloor& floor : sweep.floors) results::add_part(record, part_of(floor));
    Record log;
    log.samples.push_back(surroundings_table(sweep.surroundings));
    results::add_part(record, log);
    if (options.fail_on_outlier) add_outlier_check(record);
    if (!sweep.interrupted) return;
    const auto measured = record.table("collectives").rows();
    record.verification.push_back(
        results::incomplete_check(progress_of(measured, sweep.planned_points)));
}

}  // namespace shardstone::benchmarks
