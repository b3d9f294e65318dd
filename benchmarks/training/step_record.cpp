// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone step` records: the medians of a step without communication, and every step.
#include "benchmarks/training/step_record.hpp"

#include <fmt/format.h>

#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/training/run/device_options.hpp"
#include "benchmarks/training/run/record.hpp"
#include "results/report/words.hpp"
#include "results/schema/arithmetic.hpp"

namespace shardstone::benchmarks {

namespace {

results::ArithmeticRow row_of(const StepSetup& setup, int ranks, const StepTiming& timing) {
    results::ArithmeticRow row;
    row.ranks = ranks;
    row.step_s = timing.step.median_s;
    if (timing.step.interval_s) {
        row.step_low_s = timing.step.interval_s->low;
        row.step_high_s = timing.step.interval_s->high;
    }
    row.forward_s = median(timing.forward_s);
    row.backward_s = median(timing.backward_s);
    row.optimizer_s = median(timing.optimizer_s);
    row.zeroing_s = median(timing.zeroing_s);
    row.tokens_per_s = timing.tokens_per_s(setup);
    row.flop_parameters = reference::flop_parameters(setup.model);
    row.flop_per_token = reference::training_flop_per_token(setup.model, setup.sequence);
    row.flop_per_s = timing.flop_per_s();
    row.mfu = timing.mfu();
    row.core_peak_flop_per_s = timing.peak.core_flop_per_s;
    row.peak_arithmetic = timing.peak.arithmetic;
    row.peak_method = timing.peak.method;
    row.first_loss = timing.first_loss;
    row.last_loss = timing.last_loss;
    return row;
}

std::vector<results::ArithmeticStepRow> step_rows(const StepTiming& timing) {
    std::vector<results::ArithmeticStepRow> rows;
    for (std::size_t i = 0; i < timing.step.samples_s.size(); ++i) {
        rows.push_back({static_cast<double>(i), timing.step.samples_s[i], timing.forward_s[i],
                        timing.backward_s[i], timing.optimizer_s[i], timing.zeroing_s[i]});
    }
    return rows;
}

nlohmann::json configuration_of(const StepSetup& setup, const StepTiming& timing) {
    auto all = to_json(setup.model);
    all.update({{"precision", setup.precision.name},
                {"device", to_string(setup.device)},
                {"batch", setup.micro_batch},
                {"sequence", setup.sequence},
                {"iterations", setup.policy.fixed_iterations},
                {"time_limit_s", setup.policy.time_limit_s},
                {"warmup_iterations", timing.step.warmup_iterations}});
    add_gpu_name(setup.device, all);
    return all;
}

}  // namespace

std::vector<results::Check> checks_of(const StepTiming& timing) {
    return {{"the loss begins as that of a uniform guess and falls", timing.all_learn,
             fmt::format("{:.4f} to {:.4f}", timing.first_loss, timing.last_loss)},
            {"MFU is at most 100 % of the measured peak", timing.mfu() <= 1.0,
             fmt::format("{:.1f} % of {}, {}", 100.0 * timing.mfu(),
                         results::flop_rate_text(timing.peak.core_flop_per_s * 1e-9),
                         timing.peak.arithmetic)}};
}

void fill_step_record(const StepSetup& setup, int ranks, const StepTiming& timing,
                      const Watched& watched, results::Record& record) {
    auto row = row_of(setup, ranks, timing);
    put_watched(watched, row);
    record.configuration = configuration_of(setup, timing);
    record.samples = {results::table_of(step_rows(timing))};
    record.derived = {results::table_of(std::vector{row})};
    add_gpu_tables(timing.gpus, record);
    record.verification = checks_of(timing);
}

}  // namespace shardstone::benchmarks
