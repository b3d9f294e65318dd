// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/training/pipeline_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/units.hpp"
#include "reference/trainer/record.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Check;
using results::Table;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr double most_deviation = 0.05;

template <class Value>
Table::Column numbers(const char* name, const std::vector<PipelinePoint>& points, Value&& value) {
    Table::Column column{name, {}, {}};
    for (const PipelinePoint& point : points) {
        column.numbers.push_back(static_cast<double>(value(point)));
    }
    return column;
}

Table points_table(const std::vector<PipelinePoint>& points) {
    using P = const PipelinePoint&;
    Table::Column schedules{"schedule", {}, {}};
    for (const PipelinePoint& point : points) schedules.texts.push_back(point.schedule);
    return {"utilisation",
            {schedules, numbers("micro_batches", points, [](P p) { return p.micro_batches; }),
             numbers("measured", points, [](P p) { return p.median; }),
             numbers("measured_low", points,
                     [](P p) { return p.interval ? p.interval->low : not_known; }),
             numbers("measured_high", points,
                     [](P p) { return p.interval ? p.interval->high : not_known; }),
             numbers("replayed", points, [](P p) { return p.replayed; }),
             numbers("virtual_time", points, [](P p) { return p.virtual_time; }),
             numbers("formula", points, [](P p) { return p.formula; }),
             numbers("median_span_s", points, [](P p) { return median(p.spans_s); })}};
}

Table samples_table(const std::vector<PipelinePoint>& points) {
    Table table{"steps",
                {{"schedule", {}, {}},
                 {"micro_batches", {}, {}},
                 {"utilisation", {}, {}},
                 {"span_s", {}, {}}}};
    for (const PipelinePoint& point : points) {
        for (std::size_t i = 0; i < point.utilisations.size(); ++i) {
            table.columns[0].texts.push_back(point.schedule);
            table.columns[1].numbers.push_back(static_cast<double>(point.micro_batches));
            table.columns[2].numbers.push_back(point.utilisations[i]);
            table.columns[3].numbers.push_back(point.spans_s[i]);
        }
    }
    return table;
}

/// Points of one number of micro-batches, which train on the same data.
Check losses_check(const std::vector<PipelinePoint>& points) {
    for (const PipelinePoint& point : points) {
        const auto& first =
            *std::ranges::find(points, point.micro_batches, &PipelinePoint::micro_batches);
        if (point.losses == first.losses) continue;
        return {"all schedules give the same losses", false,
                fmt::format("{} and {} differ with {} micro-batches", first.schedule,
                            point.schedule, point.micro_batches)};
    }
    return {"all schedules give the same losses", true, "to the last bit, in every step"};
}

double deviation(double value, double formula) {
    return std::abs(value / formula - 1.0);
}

Check formula_check(const std::vector<PipelinePoint>& points) {
    const auto& worst = *std::ranges::max_element(points, {}, [](const PipelinePoint& point) {
        return deviation(point.virtual_time, point.formula);
    });
    const double most = deviation(worst.virtual_time, worst.formula);
    return {"virtual time is within 5 % of the formula", most <= most_deviation,
            fmt::format("at most {:.1f} %: {} with {} micro-batches", 100.0 * most, worst.schedule,
                        worst.micro_batches)};
}

}  // namespace

std::string pipeline_heading() {
    return fmt::format("{:<12} {:>6} {:>9} {:>19} {:>9} {:>9} {:>9} {:>9} {:>10}\n", "schedule",
                       "micro", "measured", "95 % interval", "replayed", "virtual", "formula",
                       "measured", "span") +
           fmt::format("{:<12} {:>6} {:>9} {:>19} {:>9} {:>9} {:>9} {:>9} {:>10}\n", "", "batches",
                       "median", "of the median", "", "time", "", "/formula", "median");
}

std::string pipeline_rows(const std::vector<PipelinePoint>& points) {
    std::string text;
    for (const PipelinePoint& point : points) {
        const std::string interval =
            point.interval
                ? fmt::format("{:.4f} to {:.4f}", point.interval->low, point.interval->high)
                : "too few steps";
        text += fmt::format(
            "{:<12} {:>6} {:>9.4f} {:>19} {:>9.4f} {:>9.4f} {:>9.4f} {:>+8.1f}% {:>10}\n",
            point.schedule, point.micro_batches, point.median, interval, point.replayed,
            point.virtual_time, point.formula, 100.0 * (point.median / point.formula - 1.0),
            format_time(median(point.spans_s)));
    }
    return text;
}

void fill_pipeline_record(const PipelineStudy& study, int stages,
                          const std::vector<PipelinePoint>& points, results::Record& record) {
    record.configuration = reference::to_json(
        pipeline_training(study, stages, study.schedules.front(), study.micro_batches.front()));
    record.configuration["schedules"] = study.schedules;
    record.configuration["micro_batches"] = study.micro_batches;
    record.configuration["warmup"] = study.warmup;
    record.samples = {samples_table(points)};
    record.derived = {points_table(points)};
    record.verification = {losses_check(points), formula_check(points)};
}

}  // namespace shardstone::benchmarks
