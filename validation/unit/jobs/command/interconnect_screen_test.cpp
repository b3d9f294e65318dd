// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate interconnect` on the screen: a soak with its record, what was not tested,
// help.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "kernels/base/units.hpp"
#include "results/recompute/recompute.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/soak.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"
#include "validation/unit/jobs/command/verdict_code.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

using results::rows_of;

TEST(InterconnectSoak, ItKeepsWindowsAndNotEveryMessage) {
    const RecordedRun run(
        3,
        "validate interconnect --budget 3 --sizes 8,64K --part pairs --ranks-per-node 1 --for 4s");
    const auto& record = run.record();
    EXPECT_EQ(run.code(), code_of_verdict(record)) << run.errors();
    EXPECT_TRUE(record.verified());
    const auto windows = rows_of<results::SoakWindowRow>(record);
    // Three pairs, two directions, two sizes; a second or a pass each.
    ASSERT_EQ(windows.size() % 12, 0u);
    EXPECT_GE(windows.size(), 12u);
    double next = 0.0, slow = 0.0;
    for (std::size_t i = 0; i < windows.size(); i += 12) {
        EXPECT_EQ(windows[i].first_pass, next);
        EXPECT_GT(windows[i].end_unix_s, windows[i].begin_unix_s);
        next += windows[i].passes;
    }
    for (const auto& row : windows) {
        EXPECT_GT(row.shortest_s, 0.0);
        EXPECT_LE(row.shortest_s, row.mean_s);
        EXPECT_LE(row.mean_s, row.longest_s * (1.0 + 1e-12));
        slow += row.slow;
    }
    EXPECT_GT(next, 7.0);
    EXPECT_GE(windows.back().end_unix_s - windows.front().begin_unix_s, 2.0);
    EXPECT_EQ(slow, static_cast<double>(rows_of<results::SlowMessageRow>(record).size()));
    EXPECT_EQ(rows_of<results::PairSampleRow>(record).size() % 12, 0u)
        << "messages of the soak are none of the samples";
    EXPECT_NE(run.output().find("\nSoak: "), std::string::npos) << run.output();
    EXPECT_NE(run.output().find(fmt::format(" passes, {:.0f} messages, {:.0f} of them slow, 0 with "
                                            "wrong data, ",
                                            12.0 * next, slow)),
              std::string::npos)
        << run.output();
    EXPECT_NE(run.output().find("itself       messages of the soak (12 tested): the same messages"),
              std::string::npos)
        << run.output();
    EXPECT_NE(run.output().find("\n  nodes declared (--ranks-per-node), not found\n"),
              std::string::npos)
        << run.output();
    for (const auto& wrong : results::recompute(record).wrong) ADD_FAILURE() << in_words(wrong);
}

TEST(InterconnectScreen, OneSmallSizeIsALatency) {
    const RecordedRun run(
        2, "validate interconnect --budget 1 --sizes 8,8 --part pairs --ranks-per-node 1");
    EXPECT_NE(run.output().find("\nPairs: time in us of 8 B from rank (row) to rank (column)\n"),
              std::string::npos)
        << run.output();
    EXPECT_NE(run.output().find("told apart by two sizes (--sizes)"), std::string::npos);
    EXPECT_EQ(run.output().find("GB/s"), std::string::npos) << run.output();
}

/// The rank that sends is that of the row; and the slowest of a test is named.
TEST(InterconnectScreen, ItsFiguresAreThoseOfTheRecord) {
    const RecordedRun run(3, "validate interconnect --budget 2 --sizes 8,64K --part pairs,ranks");
    const std::string heading =
        "\nPairs: rate in GB/s of 64 KiB from rank (row) to rank (column)\n";
    const auto at = run.output().find(heading);
    ASSERT_NE(at, std::string::npos) << run.output();
    std::istringstream matrix(run.output().substr(at + heading.size()));
    std::string line;
    std::getline(matrix, line);  // the receivers
    std::map<std::pair<int, int>, std::string> cells;
    for (int from = 0; from < 3; ++from) {
        int sender = -1;
        matrix >> sender;
        EXPECT_EQ(sender, from) << run.output();
        for (int to = 0; to < 3; ++to) matrix >> cells[{sender, to}];
    }
    const auto record = run.record();
    for (const auto& row : rows_of<results::PairRow>(record)) {
        if (row.size_bytes != 65536.0 || row.alone != 0.0) continue;
        const std::pair place{static_cast<int>(row.sender), static_cast<int>(row.receiver)};
        EXPECT_EQ(cells[place], fmt::format("{:.3g}", row.rate_gb_s))
            << "from " << row.sender << " to " << row.receiver << run.output();
        cells.erase(place);
    }
    EXPECT_EQ(cells.size(), 3U) << "of a rank to itself there is none";
    std::map<std::string, results::RankTestRow> slowest, fastest;
    for (const auto& row : rows_of<results::RankTestRow>(record)) {
        auto& slow = slowest.try_emplace(row.test, row).first->second;
        if (row.factor > slow.factor) slow = row;
        auto& fast = fastest.try_emplace(row.test, row).first->second;
        if (row.factor < fast.factor) fast = row;
    }
    ASSERT_FALSE(slowest.empty());
    for (const auto& [test, row] : slowest) {
        const auto named =
            fmt::format("{} to {} for {}; slowest: rank {:.0f}, factor {:.2f} over the median",
                        format_time(fastest[test].time_s), format_time(row.time_s),
                        test == "arithmetic" ? "a GFLOP"
                        : test == "memory"   ? "a copy of 32 MiB"
                                             : "the delay of a wake-up",
                        row.rank, row.factor);
        EXPECT_NE(run.output().find(named), std::string::npos) << test << ": " << run.output();
    }
}

TEST(InterconnectScreen, SaysWhatIsNotTested) {
    const RecordedRun run(
        2, "validate interconnect --budget 1 --sizes 8,64K --part pairs --ranks-per-node 1");
    EXPECT_NE(run.output().find("not tested   GPU memory, NVLink, GPUDirect ("), std::string::npos)
        << run.output();
    EXPECT_NE(run.output().find("(interval unknown: too few pairs)"), std::string::npos)
        << run.output();
}

/// As a shell variable that is not set leaves it.
TEST(InterconnectScreen, AnEmptyListIsCalledSo) {
    const TemporaryFolder folder;
    for (const std::string option : {"--part", "--sizes"}) {
        const auto refused = run_shell(
            fmt::format("{} validate interconnect {} ''", shardstone_binary(), option), folder);
        EXPECT_EQ(refused.code, 2);
        EXPECT_TRUE(refused.is_one_line_about(option + ": nothing is given for it"))
            << refused.errors;
    }
}

TEST(InterconnectScreen, EachValidationHasAHelpOfItsOwn) {
    const TemporaryFolder folder;
    const auto help = [&](const std::string& name) {
        return run_shell(shardstone_binary() + " validate " + name + " --help", folder).output;
    };
    const std::string interconnect = help("interconnect"), self_test = help("self-test");
    for (const std::string& text :
         {interconnect, self_test, help("numerics"), help("equivalence")}) {
        EXPECT_NE(text.find("\nExit codes: 0 "), std::string::npos) << text;
    }
    EXPECT_NE(interconnect.find("[[limit]]"), std::string::npos);
    EXPECT_NE(interconnect.find("through NCCL between\nthose of GPUs"), std::string::npos);
    EXPECT_EQ(interconnect.find("simulated clusters"), std::string::npos) << "that is self-test";
    EXPECT_EQ(self_test.find("[[limit]]"), std::string::npos) << "that is interconnect";
    EXPECT_NE(self_test.find("simulated clusters"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
