// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <vector>

#include "results/report/section.hpp"
#include "results/report/training_run.hpp"

namespace shardstone::results {

/// Tokens per second by number of ranks, with their intervals. Runs that repeat a number of ranks
/// are points; the line goes through their means (mean_rate).
Figure throughput_figure(const std::vector<TrainingGroup>& curves);

/// In percent, of the curves that have one (has_efficiency).
Figure efficiency_figure(const std::vector<TrainingGroup>& curves);

std::vector<const Source*> sources_of(const std::vector<TrainingGroup>& groups);

/// "core in use", "paced device", "core in use or paced device".
template <class Groups>
std::string workers_in(Groups&& groups, const char* TrainingRun::Words::*form) {
    std::set<std::string> words;  // runs of a system are alike in it
    for (const TrainingGroup& group : groups) words.insert(group.front().worker().*form);
    return fmt::format("{}", fmt::join(words, " or "));
}

}  // namespace shardstone::results
