// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::validation {

/// One training of a made-up scaling study, on `ranks` ranks with plan dp.
struct ScaledRun {
    int ranks = 1;
    double tokens_per_s = 1000.0;
    double tokens_per_step = 100.0;
    /// Time and prediction by part of the gap; none: a training without --explain.
    std::map<std::string, std::pair<double, double>> gap = {};
    bool disturbed = false;
    std::string precision = "fp32";
};

/// Its record, with three steps of tokens_per_step / tokens_per_s of which the last two are split.
results::Record written_run(const ScaledRun& run);

/// On so many ranks of strong scaling: a step of `step_s` by prediction, of which the share `lost`
/// is no useful pass; its rate is `off` times the predicted one.
results::Record run_that_loses(int ranks, double step_s, double lost, double off);

/// Two runs per entry whose rates are off by these factors: e^d and e^-d.
std::vector<results::Record> written_twice(const std::vector<ScaledRun>& runs, double d);

}  // namespace shardstone::validation
