// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "reference/step/check/program_view.hpp"

namespace shardstone::reference {

/// The actions that a rank has waited for so far; they have ended, and stay so.
class Ended {
  public:
    explicit Ended(std::size_t actions) : ended_(actions, false) {}

    void add(const std::vector<std::size_t>& needs) {
        for (const std::size_t need : needs) ended_[need] = true;
    }
    bool contains(std::size_t action) const { return ended_[action]; }

  private:
    std::vector<bool> ended_;
};

/// One part of the proof of one rank's program. It sees all actions in order, each with those that
/// have ended before it, and then the end.
class RankProof {
  public:
    explicit RankProof(const ProgramView& view) : view_(view) {}
    RankProof(const RankProof&) = delete;
    RankProof& operator=(const RankProof&) = delete;
    virtual ~RankProof() = default;

    virtual void see(std::size_t position, const Action& action, const Ended& ended) = 0;
    virtual void finish() = 0;

  protected:
    std::size_t end() const { return view_.program.actions.size(); }

    const ProgramView& view_;
};

}  // namespace shardstone::reference
