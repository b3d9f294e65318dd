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

/// Steps and tokens to a target loss at several batch sizes, compared with their prediction from
/// the gradient noise scale. Every rank is a replica.
struct BatchStudy {
    /// Model, sequence, optimizer, seed, device; rates are those for optimizer.base_batch. The
    /// noise is measured on cores everywhere.
    reference::TrainOptions training;
    std::vector<std::int64_t> batches;  ///< sequences per step
    /// Factors on the scaled rate, tried one by one: the best counts.
    std::vector<double> factors{0.5, 1, 2, 4};
    double target_loss = 0.0;               ///< nats per token on held-out text
    std::int64_t most_sequences = 1 << 16;  ///< a training that needs more is abandoned
    std::int64_t eval_sequences = 512;      ///< trained between two evaluations
    std::int64_t noise_batch = 16;          ///< batch of the training whose noise is measured
    std::int64_t noise_pairs = 16;          ///< per estimate of the noise
    std::int64_t noise_small = 1, noise_big = 16;  ///< sequences of its two batches
};

/// The best of the trainings with one batch size.
struct BatchPoint {
    std::int64_t batch = 0;
    double factor = 1.0;
    double peak_rate = 0.0;
    std::optional<double> steps;  ///< to the target, interpolated between evaluations

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
    std::optional<TradeOff> fit;  ///< if at least three batches reach the target
    bool interrupted = false;     ///< by a signal: without unfinished trainings, and without a fit
};

/// Callbacks for results as soon as they are known, on every rank.
struct BatchObserver {
    std::function<void(const BatchPoint&)> point;
    std::function<void(const NoisePoint&)> noise;
    /// After every evaluation, the current activity and its progress, in words.
    std::function<void(const std::string&)> progress;
};

/// The training options for one batch size; not yet validated.
reference::TrainOptions batch_training(const BatchStudy& study, int replicas, std::int64_t batch,
                                       double factor);

/// Collective; the result is equal on all ranks. `finished` are the first batches already measured
/// by an earlier run, which are reused, the same on all ranks. If interrupts are caught
/// (interrupt.hpp) and any rank received one, it ends within the current training.
BatchResult run_batch_study(const collectives::Communicator& world, const BatchStudy& study,
                            const reference::Dataset& dataset, std::vector<BatchPoint> finished,
                            const BatchObserver& observer);

}  // namespace shardstone::benchmarks
