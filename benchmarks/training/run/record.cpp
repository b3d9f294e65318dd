// SPDX-License-Identifier: BSD-3-Clause
// A training as a record: steps, throughput, memory, bytes sent and hashes.
#include "benchmarks/training/run/record.hpp"

#include <algorithm>
#include <ranges>

#include "benchmarks/training/run/checks.hpp"
#include "benchmarks/training/run/device_options.hpp"
#include "reference/data/hash.hpp"
#include "reference/step/strategy_choice.hpp"
#include "results/schema/training.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;

/// Times by phase, in any row that has them.
template <class Row>
void set_phases(Row& row, const StepPartTimes& times_s) {
    const auto of = [&](StepPart phase) { return times_s[static_cast<std::size_t>(phase)]; };
    row.compute_s = of(StepPart::compute);
    row.communication_s = of(StepPart::communication);
    row.data_s = of(StepPart::data);
    row.optimizer_s = of(StepPart::optimizer);
    row.preempted_s = of(StepPart::preempted);
}

std::vector<results::RankStepRow> rank_step_rows(const TrainingResult& result) {
    const std::size_t ranks = result.rank_steps.size() / result.steps.size();
    std::vector<results::RankStepRow> rows;
    for (std::size_t i = 0; i < result.rank_steps.size(); ++i) {
        results::RankStepRow row;
        row.step = static_cast<double>(result.steps[i / ranks].step);
        row.rank = static_cast<double>(i % ranks);
        row.time_s = result.rank_steps[i].time_s;
        set_phases(row, result.rank_steps[i].phases);
        rows.push_back(row);
    }
    return rows;
}

std::vector<results::CoreWaitRow> core_wait_rows(const TrainingResult& result) {
    const std::size_t ranks = result.rank_steps.size() / result.steps.size();
    std::vector<results::CoreWaitRow> rows;
    for (std::size_t i = 0; i < result.rank_steps.size(); ++i) {
        rows.push_back({static_cast<double>(result.steps[i / ranks].step),
                        static_cast<double>(i % ranks), result.rank_steps[i].waited_s});
    }
    return rows;
}

/// What a paced training has not.
void set_numbers(results::StepRow& row, const StepReport& step) {
    row.loss = step.loss;
    row.learning_rate = step.learning_rate;
    row.gradient_norm = step.gradient_norm;
    row.loss_scale = step.loss_scale;
    row.skipped = step.skipped ? 1.0 : 0.0;
}

results::StepRow step_row(const StepReport& step, const TrainOptions& options) {
    results::StepRow row;
    row.step = static_cast<double>(step.step);
    if (!options.pace) set_numbers(row, step);
    row.tokens_per_s = static_cast<double>(options.batch.global_tokens()) / step.time_s;
    row.time_s = step.time_s;
    set_phases(row, step.phases);
    return row;
}

std::vector<results::StepRow> step_rows(const TrainOptions& options, const TrainingResult& result) {
    std::vector<results::StepRow> rows;
    for (const StepReport& step : result.steps) rows.push_back(step_row(step, options));
    return rows;
}

/// None without experts.
std::vector<results::RouterRow> router_rows(const StepReport& step) {
    if (!step.router) return {};
    return {{static_cast<double>(step.step), step.router->balance, step.router->z,
             step.router->dropped}};
}

std::vector<results::RouterRow> router_rows(const TrainingResult& result) {
    std::vector<results::RouterRow> rows;
    for (const StepReport& step : result.steps) {
        for (const results::RouterRow& row : router_rows(step)) rows.push_back(row);
    }
    return rows;
}

void set_speed(results::TrainingRow& row, const Throughput& speed) {
    row.tokens_per_s = speed.tokens_per_s();
    row.tokens_per_s_low = speed.tokens_per_s_low();
    row.tokens_per_s_high = speed.tokens_per_s_high();
    row.step_s = speed.step.median_s;
    row.step_s_low = speed.step.low_s;
    row.step_s_high = speed.step.high_s;
    row.uncounted_steps = static_cast<double>(speed.uncounted_steps);
    row.counted_steps = static_cast<double>(speed.counted_steps);
    row.tokens_per_step = static_cast<double>(speed.tokens_per_step);
    row.flop_parameters = speed.flop_parameters;
    row.flop_per_token = speed.flop_per_token;
    row.flop_per_s = speed.flop_per_s();
    row.core_peak_flop_per_s = speed.peak.core_flop_per_s;
    row.busy_cores = speed.peak.cores;
    row.peak_arithmetic = speed.peak.arithmetic;
    row.peak_method = speed.peak.method;
    set_phases(row, speed.phases);
}

results::TrainingRow summary_row(const TrainOptions& options, const TrainingResult& result,
                                 const Throughput& throughput) {
    ParallelPlan split = options.plan;
    split.data = 1;
    results::TrainingRow row;
    row.ranks = options.plan.ranks();
    row.model = options.model.name;
    row.split = split == ParallelPlan{} ? "" : to_string(split);
    for (const StrategyChoice& choice : strategy_choices()) {
        if (choice.applies(options)) row.split += "," + choice_of(options, choice.name);
    }
    set_speed(row, throughput);
    row.duration_s = result.duration_s;
    if (options.pace) return row;  // the peak is no measurement, and no losses are there
    row.mfu = throughput.mfu();
    row.final_loss = result.final_loss();
    row.validation_loss = result.validation_loss().value_or(results::not_measured);
    row.entropy_rate = result.entropy_rate_nats.value_or(results::not_measured);
    return row;
}

std::vector<results::MemoryRow> memory_rows(const TrainingResult& result) {
    std::vector<results::MemoryRow> rows;
    for (const MemoryClass& memory : result.memory) {
        rows.push_back({memory.name, static_cast<double>(memory.measured_bytes),
                        static_cast<double>(memory.formula_bytes),
                        static_cast<double>(memory.fp32_bytes)});
    }
    return rows;
}

std::vector<results::SentBytesRow> sent_rows(const TrainingResult& result) {
    std::vector<results::SentBytesRow> rows;
    if (!result.bytes_visible) return rows;
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

std::vector<results::GapRow> gap_rows(const Gap& gap) {
    std::vector<results::GapRow> rows;
    const GapSplit mean = gap.measured();
    for (std::size_t part = 0; part < gap_part_count; ++part) {
        const auto of_part = [part](const GapSplit& split) { return split[part]; };
        const auto [low, high] = std::ranges::minmax(gap.steps | std::views::transform(of_part));
        rows.push_back({std::string(gap_part_names[part]), mean[part], low, high,
                        gap.predicted[part], static_cast<double>(gap.steps.size())});
    }
    return rows;
}

std::vector<results::ChangedStepRow> changed_step_rows(const Gap& gap) {
    std::vector<results::ChangedStepRow> rows;
    for (const ChangedStep& one : gap.changed) {
        rows.push_back({one.change.name, one.change.detail, one.step_s, one.predicted_s});
    }
    return rows;
}

std::vector<results::HashRow> hash_rows(const TrainingHashes& hashes) {
    return {{"losses", to_hex(hashes.losses)},
            {"gradients", to_hex(hashes.gradients)},
            {"parameters", to_hex(hashes.parameters)}};
}

}  // namespace

nlohmann::json to_json(const Dataset& dataset) {
    return {{"source", dataset.source()},
            {"hash", dataset.hash()},
            {"vocabulary", dataset.vocabulary()},
            {"train_tokens", token_count(dataset.train())},
            {"held_out_tokens", token_count(dataset.validation())}};
}

nlohmann::json to_json(const PredictionBasis& basis) {
    return {{"cluster", basis.cluster},
            {"source", basis.source},
            {"gflop_per_s", 1e-9 * basis.flop_per_s},
            {"memory_gb_per_s", 1e-9 * basis.memory_bytes_per_s}};
}

nlohmann::json configuration_of(const TrainOptions& options, const Dataset& dataset) {
    nlohmann::json configuration = to_json(options);
    configuration["data"] = to_json(dataset);
    add_gpu_name(options.device, configuration);
    return configuration;
}

results::Record part_of(const StepReport& step, const TrainOptions& options) {
    results::Record part;
    part.derived.push_back(results::table_of(std::vector{step_row(step, options)}));
    if (step.router) part.derived.push_back(results::table_of(router_rows(step)));
    return part;
}

results::Record part_of(const Evaluation& evaluation) {
    results::Record part;
    part.derived.push_back(results::table_of(std::vector<results::EvaluationRow>{
        {static_cast<double>(evaluation.step), evaluation.loss}}));
    return part;
}

void fill_record(results::Record& record, const TrainOptions& options, const TrainingResult& result,
                 const Throughput& throughput) {
    record.samples = {results::table_of(rank_step_rows(result)),
                      results::table_of(core_wait_rows(result))};
    record.derived = {results::table_of(step_rows(options, result)),
                      results::table_of(std::vector{summary_row(options, result, throughput)}),
                      results::table_of(memory_rows(result)), results::table_of(sent_rows(result))};
    if (!result.evaluations.empty()) {
        record.derived.push_back(results::table_of(evaluation_rows(result)));
    }
    if (options.model.experts.any()) {
        record.derived.push_back(results::table_of(router_rows(result)));
    }
    if (result.gap) {
        record.derived.push_back(results::table_of(gap_rows(*result.gap)));
        record.derived.push_back(results::table_of(changed_step_rows(*result.gap)));
        record.configuration["prediction"] = to_json(result.gap->basis);
    }
    if (options.reproducible) record.derived.push_back(results::table_of(hash_rows(result.hashes)));
    add_gpu_tables(result.gpus, record);
    record.verification = checks_of(options, result, throughput);
}

}  // namespace shardstone::benchmarks
