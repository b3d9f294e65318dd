// SPDX-License-Identifier: BSD-3-Clause
// Properties of records and what differs between two sets of them: nothing missed, nothing made up.
#include "results/compare/differences.hpp"

#include <gtest/gtest.h>

#include "results/report/comparison_words.hpp"

namespace shardstone::validation {
namespace {

using namespace results;
using nlohmann::json;

Record described() {
    Record record;
    record.identity = {{"version", "0.9"}, {"start_time", "2026-11-25T13:00:00Z"}};
    record.configuration = {{"precision", "fp32"}, {"sizes", {4, 8}}, {"prediction", "alpha = 1"}};
    record.environment = json::parse(R"({
        "build": {"revision": "aaa", "flags": "-O3"},
        "libraries": {"hdf5": "1.10.8", "fmt": "9.1.0"},
        "variables": {"UCX_TLS": "tcp", "SLURM_JOB_ID": "7"},
        "preflight": ["1000 MiB are free"], "ranks": 2,
        "machine": {"host": "n1", "cpu": "one", "memory_bytes": 25276502016},
        "machines": [
            {"host": "n1", "cpu": "one", "memory_bytes": 25276502016,
             "available_memory_bytes": 5, "clock": {"mhz": 2300.0, "governor": "performance"}},
            {"host": "n2", "cpu": "one", "memory_bytes": 25276502016,
             "available_memory_bytes": 6, "clock": {"mhz": 2301.0, "governor": "performance"}}]})");
    return record;
}

std::vector<Difference> between(const Record& a, const Record& b) {
    const auto of_a = properties_of(a, {"prediction"}), of_b = properties_of(b, {"prediction"});
    return differences_between({&of_a}, {&of_b});
}

/// Expects this to be the one difference after a change of B.
void expect_one(const std::function<void(Record&)>& change, const Difference& expected) {
    Record changed = described();
    change(changed);
    const auto found = between(described(), changed);
    ASSERT_EQ(found.size(), 1U) << expected.name.second;
    EXPECT_EQ(found[0].name, expected.name);
    EXPECT_EQ(found[0].a, expected.a);
    EXPECT_EQ(found[0].b, expected.b);
}

TEST(Differences, NameWhatChangedFromWhatToWhat) {
    expect_one([](Record& r) { r.environment["libraries"]["hdf5"] = "1.14.0"; },
               {{"environment", "libraries.hdf5"}, "1.10.8", "1.14.0"});
    expect_one([](Record& r) { r.environment["variables"]["UCX_TLS"] = "posix"; },
               {{"environment", "variables.UCX_TLS"}, "tcp", "posix"});
    expect_one([](Record& r) { r.environment["variables"].erase("UCX_TLS"); },
               {{"environment", "variables.UCX_TLS"}, "tcp", "not set"});
    expect_one([](Record& r) { r.environment["variables"]["OMP_NUM_THREADS"] = "4"; },
               {{"environment", "variables.OMP_NUM_THREADS"}, "not set", "4"});
    expect_one([](Record& r) { r.environment["build"]["revision"] = "bbb"; },
               {{"environment", "build.revision"}, "aaa", "bbb"});
    expect_one([](Record& r) { r.identity["version"] = "1.0"; },
               {{"environment", "program.version"}, "0.9", "1.0"});
    expect_one([](Record& r) { r.configuration["precision"] = "bf16"; },
               {{"settings", "precision"}, "fp32", "bf16"});
    expect_one(
        [](Record& r) {
            r.configuration["sizes"] = {4, 16};
        },
        {{"settings", "sizes"}, "4, 8", "4, 16"});
    expect_one([](Record& r) { r.environment["ranks"] = 4; }, {{"environment", "ranks"}, "2", "4"});
}

// What each rank or device has: without the marks of JSON, and alike ones counted.
TEST(Differences, OfListsAreInWords) {
    const auto of = [](const char* before, const char* after) {
        Record a = described(), b = described();
        a.environment["of_ranks"] = json::parse(before);
        b.environment["of_ranks"] = json::parse(after);
        std::string text;
        for (const Difference& one : between(a, b)) {
            text += one.name.second + ": " + one.a + " -> " + one.b + "\n";
        }
        return text;
    };
    EXPECT_EQ(of("[0, 0, 1, 1]", "[0, 1, 0, 1]"), "of_ranks: 2 x 0, 2 x 1 -> 0, 1, 0, 1\n");
    EXPECT_EQ(of("[\"0-1\", \"0-1\"]", "[\"0\", \"1\"]"), "of_ranks: 2 x 0-1 -> 0, 1\n");
    EXPECT_EQ(of("[[0, 1], [0, 1]]", "[[0], [1]]"), "of_ranks: 2 x (0, 1) -> (0), (1)\n");
    EXPECT_EQ(of(R"([{"to": "core", "cpus": [0]}, {"to": "core"}])",
                 R"([{"to": "core", "cpus": [0]}, {"to": "numa", "cpus": [0]}])"),
              "of_ranks.cpus: (0), not set -> 2 x (0)\nof_ranks.to: 2 x core -> core, numa\n");
}

// As in records of a version that did not have the option.
TEST(Differences, AreNotBetweenNothingAndNull) {
    Record changed = described();
    changed.configuration["schedule"] = nullptr;
    changed.configuration["cluster"] = "";
    changed.environment["gpus"] = json::array();
    EXPECT_TRUE(between(described(), changed).empty());
    changed.configuration["schedule"] = "1f1b";
    ASSERT_EQ(between(described(), changed).size(), 1U);
    EXPECT_EQ(between(described(), changed)[0].a, "not set");
}

TEST(Differences, AreThoseOfAnyNode) {
    expect_one([](Record& r) { r.environment["machines"][1]["cpu"] = "two"; },
               {{"environment", "machine.cpu"}, "one", "one; two"});
    expect_one(
        [](Record& r) { r.environment["machines"][1]["clock"]["governor"] = "powersave"; },
        {{"environment", "machine.clock.governor"}, "performance", "performance; powersave"});
    expect_one([](Record& r) { r.environment["machines"][0]["memory_bytes"] = 12884901888; },
               {{"environment", "machine.memory_bytes"}, "23.5 GiB", "12.0 GiB; 23.5 GiB"});
}

TEST(Differences, AreNotWhatVariesByItself) {
    Record changed = described();
    changed.identity["start_time"] = "2026-11-26T13:00:00Z";
    changed.configuration["prediction"] = "alpha = 2";
    auto& environment = changed.environment;
    environment["preflight"] = {"900 MiB are free"};
    environment["variables"]["SLURM_JOB_ID"] = "8";
    environment["machine"]["memory_bytes"] = 25276510208;
    environment["machines"][0]["memory_bytes"] = 25276510208;
    environment["machines"][0]["available_memory_bytes"] = 4;
    environment["machines"][0]["clock"]["mhz"] = 2400.0;
    std::swap(environment["machines"][0], environment["machines"][1]);
    EXPECT_TRUE(between(described(), changed).empty());
}

// Both sides hold runs with and without the variable; then only one does.
TEST(Differences, AreBetweenSetsOfValues) {
    Record without = described();
    without.environment["variables"].erase("UCX_TLS");
    const auto with_it = properties_of(described(), {}), without_it = properties_of(without, {});
    EXPECT_TRUE(differences_between({&with_it, &without_it}, {&without_it, &with_it}).empty());
    const auto found = differences_between({&with_it, &without_it}, {&with_it});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].a, "not set; tcp");
    EXPECT_EQ(found[0].b, "tcp");
}

TEST(FloorText, IsAPercentageThatFitsItsColumn) {
    ComparisonRow row;
    EXPECT_EQ(floor_text(row), "-");
    row.ratio = 1.0;
    row.noise_floor = 0.0423;
    EXPECT_EQ(floor_text(row), "4.2 %");
    row.noise_floor = 5e9;
    EXPECT_EQ(floor_text(row), "> 1000 %");
}

TEST(Shortened, ShowsWhereLongValuesDiffer) {
    EXPECT_EQ(shortened("1.10.8", "1.14"), (std::pair<std::string, std::string>("1.10.8", "1.14")));
    const std::string common(100, 'x');
    const auto [a, b] = shortened(common + "-O3" + common, common + "-O2 -g" + common);
    EXPECT_EQ(a, "...xxxxxxxxxx-O3xxxxxxxxxxxx...");
    EXPECT_EQ(b, "...xxxxxxxxxx-O2 -gxxxxxxxxxxxx...");
    const auto [short_one, long_one] = shortened("", common);
    EXPECT_EQ(short_one, "");
    EXPECT_EQ(long_one, common.substr(0, 60) + "...");
}

}  // namespace
}  // namespace shardstone::validation
