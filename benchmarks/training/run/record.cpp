// SPDX-License-Identifier: BSD-3-Clause
// A training as a record: steps, throughput, memory, bytes sent, hashes and the checks of them.
#include "benchmarks/training/run/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/data/hash.hpp"
#include "reference/step/strategy_choice.hpp"
#include "results/record/incomplete.hpp"
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

results::StepRow step_row(const StepReport& step, const TrainOptions& options) {
    results::StepRow row;
    row.step = static_cast<double>(step.step);
    row.loss = step.loss;
    row.learning_rate = step.learning_rate;
    row.gradient_norm = step.gradient_norm;
    row.loss_scale = step.loss_scale;
    row.skipped = step.skipped ? 1.0 : 0.0;
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
    row.mfu = speed.mfu();
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

std::vector<results::HashRow> hash_rows(const TrainingHashes& hashes) {
    return {{"losses", to_hex(hashes.losses)},
            {"gradients", to_hex(hashes.gradients)},
            {"parameters", to_hex(hashes.parameters)}};
}

results::Check gradients_check(const TrainingResult& result) {
    const std::string name = "gradients are in range where they are applied";
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

results::Check data_check(const DataFate& data) {
    std::string seen = fmt::format(
        "{} shards, verified when they were opened and when they were read", data.shards);
    if (!data.words.empty()) seen = fmt::format("rank {}: {}", data.rank, data.words);
    return {"the data stayed what they were", !data.changed, seen};
}

/// More compute than cores can give would mean that something else was counted as compute.
results::Check cores_check(const TrainingResult& result, const Throughput& throughput) {
    // Of the clocks: the steps of all ranks lie within the duration, but for the reading of it.
    constexpr double slack = 1.01;
    double busy_s = 0.0;
    for (const RankStep& one : result.rank_steps) {
        for (const StepPart phase : {StepPart::compute, StepPart::data, StepPart::optimizer}) {
            busy_s += one.phases[static_cast<std::size_t>(phase)];
        }
    }
    const double most_s = throughput.peak.cores * result.duration_s;
    return {"the ranks were busy for no longer than their cores", busy_s <= slack * most_s,
            fmt::format("{:.3g} s on {} core(s) within {:.3g} s", busy_s, throughput.peak.cores,
                        result.duration_s)};
}

results::Check mfu_check(const Throughput& throughput) {
    return {"MFU is at most 100 % of the measured peak", throughput.mfu() <= 1.0,
            fmt::format("{:.1f} % of {} core(s) at {:.1f} GFLOP/s, {}", 100.0 * throughput.mfu(),
                        throughput.peak.cores, throughput.peak.core_flop_per_s * 1e-9,
                        throughput.peak.arithmetic)};
}

}  // namespace

std::string divergence_in_words(const TrainingResult& result) {
    return fmt::format("the training diverged in step {} (lower --lr or set --clip)",
                       result.last().step);
}

std::vector<results::Check> checks_of(const TrainingResult& result, const Throughput& throughput) {
    std::vector<results::Check> checks = checks_of(result);
    checks.push_back(cores_check(result, throughput));
    checks.push_back(mfu_check(throughput));
    return checks;
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
    if (result.data.shards > 0) checks.push_back(data_check(result.data));
    const std::string done =
        fmt::format("{} steps were done, {} are missing", result.steps.size(), result.steps_left);
    if (result.diverged) {
        checks.push_back(results::incomplete_check(done, divergence_in_words(result)));
    } else if (result.steps_left > 0 && result.data.changed) {
        checks.push_back(results::incomplete_check(done, "the data changed"));
    } else if (result.steps_left > 0) {
        checks.push_back(results::incomplete_check(done));
    }
    return checks;
}

nlohmann::json to_json(const Dataset& dataset) {
    return {{"source", dataset.source()},
            {"hash", dataset.hash()},
            {"vocabulary", dataset.vocabulary()},
            {"train_tokens", token_count(dataset.train())},
            {"held_out_tokens", token_count(dataset.validation())}};
}

nlohmann::json configuration_of(const TrainOptions& options, const Dataset& dataset) {
    nlohmann::json configuration = to_json(options);
    configuration["data"] = to_json(dataset);
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
    record.samples = {results::table_of(rank_step_rows(result))};
    record.derived = {results::table_of(step_rows(options, result)),
                      results::table_of(std::vector{summary_row(options, result, throughput)}),
                      results::table_of(memory_rows(result)), results::table_of(sent_rows(result))};
    if (!result.evaluations.empty()) {
        record.derived.push_back(results::table_of(evaluation_rows(result)));
    }
    if (options.model.experts.any()) {
        record.derived.push_back(results::table_of(router_rows(result)));
    }
    if (options.reproducible) record.derived.push_back(results::table_of(hash_rows(result.hashes)));
    record.verification = checks_of(result, throughput);
}

}  // namespace shardstone::benchmarks
