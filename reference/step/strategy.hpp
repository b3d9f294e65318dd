// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/step/program_builder.hpp"

namespace shardstone::reference {

/// One way to split training, as what it adds to a step program. A strategy is one file under
/// strategies/ that registers itself; the trainer knows none of them.
class Strategy {
  public:
    virtual ~Strategy() = default;
    /// Before and after each unit's pass is added.
    virtual void before(ProgramBuilder&, const UnitPass&) {}
    virtual void after(ProgramBuilder&, const UnitPass&) {}
    /// When all passes are added, before the norm and the update.
    virtual void finish(ProgramBuilder&) {}
    /// After the update.
    virtual void after_update(ProgramBuilder&) {}
};

struct StrategyEntry {
    /// Strategies add in ascending order: messages between stages first, then what makes room and
    /// brings weights, then what takes gradients away.
    int order = 0;
    std::string name;
    /// Whether a plan uses it.
    bool (*applies)(const StepSpec&) = nullptr;
    std::unique_ptr<Strategy> (*make)() = nullptr;
    /// Throws Error for a spec that it cannot work with, with the nearest that it could.
    void (*require)(const StepSpec&) = [](const StepSpec&) {};
    /// What it changes in the part of the model that a rank holds.
    void (*shape_part)(const StepSpec&, const Coordinates&,
                       ModelPart&) = [](const StepSpec&, const Coordinates&, ModelPart&) {};
    /// What the replicas share out because of it.
    Sharding sharding{};
};

/// At namespace scope in a strategy's file.
struct StrategyRegistration {
    explicit StrategyRegistration(StrategyEntry entry);
};

/// All, in ascending order.
const std::vector<StrategyEntry>& strategies();

template <class S>
std::unique_ptr<Strategy> make_strategy() {
    return std::make_unique<S>();
}

}  // namespace shardstone::reference
