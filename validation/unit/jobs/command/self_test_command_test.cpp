// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate self-test`, as a user starts it: its rows, what they come to, its noise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "results/format/json_format.hpp"
#include "results/recompute/recompute.hpp"
#include "results/record/nature.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/simulated_trials.hpp"
#include "results/schema/soak.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

using results::rows_of;

const std::string few = "validate self-test --nodes 8 --rails 1 --trials 20 --repetitions 5 ";

TEST(SelfTestCommand, RecordScreenAndReportSayTheSameAndThatItIsSimulated) {
    TemporaryFolder folder;
    const std::string shell = fmt::format(
        "cd {0} && mpiexec -n 2 {1} validate self-test --nodes 8 --rails 1 --trials 20 --fault "
        "healthy,node --rates 0.6 --repetitions 5 --json s.json >said && {1} report s.json --out "
        "r.html >/dev/null && {1} verify s.json >>said && cat said r.html",
        folder.path().string(), shardstone_binary());
    const auto outcome = run_shell(shell, folder);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    const auto record = results::read_record(folder / "s.json");
    EXPECT_TRUE(record.verified());
    EXPECT_EQ(results::nature_of(record), results::Nature::simulated);
    const auto rows = rows_of<results::DetectionRow>(record);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].fault, "healthy");
    EXPECT_TRUE(std::isnan(rows[0].detected));
    EXPECT_EQ(rows[1].fault, "node");
    EXPECT_EQ(rows[1].rate, 0.6);
    EXPECT_EQ(rows[1].detected, 1.0) << "of a node at 60 %";
    EXPECT_EQ(rows_of<results::TrialRow>(record).at(1).trials, 20.0);
    EXPECT_TRUE(results::recompute(record).wrong.empty());
    for (const std::string words :
         {"SIMULATED: 8 nodes with 1 NIC each", "Simulated, not measured", "of healthy clusters ",
          "s.json: faults that are named, 5 messages per test",
          "s.json: simulated, with this noise: node is named ",
          "1 check passed; SIMULATED: NOT measured: simulated on a described cluster"}) {
        EXPECT_NE(outcome.output.find(words), std::string::npos) << words;
    }
}

TEST(SelfTestCommand, ItsLastLinesSayFromWhichRateOnAFaultIsNamed) {
    const RecordedRun run(2, few + "--fault healthy,nic-out,node --rates 0.999,0.6");
    EXPECT_EQ(run.code(), 0) << run.errors();
    const auto conclusion = run.output().find("With this noise (simulated):");
    ASSERT_NE(conclusion, std::string::npos) << run.output();
    const std::string last = run.output().substr(conclusion);
    for (const std::string words :
         {"nic-out is named in at least 95 % of trials at 60 % of its rate or less with 5 messages "
          "per test",
          "of healthy clusters raise an alarm", "node is named "}) {
        EXPECT_NE(last.find(words), std::string::npos) << words << last;
    }
}

/// A record of 4 nodes, said to have been disturbed or not, whatever this machine was.
std::string interconnect_record(double disturbed) {
    const RecordedRun run(
        4, "validate interconnect --budget 3 --sizes 8,64K --ranks-per-node 1 --part pairs");
    auto record = run.record();
    auto conditions = rows_of<results::ConditionsRow>(record);
    for (auto& row : conditions) row.disturbed = disturbed;
    const auto old = std::ranges::find(record.samples, "conditions", &results::Table::name);
    *old = table_of(conditions);
    return results::to_json_text(record);
}

TEST(SelfTestCommand, NoiseOfABusyMachineIsSaidOnTheScreenAndInTheRecord) {
    for (const bool busy : {true, false}) {
        const RecordedRun run(0, few + "--fault nic-out --rates 0.6 --noise i.json",
                              {{"i.json", interconnect_record(busy ? 1.0 : 0.0)}});
        EXPECT_EQ(run.code(), 0) << run.errors();
        const bool warned =
            run.errors().find("'i.json' was measured on a busy machine") != std::string::npos;
        EXPECT_EQ(warned, busy) << run.errors();
        EXPECT_EQ(run.record().configuration.at("noise_disturbed"), busy);
    }
}

/// Messages per test are those of a real run: of that of --noise, or the fewest and the usual.
TEST(SelfTestCommand, MessagesPerTestAreThoseOfARealRun) {
    const std::string plain = "validate self-test --nodes 8 --rails 1 --trials 5 --rates 0.6 ";
    const RecordedRun usual(2, plain + "--fault node");
    EXPECT_EQ(column(usual.record(), "simulated_trials", "repetitions"), (std::vector{7.0, 24.0}));
    EXPECT_NE(usual.output().find("\n  a run of validate interconnect takes 7 to 24 messages per "
                                  "test, more where a limit is undecided\n"),
              std::string::npos)
        << usual.output();
    const std::string text = interconnect_record(0.0);
    const auto samples = rows_of<results::PairSampleRow>(results::from_json_text(text, "i.json"));
    double last = 0.0;
    for (const auto& row : samples) {
        if (row.alone == 0.0) last = std::max(last, row.pass);
    }
    const RecordedRun noisy(2, plain + "--fault node --noise i.json", {{"i.json", text}});
    EXPECT_EQ(column(noisy.record(), "simulated_trials", "repetitions"), std::vector{last + 1.0});
    EXPECT_NE(noisy.output().find(fmt::format("; that of --noise took {}\n", last + 1.0)),
              std::string::npos)
        << noisy.output();
    const RecordedRun given(2, plain + "--fault node --repetitions 2 --noise i.json",
                            {{"i.json", text}});
    EXPECT_EQ(column(given.record(), "simulated_trials", "repetitions"), std::vector{2.0});
}

TEST(SelfTestCommand, NoiseIsOfNoOtherKindOfRecord) {
    const RecordedRun other(0, few + "--fault healthy");
    const RecordedRun run(0, few + "--noise o.json",
                          {{"o.json", results::to_json_text(other.record())}});
    EXPECT_EQ(run.code(), 2);
    EXPECT_NE(run.errors().find("is a record of simulated_trials, not of validate interconnect"),
              std::string::npos)
        << run.errors();
}

}  // namespace
}  // namespace shardstone::validation
