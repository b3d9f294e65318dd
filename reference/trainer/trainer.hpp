// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/data/dataset.hpp"
#include "reference/data/sampler.hpp"
#include "reference/model/gpt.hpp"
#include "reference/step/step_program.hpp"
#include "reference/strategies/data_parallel.hpp"
#include "reference/trainer/clock.hpp"
#include "reference/trainer/optimizer.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::reference {

/// What one step gave. Loss, norm and rate are equal on all ranks, times are this rank's own.
struct StepReport {
    std::int64_t step = 0;  ///< counted from 1
    double loss = 0.0;      ///< mean over the tokens of the global batch, in nats
    double gradient_norm = 0.0;
    double learning_rate = 0.0;
    double time_s = 0.0;
    PhaseTimes phases{};
};

/// The buckets of a run and how they travel.
ReductionShape reduction_shape(const TrainOptions& options);

/// The program of this rank, after all ranks' programs have passed the checker. Local.
StepProgram checked_step_program(const TrainOptions& options, int rank);

/// Trains one replica of a model: runs a step program over and over. It knows no strategy; what
/// happens when is the program's, how gradients travel is DataParallel's.
class Trainer {
  public:
    /// Options must be valid, the program one that the checker passes (or, in a test, a wrong one
    /// on purpose). Communicator and dataset must outlive the trainer. Collective. Throws Error on
    /// all ranks alike.
    Trainer(collectives::Communicator& communicator, const TrainOptions& options,
            const Dataset& dataset, StepProgram program);
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// The next optimizer step. Collective; the only waits are for the sums, and they yield.
    StepReport step();

    /// Mean loss over held-out sequences spread evenly, the same on all ranks whatever their
    /// number; nothing when the data holds none out. Collective.
    std::optional<double> validation_loss();

    Gpt<float>& model() noexcept { return model_; }
    const DataParallel& reduction() const noexcept { return reduction_; }
    const Optimizer& optimizer() const noexcept { return optimizer_; }
    std::int64_t steps_done() const noexcept { return steps_done_; }

    /// From now on keeps the events of all steps.
    void record_trace() { tracing_ = true; }
    const std::vector<TraceEvent>& trace() const noexcept { return trace_; }

  private:
    void run(std::size_t position);
    void load(std::int64_t first_sample);
    void forward(const Action& action);
    void backward(std::size_t position);
    /// Begins, in the program's order, the buckets behind the backward pass at `position` whose
    /// gradients are among the first `gradients`, and moves along those begun before.
    void serve_buckets(std::size_t position, std::int64_t gradients);
    void start_bucket(std::size_t position);
    void update();
    /// Keeps an event that ends now.
    void note(const char* what, std::int64_t index, double begin_s, bool in_flight = false);

    TrainOptions options_;
    StepProgram program_;
    Gpt<float> model_;
    Sampler sampler_;
    ValidationWindows windows_;
    DataParallel reduction_;
    Optimizer optimizer_;
    int rank_;
    int ranks_;

    std::vector<Token> inputs_;   ///< (B, T)
    std::vector<Token> targets_;  ///< (B, T)
    std::int64_t steps_done_ = 0;
    std::vector<bool> begun_;  ///< actions of this step that have been begun
    StepReport report_;
    PhaseClock clock_;
    bool tracing_ = false;
    std::vector<double> bucket_begin_s_;
    std::vector<TraceEvent> trace_;
};

}  // namespace shardstone::reference
