// SPDX-License-Identifier: BSD-3-Clause
// The report's section on loss: curves by step, agreement bit by bit, distance to the entropy rate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// One curve per run. Equal curves lie on each other: the first ones are drawn wider and
/// below, so that they show on both sides of those above them.
Figure loss_curves(const std::vector<TrainingRun>& runs, const std::string& title,
                   double StepRow::*member, const std::string& axis) {
    Figure figure{title, {}};
    int shade = 0;
    for (const auto& run : runs) {
        json trace =
            line_trace(run.label, run.of_steps(&StepRow::step), run.of_steps(member), shade);
        trace["points"] = false;
        const auto above = static_cast<int>(std::ssize(runs)) - 1 - shade;
        trace["width"] = 2.0 + 2.5 * std::min(above, 4);
        trace["layer"] = shade;
        figure.traces.push_back(trace);
        figure.from.push_back(run.source);
        ++shade;
    }
    figure.layout = {{"x", linear_axis("Step")}, {"y", plain_axis(axis)}};
    return figure;
}

void add_entropy_line(const std::vector<TrainingRun>& runs, Figure& figure) {
    const auto known = std::ranges::find_if(
        runs, [](const auto& run) { return std::isfinite(run.summary.entropy_rate); });
    if (known == runs.end()) return;
    const double rate = known->summary.entropy_rate;
    json line = line_trace("entropy rate of the language",
                           {known->steps.front().step, known->steps.back().step}, {rate, rate}, -1);
    make_dashed(line);
    line["layer"] = runs.size();
    figure.traces.push_back(line);
}

/// Runs of one system that took the very same losses, bit by bit.
void add_agreement(const TrainingGroup& group, Section& section) {
    const auto losses = group.front().of_steps(&StepRow::loss);
    std::vector<std::string> alike;
    std::vector<const Source*> from;
    for (const auto& run : group) {
        if (run.of_steps(&StepRow::loss) != losses) continue;
        alike.push_back(run.label);
        from.push_back(run.source);
    }
    if (losses.empty() || alike.size() < 2) return;
    section.findings.push_back({fmt::format("The {} training losses of {} are equal bit by bit.",
                                            losses.size(), listed(alike)),
                                from});
}

void add_final_loss(const TrainingRun& run, Section& section) {
    const TrainingRow& summary = run.summary;
    std::string text =
        fmt::format("Training '{}' goes from a loss of {} to {} nats per token in {}", run.label,
                    digits_text(run.steps.front().loss, 4), digits_text(summary.final_loss, 4),
                    plural(static_cast<double>(run.steps.size()), "step"));
    if (std::isfinite(summary.validation_loss)) {
        text += fmt::format(", {} on text it was not trained on",
                            digits_text(summary.validation_loss, 4));
    }
    if (std::isfinite(summary.entropy_rate) && summary.entropy_rate > 0.0) {
        const double ratio = summary.final_loss / summary.entropy_rate;
        text += fmt::format("; the language's entropy rate is {}, the final loss {} times that",
                            digits_text(summary.entropy_rate, 4), digits_text(ratio, 4));
    }
    section.findings.push_back({text + ".", {run.source}});
}

/// One curve per run with experts; nothing where there is none.
void add_router_curves(const std::vector<TrainingRun>& runs, const std::string& title,
                       double RouterRow::*member, const std::string& axis, Section& section) {
    Figure figure{title, {}};
    for (const auto& run : runs) {
        const auto steps = rows<RouterRow>(*run.source);
        if (steps.empty()) continue;
        std::vector<double> x, y;
        for (const RouterRow& row : steps) {
            x.push_back(row.step);
            y.push_back(row.*member);
        }
        figure.traces.push_back(
            line_trace(run.label, x, y, static_cast<int>(figure.traces.size())));
        figure.traces.back()["points"] = false;
        figure.from.push_back(run.source);
    }
    if (figure.traces.empty()) return;
    figure.layout = {{"x", linear_axis("Step")}, {"y", plain_axis(axis)}};
    section.figures.push_back(figure);
}

void add_router(const TrainingRun& run, Section& section) {
    const auto steps = rows<RouterRow>(*run.source);
    if (steps.empty()) return;
    const RouterRow& last = steps.back();
    section.findings.push_back(
        {fmt::format("In the last step of training '{}', {} of the expert choices are dropped; the "
                     "balance loss is {} (1 if all experts are used equally).",
                     run.label, share_text(last.dropped_share), digits_text(last.balance_loss, 4)),
         {run.source}});
}

std::string step_tables(const TrainingRun& run) {
    constexpr std::size_t most_listed = 100;
    std::string html;
    if (run.steps.size() <= most_listed) {
        html += whole_table<StepRow>(*run.source, "Every step of " + run.label);
        html += whole_table<RouterRow>(*run.source, "Use of the experts of " + run.label);
    }
    return html + whole_table<EvaluationRow>(*run.source, "Held-out loss of " + run.label);
}

}  // namespace

std::optional<Section> loss_section(const std::vector<Source>& sources) {
    auto groups = training_groups(sources);
    std::vector<TrainingRun> runs;
    for (auto& group : groups) {
        std::erase_if(group,
                      [](const auto& run) { return run.steps.empty() || is_paced(*run.source); });
        runs.insert(runs.end(), group.begin(), group.end());
    }
    if (runs.empty()) return std::nullopt;
    Section section{"loss", "Loss"};
    section.lead =
        "Training loss in nats per token, with the gradient norm before clipping. Curves that "
        "coincide are drawn as nested bands.";
    section.figures = {
        loss_curves(runs, "Training loss", &StepRow::loss, "Loss (nats per token)"),
        loss_curves(runs, "Gradient norm", &StepRow::gradient_norm, "Norm before clipping")};
    add_entropy_line(runs, section.figures.front());
    add_router_curves(runs, "Balance of the experts", &RouterRow::balance_loss,
                      "Balance loss (1: balanced)", section);
    add_router_curves(runs, "Dropped expert choices", &RouterRow::dropped_share,
                      "Share of the choices", section);
    for (const auto& group : groups) {
        if (group.empty()) continue;
        add_final_loss(group.back(), section);
        add_agreement(group, section);
        for (const auto& run : group) add_router(run, section);
    }
    for (const auto& run : runs) section.body += step_tables(run);
    return section;
}

}  // namespace shardstone::results
