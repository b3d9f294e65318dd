// SPDX-License-Identifier: BSD-3-Clause
// Settings of strategies besides the plan; each is an option of `train` and is recorded.
#pragma once

#include <string>
#include <vector>

#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

/// A setting with one of several values.
struct StrategyChoice {
    std::string name;                ///< of its option without the dashes: "context-order"
    std::vector<std::string> words;  ///< the first is the default
    std::string text;                ///< help text, without the values
    bool (*applies)(const StepSpec&) = nullptr;
    std::string needs;  ///< condition for it to apply, in words: "a plan with cp=2 or more"
};

/// At namespace scope in a strategy's file.
struct StrategyChoiceRegistration {
    explicit StrategyChoiceRegistration(StrategyChoice choice);
};

/// All, by name.
const std::vector<StrategyChoice>& strategy_choices();

/// The value in force of an existing setting.
const std::string& choice_of(const StepSpec& spec, const std::string& name);

/// Throws Error naming a value that its setting does not have.
void require_known_choices(const StepSpec& spec);

}  // namespace shardstone::reference
