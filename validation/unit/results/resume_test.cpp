// SPDX-License-Identifier: BSD-3-Clause
// A run that goes on from an earlier one: what it takes over, and each difference that is refused.
#include "results/journal/resume.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "kernels/base/error.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;
using results::Record;

/// A run that has measured nothing yet.
Record begun_as(const std::string& id) {
    Record record;
    record.kind = "train";
    record.identity = {{"id", id}, {"start_time", "start of " + id}};
    record.configuration = {{"model", "nano"}, {"steps", 40}};
    record.environment = {
        {"ranks", 2},
        {"nodes", 1},
        {"declared_nodes", 2},
        {"mpi", "Open MPI 4.1"},
        {"mpi_device", "btl"},
        {"build", {{"compiler", "gcc"}, {"flags", "-O3"}}},
        {"machines",
         {{{"host", "n1"}, {"cpu", "Xeon"}, {"cores", 8}, {"usable_threads", 16}},
          {{"host", "n2"}, {"cpu", "Xeon"}, {"cores", 8}, {"usable_threads", 16}}}}};
    return record;
}

/// "" where one that differs so may go on from the other.
std::string refusal(const std::function<void(Record&)>& change,
                    const std::vector<std::string>& may_differ = {}) {
    Record begun = begun_as("b");
    change(begun);
    try {
        results::continue_record(begun, begun_as("a"), "r.h5", may_differ);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

void expect_refused(const std::string& what, const std::function<void(Record&)>& change) {
    const std::string begin = "'r.h5' cannot be continued: its " + what;
    EXPECT_TRUE(refusal(change).starts_with(begin)) << what << ": " << refusal(change);
}

TEST(Resume, ARunThatDiffersInOneThingIsRefusedByItsName) {
    EXPECT_EQ(refusal([](Record&) {}), "");
    expect_refused("kind: \"train\" then, \"sweep\" now", [](Record& run) { run.kind = "sweep"; });
    for (const char* name : {"ranks", "nodes", "declared_nodes", "mpi", "mpi_device", "build"}) {
        expect_refused(fmt::format("{}: ", name),
                       [&](Record& run) { run.environment[name] = "another"; });
        expect_refused(fmt::format("{}: ", name),
                       [&](Record& run) { run.environment.erase(name); });
    }
    expect_refused("build: ",
                   [](Record& run) { run.environment["build"]["flags"] = "-O3 -DNDEBUG"; });
    expect_refused("option 'steps': 40 then, 41 now",
                   [](Record& run) { run.configuration["steps"] = 41; });
    expect_refused("option 'added': null", [](Record& run) { run.configuration["added"] = true; });
}

TEST(Resume, ChosenVariablesStayAndThoseOfAJobMayDiffer) {
    expect_refused("environment variables: {} then, {\"UCX_TLS\":\"all\"} now",
                   [](Record& run) { run.environment["variables"]["UCX_TLS"] = "all"; });
    EXPECT_EQ(refusal([](Record& run) { run.environment["variables"]["SLURM_JOB_ID"] = "7"; }), "");
}

TEST(Resume, OtherMachinesAreRefused) {
    for (const char* name : {"host", "cpu", "cores", "usable_threads"}) {
        expect_refused("machines (host, processor", [&](Record& run) {
            json& value = run.environment["machines"][1][name];
            value = value.is_number() ? json(9) : json("another");
        });
    }
    expect_refused("machines", [](Record& run) { run.environment["machines"].erase(1); });
    const auto in_passing = [](Record& run) { run.environment["machines"][1]["free_bytes"] = 7; };
    EXPECT_EQ(refusal(in_passing), "");
}

/// As of a command without ranks, which tells of its one machine.
Record begun_alone(const std::string& id) {
    Record record = begun_as(id);
    record.environment = {
        {"build", {{"compiler", "gcc"}}},
        {"machine", {{"host", "n1"}, {"cpu", "Xeon"}, {"cores", 8}, {"usable_threads", 16}}}};
    return record;
}

TEST(Resume, AnotherMachineOfACommandWithoutRanksIsRefused) {
    const auto refusal_alone = [](const char* name, const json& value) -> std::string {
        Record begun = begun_alone("b");
        begun.environment["machine"][name] = value;
        try {
            results::continue_record(begun, begun_alone("a"), "r.h5");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal_alone("free_bytes", 7), "");
    for (const auto& [name, value] : std::vector<std::pair<const char*, json>>{
             {"host", "n2"}, {"cpu", "EPYC"}, {"cores", 9}, {"usable_threads", 9}}) {
        EXPECT_TRUE(refusal_alone(name, value)
                        .starts_with("'r.h5' cannot be continued: its machines (host, processor"))
            << name << ": " << refusal_alone(name, value);
    }
}

TEST(Resume, AnOptionThatMayDifferMay) {
    const auto longer = [](Record& run) { run.configuration["steps"] = 80; };
    EXPECT_EQ(refusal(longer, {"steps"}), "");
    EXPECT_NE(refusal(longer, {"model"}), "");
}

TEST(Resume, EarlierRunsAreNamedTheLastOneFirst) {
    Record first = begun_as("a"), second = begun_as("b"), third = begun_as("c");
    results::continue_record(second, first, "r.h5");
    EXPECT_EQ(second.identity.at("continues"),
              json::parse(R"([{"id": "a", "start_time": "start of a"}])"));
    results::continue_record(third, second, "r.h5");
    EXPECT_EQ(third.identity.at("continues"),
              json::parse(R"([{"id": "b", "start_time": "start of b"},
                              {"id": "a", "start_time": "start of a"}])"));
    EXPECT_EQ(third.identity.at("id"), "c");
}

TEST(Resume, GpusOfTheEarlierRunAreThoseOfTheWhole) {
    auto earlier = begun_as("a");
    earlier.environment["gpus"] = {{"of_ranks", {"an old GPU"}}};
    earlier.environment["machine"]["accelerators"] = {"an old GPU"};
    auto begun = begun_as("a");
    results::continue_record(begun, earlier, "r.h5");
    EXPECT_EQ(begun.environment.at("gpus"), earlier.environment.at("gpus"));
    EXPECT_EQ(begun.environment.at("machine").at("accelerators").dump(), "[\"an old GPU\"]");
}

// Two ranks on one GPU are not two on two, and figures of one model are not those of another.
TEST(Resume, OtherGpusAreRefused) {
    auto earlier = begun_as("a"), begun = begun_as("a");
    earlier.environment["gpus"] = {{"of_ranks", {"a GPU", "a GPU"}}, {"different", 2}};
    begun.environment["gpus"] = earlier.environment["gpus"];
    EXPECT_NO_THROW(results::continue_record(begun, earlier, "r.h5"));
    for (const json& other : {json{{"of_ranks", {"a GPU", "a GPU"}}, {"different", 1}},
                              json{{"of_ranks", {"a GPU", "one more"}}, {"different", 2}}}) {
        begun = begun_as("a");
        begun.environment["gpus"] = other;
        try {
            results::continue_record(begun, earlier, "r.h5");
            FAIL() << "it went on";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("its GPUs and their software: "),
                      std::string::npos)
                << error.what();
        }
    }
}

// A job that Slurm starts again gets what is free; the record says where its parts were measured.
TEST(Resume, OtherCardsOfTheNodeWillDo) {
    const auto with_card = [](const char* address) {
        auto record = begun_as("a");
        record.environment["gpus"] = {{"of_ranks", {"a GPU"}}, {"addresses", {address}}};
        return record;
    };
    auto second = with_card("0000:02:00.0"), third = with_card("0000:02:00.0"),
         fourth = with_card("0000:03:00.0");
    results::continue_record(second, with_card("0000:01:00.0"), "r.h5");
    EXPECT_EQ(second.environment["gpus"]["addresses"].dump(), R"(["0000:02:00.0"])");
    EXPECT_EQ(second.environment["gpus"]["earlier_addresses"].dump(), R"([["0000:01:00.0"]])");
    results::continue_record(third, second, "r.h5");
    EXPECT_EQ(third.environment["gpus"], second.environment["gpus"]);
    results::continue_record(fourth, third, "r.h5");
    EXPECT_EQ(fourth.environment["gpus"]["earlier_addresses"].dump(),
              R"([["0000:01:00.0"],["0000:02:00.0"]])");
    auto same = with_card("0000:02:00.0");
    results::continue_record(same, with_card("0000:02:00.0"), "r.h5");
    EXPECT_FALSE(same.environment["gpus"].contains("earlier_addresses"));
    auto older = begun_as("a");  // before records had any
    older.environment["gpus"] = {{"of_ranks", {"a GPU"}}};
    results::continue_record(same, older, "r.h5");
    EXPECT_FALSE(same.environment["gpus"].contains("earlier_addresses"));
}

TEST(Resume, WhatTheEarlierRunHasFinishedIsTakenOver) {
    Record earlier = begun_as("a"), begun = begun_as("b");
    const Record example = example_record();
    earlier.samples = example.samples;
    earlier.derived = example.derived;
    earlier.verification = example.verification;
    earlier.verification.back().passed = false;
    results::continue_record(begun, earlier, "r.h5");
    ASSERT_EQ(begun.samples.size(), 3U);
    EXPECT_EQ(begun.samples[0].column("iteration").numbers, (std::vector<double>{0, 1, 2, 3}));
    ASSERT_EQ(begun.derived.size(), 2U);
    EXPECT_EQ(begun.table("z_first").column("algorithm").texts,
              example.table("z_first").column("algorithm").texts);
    EXPECT_EQ(begun.table("a_second").column("above").numbers, std::vector{7.0});
    ASSERT_EQ(begun.verification.size(), 2U);
    EXPECT_EQ(begun.verification[0].name, "sum is exact");
    EXPECT_EQ(begun.verification[0].detail, "8 ranks, 3 sizes");
    EXPECT_FALSE(begun.verification[1].passed);
}

}  // namespace
}  // namespace shardstone::validation
