// SPDX-License-Identifier: BSD-3-Clause
// Records whose checks or settings say what their samples do not, with hashes that fit.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>

#include "results/recompute/recompute.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/utc.hpp"
#include "results/schema/disturbance.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/validation/interconnect/findings/recorded_samples.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

constexpr double pass_s = 1.0, windows = 30.0, size_bytes = 1 << 20;

/// Thirty windows of two passes, one message each.
InterconnectSamples soaked_samples(double start_unix_s) {
    auto samples = planted_samples();
    for (double window = 0.0; window < windows; ++window) {
        SoakWindowRow row;
        row.window = window;
        row.sender = 0.0;
        row.receiver = 1.0;
        row.size_bytes = size_bytes;
        row.first_pass = 2.0 * window;
        row.passes = 2.0;
        row.begin_unix_s = start_unix_s + window * pass_s;
        row.end_unix_s = row.begin_unix_s + pass_s;
        row.mean_s = row.shortest_s = row.longest_s = 10e-3;
        row.slow = 0.0;
        samples.windows.push_back(row);
    }
    samples.conditions.push_back({.part = "passes over pairs", .machine = 0.0, .disturbed = 0.0});
    return samples;
}

Record sound_record() {
    const std::string start = "2026-11-27T03:05:23Z";
    Record record = recorded(soaked_samples(static_cast<double>(*utc_time(start)) + 4.0));
    record.identity["start_time"] = start;
    record.identity["duration_s"] = 40.0;
    record.configuration = {{"sizes_bytes", {8, 1 << 20}},
                            {"parts", {"pairs", "ranks"}},
                            {"rails", 1},
                            {"soak_s", 30.0}};
    record.samples.push_back(results::table_of(std::vector{results::SurroundingsRow{}}));
    return record;
}

std::string complaints(const Record& record) {
    std::string lines;
    for (const Mismatch& one : recompute(record).wrong) lines += in_words(one) + "\n";
    return lines;
}

/// With one change, each of `words` is said.
void expect_found(const std::function<void(Record&)>& change, const std::string& words) {
    Record record = sound_record();
    change(record);
    const std::string lines = complaints(record);
    EXPECT_NE(lines.find(words), std::string::npos) << "not '" << words << "', but\n" << lines;
}

TEST(ForgedSettings, ASoundRecordIsGood) {
    EXPECT_EQ(complaints(sound_record()), "");
    EXPECT_EQ(sound_record().verification.at(1).detail,
              "240 samples and 60 messages of the soak, 0 messages with wrong data");
}

TEST(ForgedSettings, ChecksOfEarlierRevisionsDidNotCountTheSoak) {
    Record record = sound_record();
    record.verification.at(1).detail = "240 samples, 0 messages with wrong data";
    EXPECT_EQ(complaints(record), "");
}

TEST(ForgedSettings, AnAlteredCheckIsFound) {
    expect_found(
        [](Record& r) {
            r.verification[1].detail =
                "240 samples and 60 messages of the soak, 7 messages with wrong data";
        },
        "table verification, row 1 (the data of all timed messages were compared), detail: '240 "
        "samples and 60 messages of the soak, 7 messages with wrong data', but its samples give "
        "'240 samples and 60 messages of the soak, 0 messages with wrong data'");
    expect_found([](Record& r) { r.verification[0].detail = "9999 of 9999"; },
                 "detail: '9999 of 9999', but its samples give '300 of 300'");
    expect_found([](Record& r) { r.verification[0].detail = "300 of 301"; },
                 "passed: 'true', but its samples give 'false'");
    expect_found(
        [](Record& r) {
            r.verification.push_back({"the network was blessed", true, "twice"});
        },
        "table verification, row 0 (all), rows: 3, but its samples give 2");
    expect_found([](Record& r) { r.verification.pop_back(); }, "rows: 1, but its samples give 2");
}

TEST(ForgedSettings, ARunThatWasStoppedDidNotComplete) {
    const auto stop = [](Record& record) {
        record.verification.push_back(incomplete_check("4 windows of the soak are complete"));
    };
    Record stopped = sound_record();
    stopped.configuration["soak_s"] = 60.0;
    stop(stopped);
    EXPECT_EQ(complaints(stopped), "");
    expect_found(
        [&](Record& r) {
            stop(r);
            r.verification.back().passed = true;
        },
        "verification, the run was complete: 'passed', but its samples give 'stopped by");
    expect_found([](Record& r) { r.configuration["soak_s"] = 60.0; },
                 "configuration, soak_s: '60', but its samples give '30.0'");
}

TEST(ForgedSettings, SettingsThatSamplesContradictAreFound) {
    const auto option = [](const char* name, const nlohmann::json& value) {
        return [=](Record& r) { r.configuration[name] = value; };
    };
    expect_found(option("sizes_bytes", {8, 1 << 20, 4 << 20}),
                 "configuration, sizes_bytes: '[8,1048576,4194304]', but its samples give "
                 "'[8,1048576]'");
    expect_found(option("parts", {"pairs"}), "its samples give 'also ranks'");
    expect_found(option("parts", {"pairs", "ranks", "clocks"}),
                 "its samples give 'no whole clocks'");
    expect_found(option("soak_s", 28800.0), "configuration, soak_s: '28800'");
    expect_found(option("soak_s", 0.0), "configuration, soak_s: '0'");
    expect_found([](Record& r) { r.environment["ranks"] = 64; },
                 "environment, ranks: '64', but its samples give '4'");
    expect_found([](Record& r) { r.kind = "topology"; }, "identity, kind: 'topology'");
    expect_found([](Record& r) { r.identity["start_time"] = "garbage"; }, "start_time: 'garbage'");
    expect_found([](Record& r) { r.identity["start_time"] = "1998-01-01T00:00:00Z"; },
                 "table soak_windows, row 0 (number 1), begin_unix_s: ");
    expect_found([](Record& r) { r.identity["duration_s"] = 3.0; },
                 "identity, duration_s: '3', but its samples give '30.0 or more'");
    expect_found([](Record& r) { remove_table(r, "surroundings"); }, "samples, surroundings");
}

TEST(ForgedSettings, ImpossiblePlacesAndConditionsAreFound) {
    for (const auto& [table, column, number] : {std::tuple("soak_windows", "size_bytes", 9.0),
                                                {"conditions", "machine", 1.0},
                                                {"conditions", "disturbed", 2.0},
                                                {"rank_places", "rail", 1.0},
                                                {"rank_places", "sharers", 5.0}}) {
        expect_found([&](Record& r) { column_of(r, table, column).numbers[0] = number; },
                     fmt::format("table {}, row 0 (number 1), {}: {}, but it must be ", table,
                                 column, number));
    }
}

}  // namespace
}  // namespace shardstone::validation
