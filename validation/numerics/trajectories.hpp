// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/precision/precision.hpp"
#include "reference/trainer/options.hpp"
#include "validation/numerics/verdict.hpp"

namespace shardstone::validation {

/// What one training gave; fewer losses where a signal ended it.
struct Trajectory {
    std::vector<double> losses;  ///< of every step: mean over its batch, nats
    double held_out_loss = 0.0;  ///< after the last step, nats
    double skipped = 0.0;        ///< steps that overflowed
};

/// Trains on one rank, in Real (float for every policy; double for what FP32 is held against), on a
/// core or (Cuda) on the rank's GPU. `alone` has one rank.
template <class Real, class Space = Host>
Trajectory train_alone(const collectives::Communicator& alone,
                       const reference::TrainOptions& options, const reference::Dataset& text);

extern template Trajectory train_alone<float>(const collectives::Communicator&,
                                              const reference::TrainOptions&,
                                              const reference::Dataset&);
extern template Trajectory train_alone<double>(const collectives::Communicator&,
                                               const reference::TrainOptions&,
                                               const reference::Dataset&);

/// What is trained: one model, each policy with each seed, on one text in a small language.
struct TrajectoryStudy {
    reference::GptConfig model;
    std::int64_t steps = 300;
    int seeds = 8;  ///< at least 2
    std::vector<reference::Precision> policies;
    /// For FP64, which is slow and, since it differs from FP32 by some 1e-8, needs no more.
    int fp64_seeds = 2;
    /// Of all trainings but those in FP64, which no GPU's kernels compute in.
    reference::DeviceKind device = reference::DeviceKind::cpu;
};

/// All trainings of one arithmetic; entry s has seed s + 1: initial weights and order of the data.
struct SeedRuns {
    std::string policy;  ///< "fp64" for training in double
    std::vector<Trajectory> runs;
};

struct TrajectoryResult {
    std::string model;
    double entropy_rate = 0.0;  ///< of the language, nats per token
    double optimum = 0.0;       ///< optimum_on() the held-out tokens, nats per token
    SeedRuns fp64, fp32;
    std::vector<SeedRuns> policies;  ///< without fp32
    std::int64_t steps = 0;          ///< of each training
    /// Where these were too few for FP32 to come within entropy_margin of the optimum: a number
    /// with which it does. Nothing where it did, or where no number that was tried is enough.
    std::optional<std::int64_t> steps_to_learn = {};
};

/// Trains FP64, FP32 and the policies, a training each on one rank, shared out among the ranks of
/// `world`; `alone` has this rank. Collective; equal on all ranks; nothing where a signal ended it
/// (interrupt.hpp). `begins` is called on every rank before each of its own.
std::optional<TrajectoryResult> run_trajectories(
    const collectives::Communicator& world, const collectives::Communicator& alone,
    const TrajectoryStudy& study,
    const std::function<void(const std::string& policy, int seed)>& begins);

/// The criterion, fixed before anything was measured. With d_s the held-out loss of the policy less
/// that of the baseline for seed s, from the same initial weights and on the same data:
///
///     the 95 % t interval of the mean of d_s lies inside [-m, m], m = the standard deviation of
///     FP32's own held-out loss over the seeds.
///
/// m is itself an estimate: from n seeds its 95 % interval is 0.57 to 3.7 times it for n = 4, 0.66
/// to 2.0 times for n = 8 (chi-squared); verdicts nearer to the edge than that deserve more seeds.
///
/// So a policy passes when what it does to the loss is provably less than what another seed does.
/// Pairing takes the seeds' spread out of d_s, which is what lets few seeds decide. The baseline of
/// a policy is FP32, that of FP32 is FP64, for the seeds that both have. A training that ended in
/// NaN fails.
///
/// Before FP32 has learnt the language no policy can be told from it: findings_of() then leaves
/// open what is not NaN, and says how many steps are missing.
PolicyFinding judge_trajectories(const std::string& model, const SeedRuns& policy,
                                 const SeedRuns& baseline, const SeedRuns& fp32);

/// Fixed beforehand as well: the held-out loss less the optimum, as a share of the entropy rate;
/// its 95 % t interval over the seeds lies below 2 %, which is how near the trainer promises to
/// come (validation/unit/reference/trainer/synthetic_language_test.cpp).
PolicyFinding judge_entropy(const TrajectoryResult& result, const SeedRuns& policy);
inline constexpr double entropy_margin = 0.02;

/// Of all policies, FP32 first: trajectories, then entropy.
std::vector<PolicyFinding> findings_of(const TrajectoryResult& result);

/// The held-out losses of the runs.
std::vector<double> held_out_losses(const SeedRuns& runs);

}  // namespace shardstone::validation
