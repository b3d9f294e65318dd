// SPDX-License-Identifier: BSD-3-Clause
// Runs side by side, each as one bar made of its parts.
#include "results/report/stacked_bars.hpp"

#include "results/report/figure.hpp"

namespace shardstone::results {

Figure stacked_bars(const std::string& title, const std::vector<std::string>& labels,
                    const std::vector<std::string>& names,
                    const std::function<BarPart(std::size_t, const std::string&)>& part,
                    const nlohmann::json& axis) {
    Figure figure{title, {}};
    figure.wide = true;
    int shade = 0;
    for (const auto& name : names) {
        std::vector<double> values;
        std::vector<std::string> notes;
        for (std::size_t bar = 0; bar < labels.size(); ++bar) {
            BarPart one = part(bar, name);
            values.push_back(one.value);
            notes.push_back(std::move(one.note));
        }
        nlohmann::json trace = bar_trace(name, values, shade++);
        trace["notes"] = notes;
        figure.traces.push_back(trace);
    }
    figure.layout = {{"labels", labels},
                     {"horizontal", true},
                     {"stacked", true},
                     {"height", 130 + 44 * std::ssize(labels)},
                     {"y", axis}};
    return figure;
}

Figure stacked_bars(const std::string& title, const std::vector<TrainingRun>& runs,
                    const std::vector<std::string>& names,
                    const std::function<BarPart(const TrainingRun&, const std::string&)>& part,
                    const nlohmann::json& axis) {
    std::vector<std::string> labels;
    std::vector<const Source*> from;
    for (const auto& run : runs) {
        labels.push_back(run.label);
        from.push_back(run.source);
    }
    const auto of_bar = [&](std::size_t bar, const std::string& name) {
        return part(runs[bar], name);
    };
    Figure figure = stacked_bars(title, labels, names, of_bar, axis);
    figure.from = from;
    return figure;
}

}  // namespace shardstone::results
