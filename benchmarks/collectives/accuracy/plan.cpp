// SPDX-License-Identifier: BSD-3-Clause
// The options of an accuracy study are checked and become element types, vector lengths and runs.
#include "benchmarks/collectives/accuracy/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "benchmarks/collectives/sweep/selection.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t most_elements = 1 << 20;

constexpr std::array all_types{ElementType::fp64,  ElementType::fp32,     ElementType::bf16,
                               ElementType::fp16,  ElementType::fp8_e4m3, ElementType::fp8_e5m2,
                               ElementType::int32, ElementType::int64};

std::vector<ElementType> types_of(const std::vector<std::string>& words) {
    std::vector<ElementType> types;
    const auto add_once = [&](ElementType type) {
        if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    };
    for (const std::string& word : words) {
        if (word == "all") {
            std::ranges::for_each(all_types, add_once);
        } else {
            add_once(parse_element_type(word));
        }
    }
    require(!types.empty(), "--types names none: give all, or a list such as fp32,bf16");
    return types;
}

std::vector<OperationPlan> reducing_operations(const SweepOptions& chosen) {
    std::vector<OperationPlan> operations = selected_operations(chosen);
    std::erase_if(operations, [&](const OperationPlan& planned) {
        if (planned.operation->reduces) return false;
        const bool named = std::ranges::find(chosen.operations, planned.operation->name) !=
                           chosen.operations.end();
        require(!named, [&] {
            return fmt::format(
                "--op {} with --accuracy: it computes no sums: give all_reduce, reduce_scatter or "
                "reduce",
                planned.operation->name);
        });
        return true;
    });
    return operations;
}

}  // namespace

AccuracyPlan plan_accuracy(const SweepOptions& chosen, const AccuracyOptions& options) {
    AccuracyPlan plan;
    require(!options.elements.empty(), "--elements names none: give a number such as 4096");
    for (const std::int64_t elements : options.elements) {
        require(elements >= 1 && elements <= most_elements, [&] {
            return fmt::format("--elements {}: give 1 to {}", elements, most_elements);
        });
    }
    require(options.runs >= 2 && options.runs <= 1000, [&] {
        return fmt::format("--runs {}: give 2 to 1000, to compare their bits", options.runs);
    });
    require(chosen.root >= 0,
            [&] { return fmt::format("--root {}: give 0 or more", chosen.root); });
    require(chosen.ranks_per_node >= 0, [&] {
        return fmt::format("--ranks-per-node {}: give at least 1, or 0 for the nodes as found",
                           chosen.ranks_per_node);
    });
    plan.types = types_of(options.types);
    plan.elements = options.elements;
    plan.runs = options.runs;
    plan.sweep.operations = reducing_operations(chosen);
    plan.sweep.root = chosen.root;
    plan.sweep.sizes_bytes = {std::ranges::max(plan.elements) *
                              static_cast<std::int64_t>(sizeof(double))};
    return plan;
}

std::vector<std::int64_t> lengths_of(const AccuracyPlan& plan,
                                     const collectives::Operation& operation, int ranks) {
    const std::int64_t part = elements_per_part(operation, Shares::even, ranks);
    std::vector<std::int64_t> lengths;
    for (const std::int64_t elements : plan.elements) {
        const std::int64_t parts = std::max<std::int64_t>(1, (elements + part / 2) / part);
        if (std::ranges::find(lengths, parts * part) == lengths.end()) {
            lengths.push_back(parts * part);
        }
    }
    return lengths;
}

}  // namespace shardstone::benchmarks
