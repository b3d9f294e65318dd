// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

// The table of all algorithms in the docs, generated from the registry and from simulating the
// schedules, so that a new algorithm appears in it automatically.

constexpr const char* catalogue_file = "algorithms.md";
constexpr const char* figures_folder = "figures";
/// The command that writes both, in the root of the repository.
constexpr const char* catalogue_command = "shardstone draw --catalogue reference --force";

struct CatalogueFigure {
    std::string file_name;
    std::string svg;
};

/// Drawings of some algorithms, each of a different kind.
std::vector<CatalogueFigure> catalogue_figures();

/// The table as Markdown: for every operation its algorithms with steps, volume, price, source and
/// links to the drawings.
std::string catalogue();

/// The file name of a drawing: "hierarchical-ring-ring-8.svg".
std::string drawing_name(const Algorithm& algorithm, int ranks);

}  // namespace shardstone::collectives
