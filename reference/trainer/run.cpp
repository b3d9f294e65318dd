// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <sstream>

#include "collectives/operation/algorithm.hpp"
#include "kernels/base/statistics.hpp"
#include "reference/data/hash.hpp"
#include "reference/trainer/fingerprint.hpp"
#include "reference/trainer/stop_sign.hpp"
#include "reference/trainer/trace.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

/// Hashes what a training leaves behind, whatever the layout. Collective.
class HashKeeper {
  public:
    HashKeeper(Trainer<float>& trainer, const coll::Communicator& world, bool of_parameters)
        : trainer_(trainer),
          world_(world),
          fingerprint_(trainer.layout()),
          of_parameters_(of_parameters) {}

    void add(double loss) {
        losses_.add(std::span<const double>(&loss, 1));
        if (!of_parameters_) return;
        const std::uint64_t gradients = fingerprint(counted_once(), [this](const Range& range) {
            const auto values = trainer_.memory().gradients(range);
            return std::vector<float>(values.begin(), values.end());
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
        return owned_shares(trainer_.layout(), trainer_.spec(), trainer_.at().data);
    }
    std::uint64_t fingerprint(const std::vector<Range>& ranges,
                              const Fingerprint<float>::Values& values) const {
        return sum_over_ranks(world_, fingerprint_.of(ranges, trainer_.at(), values));
    }

    Trainer<float>& trainer_;
    const coll::Communicator& world_;
    Fingerprint<float> fingerprint_;
    bool of_parameters_;
    Hasher losses_;
    Hasher gradients_;
};

/// One line per piece of a tensor that this rank holds: what it is, and the hash of its values.
std::string held_pieces(Trainer<float>& trainer) {
    std::string lines;
    for (const ParameterInfo& tensor : trainer.layout().parameters()) {
        for (const Range& range :
             OwnedRanges(trainer.memory().held_weights()).within({tensor.offset, tensor.count})) {
            const auto values = trainer.memory().copy_of_weights(range);
            const auto slice = [&](const TensorPiece& piece) {
                return fmt::format("{} {} {} ", tensor.name,
                                   piece.global + range.first - tensor.offset, range.count);
            };
            lines += slice(tensor.pieces.front()) +
                     to_hex(hash_of_bytes(std::as_bytes(std::span<const float>(values)))) + "\n";
        }
    }
    return lines;
}

/// Whether ranks that hold the same hold equal values. Collective; the same on all ranks.
bool replicas_are_identical(Trainer<float>& trainer, const coll::Communicator& world) {
    std::map<std::string, std::string> hashes;
    bool identical = true;
    for (const std::string& lines : world.gather(held_pieces(trainer))) {
        std::istringstream in(lines);
        std::string name, first, count, hash;
        while (in >> name >> first >> count >> hash) {
            const auto [known, is_new] = hashes.try_emplace(name + first + "+" + count, hash);
            identical = identical && (is_new || known->second == hash);
        }
    }
    return world.min(identical ? 1.0 : 0.0) > 0.0;
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

void evaluate(Trainer<float>& trainer, const RunRequest& request, TrainingResult& result) {
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

void train(Trainer<float>& trainer, const coll::Communicator& world, const RunRequest& request,
           TrainingResult& result) {
    const TrainOptions& options = request.options;
    HashKeeper hashes(trainer, world, options.reproducible);
    StopSign stop(world);
    for (std::int64_t step = 1; step <= options.steps; ++step) {
        result.steps.push_back(trainer.step());
        hashes.add(result.final_loss());
        note_not_finite(world, request, result);
        request.on_step(result.last());
        const bool asked = options.eval_every > 0 && step % options.eval_every == 0;
        if (asked || step == options.steps) evaluate(trainer, request, result);
        if (step == options.steps || !stop.raised(result.last().time_s)) continue;
        result.steps_left = options.steps - step;
        break;
    }
    result.hashes = hashes.finish();
}

std::int64_t sum_of(const SentBytes& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

void count_bytes(Trainer<float>& trainer, const coll::Communicator& world,
                 const TrainOptions& options, TrainingResult& result) {
    for (std::size_t kind = 0; kind < group_kinds; ++kind) {
        result.bytes_by_group[kind] = trainer.exchange().bytes_sent(static_cast<GroupKind>(kind));
    }
    result.bytes_sent = gather_counts(world, sum_of(result.bytes_by_group));
    result.scheduled_bytes = gather_counts(world, sum_of(trainer.scheduled_bytes()));
    result.bytes_visible =
        coll::find_algorithm("all_reduce", options.communication.all_reduce).has_schedule();
}

}  // namespace

std::optional<double> TrainingResult::validation_loss() const {
    if (evaluations.empty()) return std::nullopt;
    return evaluations.back().loss;
}

double TrainingResult::median_step_s() const {
    std::vector<double> times;
    for (const auto& step : steps) times.push_back(step.time_s);
    return median(std::span(times).subspan(warmup_count(times)));
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
    Trainer<float> trainer(communicator, request.options, dataset,
                           checked_step_program(request.options, communicator.rank()));
    if (request.trace) trainer.record_trace();
    TrainingResult result;
    result.entropy_rate_nats = dataset.entropy_rate_nats();
    communicator.barrier();
    const double origin_s = now_s();
    train(trainer, communicator, request, result);
    join_times(communicator, result.steps);
    result.replicas_identical = replicas_are_identical(trainer, communicator);
    result.memory = memory_by_class(trainer, request.options);
    count_bytes(trainer, communicator, request.options, result);
    if (request.trace) {
        result.trace = chrome_trace(communicator, trainer.program(), trainer.trace(), origin_s);
    }
    return result;
}

}  // namespace shardstone::reference
