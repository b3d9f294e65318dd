// SPDX-License-Identifier: BSD-3-Clause
// The registry of what strategies leave to choose, and the words in force.
#include "reference/step/strategy_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

std::vector<StrategyChoice>& choice_registry() {
    static std::vector<StrategyChoice> choices;
    return choices;
}

}  // namespace

StrategyChoiceRegistration::StrategyChoiceRegistration(StrategyChoice choice) {
    auto& choices = choice_registry();
    const auto place = std::ranges::upper_bound(choices, choice.name, {}, &StrategyChoice::name);
    choices.insert(place, std::move(choice));
}

const std::vector<StrategyChoice>& strategy_choices() {
    return choice_registry();
}

const std::string& choice_of(const StepSpec& spec, const std::string& name) {
    const auto given = spec.choices.find(name);
    if (given != spec.choices.end()) return given->second;
    const auto choice = std::ranges::find(strategy_choices(), name, &StrategyChoice::name);
    SHARDSTONE_EXPECTS(choice != strategy_choices().end());
    return choice->words.front();
}

void require_known_choices(const StepSpec& spec) {
    for (const StrategyChoice& choice : strategy_choices()) {
        const std::string& word = choice_of(spec, choice.name);
        require(std::ranges::find(choice.words, word) != choice.words.end(), [&] {
            return fmt::format("unknown --{} '{}': use one of {}", choice.name, word,
                               fmt::join(choice.words, ", "));
        });
    }
}

}  // namespace shardstone::reference
