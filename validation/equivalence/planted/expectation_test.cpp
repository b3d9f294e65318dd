// SPDX-License-Identifier: BSD-3-Clause
#include "validation/equivalence/planted/expectation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "validation/equivalence/planted/loss_table.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

namespace {

Verdict judge(const std::string& layout, std::int64_t steps, const ProgramSource& source) {
    EquivalenceMatrix matrix(world(), steps);
    return matrix.judge(layout_of_matrix(layout), {}, source);
}

}  // namespace

void expect_caught(const Mutant& mutant, const ProgramSource& source) {
    const Verdict verdict = judge(mutant.layout, 2, source);
    if (!world().is_root()) return;
    ASSERT_TRUE(verdict.difference.has_value()) << mutant.name << " is not seen";
    const std::string text = verdict.difference->text();
    EXPECT_TRUE(text.starts_with(mutant.difference)) << mutant.name << " is seen as " << text;
}

void note_loss(const std::string& mutant, const std::string& layout, const ProgramSource& source) {
    const char* file = std::getenv("SHARDSTONE_PLANTED_LOSSES");
    if (file == nullptr) GTEST_SKIP() << "for validation/equivalence/planted/write_table";
    const double loss = judge(layout, loss_steps, source).final_loss;
    if (!world().is_root()) return;
    EXPECT_TRUE(std::isfinite(loss) && loss > 0.0) << loss;
    append(file, {mutant, layout, loss});
}

}  // namespace shardstone::validation
