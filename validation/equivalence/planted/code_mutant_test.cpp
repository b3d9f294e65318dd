// SPDX-License-Identifier: BSD-3-Clause
// Linked with one changed source, the environment variable SHARDSTONE_PLANTED names which: the
// matrix sees the bug where code_mutants.json says. The programs pass the checker; it is the code
// below them that is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/base/error.hpp"
#include "validation/equivalence/planted/expectation.hpp"

namespace shardstone::validation {
namespace {

Mutant planted_here() {
    const char* name = std::getenv("SHARDSTONE_PLANTED");
    require(name != nullptr, "SHARDSTONE_PLANTED does not name the bug of this program");
    const auto mutants = code_mutants();
    const auto found = std::ranges::find(mutants, name, &Mutant::name);
    require(found != mutants.end(), "SHARDSTONE_PLANTED names a bug that is not in the list");
    return *found;
}

TEST(PlantedCode, IsCaught) {
    expect_caught(planted_here());
}

TEST(PlantedCode, LossIsNoted) {
    note_loss(planted_here());
}

}  // namespace
}  // namespace shardstone::validation
