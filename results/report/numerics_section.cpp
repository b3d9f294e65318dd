// SPDX-License-Identifier: BSD-3-Clause
// The report's section on precision policies: verdicts, loss differences, gradient errors by layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "results/report/figure.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/validation.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// A sentence for each part: how many pass, and who does not.
void add_verdict_findings(const Source& source, Section& section) {
    std::vector<std::string> order;
    std::map<std::string, std::map<std::string, std::vector<std::string>>> by_part;
    for (const auto& row : rows<VerdictRow>(source)) {
        if (std::ranges::find(order, row.part) == order.end()) order.push_back(row.part);
        by_part[row.part][row.verdict].push_back(
            row.model.empty() ? row.subject : fmt::format("{} ({})", row.subject, row.model));
    }
    for (const std::string& part : order) {
        auto& of_part = by_part[part];
        std::string text =
            fmt::format("Numerical validation, {}: {} pass", part, of_part["pass"].size());
        for (const auto* word : {"fail", "undecided"}) {
            if (!of_part[word].empty()) {
                text += fmt::format("; {}: {}", word, listed(of_part[word]));
            }
        }
        const bool all_pass = of_part["fail"].empty() && of_part["undecided"].empty();
        if (!all_pass) text += " (verdicts on these policies, not checks of the run)";
        section.findings.push_back({text + ".", {&source}});
    }
}

/// Values of one policy and model, in the order of the record.
struct PolicySeries {
    std::vector<double> x, y;
};

Figure difference_figure(const Source& source, const std::string& model) {
    std::map<std::string, PolicySeries> series;
    std::vector<std::string> order;
    for (const auto& row : rows<LossCurveRow>(source)) {
        if (row.model != model || row.policy == "fp32") continue;
        if (!series.contains(row.policy)) order.push_back(row.policy);
        series[row.policy].x.push_back(row.step);
        series[row.policy].y.push_back(row.difference_to_fp32);
    }
    Figure figure{fmt::format("Training loss less FP32's, '{}', mean over seeds", model),
                  {&source}};
    int shade = 0;
    for (const auto& policy : order) {
        json trace = line_trace(policy, series[policy].x, series[policy].y, shade++);
        trace["points"] = false;
        figure.traces.push_back(trace);
    }
    figure.layout = {{"x", linear_axis("Step")}, {"y", plain_axis("nats per token")}};
    return figure;
}

/// Largest relative error of a gradient by layer; embeddings and final norm stand at -1.
Figure depth_figure(const Source& source, const std::string& model) {
    std::map<std::string, std::map<double, double>> largest;
    for (const auto& row : rows<GradientErrorRow>(source)) {
        if (row.model != model || !std::isfinite(row.relative_norm)) continue;
        double& known = largest[row.policy][row.layer];
        known = std::max(known, row.relative_norm);
    }
    Figure figure{fmt::format("Largest error of a tensor's gradient by layer, '{}'", model),
                  {&source}};
    int shade = 0;
    for (const auto& [policy, by_layer] : largest) {
        PolicySeries series;
        for (const auto& [layer, error] : by_layer) {
            series.x.push_back(layer);
            series.y.push_back(error);
        }
        figure.traces.push_back(line_trace(policy, series.x, series.y, shade++));
    }
    figure.layout = {{"x", plain_axis("Layer (-1: embeddings, final norm)")},
                     {"y", log_axis("Relative to FP64")}};
    return figure;
}

template <class Row>
std::vector<std::string> models_of(const Source& source) {
    std::vector<std::string> models;
    for (const auto& row : rows<Row>(source)) {
        if (std::ranges::find(models, row.model) == models.end()) models.push_back(row.model);
    }
    return models;
}

void add_numerics(const Source& source, Section& section) {
    add_verdict_findings(source, section);
    for (const auto& model : models_of<LossCurveRow>(source)) {
        section.figures.push_back(difference_figure(source, model));
    }
    for (const auto& model : models_of<GradientErrorRow>(source)) {
        section.figures.push_back(depth_figure(source, model));
    }
    section.body += whole_table<VerdictRow>(source, "Verdicts");
    section.body += whole_table<KernelErrorRow>(source, "Errors of kernels");
    section.body += whole_table<GradientErrorRow>(source, "Errors of gradients");
    section.body += whole_table<ReductionErrorRow>(source, "Errors of sums over ranks");
    section.body += whole_table<HeldOutLossRow>(source, "Held-out losses");
}

}  // namespace

std::optional<Section> numerics_section(const std::vector<Source>& sources) {
    const auto found = with_rows<VerdictRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"numerics", "Numerical validation"};
    section.lead =
        "Each precision policy against FP32 and FP64 from the same weights and data. Kernels, sums "
        "and gradients are compared with derived bounds; the held-out loss must differ from FP32's "
        "by provably less than one seed differs from another; the loss must come within 2 % of the "
        "entropy rate of the language. The criteria were fixed in advance. A verdict is a result "
        "about a policy: one that fails by its gradients or its losses is a finding of the run. "
        "The run's own checks are different: bounds of kernels and sums hold, gradients were "
        "compared, and the FP32 and FP64 references trained.";
    for (const Source* source : found) add_numerics(*source, section);
    return section;
}

}  // namespace shardstone::results
