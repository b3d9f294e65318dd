// SPDX-License-Identifier: BSD-3-Clause
// Programs made of other algorithms' programs, and the arguments in names such as k_nomial:4.
#include "collectives/operation/derive.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "collectives/schedule/compose.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

Generator program_of(std::string operation, std::string algorithm) {
    return [operation = std::move(operation), name = std::move(algorithm)](const Topology& topology,
                                                                           int rank) {
        return find_algorithm(operation, name).program(topology, rank);
    };
}

Generator backwards_of(std::string operation, std::string algorithm, TransferKind receive) {
    return [operation = std::move(operation), name = std::move(algorithm), receive](
               const Topology& topology, int rank) {
        const Algorithm forwards = find_algorithm(operation, name);
        return backwards(forwards.program(topology, rank), forwards.steps(topology), receive);
    };
}

Generator there_and_back(std::string operation, std::string algorithm) {
    return [operation = std::move(operation), name = std::move(algorithm)](const Topology& topology,
                                                                           int rank) {
        const Algorithm there = find_algorithm(operation, name);
        const RankProgram program = there.program(topology, rank);
        const int steps = there.steps(topology);
        return in_sequence(program, steps,
                           backwards(program, steps, TransferKind::receive_replace));
    };
}

Generator at_once(std::string operation, std::string algorithm) {
    return [one_by_one = program_of(std::move(operation), std::move(algorithm))](
               const Topology& topology, int rank) {
        RankProgram program = one_by_one(topology, rank);
        for (BlockTransfer& action : program.actions) action.step = 0;
        return program;
    };
}

void run_in_turn(const Algorithm& first, const Algorithm& second, Algorithm& algorithm) {
    algorithm.steps = [=](const Topology& topology) {
        return first.steps(topology) + second.steps(topology);
    };
    algorithm.volume = [=](const Topology& topology) {
        return first.volume(topology) + second.volume(topology);
    };
    algorithm.program = [=](const Topology& topology, int rank) {
        return in_sequence(first.program(topology, rank), first.steps(topology),
                           second.program(topology, rank));
    };
}

int number_argument(std::string_view family, std::string_view argument, std::string_view meaning,
                    int low, int high) {
    int value = 0;
    const char* const end = argument.data() + argument.size();
    const auto [stop, error] = std::from_chars(argument.data(), end, value);
    require(error == std::errc() && stop == end && value >= low && value <= high, [&] {
        return fmt::format("{}:{}: give {} from {} to {}, e.g. {}:{}", family, argument, meaning,
                           low, high, family, 2 * low);
    });
    return value;
}

LevelNames level_names(std::string_view family, std::string_view arguments) {
    const auto slash = arguments.find('/');
    require(slash != std::string_view::npos, [&] {
        return fmt::format("{}:{}: name two levels, inner/outer, e.g. {}:ring/ring", family,
                           arguments, family);
    });
    const std::string_view rest = arguments.substr(slash + 1);
    const bool more_levels = rest.find('/') != std::string_view::npos;
    return {std::string(arguments.substr(0, slash)),
            fmt::format("{}{}", more_levels ? "hierarchical:" : "", rest)};
}

Algorithm find_level(std::string_view operation, std::string_view name, std::string_view whole) {
    Algorithm algorithm = find_algorithm(operation, name);
    require(algorithm.has_plain_messages(), [&] {
        return fmt::format("{}: {} has no schedule to nest; use one that has", whole, name);
    });
    return algorithm;
}

Algorithm find_level_in_one_piece(std::string_view operation, std::string_view name,
                                  std::string_view whole) {
    Algorithm algorithm = find_level(operation, name, whole);
    const int blocks = algorithm.program(Topology::one_node(3), 0).blocks();
    require(blocks == 1, [&] {
        return fmt::format("{}: {} cuts the vector into blocks; use a tree or a chain", whole,
                           name);
    });
    return algorithm;
}

}  // namespace shardstone::collectives
