// SPDX-License-Identifier: BSD-3-Clause
// The report's section on single steps: what the arithmetic of one takes, without communication.
#include <fmt/format.h>

#include <cmath>

#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/arithmetic.hpp"

namespace shardstone::results {

namespace {

/// "gpt2-124m, bf16, 16 sequences of 1024 tokens, on NVIDIA H200".
std::string step_subject(const Source& source) {
    const std::string where = is_on_gpus(source) ? gpu_names_of(source) : "one core";
    const auto count = [&](const char* key, const char* noun) {
        return plural(source.record.configuration.value(key, 0.0), noun);
    };
    return fmt::format("{}, {}, {} of {}, on {}", setting_text(source, "model", "a model"),
                       setting_text(source, "precision", "fp32"), count("batch", "sequence"),
                       count("sequence", "token"), where);
}

std::string step_interval(const ArithmeticRow& row) {
    if (!std::isfinite(row.step_low_s)) return "too few steps for an interval";
    return fmt::format("95 % interval {} to {}", time_text(row.step_low_s),
                       time_text(row.step_high_s));
}

Finding step_finding(const Source& source, const ArithmeticRow& row) {
    return {fmt::format("One step ({}) takes {} ({}){}: {} tokens/s a rank, {}, {} MFU{}.",
                        step_subject(source), time_text(row.step_s), step_interval(row),
                        disturbance_note(is_disturbed(row)), digits_text(row.tokens_per_s, 3),
                        plural(row.ranks, "rank"), percent_text(row.mfu),
                        crowding_note(source, row.ranks)),
            {&source}};
}

}  // namespace

std::optional<Section> step_section(const std::vector<Source>& sources) {
    const auto found = with_rows<ArithmeticRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"step", "Arithmetic of a step"};
    section.lead =
        "Forward, backward, update and zeroing of whole models on each rank by itself, without "
        "communication and input: what a training of several ranks can reach at best. MFU is of "
        "the measured peak of the core or GPU, or of a rank's share of it.";
    for (const Source* source : found) {
        const auto steps = rows<ArithmeticRow>(*source);
        for (const auto& row : steps) section.findings.push_back(step_finding(*source, row));
        section.body += whole_table<ArithmeticRow>(*source, "Step of " + step_subject(*source));
    }
    return section;
}

}  // namespace shardstone::results
