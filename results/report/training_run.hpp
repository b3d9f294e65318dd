// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

/// The `summary` of one training record. Infinite or undefined where something was not measured.
struct TrainingRun {
    const Source* source = nullptr;
    std::string model;  ///< and how it is split, but for plain data parallelism
    double ranks = 0.0;
    double cores = 0.0;  ///< physical ones, of all nodes
    double tokens_per_s = 0.0;
    double mfu = 0.0;
    double final_loss = 0.0;
    double validation_loss = 0.0;
    double entropy_rate = 0.0;  ///< finite for the synthetic language only
    double compute_s = 0.0;     ///< over the whole run, as are the next three
    double communication_s = 0.0;
    double data_s = 0.0;
    double optimizer_s = 0.0;
    std::string label;  ///< "8 ranks", with the model's name and a number where that is not enough

    /// What can work at a time: ranks beyond the cores take turns on them.
    double workers() const { return ranks < cores ? ranks : cores; }
    bool has_steps() const;
    const std::vector<double>& steps(const std::string& column) const;
};

/// All runs, by model in order of appearance, then fewest ranks first.
std::vector<TrainingRun> training_runs_of(const std::vector<Source>& sources);

/// Neighbouring runs of one model.
std::vector<std::vector<TrainingRun>> by_model(const std::vector<TrainingRun>& runs);

}  // namespace shardstone::results
