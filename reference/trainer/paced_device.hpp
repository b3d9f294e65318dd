// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "reference/step/pricing/plan_costs.hpp"
#include "reference/trainer/options.hpp"
#include "reference/trainer/stop_call.hpp"

namespace shardstone::reference {

/// The devices of options.pace, which is given, on the typical links of one node.
Machine paced_machine(const TrainOptions& options);

/// The device of a rank of a paced training: it is busy with a computation for as long as a device
/// of the given rates would be (PlanCosts), and the rank, which only waits for it, is idle.
///
/// As in the queue of a device, a computation begins when the one before it has ended, however late
/// the rank was to ask for it; but not before what the rank has waited for.
class PacedDevice {
  public:
    /// options.pace is given. Steps of this program on each rank. Collective.
    PacedDevice(const TrainOptions& options, const collectives::Communicator& world,
                const StepProgram& program);

    /// A step that keeps a device busy for a quarter of a second or more is cut short when a signal
    /// has reached any rank (interrupt.hpp): its computations take no more time, its messages are
    /// sent. A shorter one soon ends by itself.
    void begin_step();
    /// Whether the step was cut short, the same on all ranks. Collective.
    bool end_step();
    /// To be called now and then, also while waiting for messages: whether it is to be cut short.
    void look_for_signals();

    /// The next computation begins now at the earliest.
    void hold();
    /// When it has done all that it was given, or may begin the next computation: before the rank
    /// asks for it, if the rank is late.
    double free_s() const { return free_s_; }
    /// Moves messages along and says whether there is more to move; called now and then.
    using Progress = std::function<bool()>;
    /// Return when a computation of the step program, or the loading of a micro-batch, has ended.
    void compute(const Action& action, const Progress& progress);
    void load(const Progress& progress);

  private:
    double busy_s(const StepProgram& program) const;
    void sleep(const Progress& progress) const;

    PlanCosts costs_;
    int rank_;
    double factor_;
    double input_s_;
    double free_s_ = 0.0;
    std::unique_ptr<StopCall> call_;  ///< where steps are long
    bool is_cut_short_ = false;
};

}  // namespace shardstone::reference
