// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/step/program_builder.hpp"

namespace shardstone::reference {

/// One way to split training, defined by its additions to a step program. A strategy is one file
/// under strategies/ that registers itself; the trainer knows none of them.
class Strategy {
  public:
    virtual ~Strategy() = default;
    /// Called before and after each unit's pass is added.
    virtual void before(ProgramBuilder&, const UnitPass&) {}
    virtual void after(ProgramBuilder&, const UnitPass&) {}
    /// Called after all passes have been added, before the norm and the update.
    virtual void finish(ProgramBuilder&) {}
    /// Called after the update.
    virtual void after_update(ProgramBuilder&) {}
};

struct StrategyEntry {
    /// Strategies add in ascending order: first messages between stages, then transfers that free
    /// buffers and gather weights, then those that reduce gradients.
    int order = 0;
    std::string name;
    /// Whether a plan uses it.
    bool (*applies)(const StepSpec&) = nullptr;
    std::unique_ptr<Strategy> (*make)() = nullptr;
    /// Throws Error for a spec that it does not support, with the nearest supported one.
    void (*require)(const StepSpec&) = [](const StepSpec&) {};
    /// Its changes to a rank's part of the model.
    void (*shape_part)(const StepSpec&, const Coordinates&,
                       ModelPart&) = [](const StepSpec&, const Coordinates&, ModelPart&) {};
    /// The state that replicas shard because of it.
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
