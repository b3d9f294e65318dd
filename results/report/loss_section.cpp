// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/section.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// One curve per run. Equal curves lie on each other: the first ones are drawn wider, so that they
/// show on both sides of those above them.
Figure curves(const std::vector<TrainingRun>& runs, const std::string& title,
              const std::string& column, const std::string& axis) {
    Figure figure{title, json::array(), json::object(), false};
    int shade = 0;
    for (const auto& run : runs) {
        json trace = line_trace(run.label, run.steps("step"), run.steps(column), shade);
        trace["mode"] = "lines";
        const auto above = static_cast<int>(std::ssize(runs)) - 1 - shade;
        trace["line"]["width"] = 2.0 + 2.5 * std::min(above, 4);
        figure.data.push_back(trace);
        ++shade;
    }
    figure.layout = {{"xaxis", {{"title", "Step"}}}, {"yaxis", {{"title", axis}}}};
    return figure;
}

void add_entropy_line(const std::vector<TrainingRun>& runs, Figure& figure) {
    const auto known =
        std::ranges::find_if(runs, [](const auto& run) { return std::isfinite(run.entropy_rate); });
    if (known == runs.end()) return;
    const auto [first, last] = std::ranges::minmax(known->steps("step"));
    json line = line_trace("entropy rate of the language", {first, last},
                           {known->entropy_rate, known->entropy_rate}, -1);
    make_dashed(line);
    figure.data.push_back(line);
}

/// Runs of one model that took the very same losses, bit by bit.
void add_agreement(const std::vector<TrainingRun>& group, Section& section) {
    std::vector<std::string> alike;
    for (const auto& run : group) {
        if (run.steps("loss") == group.front().steps("loss")) alike.push_back(run.label);
    }
    if (alike.size() < 2) return;
    section.findings.push_back(fmt::format("The {} losses of {} are equal bit by bit.",
                                           group.front().steps("loss").size(), listed(alike)));
}

void add_final_loss(const TrainingRun& run, Section& section) {
    const auto& losses = run.steps("loss");
    std::string text = fmt::format("On {}, '{}' goes from a loss of {} to {} nats per token in {}",
                                   plural(run.ranks, "rank"), run.model,
                                   digits_text(losses.front(), 4), digits_text(run.final_loss, 4),
                                   plural(static_cast<double>(losses.size()), "step"));
    if (std::isfinite(run.validation_loss)) {
        text +=
            fmt::format(", {} on text it was not trained on", digits_text(run.validation_loss, 4));
    }
    if (std::isfinite(run.entropy_rate) && run.entropy_rate > 0.0) {
        text += fmt::format(
            "; no model can do better than the language's entropy rate of {}, which "
            "it exceeds by {}",
            digits_text(run.entropy_rate, 4),
            percent_text(run.final_loss / run.entropy_rate - 1.0));
    }
    section.findings.push_back(text + ".");
}

}  // namespace

std::optional<Section> loss_section(const std::vector<Source>& sources) {
    auto runs = training_runs_of(sources);
    std::erase_if(runs, [](const auto& run) { return !run.has_steps(); });
    if (runs.empty()) return std::nullopt;
    Section section{"loss", "Loss", {}, {}, {}, {}, {}};
    section.lead =
        "Training loss in nats per token, with the gradient's norm before clipping. Curves that "
        "agree lie on each other and are drawn as nested bands.";
    section.figures = {curves(runs, "Training loss", "loss", "Loss (nats per token)"),
                       curves(runs, "Gradient norm", "gradient_norm", "Norm before clipping")};
    add_entropy_line(runs, section.figures.front());
    for (const auto& group : by_model(runs)) {
        add_final_loss(group.back(), section);
        add_agreement(group, section);
    }
    return section;
}

}  // namespace shardstone::results
