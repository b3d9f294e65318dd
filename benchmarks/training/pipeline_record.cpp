// SPDX-License-Identifier: BSD-3-Clause
// The pipeline study on the screen and in its record: utilisation measured, replayed and predicted.
#include "benchmarks/training/pipeline_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/training/run/device_options.hpp"
#include "benchmarks/training/run/record.hpp"
#include "kernels/base/units.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/studies.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Check;

constexpr double most_deviation = 0.05;

results::UtilisationRow row_of(const PipelinePoint& point) {
    results::UtilisationRow row;
    row.schedule = point.schedule;
    row.micro_batches = static_cast<double>(point.micro_batches);
    row.measured = point.median;
    if (point.interval) {
        row.measured_low = point.interval->low;
        row.measured_high = point.interval->high;
    }
    row.replayed = point.replayed;
    row.virtual_time = point.virtual_time;
    row.formula = point.formula;
    row.median_span_s = median(point.spans_s);
    if (const auto interval = median_interval(point.spans_s)) {
        row.median_span_low_s = interval->low;
        row.median_span_high_s = interval->high;
    }
    row.warmup_steps = static_cast<double>(point.warmup);
    put_watched(point.watched, row);
    return row;
}

std::vector<results::PipelineStepRow> step_rows(const std::vector<PipelinePoint>& points) {
    std::vector<results::PipelineStepRow> rows;
    for (const PipelinePoint& point : points) {
        for (std::size_t i = 0; i < point.utilisations.size(); ++i) {
            results::PipelineStepRow row;
            row.schedule = point.schedule;
            row.micro_batches = static_cast<double>(point.micro_batches);
            row.utilisation = point.utilisations[i];
            row.span_s = point.spans_s[i];
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

/// A row's columns that name what was measured.
template <class Row>
Row named(Row row, const PipelineGroup& group) {
    row.operation = "pipeline";
    row.algorithm = counted(group.points.front().micro_batches, "micro-batch");
    return row;
}

results::Table rank_table(const PipelineGroup& group) {
    std::vector<results::RankTimesRow> rows;
    for (const RankPace& one : group.rank_times) rows.push_back(named(rank_times_row(one), group));
    return results::table_of(rows);
}

/// They train on the same data.
Check losses_check(const std::vector<PipelinePoint>& of_one_number) {
    const PipelinePoint& first = of_one_number.front();
    const auto name = fmt::format("all schedules give the same losses with {}",
                                  counted(first.micro_batches, "micro-batch"));
    const auto other = std::ranges::find_if(
        of_one_number, [&](const PipelinePoint& point) { return point.losses != first.losses; });
    if (other == of_one_number.end()) return {name, true, "to the last bit, in every step"};
    return {name, false, fmt::format("{} and {} differ", first.schedule, other->schedule)};
}

/// As a factor less one, so that too high and too low count alike.
double deviation(const results::UtilisationRow& row) {
    return std::max(row.virtual_time / row.formula, row.formula / row.virtual_time) - 1.0;
}

Check formula_check(const std::vector<results::UtilisationRow>& rows) {
    const auto& worst = *std::ranges::max_element(rows, {}, deviation);
    const double most = deviation(worst);
    return {"virtual time is within 5 % of the formula", most <= most_deviation,
            fmt::format("at most {:.2f} %: {} with {} micro-batches", 100.0 * most, worst.schedule,
                        worst.micro_batches)};
}

/// What stalled the group.
std::vector<results::OutlierRow> outlier_rows(const PipelineGroup& group) {
    std::vector<results::OutlierRow> rows;
    for (const Stall& stall : group.stalls) rows.push_back(named(outlier_row(stall), group));
    return rows;
}

}  // namespace

std::string pipeline_heading() {
    return fmt::format("{:<12} {:>6} {:>9} {:>19} {:>9} {:>9} {:>9} {:>9} {:>10}\n", "schedule",
                       "micro", "measured", "95 % interval", "replayed", "virtual", "formula",
                       "measured", "span") +
           fmt::format("{:<12} {:>6} {:>9} {:>19} {:>9} {:>9} {:>9} {:>9} {:>10}\n", "", "batches",
                       "median", "of the median", "", "time", "", "/formula", "median");
}

std::string pipeline_rows(const std::vector<PipelinePoint>& points, const std::string& mark) {
    std::string text;
    for (const PipelinePoint& point : points) {
        const std::string interval =
            point.interval
                ? fmt::format("{:.4f} to {:.4f}", point.interval->low, point.interval->high)
                : "too few steps";
        text += fmt::format(
            "{:<12} {:>6} {:>9.4f} {:>19} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.3f} {:>10} {}{}\n",
            point.schedule, point.micro_batches, point.median, interval, point.replayed,
            point.virtual_time, point.formula, point.median / point.formula,
            format_time(median(point.spans_s)), mark, disturbance_mark(point.watched.surroundings));
    }
    return text;
}

void begin_pipeline_record(const PipelineStudy& study, int stages, results::Record& record) {
    record.configuration = to_json(
        pipeline_training(study, stages, study.schedules.front(), study.micro_batches.front()));
    add_gpu_name(study.device, record.configuration);
    record.configuration["schedules"] = study.schedules;
    record.configuration["micro_batches"] = study.micro_batches;
    record.configuration["most_warmup"] = study.most_warmup;
}

results::Record part_of(const PipelineGroup& group) {
    std::vector<results::UtilisationRow> rows;
    for (const PipelinePoint& point : group.points) rows.push_back(row_of(point));
    results::Record part;
    part.samples = {results::table_of(step_rows(group.points))};
    part.derived = {results::table_of(rows), results::table_of(outlier_rows(group)),
                    rank_table(group)};
    // A paced study has none.
    if (!group.points.front().losses.empty()) part.verification = {losses_check(group.points)};
    return part;
}

std::vector<PipelinePoint> points_in(const results::Record& record) {
    std::vector<PipelinePoint> points;
    for (const auto& row : results::rows_of<results::UtilisationRow>(record)) {
        PipelinePoint point;
        point.schedule = row.schedule;
        point.micro_batches = static_cast<std::int64_t>(row.micro_batches);
        point.median = row.measured;
        if (std::isfinite(row.measured_low)) {
            point.interval = {row.measured_low, row.measured_high};
        }
        point.replayed = row.replayed;
        point.virtual_time = row.virtual_time;
        point.formula = row.formula;
        point.spans_s = {row.median_span_s};
        point.watched = watched_of(row);
        points.push_back(std::move(point));
    }
    return points;
}

std::size_t measured_points(const results::Record& record) {
    return results::rows_of<results::UtilisationRow>(record).size();
}

std::string progress_of(const PipelineStudy& study, std::size_t points) {
    return fmt::format("{} of {} points were measured", points,
                       study.schedules.size() * study.micro_batches.size());
}

bool complete_pipeline_record(const PipelineStudy& study, results::Record& record) {
    const auto rows = results::rows_of<results::UtilisationRow>(record);
    const bool whole = rows.size() == study.schedules.size() * study.micro_batches.size();
    record.verification.push_back(
        whole ? formula_check(rows) : results::incomplete_check(progress_of(study, rows.size())));
    return whole;
}

}  // namespace shardstone::benchmarks
