// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "benchmarks/training/run/run.hpp"
#include "collectives/cluster/communicator.hpp"
#include "reference/trainer/clock.hpp"

namespace shardstone::benchmarks {

/// Measured peak of the cores, or GPUs, in use, in the arithmetic of a precision: the reference of
/// MFU.
struct BusyPeak {
    double core_flop_per_s = 0.0;  ///< of one core; the mean over nodes of the best of each
    /// Cores that the ranks can keep busy: never more than they may run on, regardless of the
    /// number of ranks sharing them.
    int cores = 1;
    std::string arithmetic = {};     ///< "FP32 multiply-adds", "BF16 dot products", ...
    std::string method = {};         ///< how it was measured, in words
    std::string processor = "core";  ///< what `cores` counts: or "GPU"
    std::string fault = {};          ///< "rank 1: GPU ... computes wrong: ...": of the first such

    double flop_per_s() const { return core_flop_per_s * cores; }
};

/// Median over the steps that count, and its 95 % interval; the bounds are NaN if there are too few
/// steps for one.
struct MedianStep {
    double median_s = 0.0;
    double low_s = 0.0, high_s = 0.0;
};

/// Speed of a run, and its reference values.
struct Throughput {
    std::int64_t uncounted_steps = 0;  ///< the first ones, before times settle (warmup_count())
    std::int64_t counted_steps = 0;    ///< the others
    MedianStep step = {};              ///< of the counted steps, maximum over ranks of each
    std::int64_t tokens_per_step = 0;  ///< of all ranks together: the global batch
    double flop_parameters = 0.0;      ///< N of the model FLOP (flop_parameters())
    double flop_per_token = 0.0;       ///< model FLOP (training_flop_per_token())
    BusyPeak peak = {};
    reference::StepPartTimes phases{};  ///< seconds of the counted steps, mean over ranks

    double tokens_per_s() const { return static_cast<double>(tokens_per_step) / step.median_s; }
    double tokens_per_s_low() const { return static_cast<double>(tokens_per_step) / step.high_s; }
    double tokens_per_s_high() const { return static_cast<double>(tokens_per_step) / step.low_s; }
    double flop_per_s() const { return flop_per_token * tokens_per_s(); }
    double mfu() const { return flop_per_s() / peak.flop_per_s(); }
};

/// The speed of a training from the times of its steps. Local.
Throughput throughput_of(const reference::TrainOptions& options, const TrainingResult& result,
                         const BusyPeak& peak);

/// On every machine the first rank measures one core while the others wait; the rates of the
/// machines are averaged. BF16: the fastest of the processor's BF16 dot products, its matrix
/// unit, BF16 matrix products and FP32 multiply-adds, since a training uses all of them; FP16 and
/// FP8 are computed in FP32 and BF16, respectively. Collective; equal on all ranks.
BusyPeak measure_busy_peak(const collectives::Communicator& world,
                           const reference::Precision& precision);

/// In place of cores, one GPU for each rank: all are measured at once, as they train, each by one
/// rank; a rank's is the mean of their sum over ranks. `tf32`: the products of FP32 factors round
/// them to TF32 from now on. Chooses the ranks' GPUs (gpu_of_rank.hpp). Collective; equal on all
/// ranks. Throws AgreedError naming a rank that sees none, Error in a build without CUDA. One that
/// multiplies wrong has no rate, and a fault.
BusyPeak measure_gpu_peak(const collectives::Communicator& world,
                          const reference::Precision& precision, bool tf32);

/// Of what the training computes on: cores, a GPU, or paced devices. Collective; equal on all
/// ranks.
BusyPeak measure_peak(const reference::TrainOptions& options,
                      const collectives::Communicator& world);

/// The devices of a paced training in place of cores; options.pace is given.
BusyPeak paced_peak(const reference::TrainOptions& options);

/// Throws Error on all ranks if it has a fault. Collective.
void require_faultless(const BusyPeak& peak, const collectives::Communicator& world);

/// The better of two measurements of the same peak: other activity on a machine can only lower one.
/// It has the fault of either.
BusyPeak better_of(const BusyPeak& one, const BusyPeak& other);

/// Cores that the ranks can keep busy at once: on every machine as many as its ranks may run on
/// (their affinity), but at most the number of ranks. Nodes that are containers or namespaces of
/// one machine share its cores. Collective; equal on all ranks.
int busy_cores(const collectives::Communicator& world);

}  // namespace shardstone::benchmarks
