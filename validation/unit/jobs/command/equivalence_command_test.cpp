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

}  // namespace
}  // namespace shardstone::validation
