// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <tuple>

#include "reference/step/pricing/plan_costs.hpp"

namespace shardstone::reference {

/// Passes, norm and update take their median times in measured steps, communication the time by
/// PlanCosts. For plans without a tensor axis, in which passes do not communicate.
class MeasuredPasses : public StepCosts {
  public:
    /// `programs` are those that the steps ran; `others` must outlive this object.
    MeasuredPasses(std::span<const StepProgram> programs, std::span<const StepSpans> steps,
                   const StepCosts& others);

    double compute_s(int rank, const Action& action) const override;
    double message_s(int sender, const Action& send) const override {
        return others_.message_s(sender, send);
    }
    double transfer_s(int member, const GroupTransfer& transfer) const override {
        return others_.transfer_s(member, transfer);
    }

  private:
    /// Rank, kind, micro-batch, chunk, unit: once in a program.
    using Key = std::tuple<int, Action::Kind, std::int64_t, int, int, int>;
    static Key key_of(int rank, const Action& action);

    const StepCosts& others_;
    std::map<Key, double> median_s_;
};

/// Share of the ranks' time spent in passes, from the start of the first on any rank to the end of
/// the last on any.
double measured_utilisation(std::span<const StepProgram> programs, const StepSpans& step);
/// Time from the start of the first pass to the end of the last.
double measured_span_s(std::span<const StepProgram> programs, const StepSpans& step);

}  // namespace shardstone::reference
