// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "results/report/training_run.hpp"

namespace shardstone::results {

/// Where the time of a step went, as the mean over those of several runs that were split into parts
/// (train --explain).
struct MeanSplit {
    std::vector<GapRow> gap;  ///< by part; empty if no run was split
    std::vector<ChangedStepRow> changed;
    double step_s = NAN;  ///< mean of the steps that were split, by the trainings' own clock
    std::vector<const Source*> without;  ///< runs that were not split

    bool is_there() const { return !gap.empty(); }
    double parts_s() const;      ///< sum of the parts
    double predicted_s() const;  ///< sum of the predicted ones
    /// Null if there is no such part.
    const GapRow* part(const std::string& name) const;
};

/// The same change: another all-reduce is not the same if it is another one.
bool is_same_change(const ChangedStepRow& one, const ChangedStepRow& other);

/// Parts are joined by name: records of different versions split in different ones, and where a
/// part is missing, it counts as zero, as its time lies in the others. Its least and most are over
/// all steps of all runs. A change that some of the runs were not replayed with shortens the mean
/// step as it shortens theirs.
MeanSplit mean_split(const std::vector<const TrainingRun*>& runs);

}  // namespace shardstone::results
