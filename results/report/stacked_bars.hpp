// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/report/section.hpp"
#include "results/report/training_run.hpp"

namespace shardstone::results {

/// One part of a bar: how long it is drawn, and what the pointer shows.
struct BarPart {
    double value = 0.0;
    std::string note;
};

/// One bar for each run, lying, with its parts on top of each other in the order of `names`.
/// `part` gives those of a run by name; `axis` is what they are drawn along (figure.hpp).
Figure stacked_bars(const std::string& title, const std::vector<TrainingRun>& runs,
                    const std::vector<std::string>& names,
                    const std::function<BarPart(const TrainingRun&, const std::string&)>& part,
                    const nlohmann::json& axis);

}  // namespace shardstone::results
