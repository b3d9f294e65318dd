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

/// One horizontal bar per label, with its parts stacked in the order of `names`. `part` gives those
/// of a bar (by its number) by name; `axis` is their axis (figure.hpp). The sources are the
/// caller's to add.
Figure stacked_bars(const std::string& title, const std::vector<std::string>& labels,
                    const std::vector<std::string>& names,
                    const std::function<BarPart(std::size_t, const std::string&)>& part,
                    const nlohmann::json& axis);

/// The same with a bar per run.
Figure stacked_bars(const std::string& title, const std::vector<TrainingRun>& runs,
                    const std::vector<std::string>& names,
                    const std::function<BarPart(const TrainingRun&, const std::string&)>& part,
                    const nlohmann::json& axis);

}  // namespace shardstone::results
