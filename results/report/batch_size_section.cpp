// SPDX-License-Identifier: BSD-3-Clause
// The report's section on batch size: steps against tokens to a target, and gradient noise scale.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/studies.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// Steps across, tokens up: the curve along which a target is reached.
Figure trade_off_figure(const Source& source) {
    std::vector<double> steps, tokens, fitted_steps, fitted_tokens;
    std::vector<std::string> notes;
    for (const auto& row : rows<BatchRow>(source)) {
        steps.push_back(row.steps);
        tokens.push_back(row.tokens);
        fitted_steps.push_back(row.fitted_steps);
        fitted_tokens.push_back(row.fitted_tokens);
        notes.push_back(fmt::format("batch of {}: {} steps, {} tokens", count_text(row.batch),
                                    count_text(row.steps), count_text(row.tokens)));
    }
    Figure figure{"Steps and tokens to the target, by batch size", {&source}};
    json measured = line_trace("measured", steps, tokens, 0);
    measured["lines"] = false;
    measured["notes"] = notes;
    json fitted = line_trace("fit", fitted_steps, fitted_tokens, -1);
    make_dashed(fitted);
    figure.traces = {measured, fitted};
    figure.layout = {{"x", decade_axis("Steps", steps, number_tick)},
                     {"y", decade_axis("Tokens", tokens, number_tick)}};
    return figure;
}

Figure noise_figure(const Source& source) {
    std::vector<double> step, scale, low, high;
    for (const auto& row : rows<NoiseRow>(source)) {
        step.push_back(row.step);
        scale.push_back(row.noise_scale);
        low.push_back(row.noise_scale_low);
        high.push_back(row.noise_scale_high);
    }
    Figure figure{"Gradient noise scale during training", {&source}};
    json trace = line_trace("noise scale", step, scale, 1);
    add_interval(trace, low, high);
    figure.traces = {trace};
    figure.layout = {{"x", linear_axis("Step")}, {"y", linear_axis("Sequences")}};
    return figure;
}

void add_noise_finding(const Source& source, Section& section) {
    const auto noise = rows<NoiseRow>(source);
    if (noise.empty()) return;
    const NoiseRow& last = noise.back();
    std::string text = fmt::format(
        "Batch size: at the target loss the gradient noise scale is {} sequences (95 % interval {} "
        "to {})",
        digits_text(last.noise_scale, 3), digits_text(last.noise_scale_low, 3),
        digits_text(last.noise_scale_high, 3));
    const auto fit = rows<TradeOffRow>(source);
    if (!fit.empty()) {
        text += fmt::format(
            "; by the fitted curve, steps and tokens are twice their least at a batch of {} "
            "sequences",
            digits_text(fit.front().critical_batch, 3));
    }
    section.findings.push_back({text + ".", {&source}});
}

}  // namespace

std::optional<Section> batch_size_section(const std::vector<Source>& sources) {
    const auto found = with_rows<BatchRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"batch-size", "Batch size"};
    section.lead =
        "Steps and tokens needed to reach a target loss. Small batches waste steps, large ones "
        "tokens; the gradient noise scale should predict the crossover. Dashed: the fit steps = "
        "least steps + least sequences / batch.";
    for (const Source* source : found) {
        section.figures.push_back(trade_off_figure(*source));
        section.figures.push_back(noise_figure(*source));
        add_noise_finding(*source, section);
        section.body += whole_table<BatchRow>(*source, "By batch size");
        section.body += whole_table<NoiseRow>(*source, "Gradient noise scale");
        section.body += whole_table<TradeOffRow>(*source, "The fitted curve");
    }
    return section;
}

}  // namespace shardstone::results
