// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

// Helpers for algorithms built from others or from arguments. Other algorithms are looked up on
// use: they may be registered later than those built from them.

/// The program of another algorithm.
Generator program_of(std::string operation, std::string algorithm);

/// The program of another algorithm run backwards (compose.hpp).
Generator backwards_of(std::string operation, std::string algorithm,
                       TransferKind receive = TransferKind::receive_replace);

/// The program of another algorithm, a reduction to the root, followed by the same program
/// backwards.
Generator there_and_back(std::string operation, std::string algorithm);

/// The program of another algorithm whose messages are independent, all in one step.
Generator at_once(std::string operation, std::string algorithm);

/// Gives `algorithm` the steps, volume and program of `first`, then `second`.
void run_in_turn(const Algorithm& first, const Algorithm& second, Algorithm& algorithm);

/// The integer that is the only argument of family `family`. Throws Error naming `meaning` and the
/// limits unless it is from `low` to `high`.
int number_argument(std::string_view family, std::string_view argument, std::string_view meaning,
                    int low, int high);

/// The arguments of a hierarchical family: "INNER/OUTER", or more levels, "INNER/MIDDLE/OUTER", of
/// which all but the first are then "hierarchical:MIDDLE/OUTER".
struct LevelNames {
    std::string inner;
    std::string outer;
};
/// Throws Error naming `family` unless there are two.
LevelNames level_names(std::string_view family, std::string_view arguments);

/// The algorithm for one level of `whole`, the full name of a hierarchical one. Throws Error when
/// it has no schedule to nest.
Algorithm find_level(std::string_view operation, std::string_view name, std::string_view whole);

/// The same, for a level that must keep the vector in one piece: a tree or a chain. Throws Error
/// also when it cuts it into blocks.
Algorithm find_level_in_one_piece(std::string_view operation, std::string_view name,
                                  std::string_view whole);

}  // namespace shardstone::collectives
