// SPDX-License-Identifier: BSD-3-Clause
#include "validation/equivalence/planted/mutant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

std::vector<Mutant> code_mutants() {
    std::ifstream file(SHARDSTONE_SOURCE_DIR "/validation/equivalence/planted/code_mutants.json");
    std::vector<Mutant> mutants;
    for (const auto& entry : nlohmann::json::parse(file)) {
        mutants.push_back({entry.at("name"), entry.at("bug"), entry.at("layout"),
                           entry.at("difference"), entry.at("file")});
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
