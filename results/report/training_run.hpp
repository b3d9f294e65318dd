// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kernels/base/statistics.hpp"
#include "results/report/system.hpp"
#include "results/schema/training.hpp"

namespace shardstone::results {

/// One training record.
struct TrainingRun {
    const Source* source = nullptr;
    TrainedSystem system;
    TrainingRow summary;
    std::vector<StepRow> steps;
    double cores = 0.0;  ///< physical ones, of all nodes; or GPUs or paced devices
    std::string plan;    ///< "dp=2,tp=2"
    std::string what;    ///< "tiny, fp32, dp=2,tp=2", which repetitions have in common
    std::string label;   ///< that, with the file if it is not unique

    /// Number of ranks that can run at a time: at most the number of cores.
    double workers() const { return summary.ranks < cores ? summary.ranks : cores; }
    /// What those are, in words: each rank of a paced training has a device.
    struct Words {
        const char *one, *several;
    };
    Words worker() const;
    std::vector<double> of_steps(double StepRow::*member) const;
    /// For the steps counted in the run's rate: those after the warm-up.
    std::vector<double> of_counted_steps(double StepRow::*member) const;
    /// Tokens/s of these; only their middle, the run's rate, if there are none.
    Quartiles middle_rates() const;
    bool has_rate_interval() const;  ///< that of the median step
};

/// Runs of one system (system.hpp), fewest ranks first.
using TrainingGroup = std::vector<TrainingRun>;

/// All runs in groups, in order of appearance.
std::vector<TrainingGroup> training_groups(const std::vector<Source>& sources);

/// The runs of a group by what they chose (choices.hpp), which their systems' names then tell: the
/// curves of the section on scaling. A run to which the choices do not apply is in each.
std::vector<TrainingGroup> by_choices(const TrainingGroup& group);

/// All runs, group by group.
std::vector<TrainingRun> training_runs(const std::vector<Source>& sources);

/// Those of the runs of a curve on one number of ranks that speak for it: disturbed ones only where
/// there are no others.
std::vector<const TrainingRun*> that_count(const std::vector<const TrainingRun*>& runs);

/// The geometric mean of their tokens/s.
double mean_rate(const std::vector<const TrainingRun*>& runs);

/// Whether a curve has several runs on one number of ranks.
bool has_repetitions(const TrainingGroup& curve);

/// Whether a curve has several numbers of ranks, and one run on each. Repeated runs are compared
/// by their means, which the section on scaling has.
bool has_efficiency(const TrainingGroup& curve);

/// Throughput per worker over that of the group's runs with the fewest ranks; not a number for
/// those themselves, and so for a whole group run on only one number of ranks, nor if they chose
/// something else (choices.hpp), nor if the measured peaks of a core differ by more than
/// most_peaks_apart (machine_peaks.hpp): the machine was not the same.
double efficiency(const TrainingRun& run, const TrainingGroup& group);

/// Whether it, or the run that it is held against, was disturbed.
bool is_doubtful(const TrainingRun& run, const TrainingGroup& group);

/// Whether the efficiency is above 1 by more than the intervals of both throughputs explain; for
/// records without intervals, by more than the 5 % to which measurements are taken.
bool is_beyond_doubt_too_high(const TrainingRun& run, const TrainingGroup& group);

/// Lower and upper limit of the efficiency by the intervals of both throughputs; not numbers if a
/// record has no interval.
Interval efficiency_range(const TrainingRun& run, const TrainingGroup& group);

/// Factor between the peaks if the efficiency is omitted for that reason, else not a number.
double peaks_in_the_way(const TrainingRun& run, const TrainingGroup& group);

/// "75.0 % (71.2 to 80.3 %)", "omitted: measured peaks of a core differ by a factor of 1.28",
/// "100.1 %, within the uncertainty", "error: 131 % of what is possible".
std::string efficiency_text(const TrainingRun& run, const TrainingGroup& group);

}  // namespace shardstone::results
