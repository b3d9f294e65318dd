// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/run.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "reference/data/hash.hpp"
#include "reference/trainer/trace.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

class HashKeeper {
  public:
    void add(double loss, std::span<const float> gradients) {
        losses_.add(std::span<const double>(&loss, 1));
        gradients_.add(gradients);
    }
    TrainingHashes finish(std::span<const float> weights) const {
        return {losses_.value(), gradients_.value(), hash_of_bytes(std::as_bytes(weights))};
    }

  private:
    Hasher losses_;
    Hasher gradients_;
};

/// 64 bits travel exactly as two FP64 of 32 bits each.
bool equal_on_all(const coll::Communicator& communicator, std::uint64_t hash) {
    const std::array halves{static_cast<double>(hash >> 32),
                            static_cast<double>(hash & 0xffffffffU)};
    const auto all = communicator.all_gather(halves);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] != halves[i % 2]) return false;
    }
    return true;
}

std::vector<std::int64_t> gather_counts(const coll::Communicator& communicator, std::int64_t own) {
    const auto value = static_cast<double>(own);  // exact below 2^53 bytes
    std::vector<std::int64_t> counts;
    for (const double count : communicator.all_gather(std::span(&value, 1))) {
        counts.push_back(static_cast<std::int64_t>(count));
    }
    return counts;
}

/// Times of all ranks into the reports: the longest step, the mean of every phase.
void join_times(const coll::Communicator& communicator, std::vector<StepReport>& steps) {
    constexpr std::size_t width = 1 + phase_count;
    std::vector<double> own;
    for (const auto& step : steps) {
        own.push_back(step.time_s);
        own.insert(own.end(), step.phases.begin(), step.phases.end());
    }
    const auto all = communicator.all_gather(own);
    const auto ranks = static_cast<std::size_t>(communicator.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
        steps[s].time_s = 0.0;
        steps[s].phases = {};
        for (std::size_t r = 0; r < ranks; ++r) {
            const double* row = all.data() + r * own.size() + s * width;
            steps[s].time_s = std::max(steps[s].time_s, row[0]);
            for (std::size_t p = 0; p < phase_count; ++p) {
                steps[s].phases[p] += row[1 + p] / static_cast<double>(ranks);
            }
        }
    }
}

void evaluate(Trainer& trainer, const RunRequest& request, TrainingResult& result) {
    const auto loss = trainer.validation_loss();
    if (!loss) return;
    result.evaluations.push_back({trainer.steps_done(), *loss});
    request.on_evaluation(result.evaluations.back());
}

void train(Trainer& trainer, const RunRequest& request, TrainingResult& result) {
    const TrainOptions& options = request.options;
    HashKeeper hashes;
    for (std::int64_t step = 1; step <= options.steps; ++step) {
        result.steps.push_back(trainer.step());
        hashes.add(result.final_loss(), trainer.model().gradients());
        request.on_step(result.last());
        const bool asked = options.eval_every > 0 && step % options.eval_every == 0;
        if (asked || step == options.steps) evaluate(trainer, request, result);
    }
    result.hashes = hashes.finish(trainer.model().weights());
}

}  // namespace

std::optional<double> TrainingResult::validation_loss() const {
    if (evaluations.empty()) return std::nullopt;
    return evaluations.back().loss;
}

double TrainingResult::median_step_s() const {
    std::vector<double> times;
    for (const auto& step : steps) times.push_back(step.time_s);
    const auto middle = times.begin() + std::ssize(times) / 2;
    std::ranges::nth_element(times, middle);
    return *middle;
}

PhaseTimes TrainingResult::phase_totals() const {
    PhaseTimes totals{};
    for (const auto& step : steps) {
        for (std::size_t p = 0; p < phase_count; ++p) totals[p] += step.phases[p];
    }
    return totals;
}

TrainingResult run_training(coll::Communicator& communicator, const RunRequest& request,
                            const Dataset& dataset) {
    Trainer trainer(communicator, request.options, dataset,
                    checked_step_program(request.options, communicator.rank()));
    if (request.trace) trainer.record_trace();
    TrainingResult result;
    result.entropy_rate_nats = dataset.entropy_rate_nats();
    communicator.barrier();
    const double origin_s = now_s();
    train(trainer, request, result);
    join_times(communicator, result.steps);
    result.replicas_identical = equal_on_all(communicator, result.hashes.parameters);
    result.memory = memory_by_class(trainer, request.options);
    const DataParallel& reduction = trainer.reduction();
    result.bytes_visible = reduction.bytes_visible();
    result.bytes_sent = gather_counts(communicator, reduction.bytes_sent());
    result.scheduled_bytes = gather_counts(
        communicator,
        reduction.scheduled_bytes(request.options.steps, std::ssize(result.evaluations)));
    if (request.trace) result.trace = chrome_trace(communicator, trainer.trace(), origin_s);
    return result;
}

}  // namespace shardstone::reference
