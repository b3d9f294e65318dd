// SPDX-License-Identifier: BSD-3-Clause
// What makes a training's figures count: each check with what it saw.
#include "benchmarks/training/run/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/units.hpp"
#include "results/record/incomplete.hpp"
#include "results/report/words.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;

results::Check gradients_check(const TrainingResult& result) {
    const std::string name = "gradients are in range where they are applied";
    for (const NotFinite& found : result.not_finite) {
        if (found.skipped) continue;
        return {name, false,
                fmt::format("step {}, rank {}: {}", found.step, found.rank, found.where)};
    }
    return {name, true, fmt::format("{} skipped", counted(std::ssize(result.not_finite), "step"))};
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
            fmt::format("{:.3g} s on {} within {:.3g} s", busy_s,
                        counted(throughput.peak.cores, "core"), result.duration_s)};
}

results::Check mfu_check(const Throughput& throughput) {
    return {"MFU is at most 100 % of the measured peak", throughput.mfu() <= 1.0,
            fmt::format("{:.1f} % of {} at {}, {}", 100.0 * throughput.mfu(),
                        counted(throughput.peak.cores, throughput.peak.processor),
                        results::flop_rate_text(throughput.peak.core_flop_per_s * 1e-9),
                        throughput.peak.arithmetic)};
}

/// Of what a paced training has not.
std::vector<results::Check> number_checks(const TrainingResult& result) {
    const bool finite = std::ranges::all_of(
        result.steps, [](const StepReport& step) { return std::isfinite(step.loss); });
    return {{"the loss is finite", finite, fmt::format("{:.4f} at the end", result.final_loss())},
            gradients_check(result),
            {"replicas have identical parameters", result.replicas_identical,
             "what several ranks hold of the final parameters"}};
}

/// A failed one for steps that are missing.
void add_completeness(const TrainingResult& result, std::vector<results::Check>& checks) {
    const std::string done = fmt::format(
        "{} done, {} missing", counted(std::ssize(result.steps), "step"), result.steps_left);
    if (result.diverged) {
        checks.push_back(results::incomplete_check(done, divergence_in_words(result)));
    } else if (result.steps_left > 0 && result.data.changed) {
        checks.push_back(results::incomplete_check(done, "the data changed"));
    } else if (result.steps_left > 0) {
        checks.push_back(results::incomplete_check(done));
    }
}

}  // namespace

std::string divergence_in_words(const TrainingResult& result) {
    return fmt::format("the training diverged in step {} (lower --lr or set --clip)",
                       result.last().step);
}

std::vector<results::Check> checks_of(const TrainOptions& options, const TrainingResult& result,
                                      const Throughput& throughput) {
    std::vector<results::Check> checks = checks_of(options, result);
    if (options.pace) return checks;
    if (options.device == DeviceKind::cpu) checks.push_back(cores_check(result, throughput));
    checks.push_back(mfu_check(throughput));
    const std::string& fault = throughput.peak.fault;
    if (!fault.empty()) checks.push_back({"every GPU multiplies right at the end", false, fault});
    return checks;
}

std::vector<results::Check> checks_of(const TrainOptions& options, const TrainingResult& result) {
    std::vector<results::Check> checks;
    if (!options.pace) checks = number_checks(result);
    if (result.bytes_visible) checks.push_back(bytes_check(result));
    for (const auto& memory : result.memory) {
        checks.push_back(
            {fmt::format("memory of {} within 2 % of the formula", memory.name), memory.agrees(),
             fmt::format("{} bytes, formula {}", memory.measured_bytes, memory.formula_bytes)});
    }
    if (result.data.shards > 0) checks.push_back(data_check(result.data));
    add_completeness(result, checks);
    return checks;
}

}  // namespace shardstone::benchmarks
