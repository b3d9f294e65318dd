// SPDX-License-Identifier: BSD-3-Clause
// A planted bug must be caught at the step and tensor foretold; its loss curve is noted besides.
#include "validation/equivalence/planted/expectation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "validation/equivalence/planted/loss_table.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

/// On rank 0, in the last of loss_steps; on the first ranks of the job.
double final_loss(const Mutant& mutant, const ProgramSource& source) {
    const TrainOptions options = mutant.options(loss_steps);
    const bool takes_part = world().rank() < options.plan.ranks();
    auto group = world().split(takes_part ? 0 : 1);
    double loss = 0.0;
    if (takes_part) {
        const Dataset text = equivalence_text();
        Trainer<float> trainer(group, options, text, source(options, group.rank()));
        for (std::int64_t step = 1; step <= options.steps; ++step) loss = trainer.step().loss;
    }
    world().barrier();
    return loss;
}

}  // namespace

void expect_caught(const Mutant& mutant, const ProgramSource& source) {
    EquivalenceMatrix matrix(world(), 2);
    const LayoutVerdict verdict =
        matrix.judge(layout_of_matrix(mutant.layout), {false, mutant.optimizer}, source);
    if (!world().is_root()) return;
    ASSERT_TRUE(verdict.difference.has_value()) << mutant.name << " is not seen";
    const std::string text = verdict.difference->text();
    const auto end = std::min(mutant.difference.size(), text.size());
    const bool whole_name = end == text.size() || text[end] == ',' || text[end] == ' ';
    EXPECT_TRUE(text.starts_with(mutant.difference) && whole_name)
        << mutant.name << " is seen as " << text;
}

void note_loss(const Mutant& mutant, const ProgramSource& source) {
    const char* file = std::getenv("SHARDSTONE_PLANTED_LOSSES");
    if (file == nullptr) GTEST_SKIP() << "for validation/equivalence/planted/write_table";
    const double loss = final_loss(mutant, source);
    if (!world().is_root()) return;
    EXPECT_TRUE(std::isfinite(loss) && loss > 0.0) << loss;
    append(file, {mutant.name, mutant.training(), loss});
}

}  // namespace shardstone::validation
