// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/training/run/record.hpp"
#include "jobs/command/progress.hpp"
#include "reference/data/dataset.hpp"

namespace shardstone::command {

/// Whether times without a core are told apart. Where computations take a device's time they are
/// not, and on a GPU they need no core.
bool counts_preempted(const reference::TrainOptions& options);

/// Output of `train`, on rank 0 only. `paced_step_s`: the predicted step of a paced training.
void print_train_header(const reference::TrainOptions& options, const reference::Dataset& dataset,
                        const benchmarks::BusyPeak& peak, double paced_step_s);

/// One line per logged step, with rank 0's own time split; on stderr the progress of long steps.
class TrainProgress {
  public:
    /// `log_every` 0: about twenty lines. `line` must outlive it.
    TrainProgress(const reference::TrainOptions& options, const benchmarks::BusyPeak& peak,
                  std::int64_t log_every, ProgressLine& line);

    void step(const reference::StepReport& report) const;
    void within_step(std::int64_t step, std::size_t begun, std::size_t actions) const;
    void evaluation(const benchmarks::Evaluation& evaluation) const;
    void not_finite(const benchmarks::NotFinite& found) const;

  private:
    double mfu_percent(const reference::StepReport& report) const;

    std::int64_t steps_;
    std::int64_t log_every_;
    double tokens_;
    reference::GptConfig model_;
    std::int64_t sequence_;
    double peak_flop_per_s_;
    bool is_paced_, counts_preempted_;
    ProgressLine* line_;
};

/// Losses, speed, time split, memory, bytes, hashes and checks.
void print_train_summary(const reference::TrainOptions& options,
                         const benchmarks::TrainingResult& result,
                         const benchmarks::Throughput& throughput);

}  // namespace shardstone::command
