// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate equivalence` as a user starts it, and what the report says of its record.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "results/format/atomic_file.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// Layouts by what they claim.
std::set<std::string> layouts_that_claim(const results::Record& record, const std::string& claim) {
    const Rows rows(record, "layouts");
    std::set<std::string> names;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        if (rows.text(row, "claim") == claim) names.insert(rows.text(row, "layout"));
    }
    return names;
}

TEST(EquivalenceCommand, ThoseThatAreEqualToTheLastBitAreThoseThatClaimIt) {
    const RecordedRun run(2, "validate equivalence --quick --steps 1 --only frozen");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto bitwise = layouts_that_claim(run.record(), "bitwise");
    const auto bounded = layouts_that_claim(run.record(), "bounded");
    // dp=1, dp=2, dp=2,zero=3 and pp=2; the tensor ranks of tp=2 split sums.
    EXPECT_EQ(bitwise.size(), 4U);
    EXPECT_EQ(bounded, std::set<std::string>{"tp=2 frozen"}) << run.output();

    const TemporaryFolder folder;
    const auto record = (folder / "layouts.json").string();
    results::write_json(run.record(), record);
    const auto report = run_shell(fmt::format("{} report {} --out {}", shardstone_binary(), record,
                                              (folder / "report.html").string()),
                                  folder);
    ASSERT_EQ(report.code, 0) << report.errors;
    const std::string sentence =
        "5 layouts of training on up to 2 ranks train the same model as one rank, 4 of them "
        "bitwise.";
    EXPECT_NE(report.output.find(sentence), std::string::npos) << report.output;
    EXPECT_NE(results::read_file(folder / "report.html").find(sentence), std::string::npos);
}

/// How often a text has words in it.
std::size_t times(const std::string& text, const std::string& words) {
    std::size_t count = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
        ++count;
    return count;
}

// Sums over tensor ranks round otherwise than one rank's, in BF16 by enough to turn some of the
// choices: five in these steps, on the machine where this was written.
TEST(EquivalenceCommand, ChoicesThatDifferAreToldOnTheScreenAsInTheRecord) {
    const RecordedRun run(2,
                          "validate equivalence --steps 3 --precision bf16 --optimizer adamw "
                          "--only \"tp=2 experts\"");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const std::string words = " between nearly tied experts differ";
    std::size_t with_turns = 0;
    for (const results::Check& check : run.record().verification) {
        if (check.detail.find(words) == std::string::npos) continue;
        ++with_turns;
        const auto said = check.detail.substr(check.detail.rfind("; ") + 2);
        EXPECT_GE(std::stoi(said), 1) << check.detail;
        const std::string layout = check.name.substr(0, check.name.find(", bf16 adamw"));
        const auto row = run.output().find("/2   " + layout + "  ");
        ASSERT_NE(row, std::string::npos) << layout << "\n" << run.output();
        const auto next = run.output().substr(run.output().find('\n', row) + 1);
        EXPECT_EQ(next.substr(0, next.find('\n')), "        bf16 adamw: " + said) << run.output();
    }
    EXPECT_EQ(times(run.output(), " between nearly tied experts "), with_turns) << run.output();
    if (with_turns == 0) GTEST_SKIP() << "this machine's sums turn none: there is nothing to tell";
}

}  // namespace
}  // namespace shardstone::validation
