// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reference/step/check/rank_proof.hpp"

namespace shardstone::reference {

/// Every pass runs the phases of its unit (model/unit_phases.hpp) in order, each once, with no
/// other pass in between; the data that a phase leaves for other ranks are sent right after it, by
/// the phase's collective, and have arrived before the phases that need them, and before the next
/// pass.
class PhaseProof : public RankProof {
  public:
    explicit PhaseProof(const ProgramView& view);
    void see(std::size_t position, const Action& action, const Ended& ended) override;
    void finish() override;

  private:
    void see_pass(std::size_t position, const Action& action, const Ended& ended);
    void begin_pass(std::size_t position, const Action& action, const Ended& ended);
    void require_continued(std::size_t position, const Action& action) const;
    void require_arrived(std::size_t position, int transfers, const Ended& ended) const;
    void see_transfer(std::size_t position, const Action& action);
    bool is_open() const { return next_ < static_cast<int>(phases().size()); }
    const std::vector<UnitPhase>& phases() const { return *phases_; }

    UnitPhases all_;
    const std::vector<UnitPhase>* phases_ = nullptr;  ///< of the pass at hand
    Action pass_;                                     ///< its latest action
    int next_ = 0;                                    ///< phase
    std::vector<std::size_t> transfers_;              ///< of the pass so far
    bool is_due_ = false;                             ///< a transfer of the last phase
};

}  // namespace shardstone::reference
