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
};

inline void PrintTo(const Mutation& mutation, std::ostream* out) {
    *out << mutation.name;
}

/// Four micro-batches, three blocks per stage; what is planted is seen (planted_test.cpp).
class Planted : public testing::TestWithParam<Mutation> {};

inline std::string name_of(const testing::TestParamInfo<Mutation>& each) {
    return each.param.name;
}

}  // namespace shardstone::validation
