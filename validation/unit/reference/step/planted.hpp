// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "validation/unit/reference/step/spoiler.hpp"

namespace shardstone::validation {

/// A bug in the program of one rank, and the words in which the checker has to name it.
struct Mutation {
    const char* name;
    const char* plan;
    int rank;
    std::function<void(Spoiler&)> plant;
    const char* complaint;
    const char* schedule = "1f1b";
    reference::Recompute recompute = reference::Recompute::none;
    bool tensor_norms = false;
    bool fp8 = false;
    bool scatter_gather = false;
    double capacity = 1.25;  ///< of experts
};

inline void PrintTo(const Mutation& mutation, std::ostream* out) {
    *out << mutation.name;
}

/// Four micro-batches, three blocks per stage; what is planted is seen (planted_test.cpp).
class Planted : public testing::TestWithParam<Mutation> {};

inline std::string name_of(const testing::TestParamInfo<Mutation>& each) {
    return each.param.name;
}

/// The `number`-th segment of a pass of micro-batch 1, from 0.
inline std::size_t segment(Spoiler& s, reference::Action::Kind kind, int unit, int number) {
    return s.find(pass(kind, 1, unit), number);
}

/// What the last phase of that segment has left.
inline std::size_t sent(Spoiler& s, reference::Action::Kind kind, int unit, int number) {
    std::size_t at = segment(s, kind, unit, number) + 1;
    while (s.at(at).kind != reference::Action::Kind::transfer ||
           !s.at(at).transfer.is_of_phases()) {
        ++at;
    }
    return at;
}

}  // namespace shardstone::validation
