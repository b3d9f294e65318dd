// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/data/dataset.hpp"
#include "reference/data/sampler.hpp"
#include "reference/model/gpt_part.hpp"
#include "reference/model/loss_totals.hpp"
#include "reference/step/step_program.hpp"
#include "reference/step/volume.hpp"
#include "reference/trainer/action_clock.hpp"
#include "reference/trainer/core_watch.hpp"
#include "reference/trainer/exchange_of.hpp"
#include "reference/trainer/optimizer.hpp"
#include "reference/trainer/options.hpp"
#include "reference/trainer/paced_device.hpp"
#include "reference/trainer/parameter_memory.hpp"
#include "reference/trainer/queue_clock.hpp"
#include "reference/trainer/step_graph.hpp"

namespace shardstone::reference {

/// Results of one step. Loss, norm and rate are equal on all ranks, times are this rank's own.
struct StepReport {
    std::int64_t step = 0;  ///< counted from 1
    /// Mean over the targets of the global batch, in nats; a NaN if a term was a NaN or could not
    /// be summed exactly (exact_term_limit()).
    double loss = 0.0;
    /// For experts, means over blocks and positions, including padded ones: the losses with the
    /// factors ExpertOptions::balance and z, and the fraction of choices that were dropped.
    struct Router {
        double balance = 0.0, z = 0.0, dropped = 0.0;
    };
    std::optional<Router> router;
    double gradient_norm = 0.0;  ///< before clipping, loss scale divided out
    double learning_rate = 0.0;
    double loss_scale = 1.0;
    bool skipped = false;  ///< a gradient overflowed: weights and moments are unchanged
    /// Position of a non-finite gradient computed by this rank, before the reduction over ranks;
    /// and of one that this rank owns, after the reduction. Empty if there was none.
    std::string made_not_finite, sum_not_finite;
    double begin_s = 0.0;  ///< on this rank's clock
    double time_s = 0.0;
    /// Of it, for how long the rank was ready to run, but on no core: also while it looked for
    /// messages that were not there yet. NaN where the kernel does not tell.
    double waited_s = 0.0;
    StepPartTimes phases{};
};

/// What a step leaves for its report, in the memory space until it ends.
struct StepSums {
    LossTotals losses{};
    SquareSum::Limbs squares{};  ///< of the gradients
    NotFinite not_finite{};      ///< of those that this rank made
    UpdateFactors factors{};
};

/// The step program of this rank, after the programs of all ranks have passed the checker. Local.
StepProgram checked_step_program(const StepSpec& spec, int rank);

/// Trains one rank's part of a model by running a step program repeatedly. Independent of the
/// strategy: the order of actions is defined by the program, the location of parameters by
/// ParameterMemory. All data is in one memory space (kernels/tensor/host.hpp), all work on it in
/// one queue.
template <class Real, class Space = Host>
class Trainer {
    using Queue = typename Space::Queue;

  public:
    /// Options must be valid, and the program must pass the checker (or, in a test, be deliberately
    /// wrong); `groups` are those of the plan among the communicator's ranks, created here if not
    /// given. Communicator and dataset must outlive the trainer. Collective. Throws Error equally
    /// on all ranks.
    Trainer(const collectives::Communicator& communicator, const TrainOptions& options,
            const Dataset& dataset, StepProgram program,
            std::shared_ptr<PlanGroups> groups = nullptr);
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// The next optimizer step. Collective; every wait yields.
    StepReport step();
    /// Whether a signal has cut the last step short, as it does long ones of a paced training
    /// (PacedDevice): its times are none, no step is to follow. The same on all ranks.
    bool was_cut_short() const noexcept { return was_cut_short_; }

    /// Mean loss over evenly spaced held-out sequences, the same on all ranks regardless of their
    /// number; nothing if the data has no held-out part. Collective.
    std::optional<double> validation_loss();

    Queue queue() const { return queue_; }
    const ParameterLayout& layout() const noexcept { return layout_; }
    ParameterMemory<Real, Space>& memory() noexcept { return memory_; }
    Optimizer<Real, Space>& optimizer() noexcept { return optimizer_; }
    const GptPart<Real, Space>& model() const noexcept { return model_; }
    const ExchangeOf<Space>& exchange() const noexcept { return exchange_; }
    const StepSpec& spec() const noexcept { return options_; }
    /// Bytes that the programs make this rank send in the steps and evaluations so far.
    SentBytes scheduled_bytes();
    const StepProgram& program() const noexcept { return program_; }
    const StepGraph<Space>& graph() const noexcept { return graph_; }
    const Coordinates& at() const noexcept { return at_; }
    /// Memory of all Buffers that the trainer has allocated, in bytes.
    std::int64_t allocated_bytes() const noexcept { return allocated_bytes_; }
    std::int64_t steps_done() const noexcept { return steps_done_; }
    std::int64_t evaluations_done() const noexcept { return evaluations_done_; }

    /// From now on calls `progress` after each action of a program, with the number of actions
    /// started and their total: for long steps.
    using Progress = std::function<void(std::size_t begun, std::size_t actions)>;
    void report_progress(Progress progress) { progress_ = std::move(progress); }

    /// From now on records the times of all actions of all steps, which are given to a GPU without
    /// a graph.
    void record_trace() {
        tracing_ = true;
        exchange_.tell(core_watch_);
    }
    const std::vector<TraceEvent>& trace() const noexcept { return trace_; }
    /// Of all steps that were traced, on this rank's clock.
    const std::vector<RankWaits>& waits() const noexcept { return core_watch_.steps(); }

  private:
    /// Fills tokens and targets of the sequences from `first` on (Action::first_sample).
    using Loader = std::function<void(std::int64_t first)>;

    /// For each action of a program that is a transfer: its index in the exchange.
    using Collectives = std::vector<std::size_t>;

    Collectives prepare(const StepProgram& program);
    std::size_t prepare(const GroupTransfer& transfer);
    void* data_of(const Action& action);
    void load_own_positions(const Action& action);
    Rows stream_of(const Action& action);
    /// Whether this step has no product that the one before had not; called in each step.
    bool repeats_products();
    void enqueue_step(std::int64_t targets);
    void run(const StepProgram& program, const Collectives& collectives, const Loader& load,
             double scale);
    void end_run();
    void begin(const Action& action, std::size_t position, const Loader& load, double scale);
    void forward(const Action& action, const Loader& load, double scale);
    void compute(const Action& action, double gradient_scale);
    void backward(const Action& action, double scale);
    double time_of(const Action& action);
    void run_on_device(const Action& action);
    bool move_messages();
    void start_message(const Action& action, std::size_t position);
    void start_transfer(const Action& action, std::size_t position);
    void begin_update();
    StepPart part_of_host() const;
    void count_squares();
    void inject_overflow(const std::vector<std::size_t>& groups);
    void report(const StepSums& sums, std::int64_t targets);
    void report_losses(const LossTotals& totals, std::int64_t targets);
    Exchange::Ticket start_varying(const GroupTransfer& transfer, Exchange::Arrival arrived);
    void look_for_not_finite(const Range& range);
    void update();
    void wait(std::size_t position);
    void move_along();
    std::vector<std::size_t> groups_of(const Action& action) const;
    Exchange::Arrival noting(std::size_t position, Exchange::Arrival then = {});

    std::int64_t allocated_bytes_ = -Space::in_use_bytes();  ///< before all that allocates
    Queue queue_;
    TrainOptions options_;
    StepProgram program_;
    Coordinates at_;
    ModelPart part_;
    ParameterLayout layout_;
    ClockOf<Space> clock_;
    RunDelay run_delay_;
    std::optional<PacedDevice> device_;  ///< where computations only take time
    ExchangeOf<Space> exchange_;
    WireFormat format_;
    ParameterMemory<Real, Space> memory_;
    GptPart<Real, Space> model_;
    Optimizer<Real, Space> optimizer_;
    LossScale loss_scale_;
    Sampler sampler_;
    ValidationWindows windows_;
    std::optional<StepProgram> evaluation_;
    Collectives of_step_, of_evaluation_;

    std::vector<Token> inputs_;          ///< (B, T)
    std::vector<Target> targets_;        ///< (B, T)
    std::vector<std::size_t> own_rows_;  ///< indices of this rank's positions in these
    std::vector<Token> own_inputs_;
    std::vector<Target> own_targets_;
    std::int64_t steps_done_ = 0;
    bool was_cut_short_ = false;
    std::int64_t evaluations_done_ = 0;
    double term_limit_;
    StepGraph<Space> graph_;  ///< used with TrainOptions::graphs
    double longest_step_s_ = 0.0;
    bool had_all_products_ = false;
    Buffer<StepSums, Space> sums_{1};
    StepReport report_;
    Computed left_;  ///< result for other ranks of the phases that ran last
    const Collectives* collectives_ = nullptr;  ///< of the running program
    std::vector<Exchange::Ticket> tickets_;  ///< by action, for the operation that it has started
    SentBytes varying_bytes_{};  ///< scheduled ones, counted when their number was known
    Progress progress_;
    bool tracing_ = false;
    std::vector<TraceEvent> trace_;
    ActionClock<Space> action_clock_;
    CoreWatch core_watch_;
};

extern template class Trainer<float>;
extern template class Trainer<double>;

}  // namespace shardstone::reference
