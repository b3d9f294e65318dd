// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/report/section.hpp"
#include "results/report/training_run.hpp"

namespace shardstone::results {

/// One part of a bar: its length, and its tooltip.
struct BarPart {
    double value = 0.0;
    std::string note;
};

/// One horizontal bar per run, with its parts stacked in the order of `names`. `part` gives those
/// of a run by name; `axis` is their axis (figure.hpp).
Figure stacked_bars(const std::string& title, const std::vector<TrainingRun>& runs,
                    const std::vector<std::string>& names,
                    const std::function<BarPart(const TrainingRun&, const std::string&)>& part,
                    const nlohmann::json& axis);

}  // namespace shardstone::results
