// SPDX-License-Identifier: BSD-3-Clause
// The words after --op, --algorithm and --in-place become operations with their algorithms.
#include "benchmarks/collectives/sweep/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::find_operation;
using Names = std::vector<std::string>;

void add_once(Names& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

Names operations_of(const SweepOptions& options) {
    Names names;
    for (const std::string& word : options.operations) {
        if (word == "all") {
            for (const std::string& name : collectives::operations()) add_once(names, name);
        } else {
            add_once(names, find_operation(word).name);
        }
    }
    require(!names.empty(), "--op names none: give all, or a list such as all_reduce,broadcast");
    return names;
}

/// What "all" stands for on the device.
Names all_of(const std::string& operation, const SweepOptions& options) {
    return options.on_gpus() ? collectives::conditional_algorithms_for(operation)
                             : collectives::algorithms_for(operation);
}

/// Whether an operation has an algorithm, or a family, of that name before the colon.
bool has_family(const std::string& operation, const std::string& word) {
    const auto family = [](const std::string& name) { return name.substr(0, name.find(':')); };
    const auto is_among = [&](const Names& names) {
        return std::ranges::any_of(
            names, [&](const std::string& name) { return family(name) == family(word); });
    };
    return is_among(collectives::algorithms_for(operation)) ||
           is_among(collectives::conditional_algorithms_for(operation));
}

/// Times of vectors in the host's memory and of vectors in a GPU's do not compare.
void require_device(const collectives::Algorithm& algorithm, const SweepOptions& options) {
    const bool on_gpus = static_cast<bool>(algorithm.obstacle);
    require(on_gpus || !options.on_gpus(), [&] {
        return fmt::format(
            "--algorithm {0} with --device cuda: its vectors are in the host's memory; give one "
            "that `collectives --list --device cuda` has{1}",
            algorithm.name,
            algorithm.has_plain_messages() ? ", such as over_pinned:" + algorithm.name : "");
    });
    require(!on_gpus || options.on_gpus(), [&] {
        return fmt::format("--algorithm {}: its vectors are in memory of GPUs: add --device cuda",
                           algorithm.name);
    });
}

/// What the operation has against an algorithm of that name; empty: it takes it.
std::string objection(const std::string& operation, const std::string& word,
                      const SweepOptions& options) {
    try {
        require_device(collectives::find_algorithm(operation, word), options);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

/// A name that is given for several operations goes with those that take it, one at the least.
void require_taken(const Names& operations, const std::string& word, const SweepOptions& options) {
    if (word == "all") return;
    const auto takes = [&](const auto& operation) {
        return objection(operation, word, options).empty();
    };
    if (std::ranges::any_of(operations, takes)) return;
    const auto knowing = std::ranges::find_if(
        operations, [&](const auto& operation) { return has_family(operation, word); });
    require(knowing != operations.end() || operations.size() == 1, [&] {
        return fmt::format("--algorithm {}: none of {} has it: see --list", word,
                           fmt::join(operations, ", "));
    });
    fail(objection(knowing != operations.end() ? *knowing : operations.front(), word, options));
}

std::vector<collectives::Algorithm> algorithms_of(const collectives::Operation& operation,
                                                  const SweepOptions& options) {
    Names names;
    for (const std::string& word : options.algorithms) {
        if (word == "all") {
            for (const auto& name : all_of(operation.name, options)) add_once(names, name);
        } else if (objection(operation.name, word, options).empty()) {
            add_once(names, word);
        }
    }
    std::vector<collectives::Algorithm> algorithms;
    for (const std::string& name : names) {
        algorithms.push_back(collectives::find_algorithm(operation, name));
    }
    return algorithms;
}

std::vector<bool> places_of(const std::string& word, const collectives::Operation& operation) {
    if (word == "yes") return {true};
    if (word == "no") return {false};
    if (word == "both") return {false, true};
    require(word == "auto", [&] {
        return fmt::format("--in-place {}: unknown; give yes, no, both or auto", word);
    });
    return {!collectives::moves_data(operation.sharing)};
}

}  // namespace

std::vector<OperationPlan> selected_operations(const SweepOptions& options) {
    const Names operations = operations_of(options);
    require(!options.algorithms.empty(),
            "--algorithm names none: give all, or a list such as ring,mpi");
    require(!all_of(operations.front(), options).empty(),
            "--device cuda: this program was built without CUDA; build it where nvcc is, or omit "
            "it");
    for (const std::string& word : options.algorithms) require_taken(operations, word, options);
    std::vector<OperationPlan> plans;
    for (const std::string& name : operations) {
        const collectives::Operation& operation = find_operation(name);
        auto algorithms = algorithms_of(operation, options);
        const bool named = std::ranges::find(options.operations, name) != options.operations.end();
        require(!algorithms.empty() || !named, [&] {
            return fmt::format("--algorithm {}: {} has none of these: it has {}",
                               fmt::join(options.algorithms, ","), name,
                               fmt::join(all_of(name, options), ", "));
        });
        if (algorithms.empty()) continue;
        plans.push_back(
            {&operation, std::move(algorithms), places_of(options.in_place, operation)});
    }
    return plans;
}

}  // namespace shardstone::benchmarks
