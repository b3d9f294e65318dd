// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/training/noise_scale.hpp"
#include "collectives/cluster/communicator.hpp"
#include "reference/data/dataset.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::benchmarks {

/// How many steps and tokens a target loss takes at several batch sizes, beside the gradient noise
/// scale that is to predict it. Every rank is a replica.
struct BatchStudy {
    /// Model, sequence, optimizer, seed; rates are those for optimizer.base_batch.
    reference::TrainOptions training;
    std::vector<std::int64_t> batches;  ///< sequences per step
    /// On the scaled rate, tried one by one: the best counts.
    std::vector<double> factors{0.5, 1, 2, 4};
    double target_loss = 0.0;                      ///< nats per token on held-out text
    std::int64_t most_sequences = 1 << 16;         ///< a training that needs more is given up
    std::int64_t eval_sequences = 512;             ///< trained on between two evaluations
    std::int64_t noise_batch = 16;                 ///< on whose training the noise is measured
    std::int64_t noise_pairs = 16;                 ///< for an estimate of the noise
    std::int64_t noise_small = 1, noise_big = 16;  ///< sequences of its two batches
};

/// The best of the trainings with one batch size.
struct BatchPoint {
    std::int64_t batch = 0;
    double factor = 1.0;
    double peak_rate = 0.0;
    std::optional<double> steps;  ///< to the target, between evaluations by proportion

    double sequences() const { return steps.value() * static_cast<double>(batch); }
};

/// The noise scale in sequences, during the training with BatchStudy::noise_batch.
struct NoisePoint {
    std::int64_t step = 0;
    double loss = 0.0;
    NoiseScale noise;
};

struct BatchResult {
    std::vector<BatchPoint> points;
    std::vector<NoisePoint> noise;
    std::optional<TradeOff> fit;  ///< when at least three batches reach the target
    bool interrupted = false;     ///< a signal ended it: what was under way is left out, and no fit
};

/// What is told as soon as it is known, on every rank.
struct BatchObserver {
    std::function<void(const BatchPoint&)> point;
    std::function<void(const NoisePoint&)> noise;
    /// After every evaluation, what is done and how far it is, in words.
    std::function<void(const std::string&)> progress;
};

/// The training of one batch size; not yet validated.
reference::TrainOptions batch_training(const BatchStudy& study, int replicas, std::int64_t batch,
                                       double factor);

/// Collective; the result is equal on all ranks. `finished` is what an earlier run has measured of
/// the first batches: taken over, the same on all ranks. Where interrupts are caught
/// (interrupt.hpp) and one came to any rank, it ends within its training.
BatchResult run_batch_study(const collectives::Communicator& world, const BatchStudy& study,
                            const reference::Dataset& dataset, std::vector<BatchPoint> finished,
                            const BatchObserver& observer);

}  // namespace shardstone::benchmarks
