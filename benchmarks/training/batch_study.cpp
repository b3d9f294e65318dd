// SPDX-License-Identifier: BSD-3-Clause
// Trainings to one target loss at several batch sizes, with the gradient noise scale on the way.
#include "benchmarks/training/batch_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "benchmarks/training/run/stop_sign.hpp"
#include "kernels/base/error.hpp"
#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/tensor/cuda.hpp"
#include "reference/model/gpt.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;
using collectives::Communicator;

double square_of(std::span<const float> values) {
    SquareSum sum;
    sum.add(values);
    return sum.value();
}

/// Gradients of small batches at given weights, on a core of this rank alone.
class NoiseProbe {
  public:
    NoiseProbe(const BatchStudy& study, const Dataset& dataset)
        : study_(study),
          sequence_(study.training.batch.sequence),
          model_(study.training.model, study.noise_small, sequence_),
          sampler_(dataset.train(), sequence_, study.training.seed + 1),
          inputs_(static_cast<std::size_t>(study.noise_small * sequence_)),
          targets_(inputs_.size()) {}

    /// Every rank measures its share of the pairs, each from sequences of its own.
    NoiseScale measure(const Communicator& world, std::span<const float> weights) {
        std::ranges::copy(weights, model_.weights().begin());
        std::vector<double> lengths;
        for (std::int64_t done = 0; done < study_.noise_pairs; done += world.size()) {
            const GradientLengths pair = lengths_of(drawn_++, world.rank());
            lengths.insert(lengths.end(), {pair.small_square, pair.big_square});
        }
        const auto all = world.all_gather(lengths);
        std::vector<GradientLengths> pairs;
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) pairs.push_back({all[i], all[i + 1]});
        return noise_scale(pairs, static_cast<double>(study_.noise_small),
                           static_cast<double>(study_.noise_big));
    }

  private:
    GradientLengths lengths_of(std::int64_t draw, int rank) {
        const std::int64_t parts = study_.noise_big / study_.noise_small;
        std::vector<float> sum(model_.gradients().size());
        GradientLengths result;
        for (std::int64_t part = 0; part < parts; ++part) {
            sampler_.fill(draw, rank * study_.noise_big + part * study_.noise_small, inputs_,
                          targets_);
            std::ranges::fill(model_.gradients(), 0.0F);
            model_.forward(inputs_, targets_);
            model_.backward(1.0 / static_cast<double>(inputs_.size()));
            result.small_square += square_of(model_.gradients()) / static_cast<double>(parts);
            std::ranges::transform(sum, model_.gradients(), sum.begin(), std::plus());
        }
        result.big_square = square_of(sum) / static_cast<double>(parts * parts);
        return result;
    }

    const BatchStudy& study_;
    std::int64_t sequence_;
    Gpt<float> model_;
    Sampler sampler_;
    std::vector<Token> inputs_;
    std::vector<Target> targets_;
    std::int64_t drawn_ = 0;
};

/// The trainings of a study, one after the other, until a signal comes.
template <class Space>
class Trainings {
    using OfRank = Trainer<float, Space>;
    /// After an evaluation, and whether it was the last.
    using StepWatcher =
        std::function<void(OfRank&, double loss, std::int64_t evaluation, bool last)>;

  public:
    Trainings(const Communicator& world, const BatchStudy& study, const Dataset& dataset,
              const std::function<void(const std::string&)>& progress)
        : world_(world), study_(study), dataset_(dataset), progress_(progress) {}

    /// Whether a signal ended the last one: equal on all ranks.
    bool stopped() const { return stopped_; }

    BatchPoint best_of(std::int64_t batch) {
        BatchPoint best;
        best.batch = batch;
        for (const double factor : study_.factors) {
            const TrainOptions options = options_for(batch, factor);
            const auto steps = steps_to_target(options, [](auto&&...) {});
            if (stopped_) break;
            if (steps && (!best.steps || *steps < *best.steps)) {
                best = {batch, factor, learning_rate_of(options).peak, steps};
            }
        }
        return best;
    }

    /// At evaluations 1, 2, 4, 8 ... and the last.
    std::vector<NoisePoint> noise_on_the_way(double factor,
                                             const std::function<void(const NoisePoint&)>& found) {
        std::vector<NoisePoint> points;
        NoiseProbe probe(study_, dataset_);
        const auto watch = [&](OfRank& trainer, double loss, std::int64_t evaluation, bool last) {
            if (!last && !std::has_single_bit(static_cast<std::uint64_t>(evaluation))) return;
            const auto weights = trainer.memory().copy_of_weights({0, trainer.layout().count()});
            points.push_back({trainer.steps_done(), loss, probe.measure(world_, weights)});
            found(points.back());
        };
        steps_to_target(options_for(study_.noise_batch, factor), watch);
        return points;
    }

  private:
    void tell(const TrainOptions& options, std::int64_t steps, double loss) const {
        progress_(fmt::format(
            "batch {} at rate {:.3g}: step {} of {} at most, loss {:.4f}, target {:.4f}",
            options.batch.global_batch, learning_rate_of(options).peak, steps, options.steps, loss,
            study_.target_loss));
    }

    TrainOptions options_for(std::int64_t batch, double factor) const {
        return batch_training(study_, world_.size(), batch, factor);
    }

    /// Steps to the target; nothing if the sequences do not suffice, or a signal came.
    std::optional<double> steps_to_target(const TrainOptions& options, const StepWatcher& watch) {
        OfRank trainer(world_, options, dataset_, checked_step_program(options, world_.rank()));
        const std::int64_t every =
            std::max<std::int64_t>(1, study_.eval_sequences / options.batch.global_batch);
        double before = trainer.validation_loss().value();
        tell(options, 0, before);
        StopSign sign(world_);
        for (std::int64_t done = 0; done + every <= options.steps; done += every) {
            for (std::int64_t i = 0; i < every; ++i) {
                trainer.step();
                stopped_ = sign.raised();
                if (stopped_) return std::nullopt;
            }
            const double loss = trainer.validation_loss().value();
            tell(options, done + every, loss);
            const bool reached = loss <= study_.target_loss;
            watch(trainer, loss, done / every + 1, reached);
            if (reached) {
                const double share = (before - study_.target_loss) / (before - loss);
                return static_cast<double>(done) + share * static_cast<double>(every);
            }
            before = loss;
        }
        return std::nullopt;
    }

    const Communicator& world_;
    const BatchStudy& study_;
    const Dataset& dataset_;
    const std::function<void(const std::string&)>& progress_;
    bool stopped_ = false;
};

std::optional<TradeOff> fit_of(const std::vector<BatchPoint>& points) {
    std::vector<double> batches, steps;
    for (const BatchPoint& point : points) {
        if (!point.steps) continue;
        batches.push_back(static_cast<double>(point.batch));
        steps.push_back(*point.steps);
    }
    return steps.size() < 3 ? std::nullopt : std::optional(fit_trade_off(batches, steps));
}

}  // namespace

TrainOptions batch_training(const BatchStudy& study, int replicas, std::int64_t batch,
                            double factor) {
    constexpr std::int64_t most_micro_batch = 8;
    TrainOptions options = study.training;
    options.plan.data = replicas;
    options.batch.global_batch = batch;
    options.batch.micro_batch = std::gcd(batch / replicas, most_micro_batch);
    options.steps = std::max<std::int64_t>(1, study.most_sequences / batch);
    options.optimizer.rate_shape = LearningRate::Shape::constant;
    options.optimizer.learning_rate *= factor;
    options.optimizer.least_rate = 0.0;
    return options;
}

namespace {

template <class Space>
BatchResult run_in(const Communicator& world, const BatchStudy& study, const Dataset& dataset,
                   std::vector<BatchPoint> finished, const BatchObserver& observer) {
    BatchResult result;
    result.points = std::move(finished);
    Trainings<Space> trainings(world, study, dataset, observer.progress);
    for (std::size_t i = result.points.size(); i < study.batches.size(); ++i) {
        const BatchPoint point = trainings.best_of(study.batches[i]);
        if (trainings.stopped()) {
            result.interrupted = true;
            return result;
        }
        result.points.push_back(point);
        observer.point(point);
    }
    double factor = 1.0;
    for (const BatchPoint& point : result.points) {
        if (point.batch == study.noise_batch) factor = point.factor;
    }
    result.noise = trainings.noise_on_the_way(factor, observer.noise);
    result.interrupted = trainings.stopped();
    if (!result.interrupted) result.fit = fit_of(result.points);
    return result;
}

}  // namespace

BatchResult run_batch_study(const Communicator& world, const BatchStudy& study,
                            const Dataset& dataset, std::vector<BatchPoint> finished,
                            const BatchObserver& observer) {
    SHARDSTONE_EXPECTS(finished.size() <= study.batches.size());
#ifdef SHARDSTONE_HAS_CUDA
    if (study.training.device == DeviceKind::cuda) {
        return run_in<Cuda>(world, study, dataset, std::move(finished), observer);
    }
#endif
    return run_in<Host>(world, study, dataset, std::move(finished), observer);
}

}  // namespace shardstone::benchmarks
