// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figure.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// Steps across, tokens up: the curve along which a target is reached.
Figure trade_off_figure(const Source& source) {
    const auto& steps = numbers(source, "batches", "steps");
    const auto& tokens = numbers(source, "batches", "tokens");
    Figure figure{"Steps and tokens to the target, by batch size", json::array(), json::object(),
                  false};
    json measured = line_trace("measured", steps, tokens, 0);
    measured["mode"] = "markers+text";
    json labels = json::array();
    for (const double batch : numbers(source, "batches", "batch")) {
        labels.push_back(count_text(batch));
    }
    measured["text"] = labels;
    measured["textposition"] = "top right";
    json fitted = line_trace("fit", numbers(source, "batches", "fitted_steps"),
                             numbers(source, "batches", "fitted_tokens"), -1);
    make_dashed(fitted);
    figure.data = {measured, fitted};
    figure.layout = {{"xaxis", decade_axis("Steps", steps, number_tick)},
                     {"yaxis", decade_axis("Tokens", tokens, number_tick)}};
    return figure;
}

Figure noise_figure(const Source& source) {
    const auto& scale = numbers(source, "noise", "noise_scale");
    Figure figure{"Gradient noise scale on the way", json::array(), json::object(), false};
    json trace = line_trace("noise scale", numbers(source, "noise", "step"), scale, 1);
    add_interval(trace, numbers(source, "noise", "noise_scale_low"),
                 numbers(source, "noise", "noise_scale_high"));
    figure.data = {trace};
    figure.layout = {{"xaxis", {{"title", "Step"}}}, {"yaxis", linear_axis("Sequences")}};
    return figure;
}

void add_finding(const Source& source, Section& section) {
    const double noise = numbers(source, "noise", "noise_scale").back();
    const double low = numbers(source, "noise", "noise_scale_low").back();
    const double high = numbers(source, "noise", "noise_scale_high").back();
    std::string text = fmt::format(
        "At the target the gradient noise scale is {} sequences (95 % interval {} to {})",
        digits_text(noise, 3), digits_text(low, 3), digits_text(high, 3));
    if (source.record.has_table("trade_off")) {
        text += fmt::format(
            "; measured steps and tokens are twice their least at a batch of {} sequences",
            digits_text(number(source, "trade_off", "critical_batch"), 3));
    }
    section.findings.push_back(text + ".");
}

}  // namespace

std::optional<Section> batch_size_section(const std::vector<Source>& sources) {
    Section section{"batch-size", "Batch size", {}, {}, {}, {}, {}};
    section.lead =
        "Steps and tokens that a target loss takes. Small batches waste steps, large ones tokens; "
        "the gradient noise scale is to tell where one turns into the other. Dashed: steps = least "
        "steps + least sequences / batch, fitted.";
    for (const Source& source : sources) {
        if (source.record.kind != "batch-size") continue;
        section.figures.push_back(trade_off_figure(source));
        section.figures.push_back(noise_figure(source));
        add_finding(source, section);
    }
    if (section.figures.empty()) return std::nullopt;
    return section;
}

}  // namespace shardstone::results
