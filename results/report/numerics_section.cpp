// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr const char* verdicts = "verdicts";

std::string digits(double value) {
    return std::isfinite(value) ? digits_text(value, 3) : "-";
}

std::string interval_text(double low, double high) {
    return low < high ? fmt::format("{} to {}", digits(low), digits(high)) : "-";
}

std::string allowed_text(double low, double high) {
    return std::isfinite(low) ? interval_text(low, high) : "up to " + digits(high);
}

/// Every verdict with the numbers that it follows from.
std::string verdict_table(const Source& source) {
    const auto text = [&](const char* column) { return texts(source, verdicts, column); };
    const auto number_of = [&](const char* column) { return numbers(source, verdicts, column); };
    const auto part = text("part"), subject = text("subject"), model = text("model"),
               verdict = text("verdict"), quantity = text("quantity"), worst = text("worst");
    const auto value = number_of("value"), low = number_of("low"), high = number_of("high"),
               allowed_low = number_of("allowed_low"), allowed_high = number_of("allowed_high"),
               further = number_of("further");
    HtmlTable table({"Part", "Policy", "Model", "Verdict", "What", "Value", "95 % interval",
                     "Allowed", "Where it is worst"});
    for (std::size_t i = 0; i < part.size(); ++i) {
        const std::string more =
            verdict[i] == "undecided" && further[i] > 0.0
                ? fmt::format("undecided, {} more samples", count_text(further[i]))
                : verdict[i];
        table.add_row({part[i], subject[i], model[i], more, quantity[i], digits(value[i]),
                       interval_text(low[i], high[i]),
                       allowed_text(allowed_low[i], allowed_high[i]), worst[i]});
    }
    return table.html();
}

/// A sentence for each part: how many pass, and who does not.
void add_numerics_findings(const Source& source, Section& section) {
    const auto& parts = texts(source, verdicts, "part");
    const auto& subjects = texts(source, verdicts, "subject");
    const auto& models = texts(source, verdicts, "model");
    const auto& words = texts(source, verdicts, "verdict");
    std::vector<std::string> order;
    std::map<std::string, std::map<std::string, std::vector<std::string>>> by_part;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (std::ranges::find(order, parts[i]) == order.end()) order.push_back(parts[i]);
        by_part[parts[i]][words[i]].push_back(
            models[i].empty() ? subjects[i] : fmt::format("{} ({})", subjects[i], models[i]));
    }
    for (const std::string& part : order) {
        auto& of_part = by_part[part];
        std::string text = fmt::format("{}: {} pass", part, of_part["pass"].size());
        for (const auto* word : {"fail", "undecided"}) {
            if (!of_part[word].empty()) {
                text += fmt::format("; {}: {}", word, listed(of_part[word]));
            }
        }
        section.findings.push_back(text + ".");
    }
}

/// Values of one policy and model, in the order of the record.
struct Series {
    std::vector<double> x, y;
};

Figure difference_figure(const Source& source, const std::string& model) {
    constexpr const char* table = "loss_curves";
    const auto& policies = texts(source, table, "policy");
    const auto& models = texts(source, table, "model");
    const auto& steps = numbers(source, table, "step");
    const auto& differences = numbers(source, table, "difference_to_fp32");
    std::vector<std::string> order;
    std::map<std::string, Series> series;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        if (models[i] != model || policies[i] == "fp32") continue;
        if (!series.contains(policies[i])) order.push_back(policies[i]);
        series[policies[i]].x.push_back(steps[i]);
        series[policies[i]].y.push_back(differences[i]);
    }
    Figure figure{fmt::format("Training loss less FP32's, '{}', mean over seeds", model),
                  json::array(), json::object(), false};
    int shade = 0;
    for (const auto& policy : order) {
        json trace = line_trace(policy, series[policy].x, series[policy].y, shade++);
        trace["mode"] = "lines";
        figure.data.push_back(trace);
    }
    figure.layout = {{"xaxis", {{"title", "Step"}}}, {"yaxis", {{"title", "nats per token"}}}};
    return figure;
}

/// Largest relative error of a gradient by layer; embeddings and final norm stand at -1.
Figure depth_figure(const Source& source, const std::string& model) {
    constexpr const char* table = "gradient_errors";
    const auto& policies = texts(source, table, "policy");
    const auto& models = texts(source, table, "model");
    const auto& layers = numbers(source, table, "layer");
    const auto& errors = numbers(source, table, "relative_norm");
    std::map<std::string, std::map<double, double>> largest;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        if (models[i] != model || !std::isfinite(errors[i])) continue;
        double& known = largest[policies[i]][layers[i]];
        known = std::max(known, errors[i]);
    }
    Figure figure{fmt::format("Largest error of a tensor's gradient by layer, '{}'", model),
                  json::array(), json::object(), false};
    int shade = 0;
    for (const auto& [policy, by_layer] : largest) {
        Series series;
        for (const auto& [layer, error] : by_layer) {
            series.x.push_back(layer);
            series.y.push_back(error);
        }
        figure.data.push_back(line_trace(policy, series.x, series.y, shade++));
    }
    figure.layout = {{"xaxis", {{"title", "Layer (-1: embeddings, final norm)"}, {"dtick", 1}}},
                     {"yaxis", {{"title", "Relative to FP64"}, {"type", "log"}}}};
    return figure;
}

std::vector<std::string> models_of(const Source& source, const std::string& table) {
    std::vector<std::string> models;
    if (!source.record.has_table(table)) return models;
    for (const auto& model : texts(source, table, "model")) {
        if (std::ranges::find(models, model) == models.end()) models.push_back(model);
    }
    return models;
}

/// A table of the record as it is: texts, then numbers.
std::string whole_table(const Source& source, const std::string& name) {
    const Table& table = source.record.table(name);
    std::vector<std::string> header;
    for (const auto& column : table.columns) header.push_back(column.name);
    HtmlTable html(header);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::vector<std::string> cells;
        for (const auto& column : table.columns) {
            cells.push_back(column.texts.empty() ? digits(column.numbers[row]) : column.texts[row]);
        }
        html.add_row(std::move(cells));
    }
    return html.html();
}

void add_body(const Source& source, Section& section) {
    section.body += verdict_table(source);
    constexpr std::array<std::array<const char*, 2>, 4> tables{
        {{"kernel_errors", "Errors of kernels"},
         {"gradient_errors", "Errors of gradients"},
         {"reduction_errors", "Errors of sums over ranks"},
         {"held_out_losses", "Held-out losses"}}};
    for (const auto& [name, title] : tables) {
        if (!source.record.has_table(name)) continue;
        section.body += foldable(title, whole_table(source, name));
    }
}

}  // namespace

std::optional<Section> numerics_section(const std::vector<Source>& sources) {
    Section section{"numerics", "Numerical validation", {}, {}, {}, {}, {}};
    section.lead =
        "Each precision policy against FP32 and FP64 from the same weights and data. Kernels, sums "
        "and gradients are held against derived bounds; the held-out loss must differ from FP32's "
        "by provably less than one seed differs from another; the loss must come within 2 % of the "
        "entropy rate of the language. The criteria were fixed beforehand.";
    for (const Source& source : sources) {
        if (source.record.kind != "numerics") continue;
        add_numerics_findings(source, section);
        for (const auto& model : models_of(source, "loss_curves")) {
            section.figures.push_back(difference_figure(source, model));
        }
        for (const auto& model : models_of(source, "gradient_errors")) {
            section.figures.push_back(depth_figure(source, model));
        }
        add_body(source, section);
    }
    if (section.body.empty()) return std::nullopt;
    return section;
}

}  // namespace shardstone::results
