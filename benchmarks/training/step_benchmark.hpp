// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "benchmarks/harness/measure.hpp"
#include "benchmarks/training/run/gpu_watch.hpp"
#include "benchmarks/training/run/throughput.hpp"
#include "reference/model/gpt_config.hpp"
#include "reference/precision/precision.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::benchmarks {

/// One training step of each rank by itself: forward, backward, AdamW, zeroing of gradients.
/// Without communication and data loading: the cost of the arithmetic alone.
struct StepSetup {
    reference::GptConfig model;
    std::int64_t micro_batch = 4;
    std::int64_t sequence = 256;
    /// Computed in FP32; with a narrow storage the update works on FP32 master weights.
    reference::Precision precision;
    MeasurePolicy policy;
    /// cuda: on each rank's GPU, which ranks may share.
    reference::DeviceKind device = reference::DeviceKind::cpu;
};

struct StepTiming {
    Measurement step;  ///< whole steps, maximum over ranks of each
    /// This rank's parts of the same iterations; on a GPU what its queue took for each.
    std::vector<double> forward_s, backward_s, optimizer_s, zeroing_s;
    double first_loss = 0.0;  ///< nats per token before the first step, warm-up included ...
    double last_loss = 0.0;   ///< ... and before the last, on the same micro-batch
    bool all_learn = false;   ///< learns() on every rank
    double flop = 0.0;        ///< model FLOP of a step of one rank (training_flop_per_token)
    BusyPeak peak;            ///< measured before and after
    GpuLogs gpus;             ///< on rank 0, of all ranks; of all iterations

    double tokens_per_s(const StepSetup& setup) const;  ///< of one rank
    double flop_per_s() const { return flop / step.median_s; }
    /// Relative to one core or GPU: if ranks share cores, each of them can only reach its share of
    /// one. On GPUs the peak is the rank's share.
    double mfu() const { return flop_per_s() / peak.core_flop_per_s; }
    /// Whether the arithmetic is correct enough to learn: the loss starts near that of a uniform
    /// guess and falls on a repeated micro-batch.
    bool learns(const StepSetup& setup) const;
};

/// Collective. Random tokens and initial weights, the same on all ranks. Throws Error for sizes
/// that do not fit the model, and AgreedError naming a rank without the GPU that it needs. `begins`
/// receives each step's number, from 1, before it starts.
StepTiming time_training_step(
    const collectives::Communicator& communicator, const StepSetup& setup,
    const std::function<void(std::int64_t)>& begins = [](std::int64_t) {});

}  // namespace shardstone::benchmarks
