// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/data/dataset.hpp"
#include "reference/trainer/record.hpp"

namespace shardstone::command {

/// What `train` prints, on rank 0 alone.
void print_train_header(const reference::TrainOptions& options, const reference::Dataset& dataset,
                        double peak_flop_per_s, int busy_cores);

/// One line per logged step, with rank 0's own time split.
class TrainProgress {
  public:
    /// `log_every` 0: about twenty lines.
    TrainProgress(const reference::TrainOptions& options, double peak_flop_per_s,
                  std::int64_t log_every);

    void step(const reference::StepReport& report) const;
    void evaluation(const reference::Evaluation& evaluation) const;
    void not_finite(const reference::NotFinite& found) const;

  private:
    std::int64_t steps_;
    std::int64_t log_every_;
    double tokens_;
    double flop_;
    double peak_flop_per_s_;
};

/// Losses, speed, time split, memory, bytes, hashes and checks.
void print_train_summary(const reference::TrainOptions& options,
                         const reference::TrainingResult& result,
                         const reference::Throughput& throughput);

}  // namespace shardstone::command
