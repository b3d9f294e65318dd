// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate interconnect` as a user starts it: its record, words, limits and exit codes.
// How fast links are is no matter here: a limit decides, or data that are wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "results/recompute/recompute.hpp"
#include "results/schema/held_against.hpp"
#include "results/schema/interconnect.hpp"
#include "validation/unit/jobs/command/disturbed_record.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"
#include "validation/unit/jobs/command/verdict_code.hpp"

namespace shardstone::validation {
namespace {

using results::rows_of;

const std::string quick = "validate interconnect --budget 3 --sizes 8,64K ";

std::string limit_file(const std::string& limit, const std::string& statistic) {
    return "[[limit]]\nquantity = 'latency between nodes'\nstatistic = '" + statistic +
           "'\nsize = '8'\nlimit = " + limit + "\nunit = 's'\nsource = 'the offer, page 7'\n";
}

/// Two nodes of one rank, whose latency is limited: for two limits, one in each direction, the
/// fewest passes suffice, which are all that a busy machine makes in the time.
RecordedRun limited(const std::string& limit, const std::string& statistic = "median") {
    return {2,
            quick + "--part pairs --ranks-per-node 1 --accept pod.toml",
            {{"pod.toml", limit_file(limit, statistic)}}};
}

TEST(InterconnectCommand, RecordHoldsEverySampleAndWhatFollowsFromIt) {
    const RecordedRun run(4, quick + "--ranks-per-node 2");
    const auto& record = run.record();
    EXPECT_EQ(run.code(), code_of_verdict(record)) << run.errors();
    EXPECT_TRUE(record.verified());
    EXPECT_EQ(record.kind, "interconnect");
    const auto places = rows_of<results::RankPlaceRow>(record);
    ASSERT_EQ(places.size(), 4u);
    EXPECT_EQ(places[3].node, 1.0);
    // One pair of nodes and two pairs inside, two directions, two sizes, seven passes or more.
    const auto samples = rows_of<results::PairSampleRow>(record);
    EXPECT_EQ(samples.size() % 12, 0u);
    EXPECT_GE(samples.size(), 84u);
    const auto pairs = rows_of<results::PairRow>(record);
    EXPECT_EQ(std::ranges::count(pairs, 0.0, &results::PairRow::alone), 12);
    for (const auto& pair : pairs) {
        EXPECT_GE(pair.samples, 6.0);
        EXPECT_NEAR(pair.rate_gb_s, 1e-9 * pair.size_bytes / pair.time_s, 1e-9 * pair.rate_gb_s);
        const bool inside = places[static_cast<std::size_t>(pair.sender)].node ==
                            places[static_cast<std::size_t>(pair.receiver)].node;
        EXPECT_EQ(pair.path == "inside node", inside) << pair.path;
    }
    EXPECT_EQ(rows_of<results::RankTestRow>(record).size(), 12u);
    EXPECT_EQ(run.output().find("half"), std::string::npos) << "two nodes are no network";
    EXPECT_EQ(run.output().find("pairs at once, "), std::string::npos) << "there is one pair";
    const auto conditions = rows_of<results::ConditionsRow>(record);
    ASSERT_EQ(conditions.size(), 3u);
    EXPECT_EQ(conditions[0].part, "passes over pairs");
    EXPECT_EQ(conditions[1].part, "loads of the network");
    EXPECT_EQ(conditions[2].part, "tests of ranks");
    EXPECT_EQ(conditions[2].tries, 1.0);
    EXPECT_GE(record.table("surroundings").rows(), 3u);
    const auto again = results::recompute(record);
    EXPECT_GT(again.figures, 100u);
    for (const auto& wrong : again.wrong) ADD_FAILURE() << in_words(wrong);
}

TEST(InterconnectCommand, ATimeBeyondTheBudgetIsToldByParts) {
    const RecordedRun run(
        2, "validate interconnect --budget 1e-3 --sizes 8,64K --ranks-per-node 1 --part pairs");
    const auto begin = run.output().find("The tests took ");
    ASSERT_NE(begin, std::string::npos) << run.output();
    const std::string said = run.output().substr(begin);
    EXPECT_NE(said.find("s instead of --budget 0.001: passes over pairs "), std::string::npos)
        << said;
    EXPECT_EQ(said.find("tests of ranks"), std::string::npos) << said;
    const auto record = run.record();
    const auto time = rows_of<results::TestTimeRow>(record).at(0);
    EXPECT_EQ(time.budget_s, 1e-3);
    EXPECT_GT(time.took_s, 1e-3);
}

TEST(InterconnectCommand, AnAlteredFigureIsFound) {
    const RecordedRun run(2, quick + "--ranks-per-node 1");
    auto record = run.record();
    for (auto& table : record.derived) {
        if (table.name != "pairs") continue;
        for (auto& column : table.columns) {
            if (column.name == "rate_gb_s") column.numbers[1] *= 1.001;
        }
    }
    const auto found = results::recompute(record);
    ASSERT_EQ(found.wrong.size(), 1u);
    EXPECT_EQ(found.wrong[0].table, "pairs");
    EXPECT_EQ(found.wrong[0].row, 1u);
    EXPECT_EQ(found.wrong[0].column, "rate_gb_s");
}

TEST(InterconnectCommand, ABrokenLimitFailsAndSaysWhere) {
    const auto broken = limited("1e-9");
    const bool is_undecided = explains_every_slowness(broken.record());
    EXPECT_EQ(broken.code(), is_undecided ? 7 : 1) << broken.output() << broken.errors();
    EXPECT_TRUE(broken.output().starts_with(is_undecided ? "INCONCLUSIVE: 1 of 1 limit undecided\n"
                                                         : "FAIL: 1 of 1 limit broken\n"))
        << broken.output();
    EXPECT_NE(broken.output().find("\n  - latency between nodes of rank"), std::string::npos);
    EXPECT_NE(broken.output().find(is_undecided ? "latency between nodes 8 B, of 2: "
                                                : "latency between nodes 8 B, of 2: 2 fail"),
              std::string::npos)
        << broken.output();
    const auto rows = rows_of<results::AcceptanceRow>(broken.record());
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].verdict, is_undecided ? "inconclusive" : "fail");
    EXPECT_EQ(rows[0].limit, 1e-9);
    EXPECT_EQ(rows[0].unit, "s");
    EXPECT_EQ(rows[0].source, "the offer, page 7");
    EXPECT_NE(broken.output().find("limit: the offer, page 7\n"), std::string::npos);
    const auto worst =
        std::ranges::max(rows_of<results::PairRow>(broken.record()), {}, [](const auto& row) {
            return row.size_bytes == 8.0 && row.alone == 0.0 ? row.time_s : 0.0;
        });
    EXPECT_NEAR(rows[0].value, worst.time_s, 1e-12);
}

TEST(InterconnectCommand, AKeptLimitIsSaidToPass) {
    const auto kept = limited("10");
    const auto rows = rows_of<results::AcceptanceRow>(kept.record());
    ASSERT_EQ(rows.size(), 1u) << kept.errors();
    EXPECT_EQ(rows[0].verdict, "pass");
    EXPECT_NE(kept.output().find("pass         latency between nodes 8 B"), std::string::npos)
        << kept.output();
    EXPECT_NE(kept.output().find("  limit        median latency between nodes of 8 B\n"),
              std::string::npos)
        << kept.output();
    const bool passed = kept.code() == 0;  // next to other tests it may have been disturbed
    EXPECT_EQ(
        passed,
        kept.output().starts_with(
            "PASS: 1 of 1 limit kept\n"
            "  nodes declared (--ranks-per-node), not found\n"
            "  held against limits: median latency between nodes of 8 B; against nothing: messages "
            "between nodes of 8 B, messages between nodes of 64 KiB; not tested: GPU memory, "
            "NVLink, GPUDirect (messages go by MPI from host memory)\n"))
        << kept.output();
}

TEST(InterconnectCommand, TwoNodesAreComparedWithNothing) {
    const RecordedRun run(2, quick + "--part pairs,ranks --ranks-per-node 1");
    EXPECT_EQ(run.code(), 7) << run.output() << run.errors();
    EXPECT_TRUE(run.output().starts_with("INCONCLUSIVE\n  nodes declared")) << run.output();
    EXPECT_NE(run.output().find(
                  "\n  - nothing was compared with anything: messages between nodes of 8 B, "
                  "messages between nodes of 64 KiB, arithmetic of ranks, memory of ranks, wake-up "
                  "of ranks ("),
              std::string::npos)
        << run.output();
    EXPECT_NE(run.output().find("\nHeld against\n  nothing      messages between nodes of 8 B (2 "
                                "tested): fewer than 3 of a kind"),
              std::string::npos)
        << run.output();
    const auto rows = rows_of<results::HeldAgainstRow>(run.record());
    ASSERT_EQ(rows.size(), 5u);
    for (const auto& row : rows) EXPECT_EQ(row.against, "nothing");
    for (const auto& wrong : results::recompute(run.record()).wrong) {
        ADD_FAILURE() << in_words(wrong);
    }
}

// Of 64 MiB this machine sends no 380 Gbit/s.
TEST(InterconnectCommand, LimitsThatAreShippedHaveNames) {
    const RecordedRun run(2, quick + "--part pairs --ranks-per-node 1 --accept 8xh100-400g");
    const auto rows = rows_of<results::AcceptanceRow>(run.record());
    ASSERT_EQ(rows.size(), 2u) << run.errors();
    EXPECT_EQ(rows[0].size_bytes, 64.0 * (1 << 20));
    EXPECT_EQ(rows[0].limit, 380.0);
    EXPECT_EQ(rows[0].unit, "Gbit/s");
    EXPECT_NE(rows[0].source.find("azurehpc-health-checks"), std::string::npos);
    EXPECT_NE(rows[1].source.find("imbue-ai"), std::string::npos);
    for (const auto& row : rows) EXPECT_EQ(row.statistic, "median");
    EXPECT_NE(run.output().find(": median of the shortest of 8 "), std::string::npos)
        << run.output();
    EXPECT_EQ(run.output().find("nan"), std::string::npos) << run.output();
}

TEST(InterconnectCommand, NonsenseIsRefusedBeforeAnythingIsMeasured) {
    EXPECT_EQ(RecordedRun(2, "validate interconnect --sizes 7").code(), 2);
    EXPECT_EQ(RecordedRun(2, "validate interconnect --accept nowhere.toml").code(), 2);
    const auto refused = limited("'much'");
    EXPECT_EQ(refused.code(), 2);
    EXPECT_NE(refused.errors().find("pod.toml"), std::string::npos) << refused.errors();
}

/// One long message of this rank has a flipped bit.
RecordedRun with_flipped_bit(const char* rank, int ranks, const std::string& options) {
    const std::string faults = std::getenv("SHARDSTONE_RANK_FAULTS");
    setenv("LD_PRELOAD", faults.c_str(), 1);
    setenv("FLIPPED_RANK", rank, 1);
    RecordedRun run(ranks, quick + "--ranks-per-node 1 " + options);
    unsetenv("LD_PRELOAD");
    unsetenv("FLIPPED_RANK");
    return run;
}

// Its fourth: after one alone, one at once and one as a victim alone.
TEST(InterconnectCommand, FlippedBitOfAVictimIsLocated) {
    const RecordedRun run = with_flipped_bit("0", 4, "--part congestion");
    EXPECT_EQ(run.code(), 1) << run.output() << run.errors();
    const auto rows = rows_of<results::WrongDataRow>(run.record());
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].sender, 0.0);
    EXPECT_EQ(rows[0].receiver, 2.0);
    EXPECT_EQ(rows[0].first_element, 1000.0);
    EXPECT_NEAR(rows[0].unix_s, static_cast<double>(std::time(nullptr)), 120.0);
}

TEST(InterconnectCommand, FlippedBitIsLocated) {
    const RecordedRun run = with_flipped_bit("2", 3, "");
    EXPECT_EQ(run.code(), 1) << run.output() << run.errors();
    const auto rows = rows_of<results::WrongDataRow>(run.record());
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].sender, 2.0);
    EXPECT_EQ(rows[0].elements, 1.0);
    EXPECT_EQ(rows[0].first_element, 1000.0);
    EXPECT_EQ(rows[0].bits, 1.0);
    EXPECT_EQ(std::stoull(rows[0].expected, nullptr, 16) ^ std::stoull(rows[0].found, nullptr, 16),
              1ULL << 5);
    EXPECT_NE(run.output().find("received from rank 2 on"), std::string::npos) << run.output();
}

TEST(InterconnectCommand, ReportShowsTheMapOfPairs) {
    TemporaryFolder folder;
    const std::string shell = fmt::format(
        "cd {0} && mpiexec -n 3 {1} validate interconnect --part pairs,congestion,clocks,traffic "
        "--budget 3 --sizes 8,64K --ranks-per-node 1 --accept pod.toml --cluster a.toml "
        "--json i.json; {1} report i.json --out r.html && cat r.html",
        folder.path().string(), shardstone_binary());
    std::ofstream(folder / "pod.toml") << limit_file("1e-9", "median");
    std::ofstream(folder / "a.toml") << "measured = true\n" << clock_cluster;
    const auto outcome = run_shell(shell, folder);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    for (const std::string words :
         {"<li>latency between nodes of rank", "<svg role=\"img\"",
          "64 KiB from row to column, as many pairs at once as there can be: one\"",
          "times the usual", "i.json: what it was held against",
          "i.json: traffic beside its prediction", "i.json: congestion",
          "i.json: clocks of nodes"}) {
        EXPECT_NE(outcome.output.find(words), std::string::npos) << words;
    }
    EXPECT_EQ(outcome.output.find("half to half of the nodes"), std::string::npos) << "of three";
}

}  // namespace
}  // namespace shardstone::validation
