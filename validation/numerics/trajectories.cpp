// SPDX-License-Identifier: BSD-3-Clause
// Trains each policy, FP32 and FP64 with the same seeds, shared out among the ranks.
#include "validation/numerics/trajectories.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/tensor/cuda.hpp"
#include "reference/trainer/trainer.hpp"
#include "validation/numerics/language.hpp"
#include "validation/numerics/share_out.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

constexpr int symbols = 8;
constexpr std::uint64_t language_seed = 1;
constexpr std::size_t train_tokens = 200000, held_out_tokens = 40000;

/// One training: in FP64 or under a policy.
struct Contestant {
    Precision policy;
    bool fp64 = false;
    std::uint64_t seed = 1;
};

/// FP64 first, which takes longest; then FP32 and the other policies, seed by seed.
std::vector<Contestant> contestants_of(const TrajectoryStudy& study) {
    std::vector<Contestant> all;
    const auto add = [&](const Precision& policy, bool fp64, int seeds) {
        for (int s = 1; s <= seeds; ++s)
            all.push_back({policy, fp64, static_cast<std::uint64_t>(s)});
    };
    add({}, true, std::min(study.fp64_seeds, study.seeds));
    add({}, false, study.seeds);
    for (const Precision& policy : study.policies) {
        if (policy.name != Precision{}.name) add(policy, false, study.seeds);
    }
    return all;
}

/// Where the runs of a contestant belong.
std::vector<Trajectory>& runs_for(const Contestant& contestant, TrajectoryResult& result) {
    if (contestant.fp64) return result.fp64.runs;
    if (contestant.policy.name == result.fp32.policy) return result.fp32.runs;
    const bool known =
        !result.policies.empty() && result.policies.back().policy == contestant.policy.name;
    if (!known) result.policies.push_back({contestant.policy.name, {}});
    return result.policies.back().runs;
}

std::vector<double> numbers_of(const Trajectory& run) {
    std::vector<double> numbers{run.held_out_loss, run.skipped};
    numbers.insert(numbers.end(), run.losses.begin(), run.losses.end());
    return numbers;
}

double distance_from_optimum(const TrajectoryResult& result, double held_out_loss) {
    return (held_out_loss - result.optimum) / result.entropy_rate;
}

bool has_learnt(const TrajectoryResult& result) {
    const double mean = mean_estimate(held_out_losses(result.fp32)).mean;
    return distance_from_optimum(result, mean) <= entropy_margin;
}

Trajectory from_numbers(const std::vector<double>& numbers) {
    return {{numbers.begin() + 2, numbers.end()}, numbers[0], numbers[1]};
}

}  // namespace

template <class Real, class Space>
Trajectory train_alone(const collectives::Communicator& alone, const TrainOptions& options,
                       const Dataset& text) {
    Trainer<Real, Space> trainer(alone, options, text, checked_step_program(options, alone.rank()));
    Trajectory result;
    for (std::int64_t step = 0; step < options.steps && !interrupted(); ++step) {
        const StepReport report = trainer.step();
        result.losses.push_back(report.loss);
        result.skipped += report.skipped ? 1.0 : 0.0;
    }
    if (!interrupted()) result.held_out_loss = trainer.validation_loss().value();
    return result;
}

template Trajectory train_alone<float>(const collectives::Communicator&, const TrainOptions&,
                                       const Dataset&);
template Trajectory train_alone<double>(const collectives::Communicator&, const TrainOptions&,
                                        const Dataset&);

namespace {

Trajectory train_on_device(const collectives::Communicator& alone, const TrajectoryStudy& study,
                           TrainOptions options, const Dataset& text) {
    options.device = study.device;
#ifdef SHARDSTONE_HAS_CUDA
    if (study.device == DeviceKind::cuda) return train_alone<float, Cuda>(alone, options, text);
#endif
    return train_alone<float>(alone, options, text);
}

/// Doubles the steps until FP32 learns, with the first seed; on a core, as they are the same there.
std::optional<std::int64_t> find_steps_to_learn(
    const collectives::Communicator& alone, const TrajectoryStudy& study, const Dataset& text,
    const TrajectoryResult& result,
    const std::function<void(const std::string& policy, int seed)>& begins) {
    constexpr std::int64_t most_times = 64;
    for (std::int64_t times = 2; times <= most_times; times *= 2) {
        const auto options = language_training(study.model, times * study.steps, {}, 1);
        begins("longer fp32", 1);
        const double loss = train_alone<float>(alone, options, text).held_out_loss;
        if (interrupted()) break;
        if (distance_from_optimum(result, loss) <= entropy_margin) return times * study.steps;
    }
    return std::nullopt;
}

}  // namespace

std::optional<TrajectoryResult> run_trajectories(
    const collectives::Communicator& world, const collectives::Communicator& alone,
    const TrajectoryStudy& study,
    const std::function<void(const std::string& policy, int seed)>& begins) {
    SHARDSTONE_EXPECTS(study.seeds >= 2 && study.fp64_seeds >= 2 && study.steps > 0);
    const MarkovLanguage language(1, symbols, language_seed);
    const Dataset text = text_in(language, train_tokens, held_out_tokens);
    const std::vector<Contestant> contestants = contestants_of(study);
    const std::size_t width = static_cast<std::size_t>(study.steps) + 2;
    const auto train = [&](std::size_t item) {
        const auto& [policy, fp64, seed] = contestants[item];
        const auto options = language_training(study.model, study.steps, policy, seed);
        begins(fp64 ? "fp64" : policy.name, static_cast<int>(seed));
        const Trajectory run = fp64 ? train_alone<double>(alone, options, text)
                                    : train_on_device(alone, study, options, text);
        std::vector<double> numbers = numbers_of(run);
        numbers.resize(width);  // of a training that a signal ended
        return numbers;
    };
    const auto all = share_out(world, contestants.size(), width, train);
    if (!all) return std::nullopt;
    TrajectoryResult result{
        study.model.name,
        language.entropy_rate_nats(),
        optimum_on(language, text, language_training(study.model, study.steps, {}, 1)),
        {"fp64", {}},
        {"fp32", {}},
        {}};
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        runs_for(contestants[i], result).push_back(from_numbers((*all)[i]));
    }
    result.steps = study.steps;
    if (!has_learnt(result)) {
        std::optional<std::int64_t> found;
        if (world.is_root()) found = find_steps_to_learn(alone, study, text, result, begins);
        const double steps = world.max(static_cast<double>(found.value_or(0)));
        if (world.max(interrupted() ? 1.0 : 0.0) > 0.0) return std::nullopt;
        if (steps > 0.0) result.steps_to_learn = static_cast<std::int64_t>(steps);
    }
    return result;
}

std::vector<double> held_out_losses(const SeedRuns& runs) {
    std::vector<double> losses;
    for (const Trajectory& run : runs.runs) losses.push_back(run.held_out_loss);
    return losses;
}

namespace {

PolicyFinding judged_samples(const std::vector<double>& samples, PolicyFinding finding) {
    const auto estimate = mean_estimate(samples);
    finding.value = estimate.mean;
    finding.interval = estimate.interval;
    finding.verdict = judge(finding.interval, finding.allowed);
    if (finding.verdict == Verdict::undecided) {
        finding.further = further_samples(samples, finding.allowed);
    }
    return finding;
}

}  // namespace

namespace {

/// A training that ended in NaN has failed however long it was.
void leave_open(std::int64_t missing_steps, PolicyFinding& finding) {
    if (!std::isfinite(finding.value)) return;
    finding.verdict = Verdict::undecided;
    finding.further = missing_steps;
    finding.sample_unit = "steps";
}

}  // namespace

PolicyFinding judge_trajectories(const std::string& model, const SeedRuns& policy,
                                 const SeedRuns& baseline, const SeedRuns& fp32) {
    std::vector<double> differences;
    for (std::size_t s = 0; s < std::min(policy.runs.size(), baseline.runs.size()); ++s) {
        differences.push_back(policy.runs[s].held_out_loss - baseline.runs[s].held_out_loss);
    }
    const double margin = mean_estimate(held_out_losses(fp32)).deviation;
    PolicyFinding finding;
    finding.part = "trajectories";
    finding.subject = policy.policy;
    finding.model = model;
    finding.quantity = "held-out loss less that of FP32 (of FP32: of FP64), nats";
    finding.allowed = {-margin, margin};
    return judged_samples(differences, std::move(finding));
}

PolicyFinding judge_entropy(const TrajectoryResult& result, const SeedRuns& policy) {
    std::vector<double> distances;
    for (const double loss : held_out_losses(policy)) {
        distances.push_back(distance_from_optimum(result, loss));
    }
    PolicyFinding finding;
    finding.part = "entropy";
    finding.subject = policy.policy;
    finding.model = result.model;
    finding.quantity = "held-out loss above the optimum, of the entropy rate";
    finding.allowed = {-std::numeric_limits<double>::infinity(), entropy_margin};
    return judged_samples(distances, std::move(finding));
}

std::vector<PolicyFinding> findings_of(const TrajectoryResult& result) {
    std::vector<PolicyFinding> findings{
        judge_trajectories(result.model, result.fp32, result.fp64, result.fp32)};
    for (const SeedRuns& policy : result.policies) {
        findings.push_back(judge_trajectories(result.model, policy, result.fp32, result.fp32));
    }
    findings.push_back(judge_entropy(result, result.fp32));
    for (const SeedRuns& policy : result.policies) {
        findings.push_back(judge_entropy(result, policy));
    }
    if (result.steps_to_learn) {
        for (PolicyFinding& finding : findings)
            leave_open(*result.steps_to_learn - result.steps, finding);
    }
    return findings;
}

}  // namespace shardstone::validation
