// SPDX-License-Identifier: BSD-3-Clause
// The bugs in step programs: the checker refuses each, and where it is left out, the matrix names
// the first tensor that differs. The right programs of the same layouts pass both.
#include "validation/equivalence/planted/program_mutants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "kernels/base/error.hpp"
#include "reference/step/check/program_check.hpp"
#include "validation/equivalence/planted/expectation.hpp"
#include "validation/equivalence/planted/loss_table.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

void PrintTo(const ProgramMutant& planted, std::ostream* out) {
    *out << planted.mutant.name;
}

namespace {

using namespace reference;

std::vector<Mutant> all_mutants() {
    std::vector<Mutant> all;
    for (const ProgramMutant& planted : program_mutants()) all.push_back(planted.mutant);
    for (const Mutant& mutant : code_mutants()) all.push_back(mutant);
    return all;
}

/// One without a bug for each training that has some with.
std::map<std::string, Mutant> right_trainings() {
    std::map<std::string, Mutant> all;
    for (Mutant mutant : all_mutants()) {
        mutant.name.clear();
        all.emplace(mutant.training(), mutant);
    }
    return all;
}

class PlantedProgram : public testing::TestWithParam<ProgramMutant> {
  protected:
    static StepProgram spoilt(const StepSpec& spec, int rank) {
        return GetParam().program(spec, rank);
    }
};

TEST_P(PlantedProgram, IsRefused) {
    const StepSpec spec = GetParam().mutant.options(1);
    std::vector<StepProgram> programs;
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) programs.push_back(spoilt(spec, rank));
    try {
        check_step_programs(spec, programs);
        FAIL() << "passes the checker";
    } catch (const Error& error) {
        const std::string line = error.what();
        EXPECT_NE(line.find(GetParam().refusal), std::string::npos) << line;
    }
}

TEST_P(PlantedProgram, IsCaught) {
    expect_caught(GetParam().mutant, spoilt);
}

TEST_P(PlantedProgram, LossIsNoted) {
    note_loss(GetParam().mutant, spoilt);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedProgram, testing::ValuesIn(program_mutants()),
                         [](const auto& each) { return each.param.mutant.name; });

TEST(Planted, AtLeastTwentyBugsWithNamesOfTheirOwn) {
    EXPECT_GE(all_mutants().size(), 22U);
    std::set<std::string> names;
    for (const Mutant& mutant : all_mutants()) EXPECT_TRUE(names.insert(mutant.name).second);
}

TEST(Planted, RightProgramsPass) {
    EquivalenceMatrix matrix(world(), 2);
    for (const auto& [training, right] : right_trainings()) {
        const LayoutVerdict verdict =
            matrix.judge(layout_of_matrix(right.layout), {false, right.optimizer});
        if (!world().is_root()) continue;
        EXPECT_TRUE(verdict.equal()) << checks_of({verdict}).front().detail;
    }
}

// Whoever claims the same bits each time, and not those of one rank, is trained twice.
TEST(Planted, IsSeenWhereOnlyASecondRunHasIt) {
    const auto found = std::ranges::find_if(program_mutants(), [](const ProgramMutant& planted) {
        const Layout layout = layout_of_matrix(planted.mutant.layout);
        return layout.reproducible && !layout.claims_bits();
    });
    ASSERT_NE(found, program_mutants().end());
    int runs = 0;
    const auto second_is_spoilt = [&](const StepSpec& spec, int rank) {
        return ++runs == 1 ? checked_step_program(spec, rank) : found->program(spec, rank);
    };
    EquivalenceMatrix matrix(world(), 2);
    const LayoutVerdict verdict = matrix.judge(layout_of_matrix(found->mutant.layout),
                                               {false, found->mutant.optimizer}, second_is_spoilt);
    if (!world().is_root()) return;
    EXPECT_FALSE(verdict.difference) << verdict.difference->text();
    EXPECT_FALSE(verdict.repeats);
    EXPECT_EQ(runs, 2);
}

TEST(Planted, RightLossesAreNoted) {
    for (const auto& [training, right] : right_trainings()) note_loss(right);
}

/// Not a check of numbers but the way to write them down; last of write_table.
TEST(Planted, TableIsWritten) {
    const char* losses = std::getenv("SHARDSTONE_PLANTED_LOSSES");
    const char* table = std::getenv("SHARDSTONE_PLANTED_TABLE");
    if (losses == nullptr || table == nullptr) GTEST_SKIP() << "for write_table";
    if (world().is_root()) std::ofstream(table) << loss_table(all_mutants(), read_losses(losses));
}

TEST(PlantedTable, SeesWhatLeavesTheBandAndNamesWhatIsMissing) {
    const std::vector<Mutant> mutants{{"small", "", "dp=2", "step 1: loss", ""},
                                      {"large", "", "dp=2", "step 1: loss", ""}};
    std::vector<FinalLoss> losses{{"", "dp=2", 2.0}, {"small", "dp=2", 2.03}};
    EXPECT_THROW(loss_table(mutants, losses), Error);
    losses.push_back({"large", "dp=2", 1.95});
    const std::string table = loss_table(mutants, losses);
    EXPECT_NE(table.find("+1.50 % | missed"), std::string::npos) << table;
    EXPECT_NE(table.find("-2.50 % | seen"), std::string::npos) << table;
    EXPECT_NE(table.find("1 of 2 are missed"), std::string::npos) << table;
}

}  // namespace
}  // namespace shardstone::validation
