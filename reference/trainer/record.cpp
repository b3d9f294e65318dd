// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/data/hash.hpp"
#include "results/format/incomplete.hpp"
#include "results/schema/training.hpp"

namespace shardstone::reference {

namespace {

/// Times by phase, in any row that has them.
template <class Row>
void set_phases(Row& row, const PhaseTimes& times_s) {
    static_assert(phase_count == 4);
    row.compute_s = times_s[0];
    row.communication_s = times_s[1];
    row.data_s = times_s[2];
    row.optimizer_s = times_s[3];
}

std::vector<results::StepRow> step_rows(const TrainOptions& options, const TrainingResult& result) {
    const auto tokens = static_cast<double>(options.batch.global_tokens());
    std::vector<results::StepRow> rows;
    for (const StepReport& step : result.steps) {
        results::StepRow row;
        row.step = static_cast<double>(step.step);
        row.loss = step.loss;
        row.learning_rate = step.learning_rate;
        row.gradient_norm = step.gradient_norm;
        row.loss_scale = step.loss_scale;
        row.skipped = step.skipped ? 1.0 : 0.0;
        row.tokens_per_s = tokens / step.time_s;
        row.time_s = step.time_s;
        set_phases(row, step.phases);
        rows.push_back(row);
    }
    return rows;
}

results::TrainingRow summary_row(const TrainOptions& options, const TrainingResult& result,
                                 const Throughput& throughput) {
    ParallelPlan split = options.plan;
    split.data = 1;
    results::TrainingRow row;
    row.ranks = options.plan.ranks();
    row.model = options.model.name;
    row.split = split == ParallelPlan{} ? "" : to_string(split);
    row.tokens_per_s = throughput.tokens_per_s;
    row.mfu = throughput.mfu();
    row.final_loss = result.final_loss();
    row.validation_loss = result.validation_loss().value_or(results::not_measured);
    row.entropy_rate = result.entropy_rate_nats.value_or(results::not_measured);
    set_phases(row, result.phase_totals());
    return row;
}

std::vector<results::MemoryRow> memory_rows(const TrainingResult& result) {
    std::vector<results::MemoryRow> rows;
    for (const MemoryClass& memory : result.memory) {
        rows.push_back({memory.name, static_cast<double>(memory.measured_bytes),
                        static_cast<double>(memory.formula_bytes)});
    }
    return rows;
}

std::vector<results::SentBytesRow> sent_rows(const TrainingResult& result) {
    std::vector<results::SentBytesRow> rows;
    for (std::size_t r = 0; r < result.bytes_sent.size(); ++r) {
        rows.push_back({static_cast<double>(r), static_cast<double>(result.bytes_sent[r]),
                        static_cast<double>(result.scheduled_bytes[r])});
    }
    return rows;
}

std::vector<results::EvaluationRow> evaluation_rows(const TrainingResult& result) {
    std::vector<results::EvaluationRow> rows;
    for (const Evaluation& point : result.evaluations) {
        rows.push_back({static_cast<double>(point.step), point.loss});
    }
    return rows;
}

results::Check gradients_check(const TrainingResult& result) {
    const std::string name = "gradients are finite where they are applied";
    for (const NotFinite& found : result.not_finite) {
        if (found.skipped) continue;
        return {name, false,
                fmt::format("step {}, rank {}: {}", found.step, found.rank, found.where)};
    }
    return {name, true, fmt::format("{} steps skipped", result.not_finite.size())};
}

results::Check bytes_check(const TrainingResult& result) {
    for (std::size_t r = 0; r < result.bytes_sent.size(); ++r) {
        if (result.bytes_sent[r] == result.scheduled_bytes[r]) continue;
        return {"bytes sent equal the schedules' volume", false,
                fmt::format("rank {} sent {} bytes, scheduled are {}", r, result.bytes_sent[r],
                            result.scheduled_bytes[r])};
    }
    return {"bytes sent equal the schedules' volume", true,
            fmt::format("{} bytes on rank 0", result.bytes_sent.front())};
}

}  // namespace

Throughput throughput_of(const TrainOptions& options, const TrainingResult& result,
                         double peak_flop_per_s) {
    const double tokens_per_s =
        static_cast<double>(options.batch.global_tokens()) / result.median_step_s();
    return {tokens_per_s,
            tokens_per_s * training_flop_per_token(options.model, options.batch.sequence),
            peak_flop_per_s};
}

std::vector<results::Check> checks_of(const TrainingResult& result) {
    const bool finite = std::ranges::all_of(
        result.steps, [](const StepReport& step) { return std::isfinite(step.loss); });
    std::vector<results::Check> checks{
        {"the loss is finite", finite, fmt::format("{:.4f} at the end", result.final_loss())},
        gradients_check(result),
        {"replicas have identical parameters", result.replicas_identical,
         "what several ranks hold of the final parameters"}};
    if (result.bytes_visible) checks.push_back(bytes_check(result));
    for (const auto& memory : result.memory) {
        checks.push_back(
            {fmt::format("memory of {} within 2 % of the formula", memory.name), memory.agrees(),
             fmt::format("{} bytes, formula {}", memory.measured_bytes, memory.formula_bytes)});
    }
    if (result.steps_left > 0) {
        checks.push_back(results::incomplete_check(fmt::format(
            "{} steps were done, {} are missing", result.steps.size(), result.steps_left)));
    }
    return checks;
}

nlohmann::json to_json(const TrainOptions& options) {
    const GptConfig& model = options.model;
    const OptimizerOptions& optimizer = options.optimizer;
    return {{"model", model.name},
            {"vocabulary", model.vocabulary},
            {"context", model.context},
            {"layers", model.layers},
            {"heads", model.heads},
            {"channels", model.channels},
            {"parameters", model.parameter_count()},
            {"plan", to_string(options.plan)},
            {"schedule", options.pipeline.schedule},
            {"chunks", options.pipeline.chunks},
            {"stage_layers", options.pipeline.layers},
            {"recompute", to_string(options.recompute)},
            {"global_batch", options.batch.global_batch},
            {"micro_batch", options.batch.micro_batch},
            {"sequence", options.batch.sequence},
            {"shortest", options.batch.shortest},
            {"steps", options.steps},
            {"seed", options.seed},
            {"reproducible", options.reproducible},
            {"precision", options.precision.name},
            {"loss_scale", options.precision.scaling.initial},
            {"scale_growth", options.precision.scaling.growth_interval},
            {"overflow_step", options.overflow.step},
            {"overflow_rank", options.overflow.rank},
            {"optimizer", to_string(optimizer.kind)},
            {"learning_rate", optimizer.learning_rate},
            {"least_rate", optimizer.least_rate},
            {"warmup_steps", optimizer.warmup_steps},
            {"rate_shape", to_string(optimizer.rate_shape)},
            {"rate_scaling", to_string(optimizer.rate_scaling)},
            {"base_batch", optimizer.base_batch},
            {"peak_rate", learning_rate_of(options).peak},
            {"weight_decay", optimizer.weight_decay},
            {"beta1", optimizer.beta1},
            {"beta2", optimizer.beta2},
            {"momentum", optimizer.momentum},
            {"trust", optimizer.trust},
            {"clip", optimizer.clip},
            {"all_reduce", options.communication.all_reduce},
            {"bucket_bytes", options.communication.bucket_bytes},
            {"overlap", options.communication.overlap},
            {"gradient_wire", to_string(options.communication.gradient_wire)},
            {"eval_every", options.eval_every},
            {"eval_sequences", options.eval_sequences},
            {"frozen", options.frozen}};
}

void fill_record(results::Record& record, const TrainOptions& options, const TrainingResult& result,
                 const Throughput& throughput) {
    record.configuration = to_json(options);
    record.derived = {results::table_of(step_rows(options, result)),
                      results::table_of(std::vector{summary_row(options, result, throughput)}),
                      results::table_of(memory_rows(result)), results::table_of(sent_rows(result))};
    if (!result.evaluations.empty()) {
        record.derived.push_back(results::table_of(evaluation_rows(result)));
    }
    record.verification = checks_of(result);
}

}  // namespace shardstone::reference
