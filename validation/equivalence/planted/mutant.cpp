// SPDX-License-Identifier: BSD-3-Clause
// The planted bugs in source lines, read from their list, and the layout each of them trains in.
#include "validation/equivalence/planted/mutant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

std::string Mutant::training() const {
    const bool usual = optimizer == reference::OptimizerKind::adamw;
    return usual ? layout : fmt::format("{}, {}", layout, to_string(optimizer));
}

reference::TrainOptions Mutant::options(std::int64_t steps) const {
    auto options = with_layout(equivalence_training(steps), layout_of_matrix(layout));
    choose_optimizer(options, optimizer);
    return options;
}

std::vector<Mutant> code_mutants() {
    std::ifstream file(SHARDSTONE_SOURCE_DIR "/validation/equivalence/planted/code_mutants.json");
    std::vector<Mutant> mutants;
    for (const auto& entry : nlohmann::json::parse(file)) {
        mutants.push_back({entry.at("name"), entry.at("bug"), entry.at("layout"),
                           entry.at("difference"), entry.at("file"),
                           parse_optimizer(entry.value("optimizer", "adamw"))});
    }
    return mutants;
}

Layout layout_of_matrix(const std::string& name) {
    const auto layouts = equivalence_layouts();
    const auto found = std::ranges::find(layouts, name, &Layout::name);
    require(found != layouts.end(),
            [&] { return fmt::format("the matrix has no layout '{}'", name); });
    return *found;
}

}  // namespace shardstone::validation
