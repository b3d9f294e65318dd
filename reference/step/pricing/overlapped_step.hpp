// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "reference/step/pricing/step_times.hpp"

namespace shardstone::reference {

/// The same step with its transfers during computation (CommunicationOptions::overlap), to tell
/// what their waiting for each other costs: every computation, transfer and message is there, the
/// transfers in another order.
class OverlappedStep {
  public:
    /// The spec is valid, the programs are its own, of all ranks; they must outlive this object,
    /// which uses them as they are if the spec overlaps.
    OverlappedStep(const StepSpec& spec, std::span<const StepProgram> programs);

    std::span<const StepProgram> programs() const {
        return overlapped_.empty() ? given_ : std::span<const StepProgram>(overlapped_);
    }
    /// What took so long in the given programs, in these.
    StepTimes times(const StepTimes& given) const;

  private:
    const StepSpec& spec_;
    std::span<const StepProgram> given_;
    std::vector<StepProgram> overlapped_;
};

}  // namespace shardstone::reference
