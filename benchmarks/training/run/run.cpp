// SPDX-License-Identifier: BSD-3-Clause
// The loop of a training: steps, evaluations, divergence, hashes and agreement among replicas.
#include "benchmarks/training/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "benchmarks/harness/clock_origin.hpp"
#include "benchmarks/training/run/fingerprint.hpp"
#include "benchmarks/training/run/replicas.hpp"
#include "benchmarks/training/run/stop_sign.hpp"
#include "benchmarks/training/run/trace.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/data/hash.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;
namespace coll = collectives;

/// Hashes what a training leaves behind, whatever the layout. Collective.
template <class Real, class Space>
class HashKeeper {
  public:
    HashKeeper(Trainer<Real, Space>& trainer, const coll::Communicator& world, bool of_parameters)
        : trainer_(trainer),
          world_(world),
          fingerprint_(trainer.layout()),
          of_parameters_(of_parameters) {}

    void add(double loss) {
        losses_.add(std::span<const double>(&loss, 1));
        if (!of_parameters_) return;
        const std::uint64_t gradients = fingerprint(counted_once(), [this](const Range& range) {
            const auto values = trainer_.memory().gradients(range);
            return read_array<Real>(trainer_.queue(), values.data(), range.count);
        });
        gradients_.add(std::span<const std::uint64_t>(&gradients, 1));
    }
    TrainingHashes finish() {
        if (!of_parameters_) return {losses_.value(), 0, 0};
        return {losses_.value(), gradients_.value(),
                fingerprint(counted_once(), [this](const Range& range) {
                    return trainer_.memory().copy_of_weights(range);
                })};
    }

  private:
    /// Replicas take turns on what they all hold.
    std::vector<Range> counted_once() const {
        return StateLayout(trainer_.spec(), trainer_.layout(), trainer_.at()).shares();
    }
    std::uint64_t fingerprint(const std::vector<Range>& ranges,
                              const typename Fingerprint<Real>::Values& values) const {
        return sum_over_ranks(world_, fingerprint_.of(ranges, trainer_.at(), values));
    }

    Trainer<Real, Space>& trainer_;
    const coll::Communicator& world_;
    Fingerprint<Real> fingerprint_;
    bool of_parameters_;
    Hasher losses_;
    Hasher gradients_;
};

std::vector<std::int64_t> gather_counts(const coll::Communicator& communicator, std::int64_t own) {
    const auto value = static_cast<double>(own);  // exact below 2^53 bytes
    const auto counts = communicator.all_gather(std::span(&value, 1));
    return {counts.begin(), counts.end()};
}

/// Times of all ranks into the result: each rank's own, the longest step, the mean of every phase.
void join_times(const coll::Communicator& communicator, TrainingResult& result) {
    constexpr std::size_t width = 2 + step_part_count;
    std::vector<double> own;
    for (const auto& step : result.steps) {
        own.push_back(step.time_s);
        own.push_back(step.waited_s);
        own.insert(own.end(), step.phases.begin(), step.phases.end());
    }
    const auto all = communicator.all_gather(own);
    const auto ranks = static_cast<std::size_t>(communicator.size());
    for (std::size_t s = 0; s < result.steps.size(); ++s) {
        StepReport& joined = result.steps[s];
        joined.time_s = 0.0;
        joined.phases = {};
        for (std::size_t r = 0; r < ranks; ++r) {
            const double* row = all.data() + r * own.size() + s * width;
            RankStep& one = result.rank_steps.emplace_back();
            one.time_s = row[0];
            one.waited_s = row[1];
            std::copy_n(row + 2, step_part_count, one.phases.begin());
            joined.time_s = std::max(joined.time_s, one.time_s);
            for (std::size_t p = 0; p < step_part_count; ++p) {
                joined.phases[p] += one.phases[p] / static_cast<double>(ranks);
            }
        }
    }
}

template <class Real, class Space>
void evaluate(Trainer<Real, Space>& trainer, const RunRequest& request, TrainingResult& result) {
    trainer.report_progress({});
    const auto loss = trainer.validation_loss();
    if (!loss) return;
    result.evaluations.push_back({trainer.steps_done(), *loss});
    request.on_evaluation(result.evaluations.back());
}

/// Where the first of these is that says so, by rank.
bool take_first(const std::vector<std::string>& by_rank, NotFinite& found) {
    const auto first =
        std::ranges::find_if(by_rank, [](const auto& where) { return !where.empty(); });
    if (first == by_rank.end()) return false;
    found.rank = static_cast<int>(first - by_rank.begin());
    found.where = *first;
    return true;
}

/// The lowest rank that made it names it; where all ranks' own gradients were finite, the one that
/// owns their sum. Without a loss scale only once, since it stays.
void note_not_finite(const coll::Communicator& world, const RunRequest& request,
                     TrainingResult& result) {
    const StepReport& step = result.last();
    if (std::isfinite(step.gradient_norm)) return;
    if (!step.skipped && !result.not_finite.empty()) return;
    NotFinite found{step.step, 0, {}, step.skipped, step.loss_scale};
    const auto made = world.gather(step.made_not_finite);
    const auto sums = world.gather(step.sum_not_finite);
    if (!take_first(made, found)) take_first(sums, found);
    result.not_finite.push_back(found);
    request.on_not_finite(found);
}

/// The same on all ranks.
bool has_diverged(const TrainingResult& result) {
    const StepReport& step = result.last();
    const bool applied = std::isfinite(step.gradient_norm) || step.skipped;
    const bool evaluated =
        result.evaluations.empty() || std::isfinite(result.evaluations.back().loss);
    return !std::isfinite(step.loss) || !applied || !evaluated;
}

template <class Real, class Space>
void train(Trainer<Real, Space>& trainer, const coll::Communicator& world,
           const RunRequest& request, const Dataset& dataset, GpuWatch& gpus,
           TrainingResult& result) {
    const TrainOptions& options = request.options;
    HashKeeper hashes(trainer, world, options.reproducible);
    StopSign stop(world);
    result.steps_left = options.steps;
    gpus.begin();
    for (std::int64_t step = 1; step <= options.steps; ++step) {
        enter_phase("step", step);
        trainer.report_progress([&request, step](std::size_t begun, std::size_t actions) {
            request.on_progress(step, begun, actions);
        });
        const StepReport report = trainer.step();
        if (trainer.was_cut_short()) break;
        result.steps.push_back(report);
        hashes.add(result.final_loss());
        note_not_finite(world, request, result);
        request.on_step(result.last());
        gpus.lap();
        const bool asked = options.eval_every > 0 && step % options.eval_every == 0;
        const bool evaluates = asked || step == options.steps;
        if (evaluates && !has_diverged(result)) evaluate(trainer, request, result);
        if (evaluates) look_again(dataset, world, result.data);
        result.diverged = has_diverged(result);
        result.steps_left = options.steps - step;
        const bool is_over = result.diverged || result.data.changed || result.steps_left == 0;
        if (is_over || stop.raised()) break;
    }
    if (result.steps_left > 0 && !result.data.changed) look_again(dataset, world, result.data);
    result.hashes = hashes.finish();
    result.gpus = gpus.end(world, trainer.allocated_bytes());
}

std::int64_t sum_of(const SentBytes& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

template <class Real, class Space>
void count_bytes(Trainer<Real, Space>& trainer, const coll::Communicator& world,
                 const TrainOptions& options, TrainingResult& result) {
    for (const GroupKind& kind : group_kinds()) {
        result.bytes_by_group[kind] = trainer.exchange().bytes_sent(kind);
    }
    result.bytes_sent = gather_counts(world, sum_of(result.bytes_by_group));
    result.scheduled_bytes = gather_counts(world, sum_of(trainer.scheduled_bytes()));
    result.bytes_visible =
        coll::find_algorithm("all_reduce", options.communication.all_reduce).has_schedule();
}

std::vector<double> input_times(const TrainingResult& result) {
    std::vector<double> times_s;
    for (const RankStep& one : result.rank_steps) {
        times_s.push_back(one.phases[static_cast<std::size_t>(StepPart::data)]);
    }
    return times_s;
}

template <class Real, class Space = Host>
TrainingResult run_as(coll::Communicator& communicator, const RunRequest& request,
                      const Dataset& dataset) {
    if constexpr (std::is_same_v<Space, Cuda>) {
        coll::choose_gpu_of_rank(communicator);
        set_tf32(request.options.tf32);
    }
    GpuWatch gpus(request.options.device);
    Trainer<Real, Space> trainer(communicator, request.options, dataset,
                                 checked_step_program(request.options, communicator.rank()));
    if (request.trace || request.explained_on) trainer.record_trace();
    TrainingResult result;
    result.entropy_rate_nats = dataset.entropy_rate_nats();
    const double origin_s = clock_origin(communicator);
    train(trainer, communicator, request, dataset, gpus, result);
    if (result.steps.empty()) return result;
    result.duration_s = communicator.max(now_s() - origin_s);
    join_times(communicator, result);
    if (!request.options.pace) {
        result.replicas_identical = replicas_are_identical(trainer, communicator);
    }
    result.memory = memory_by_class(trainer, request.options);
    if constexpr (std::is_same_v<Space, Cuda>) result.graphs_made = trainer.graph().times_made();
    count_bytes(trainer, communicator, request.options, result);
    if (request.trace) {
        result.trace = chrome_trace(communicator, trainer.program(), trainer.trace(), origin_s);
    }
    if (request.explained_on) {
        const auto input_s = input_times(result);
        const StepTraces traces{trainer.trace(), trainer.waits(), input_s, origin_s};
        result.gap = split_gap(communicator, request.options, *request.explained_on,
                               trainer.program(), traces, std::ssize(result.steps));
    }
    if constexpr (!std::is_same_v<Space, Paced>) {  // which has no state
        if (request.keep_final_state) {
            auto state = gather_state(communicator, trainer);
            if (communicator.is_root()) result.final_state = std::move(state);
        }
    }
    return result;
}

}  // namespace

std::optional<double> TrainingResult::validation_loss() const {
    return evaluations.empty() ? std::nullopt : std::optional(evaluations.back().loss);
}

TrainingResult run_training(coll::Communicator& communicator, const RunRequest& request,
                            const Dataset& dataset) {
    if (request.options.pace) return run_as<float, Paced>(communicator, request, dataset);
#ifdef SHARDSTONE_HAS_CUDA
    const bool on_gpu = request.options.device == DeviceKind::cuda;
    if (on_gpu) return run_as<float, Cuda>(communicator, request, dataset);
#endif
    if (request.options.precision.fp64) return run_as<double>(communicator, request, dataset);
    return run_as<float>(communicator, request, dataset);
}

}  // namespace shardstone::benchmarks
