// SPDX-License-Identifier: BSD-3-Clause
// Runs side by side, each as one bar made of its parts.
#include "results/report/stacked_bars.hpp"

#include "results/report/figure.hpp"

namespace shardstone::results {

Figure stacked_bars(const std::string& title, const std::vector<TrainingRun>& runs,
                    const std::vector<std::string>& names,
                    const std::function<BarPart(const TrainingRun&, const std::string&)>& part,
                    const nlohmann::json& axis) {
    Figure figure{title, {}};
    figure.wide = true;
    std::vector<std::string> labels;
    for (const auto& run : runs) {
        labels.push_back(run.label);
        figure.from.push_back(run.source);
    }
    int shade = 0;
    for (const auto& name : names) {
        std::vector<double> values;
        std::vector<std::string> notes;
        for (const auto& run : runs) {
            BarPart one = part(run, name);
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
                     {"height", 130 + 44 * std::ssize(runs)},
                     {"y", axis}};
    return figure;
}

}  // namespace shardstone::results
