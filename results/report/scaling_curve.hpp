// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kernels/base/statistics.hpp"
#include "results/report/choices.hpp"
#include "results/report/split_runs.hpp"
#include "results/report/training_run.hpp"

namespace shardstone::results {

/// All runs of one system, with equal choices, on one number of ranks: repetitions of one
/// measurement.
struct ScalingPoint {
    double ranks = 0.0;
    double tokens_per_step = 0.0;
    std::vector<const Source*> from;
    std::vector<double> rates;  ///< tokens/s, one per run
    double rate = 0.0;          ///< their geometric mean
    /// Student's t interval, 95 %, of the logarithms over the runs; of a single run that over its
    /// steps, which does not know how runs differ.
    Interval interval;
    std::size_t disturbed = 0;  ///< runs among them that were; all are, or none is in the rates
    std::size_t left_out = 0;   ///< disturbed runs beside undisturbed ones
    MeanSplit split;            ///< over those of the runs that were split

    bool is_disturbed() const { return disturbed > 0; }
    std::size_t split_runs() const { return rates.size() - split.without.size(); }
    /// Tokens/s with a change, one of split.changed.
    double rate_if(const ChangedStepRow& change) const {
        return rate * split.parts_s() / change.step_s;
    }
    double step_s() const { return tokens_per_step / rate; }
};

/// Points of one system on growing numbers of ranks. In weak scaling the work of a rank stays, in
/// strong scaling the global batch.
struct ScalingCurve {
    TrainedSystem system;
    Choices choices;      ///< of all its runs, which fit them
    std::string machine;  ///< ", on vm: ..." if the records are of several machines, else ""
    bool is_weak = false;
    std::vector<ScalingPoint> points;  ///< fewest ranks first, two at least
    std::vector<const Source*> runs;   ///< of all points, also those that do not count

    const ScalingPoint& base() const { return points.front(); }
    /// "tiny, fp32, paced ...: weak scaling, 64 tokens per rank and step"; another for each curve.
    std::string name() const;
    /// All parts that a point's steps have, in their order.
    std::vector<std::string> parts() const;
    /// Rate over the base's, and that over the ratio of ranks.
    double speedup(const ScalingPoint& point) const { return point.rate / base().rate; }
    double efficiency(const ScalingPoint& point) const;
    bool is_disturbed() const;  ///< whether any of its points is
    /// 95 % interval of the efficiency; not numbers where the point or the base has a single run.
    /// The logarithm of the efficiency is the mean of the logarithms of the point's rates, less
    /// that of the base's, less the known one of the ratio of ranks. Runs on many ranks vary more
    /// than runs on few, so that the variances s^2 of the two are not pooled: with v = s^2 / n of
    /// the n runs of each, the ends are E exp(-+ t sqrt(v + v')), t Student's at 0.975 with
    /// (v + v')^2 / (v^2 / (n - 1) + v'^2 / (n' - 1)) degrees of freedom (Welch 1947, Satterthwaite
    /// 1946).
    Interval efficiency_range(const ScalingPoint& point) const;
};

/// The curves in the records of trainings, in order of appearance. Runs that chose differently
/// (choices.hpp) are of different curves; one to which the choices do not apply, such as a run on
/// one rank, is in each. So is a run that fits both into a weak and into a strong curve. Disturbed
/// runs count only where a point has no others.
std::vector<ScalingCurve> scaling_curves(const std::vector<Source>& sources);

/// Whether its record says how many tokens a step has, without which it can be in no curve; those
/// of older versions do not.
bool says_tokens_of_step(const TrainingRun& run);

/// That a curve's runs are of several builds of the program; "" if they are not.
std::string builds_words(const ScalingCurve& curve);

}  // namespace shardstone::results
