// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/data/hash.hpp"

namespace shardstone::reference {

namespace {

using results::Table;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<const char*, phase_count> phase_columns{"compute_s", "communication_s",
                                                             "data_s", "optimizer_s"};

template <class Rows, class Value>
Table::Column numbers(const char* name, const Rows& rows, Value&& value) {
    Table::Column column{name, {}, {}};
    for (const auto& row : rows) column.numbers.push_back(static_cast<double>(value(row)));
    return column;
}

Table steps_table(const TrainOptions& options, const TrainingResult& result) {
    const auto tokens = static_cast<double>(options.batch.global_tokens());
    const auto& steps = result.steps;
    using Step = const StepReport&;
    Table table{"steps",
                {numbers("step", steps, [](Step s) { return s.step; }),
                 numbers("loss", steps, [](Step s) { return s.loss; }),
                 numbers("learning_rate", steps, [](Step s) { return s.learning_rate; }),
                 numbers("gradient_norm", steps, [](Step s) { return s.gradient_norm; }),
                 numbers("loss_scale", steps, [](Step s) { return s.loss_scale; }),
                 numbers("skipped", steps, [](Step s) { return s.skipped ? 1 : 0; }),
                 numbers("tokens_per_s", steps, [&](Step s) { return tokens / s.time_s; }),
                 numbers("time_s", steps, [](Step s) { return s.time_s; })}};
    for (std::size_t p = 0; p < phase_count; ++p) {
        table.columns.push_back(
            numbers(phase_columns[p], steps, [p](Step s) { return s.phases[p]; }));
    }
    return table;
}

Table summary_table(const TrainOptions& options, const TrainingResult& result,
                    const Throughput& throughput) {
    ParallelPlan split = options.plan;
    split.data = 1;
    const auto one = [](const char* name, double value) {
        return Table::Column{name, {value}, {}};
    };
    Table table{
        "summary",
        {one("ranks", options.plan.ranks()), Table::Column{"model", {}, {options.model.name}},
         Table::Column{"split", {}, {split == ParallelPlan{} ? "" : to_string(split)}},
         one("tokens_per_s", throughput.tokens_per_s), one("mfu", throughput.mfu()),
         one("final_loss", result.final_loss()),
         one("validation_loss", result.validation_loss().value_or(not_known)),
         one("entropy_rate", result.entropy_rate_nats.value_or(not_known))}};
    const PhaseTimes totals = result.phase_totals();
    for (std::size_t p = 0; p < phase_count; ++p) {
        table.columns.push_back(one(phase_columns[p], totals[p]));
    }
    return table;
}

Table memory_table(const TrainingResult& result) {
    Table::Column names{"class", {}, {}};
    for (const auto& memory : result.memory) names.texts.push_back(memory.name);
    using Class = const MemoryClass&;
    return {
        "memory",
        {names, numbers("measured_bytes", result.memory, [](Class m) { return m.measured_bytes; }),
         numbers("formula_bytes", result.memory, [](Class m) { return m.formula_bytes; })}};
}

Table bytes_table(const TrainingResult& result) {
    const auto as_is = [](std::int64_t bytes) { return bytes; };
    double rank = 0.0;
    return {"bytes",
            {numbers("rank", result.bytes_sent, [&](std::int64_t) { return rank++; }),
             numbers("sent_bytes", result.bytes_sent, as_is),
             numbers("scheduled_bytes", result.scheduled_bytes, as_is)}};
}

Table evaluations_table(const TrainingResult& result) {
    using Point = const Evaluation&;
    return {"evaluations",
            {numbers("step", result.evaluations, [](Point e) { return e.step; }),
             numbers("validation_loss", result.evaluations, [](Point e) { return e.loss; })}};
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
    record.derived = {steps_table(options, result), summary_table(options, result, throughput),
                      memory_table(result), bytes_table(result)};
    if (!result.evaluations.empty()) record.derived.push_back(evaluations_table(result));
    record.verification = checks_of(result);
}

}  // namespace shardstone::reference
