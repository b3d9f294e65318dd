// SPDX-License-Identifier: BSD-3-Clause
// That two runs that differ in any one thing that matters share no curve and no ratio: one test for
// each such thing, of trainings and of sweeps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <tuple>

#include "results/report/section.hpp"
#include "results/report/sweep.hpp"
#include "results/report/training_run.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;
using results::Record;

/// One thing that is changed, at a path of the environment or the configuration.
struct Change {
    const char* name;
    bool in_environment;
    const char* path;
    json to;
};

/// What a failure shows of it.
std::ostream& operator<<(std::ostream& out, const Change& change) {
    return out << change.path << " = " << change.to;
}

void apply(const Change& change, Record& record) {
    auto& document = change.in_environment ? record.environment : record.configuration;
    document[json::json_pointer(change.path)] = change.to;
}

std::string name_of_change(const testing::TestParamInfo<Change>& change) {
    return change.param.name;
}

Record training_on(int ranks) {
    Record record = written_training(
        {.plan = "dp=" + std::to_string(ranks), .ranks = ranks, .tokens_per_s = 900.0 * ranks});
    record.configuration["device"] = "cpu";
    record.configuration["sequence"] = 32;
    record.configuration["global_batch"] = 16;
    record.configuration["micro_batch"] = 4;
    record.configuration["schedule"] = "1f1b";
    record.configuration["data"] = {{"source", "a"}, {"hash", "12ab"}};
    record.environment["machine"]["accelerators"] = json::array();
    return record;
}

class TrainedSystems : public testing::TestWithParam<Change> {};

TEST_P(TrainedSystems, ThatDifferShareNoCurve) {
    Record one = training_on(1), two = training_on(2);
    ASSERT_EQ(results::training_groups(as_sources({one, two})).size(), 1U);
    apply(GetParam(), two);
    const auto sources = as_sources({one, two});
    const auto groups = results::training_groups(sources);
    ASSERT_EQ(groups.size(), 2U) << GetParam().path;
    const bool is_of_machine = std::string(GetParam().path).starts_with("/machine");
    EXPECT_EQ(groups[0].front().system.name() == groups[1].front().system.name(), is_of_machine);
    const auto section = results::training_section(sources);
    EXPECT_EQ(section->figures.size(), 1U) << "there is a figure of efficiencies";
    for (const auto& sentence : sentences_of(section)) {
        EXPECT_EQ(sentence.find("keeps"), std::string::npos) << sentence;
    }
}

INSTANTIATE_TEST_SUITE_P(
    In, TrainedSystems,
    testing::Values(
        Change{"Host", true, "/machine/host", "right"},
        Change{"Processor", true, "/machine/cpu", "another"},
        Change{"Cores", true, "/machine/cores", 64},
        Change{"Packages", true, "/machine/packages", 2},
        Change{"Accelerators", true, "/machine/accelerators", {"H200"}},
        Change{"Mpi", true, "/mpi", "Open MPI v4.1.4"}, Change{"Device", false, "/device", "cuda"},
        Change{"Tf32", false, "/tf32", true}, Change{"Graphs", false, "/graphs", true},
        Change{"Model", false, "/model", "tiny"}, Change{"Sequence", false, "/sequence", 64},
        Change{"Padding", false, "/shortest", 8}, Change{"Precision", false, "/precision", "bf16"},
        Change{"Optimizer", false, "/optimizer", "sgd"},
        Change{"GlobalBatch", false, "/global_batch", 32},
        Change{"MicroBatch", false, "/micro_batch", 1}, Change{"Data", false, "/data/hash", "34cd"},
        Change{"TensorParallelism", false, "/plan", "tp=2"},
        Change{"PipelineParallelism", false, "/plan", "pp=2"},
        Change{"ContextParallelism", false, "/plan", "cp=2"},
        Change{"ExpertParallelism", false, "/plan", "ep=2"},
        Change{"Zero", false, "/plan", "dp=2,zero=1"}),
    name_of_change);

/// All are called nano-custom, whatever their dimensions; those of a preset have one number.
TEST(TrainedSystems, OfCustomModelsDifferByTheirParameters) {
    Record one = training_on(1), two = training_on(2);
    one.configuration["parameters"] = 35712;
    two.configuration["parameters"] = 60288;
    one.configuration["model"] = two.configuration["model"] = "nano-custom";
    const auto sources = as_sources({one, two});
    const auto groups = results::training_groups(sources);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[1].front().system.model, "nano-custom of 60288 parameters");
    two.configuration["parameters"] = 35712;
    EXPECT_EQ(results::training_groups(as_sources({one, two})).size(), 1U);
}

TEST(TrainedSystems, OfStagesDifferByTheirSchedule) {
    Record one = training_on(2), two = training_on(4);
    one.configuration["plan"] = "pp=2";
    two.configuration["plan"] = "dp=2,pp=2";
    ASSERT_EQ(results::training_groups(as_sources({one, two})).size(), 1U);
    two.configuration["schedule"] = "gpipe";
    EXPECT_EQ(results::training_groups(as_sources({one, two})).size(), 2U);
}

/// Eight GPUs in a machine of two cores are eight, not the two that its ranks could use.
TEST(TrainedSystems, OnGpusAreComparedByGpu) {
    Record one = training_on(1), eight = training_on(8);
    const auto efficiency_on = [&](const char* device) {
        for (Record* record : {&one, &eight}) {
            record->configuration["device"] = device;
            record->environment["machine"]["cores"] = 2;
        }
        const auto sources = as_sources({one, eight});
        const auto groups = results::training_groups(sources);
        EXPECT_EQ(groups.size(), 1U);
        return results::efficiency(groups[0].back(), groups[0]);
    };
    EXPECT_DOUBLE_EQ(efficiency_on("cuda"), 1.0);
    EXPECT_DOUBLE_EQ(efficiency_on("cpu"), 4.0);
    for (Record* record : {&one, &eight}) record->configuration["device"] = "cuda";
    EXPECT_EQ(results::training_section(as_sources({one, eight}))->findings.at(1).sentence,
              "From 1 rank to 8 ranks, training 'nano, fp32, cuda' keeps 100 % of its throughput "
              "per GPU.");
}

/// They are of one system, but of their throughput nothing is kept or lost by the ranks alone.
TEST(TrainedSystems, ThatChoseDifferentlyHaveNoEfficiency) {
    Record one = training_on(1), two = training_on(2);
    const auto is_compared = [&] {
        const auto sources = as_sources({one, two});
        const auto groups = results::training_groups(sources);
        EXPECT_EQ(groups.size(), 1U);
        return std::isfinite(results::efficiency(groups[0].back(), groups[0]));
    };
    for (const auto& [choice, base, other] :
         {std::tuple<const char*, json, json>{"all_reduce", "ring", "tree"},
          {"overlap", true, false},
          {"recompute", "none", "full"},
          {"gradient_wire", "full", "bf16"}}) {
        one.configuration[choice] = two.configuration[choice] = base;
        EXPECT_TRUE(is_compared()) << choice;
        two.configuration[choice] = other;
        EXPECT_FALSE(is_compared()) << choice;
        one.configuration[choice] = nullptr;  // one rank has nothing to choose
        EXPECT_TRUE(is_compared()) << choice;
        two.configuration[choice] = nullptr;
    }
}

/// A global batch of 16 on 2 expert ranks, once and twice; then on 4: each processes its share at
/// once.
TEST(TrainedSystems, OfExpertsShareACurveOverReplicasAlone) {
    const auto run_of = [](const char* plan, int ranks) {
        Record record = training_on(ranks);
        record.configuration["plan"] = plan;
        record.configuration["micro_batch"] = 16 / ranks;
        return record;
    };
    const Record one = run_of("ep=2", 2), replicated = run_of("dp=2,ep=2", 4);
    EXPECT_EQ(results::training_groups(as_sources({one, replicated})).size(), 1U);
    EXPECT_EQ(results::training_groups(as_sources({one, run_of("ep=4", 4)})).size(), 2U);
    Record halved = replicated;
    halved.configuration["micro_batch"] = 2;
    EXPECT_EQ(results::training_groups(as_sources({one, halved})).size(), 2U);
}

TEST(TrainedSystems, DifferByWhatAStrategyLeftToChoose) {
    const auto split_as = [](int replicas, const std::string& words) {
        Record record = written_training({.plan = fmt::format("dp={},cp=2", replicas),
                                          .ranks = 2 * replicas,
                                          .split = "cp=2," + words});
        // As records have it of a choice that does not apply.
        record.configuration["other_order"] = nullptr;
        return record;
    };
    const auto groups = [](const Record& one, const Record& other) {
        return results::training_groups(as_sources({one, other}));
    };
    ASSERT_EQ(groups(split_as(1, "ring,zigzag"), split_as(2, "ring,zigzag")).size(), 1U);
    for (const char* words : {"ring,blocks", "all-gather,zigzag"}) {
        const auto apart = groups(split_as(1, "ring,zigzag"), split_as(2, words));
        ASSERT_EQ(apart.size(), 2U) << words;
        EXPECT_EQ(apart[0].front().system.name(), "nano, fp32, cp=2,ring,zigzag");
        EXPECT_EQ(apart[1].front().label, fmt::format("nano, fp32, dp=2,cp=2,{}", words));
    }
}

class ComparedSweeps : public testing::TestWithParam<Change> {};

/// The library's own of another record counts only where that record is of the same thing.
TEST_P(ComparedSweeps, ThatDifferShareNoRatio) {
    const Record ours = written_collectives();
    Record other = ours;
    numbers_of(other, "collectives", "time_s")[1] = 20e-6;  // MPI's own at 4 B, was 40 us
    const auto says_quicker = [](const std::vector<results::Source>& sources) {
        return results::collectives_section(sources)->findings.at(0).sentence.find(
                   "takes 20.0 us") != std::string::npos;
    };
    ASSERT_TRUE(says_quicker(as_sources({ours, other})));
    apply(GetParam(), other);
    const auto sources = as_sources({ours, other});
    EXPECT_FALSE(says_quicker(sources)) << GetParam().path;
    const auto sweeps = results::sweeps_of(sources);
    EXPECT_NE(sweeps.at(0).comparable(), sweeps.at(1).comparable());
}

INSTANTIATE_TEST_SUITE_P(
    In, ComparedSweeps,
    testing::Values(Change{"Host", true, "/machine/host", "right"},
                    Change{"Processor", true, "/machine/cpu", "another"},
                    Change{"Cores", true, "/machine/cores", 64},
                    Change{"Packages", true, "/machine/packages", 2},
                    Change{"Accelerators", true, "/machine/accelerators", {"H200"}},
                    Change{"Type", false, "/type", "bf16"},
                    Change{"Reduction", false, "/reduction", "max"},
                    Change{"Root", false, "/root", 1}, Change{"Shares", false, "/shares", "ramp"},
                    Change{"Rotation", false, "/rotate", "auto"},
                    Change{"Topology", false, "/topology", "2 nodes (declared)"}),
    name_of_change);

TEST(ComparedSweeps, DifferByOperationPlaceAndRanks) {
    const Record ours = written_collectives();
    for (const char* column : {"in_place", "ranks"}) {
        Record other = ours;
        for (double& number : numbers_of(other, "collectives", column)) number += 1.0;
        const auto sources = as_sources({ours, other});
        const auto sweeps = results::sweeps_of(sources);
        EXPECT_NE(sweeps.at(0).comparable(), sweeps.at(1).comparable()) << column;
    }
    Record other = ours;
    for (auto& operation : other.derived[0].columns[0].texts) operation = "all_reduce";
    const auto sources = as_sources({ours, other});
    const auto sweeps = results::sweeps_of(sources);
    EXPECT_NE(sweeps.at(0).comparable(), sweeps.at(1).comparable()) << "operation";
}

TEST(ReportSystems, NodesThatAreContainersOfOneMachineShareItsCores) {
    auto run = written_training({.plan = "dp=4", .ranks = 4});
    run.environment["nodes"] = 4;
    const auto cores = [&] { return results::cores_of(as_sources({run}).at(0)); };
    EXPECT_EQ(cores(), 8.0) << "before it was known";
    for (const int systems : {1, 2, 4}) {
        run.environment["systems"] = systems;
        EXPECT_EQ(cores(), 2.0 * systems);
    }
}

}  // namespace
}  // namespace shardstone::validation
