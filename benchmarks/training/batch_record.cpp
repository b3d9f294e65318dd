// SPDX-License-Identifier: BSD-3-Clause
// The batch-size study on the screen and in its record, from which an interrupted one goes on.
#include "benchmarks/training/batch_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "benchmarks/training/run/device_options.hpp"
#include "benchmarks/training/run/record.hpp"
#include "kernels/base/error.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/studies.hpp"

namespace shardstone::benchmarks {

using nlohmann::json;

namespace {

using results::Check;

results::BatchRow batch_row_of(const BatchStudy& study, const BatchPoint& point,
                               const std::optional<TradeOff>& fit) {
    const auto sequence = static_cast<double>(study.training.batch.sequence);
    results::BatchRow row;
    row.batch = static_cast<double>(point.batch);
    row.peak_rate = point.peak_rate;
    row.factor = point.factor;
    if (point.steps) {
        row.steps = *point.steps;
        row.tokens = point.sequences() * sequence;
    }
    if (fit) {
        row.fitted_steps = fit->steps(row.batch);
        row.fitted_tokens = row.fitted_steps * row.batch * sequence;
    }
    return row;
}

results::NoiseRow noise_row_of(const NoisePoint& point) {
    results::NoiseRow row;
    row.step = static_cast<double>(point.step);
    row.validation_loss = point.loss;
    row.gradient_square = point.noise.gradient_square;
    row.trace = point.noise.trace;
    row.noise_scale = point.noise.scale;
    row.noise_scale_low = point.noise.interval.low;
    row.noise_scale_high = point.noise.interval.high;
    return row;
}

Check reached_check(const BatchResult& result) {
    const auto missed =
        std::ranges::find_if(result.points, [](const BatchPoint& point) { return !point.steps; });
    if (missed == result.points.end()) {
        return {"every batch size reaches the target", true,
                fmt::format("{} batch sizes", result.points.size())};
    }
    return {"every batch size reaches the target", false,
            fmt::format("{} sequences per step do not; give more --most-sequences, other --factors "
                        "or a higher --target",
                        missed->batch)};
}

Check noise_check(const BatchResult& result) {
    const bool resolved = !result.noise.empty() && result.noise.back().noise.interval.low > 0.0 &&
                          result.noise.back().noise.gradient_square > 0.0;
    const Interval interval =
        result.noise.empty() ? Interval{} : result.noise.back().noise.interval;
    return {"the noise scale is resolved at the end", resolved,
            fmt::format("{:.1f} to {:.1f} sequences", interval.low, interval.high)};
}

}  // namespace

std::string batch_heading() {
    return fmt::format("{:>8} {:>10} {:>8} {:>10} {:>12}\n", "batch", "peak rate", "factor",
                       "steps", "tokens");
}

std::string batch_row(const BatchPoint& point, std::int64_t sequence, const std::string& mark) {
    if (!point.steps) return fmt::format("{:>8} does not reach the target{}\n", point.batch, mark);
    return fmt::format("{:>8} {:>10.3g} {:>8} {:>10.1f} {:>12.0f}{}\n", point.batch,
                       point.peak_rate, point.factor, *point.steps,
                       point.sequences() * static_cast<double>(sequence), mark);
}

std::string batch_summary(const BatchStudy& study, const BatchResult& result) {
    std::string text = fmt::format("\n{:>8} {:>10} {:>12} {:>22}\n", "step", "loss", "noise scale",
                                   "95 % interval");
    for (const NoisePoint& point : result.noise) {
        text +=
            fmt::format("{:>8} {:>10.4f} {:>12.1f} {:>12.1f} to {:.1f}\n", point.step, point.loss,
                        point.noise.scale, point.noise.interval.low, point.noise.interval.high);
    }
    if (!result.fit) return text;
    const TradeOff& fit = *result.fit;
    text += fmt::format(
        "\nsteps = {:.1f} + {:.0f} / batch: at best {:.1f} steps or {:.0f} tokens, twice both at a "
        "batch of {:.1f} sequences\n",
        fit.least_steps, fit.least_samples, fit.least_steps,
        fit.least_samples * static_cast<double>(study.training.batch.sequence),
        fit.critical_batch());
    for (const BatchPoint& point : result.points) {
        if (!point.steps) continue;
        const double fitted = fit.steps(static_cast<double>(point.batch));
        text += fmt::format("{:>8} {:>10.1f} steps, fit {:>8.1f}, {:.3f} times the fit\n",
                            point.batch, *point.steps, fitted, *point.steps / fitted);
    }
    return text;
}

std::string progress_of(const BatchStudy& study, std::size_t batches, std::size_t noise_scales) {
    return fmt::format("{} of {} batch sizes and {} noise scales were measured", batches,
                       study.batches.size(), noise_scales);
}

void begin_batch_record(const BatchStudy& study, results::Record& record) {
    record.configuration = to_json(study.training);
    add_gpu_name(study.training.device, record.configuration);
    record.configuration["batches"] = study.batches;
    record.configuration["factors"] = study.factors;
    record.configuration["target_loss"] = study.target_loss;
    record.configuration["most_sequences"] = study.most_sequences;
    record.configuration["sequences_per_evaluation"] = study.eval_sequences;
    record.configuration["noise_batch"] = study.noise_batch;
    record.configuration["noise_pairs"] = study.noise_pairs;
    record.configuration["noise_small"] = study.noise_small;
    record.configuration["noise_big"] = study.noise_big;
}

results::Record part_of(const BatchStudy& study, const BatchPoint& point) {
    results::Record part;
    part.derived = {results::table_of(std::vector{batch_row_of(study, point, std::nullopt)})};
    return part;
}

results::Record part_of(const NoisePoint& point) {
    results::Record part;
    part.derived = {results::table_of(std::vector{noise_row_of(point)})};
    return part;
}

std::string batch_points_text(const results::Record& earlier) {
    json points = json::array();
    for (const auto& row : results::rows_of<results::BatchRow>(earlier)) {
        require(row.batch >= 1.0 && row.batch < 0x1p62 && std::isfinite(row.factor) &&
                    std::isfinite(row.peak_rate) && !std::isinf(row.steps),
                [&] {
                    return fmt::format(
                        "a point that is continued is of {} sequences, factor {}, peak rate {} and "
                        "{} steps: no study has that",
                        row.batch, row.factor, row.peak_rate, row.steps);
                });
        points.push_back({static_cast<std::int64_t>(row.batch), row.factor, row.peak_rate,
                          std::isnan(row.steps) ? json() : json(row.steps)});
    }
    return points.dump();
}

std::vector<BatchPoint> batch_points(const std::string& text) {
    std::vector<BatchPoint> points;
    for (const json& each : json::parse(text)) {
        BatchPoint point;
        point.batch = each.at(0).get<std::int64_t>();
        point.factor = each.at(1).get<double>();
        point.peak_rate = each.at(2).get<double>();
        if (!each.at(3).is_null()) point.steps = each.at(3).get<double>();
        points.push_back(point);
    }
    return points;
}

void fill_batch_record(const BatchStudy& study, const BatchResult& result,
                       results::Record& record) {
    record.derived.clear();
    if (result.fit) {
        results::TradeOffRow row;
        row.least_steps = result.fit->least_steps;
        row.least_sequences = result.fit->least_samples;
        row.critical_batch = result.fit->critical_batch();
        record.derived.push_back(results::table_of(std::vector{row}));
    }
    std::vector<results::BatchRow> batches;
    for (const BatchPoint& point : result.points) {
        batches.push_back(batch_row_of(study, point, result.fit));
    }
    std::vector<results::NoiseRow> noise;
    for (const NoisePoint& point : result.noise) noise.push_back(noise_row_of(point));
    record.derived.push_back(results::table_of(batches));
    record.derived.push_back(results::table_of(noise));
    if (result.interrupted) {
        record.verification = {
            results::incomplete_check(progress_of(study, batches.size(), noise.size()))};
    } else {
        record.verification = {reached_check(result), noise_check(result)};
    }
}

}  // namespace shardstone::benchmarks
