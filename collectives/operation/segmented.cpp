// SPDX-License-Identifier: BSD-3-Clause
// "segmented:ALGORITHM", for operations on a whole vector or on shares of it: the schedule of any
// other algorithm, cut into segments (compose.hpp) that overlap in time, so that the levels of a
// hierarchy, or of a tree, are all at work at once. J. Watts and R. van de Geijn, "A pipelined
// broadcast for multidimensional meshes", Parallel Processing Letters 5(2), 1995, and many since.
//
// Steps (of one segment) and volume: those of ALGORITHM.
#include <fmt/format.h>

#include <array>

#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm segmented(const std::string& operation, std::string_view name) {
    Algorithm algorithm = find_level(operation, name, fmt::format("segmented:{}", name));
    algorithm.name = fmt::format("segmented:{}", name);
    algorithm.summary = fmt::format("{} in segments that overlap in time", name);
    algorithm.steps_formula += " per segment";
    algorithm.segment_bytes = 512 << 10;
    return algorithm;
}

AlgorithmFamily segmented_family(const std::string& operation, std::vector<std::string> members) {
    return {"segmented", "segmented:ALGORITHM", std::move(members),
            [operation](std::string_view name) { return segmented(operation, name); }};
}

const std::array<AlgorithmRegistration, 3> segmented_registrations{
    AlgorithmRegistration("all_reduce",
                          segmented_family("all_reduce", {"hierarchical:ring/rabenseifner"})),
    AlgorithmRegistration("broadcast", segmented_family("broadcast", {"binomial_tree"})),
    AlgorithmRegistration("reduce", segmented_family("reduce", {"binomial_tree"})),
};

}  // namespace

}  // namespace shardstone::collectives
