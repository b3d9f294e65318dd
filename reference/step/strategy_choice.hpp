// SPDX-License-Identifier: BSD-3-Clause
// What strategies leave to choose beside the plan; each is an option of `train` and in its record.
#pragma once

#include <string>
#include <vector>

#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

/// One of several words.
struct StrategyChoice {
    std::string name;                ///< of its option without the dashes: "context-order"
    std::vector<std::string> words;  ///< the first is the default
    std::string text;                ///< of the help, without the words
    bool (*applies)(const StepSpec&) = nullptr;
    std::string needs;  ///< what makes it apply, in words: "a plan with cp=2 or more"
};

/// At namespace scope in a strategy's file.
struct StrategyChoiceRegistration {
    explicit StrategyChoiceRegistration(StrategyChoice choice);
};

/// All, by name.
const std::vector<StrategyChoice>& strategy_choices();

/// The word in force, of a choice that there is.
const std::string& choice_of(const StepSpec& spec, const std::string& name);

/// Throws Error naming a word that is none of its choice's.
void require_known_choices(const StepSpec& spec);

}  // namespace shardstone::reference
