// SPDX-License-Identifier: BSD-3-Clause
// Records whose checks or settings say what their samples do not, with hashes that fit.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>

#include "results/recompute/recompute.hpp"
#include "results/record/incomplete.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/unit/validation/interconnect/findings/recorded_samples.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

Record sound_record() {
    return soaked_record(soaked_samples(soaked_from_s()));
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
              "240 samples and 60 messages of the soak: 188751360 of 188751360 bytes, 0 messages "
              "with wrong data");
}

/// It is the verdict's, and no failed check, which would keep the record out of reports.
TEST(ForgedSettings, ACounterThatRoseIsHeldAgainstTheCluster) {
    auto samples = planted_samples();
    samples.risen = {"cn07: mlx5_0/1 symbol_error went from 3 to 9"};
    Record record = recorded(samples);
    EXPECT_EQ(column_of(record, "interconnect_verdict", "verdict").texts[0], "fail");
    EXPECT_EQ(
        column_of(record, "interconnect_verdict", "reasons").texts[0],
        "an error counter rose during the tests: cn07: mlx5_0/1 symbol_error went from 3 to 9");
    const auto change = [](const char* counter, int before, int after, bool fails) {
        return nlohmann::json{{"node", "cn07"},
                              {"counter", counter},
                              {"before", before},
                              {"after", after},
                              {"fails", fails}};
    };
    record.environment["health"] = {change("mlx5_0/1 symbol_error", 3, 9, true),
                                    change("eth0 rx_missed_errors", 1, 2, false)};
    EXPECT_EQ(complaints(record), "");
    record.environment["health"][0]["fails"] = false;
    EXPECT_NE(complaints(record).find("but its samples give 'pass'"), std::string::npos);
}

TEST(ForgedSettings, ADisturbanceThatWasNoneIsFound) {
    auto samples = planted_samples();
    samples.conditions = {{"passes over pairs", 0.0, 0.0, 0.04, 0.01, 0.0, 1.0}};
    Record record = recorded(samples);
    const std::string words = "table conditions, row 0 (passes over pairs), disturbed: ";
    EXPECT_EQ(complaints(record).find(words), std::string::npos);
    column_of(record, "conditions", "disturbed").numbers[0] = 1.0;
    EXPECT_NE(complaints(record).find(words + "1, but its samples give 0"), std::string::npos);
    column_of(record, "conditions", "others_share").numbers[0] = 0.06;
    EXPECT_EQ(complaints(record).find(words), std::string::npos);
}

// Of 12 directions in 10 passes: eight messages of 8 B in a row each, or one of 1 MiB; and 60 of
// these by the soak.
TEST(ForgedSettings, BytesAreThoseOfAllMessagesInARow) {
    EXPECT_EQ(timed_bytes(soaked_samples(0.0)), 120 * 8 * 8 + (120 + 60) * (1 << 20));
    auto victims = planted_samples();
    victims.pairs.clear();
    for (const char* load : {"alone", "victim alone", "victim beside an all-to-all"}) {
        victims.congestion.push_back(
            {.load = load, .sender = 0, .receiver = 1, .pass = 1, .size_bytes = 24, .time_s = 1});
    }
    EXPECT_EQ(timed_bytes(victims), 8 * 24 + 2 * 24) << "each message of a victim is a sample";
}

TEST(ForgedSettings, BytesThatWereNotComparedFailTheRun) {
    const auto samples = planted_samples();
    const auto all = interconnect_checks(samples, 300, timed_bytes(samples));
    EXPECT_TRUE(all.at(1).passed);
    const auto fewer = interconnect_checks(samples, 300, timed_bytes(samples) - 8);
    EXPECT_FALSE(fewer.at(1).passed);
    EXPECT_EQ(fewer[1].detail,
              "240 samples: 125836792 of 125836800 bytes, 0 messages with wrong data");
    const auto forged = [](const char* detail, bool passed) {
        return [=](Record& r) { r.verification[1] = {r.verification[1].name, passed, detail}; };
    };
    const char* const short_of_8 =
        "240 samples and 60 messages of the soak: 188751352 of 188751360 bytes, 0 messages with "
        "wrong data";
    expect_found(forged(short_of_8, true), "passed: 'true', but its samples give 'false'");
    Record honest = sound_record();
    forged(short_of_8, false)(honest);
    EXPECT_EQ(complaints(honest), "");
    expect_found(forged("240 samples and 60 messages of the soak: 9 of 9 bytes, 0 messages with "
                        "wrong data",
                        true),
                 "detail: '240 samples and 60 messages of the soak: 9 of 9 bytes");
}

TEST(ForgedSettings, ChecksOfEarlierRevisionsDidNotCountTheSoakOrBytes) {
    for (const char* detail : {"240 samples, 0 messages with wrong data",
                               "240 samples and 60 messages of the soak, 0 messages with wrong "
                               "data"}) {
        Record record = sound_record();
        record.verification.at(1).detail = detail;
        EXPECT_EQ(complaints(record), "") << detail;
    }
}

TEST(ForgedSettings, AnAlteredCheckIsFound) {
    expect_found(
        [](Record& r) {
            r.verification[1].detail =
                "240 samples and 60 messages of the soak: 188751360 of 188751360 bytes, 7 messages "
                "with "
                "wrong data";
        },
        "table verification, row 1 (the data of all timed messages were compared), detail: '240 "
        "samples and 60 messages of the soak: 188751360 of 188751360 bytes, 7 messages with wrong "
        "data', but its samples give '240 samples and 60 messages of the soak: 188751360 of "
        "188751360 bytes, 0 messages with wrong data'");
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
