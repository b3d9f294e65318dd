// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/communicator.hpp"
#include "reference/trainer/run.hpp"
#include "reference/trainer/throughput.hpp"

namespace shardstone::benchmarks {

/// The speed of a training from the times of its steps. Local.
reference::Throughput throughput_of(const reference::TrainOptions& options,
                                    const reference::TrainingResult& result,
                                    const reference::BusyPeak& peak);

/// On every machine the first rank measures one core while the others wait; the rates of the
/// machines are averaged. BF16: the fastest of the processor's BF16 dot products, BF16 matrix
/// products and FP32 multiply-adds, since a training uses all of them; FP16 and FP8 are computed in
/// the other two. Collective; equal on all ranks.
reference::BusyPeak measure_busy_peak(const collectives::Communicator& world,
                                      const reference::Precision& precision);

/// The better of two measurements of the same: what else runs on a machine only ever lowers one.
reference::BusyPeak better_of(const reference::BusyPeak& one, const reference::BusyPeak& other);

/// Cores that the ranks can keep busy at once: on every machine as many as its ranks may run on
/// (their affinity), and no more than there are ranks. Nodes that are containers or namespaces of
/// one machine share its cores. Collective; equal on all ranks.
int busy_cores(const collectives::Communicator& world);

}  // namespace shardstone::benchmarks
