// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/step/pricing/link_prices.hpp"
#include "reference/step/pricing/overlapped_step.hpp"
#include "reference/step/pricing/step_times.hpp"

namespace shardstone::reference {

/// Parts of a step's time, in the order in which they are what remains when all after them are
/// taken away.
enum class GapPart : std::uint8_t {
    useful,         ///< passes of typical ranks without recomputation, mean over ranks: the ideal
    bubble,         ///< waiting that the order of passes and uneven stages leave; none of one stage
    optimizer,      ///< norm and update
    recomputation,  ///< of activations
    latency,        ///< exposed: the start of messages
    inside_nodes,   ///< exposed: bytes inside nodes, and reducing them
    between_nodes,  ///< exposed: bytes between nodes
    slower_inside_nodes,   ///< exposed: what transfers took beyond the description, inside nodes
    slower_between_nodes,  ///< and between them
    overlap_off,  ///< transfers that wait for passes, and passes for them, where the plan asks so
    input,        ///< loading sequences
    imbalance,    ///< ranks with the same work that took longer than their median, or the fastest
    waiting_for_cores,  ///< ranks that were ready, but on no core, computing or with messages there
    other,              ///< what ranks did besides, and what the replay does not explain
};
inline constexpr std::size_t gap_part_count = 14;
inline constexpr std::array<std::string_view, gap_part_count> gap_part_names{
    "useful passes",
    "pipeline bubble",
    "optimizer",
    "recomputation",
    "latency",
    "bandwidth inside nodes",
    "bandwidth between nodes",
    "slower than described inside nodes",
    "slower than described between nodes",
    "overlap off",
    "input",
    "imbalance",
    "waiting for cores",
    "other"};

/// Seconds by part; they add up to the step's time.
using GapSplit = std::array<double, gap_part_count>;

/// Splits a step by taking its losses away one by one, the last part first, and replaying the
/// programs (replayed_s()) after each: a part is what the step becomes shorter by. So communication
/// counts only where it is exposed, and the parts add up exactly. Their order matters where losses
/// hide each other: what a step can be cured of goes first (waiting for cores, imbalance, input,
/// overlap that is off, slow links), then what belongs to the plan. What of a transfer or message
/// is latency and bytes of which links is the cluster description's, and of what is beyond that
/// ranks waited for cores as far as that was seen (link_prices.hpp).
///
/// Ranks of one stage have the same work. What it takes where nothing is wrong is their median, by
/// computation: a mean would spread what a slow rank loses over the ideal and all other parts. Of
/// two ranks nobody knows which is the slow one, and half of the loss is taken for work. Where such
/// medians together are longer than the step, they are no rank's work, and the mean is taken.
/// Devices of one pace all take what the fastest takes, but for what was planted. Where nothing
/// fits into the step ranks keep their own work; what is left beyond the ideal is a bubble only
/// where there are several stages, and imbalance in one.
class GapSplitter {
  public:
    /// The spec is valid, the programs are its own, of all ranks; both must outlive this object.
    /// Throws Error if the machine has too few ranks. `paced`: of a paced training.
    GapSplitter(const StepSpec& spec, const Machine& machine, const MemoryOptions& memory,
                std::span<const StepProgram> programs, bool paced = false);

    GapSplit split(const StepTimes& times) const;

  private:
    using Average = double (*)(std::span<const double>);

    /// Of a step that takes `step_s`: its own times where even ones would take longer.
    StepTimes without_imbalance(const StepTimes& times, double step_s) const;
    void balance(StepTimes& times, Average average) const;
    template <class Change>
    void change_computations(StepTimes& times, Change change) const;
    double useful_s(const StepTimes& times) const;

    const StepSpec& spec_;
    std::span<const StepProgram> programs_;
    bool paced_;
    OverlappedStep overlapped_;
    LinkPrices links_;  ///< of the overlapped step
};

}  // namespace shardstone::reference
