// SPDX-License-Identifier: BSD-3-Clause
// Records survive JSON and HDF5 to the last bit, and their hash notices any change.
#include "results/record/record.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "kernels/base/error.hpp"
#include "results/convert/rows.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using results::Record;
using results::Table;

void expect_same_tables(const std::vector<Table>& got, const std::vector<Table>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t t = 0; t < got.size(); ++t) {
        EXPECT_EQ(got[t].name, wanted[t].name);
        ASSERT_EQ(got[t].columns.size(), wanted[t].columns.size());
        for (std::size_t c = 0; c < got[t].columns.size(); ++c) {
            const auto& mine = got[t].columns[c];
            const auto& theirs = wanted[t].columns[c];
            EXPECT_EQ(mine.name, theirs.name);
            EXPECT_EQ(mine.texts, theirs.texts);
            ASSERT_EQ(mine.numbers.size(), theirs.numbers.size());
            for (std::size_t i = 0; i < mine.numbers.size(); ++i) {
                if (std::isnan(theirs.numbers[i])) {
                    EXPECT_TRUE(std::isnan(mine.numbers[i]));
                } else {
                    EXPECT_EQ(std::bit_cast<std::uint64_t>(mine.numbers[i]),
                              std::bit_cast<std::uint64_t>(theirs.numbers[i]));
                }
            }
        }
    }
}

void expect_same(const Record& got, const Record& wanted) {
    EXPECT_EQ(got.kind, wanted.kind);
    EXPECT_EQ(got.identity, wanted.identity);
    EXPECT_EQ(got.configuration, wanted.configuration);
    EXPECT_EQ(got.environment, wanted.environment);
    expect_same_tables(got.samples, wanted.samples);
    expect_same_tables(got.derived, wanted.derived);
    ASSERT_EQ(got.verification.size(), wanted.verification.size());
    for (std::size_t i = 0; i < got.verification.size(); ++i) {
        EXPECT_EQ(got.verification[i].name, wanted.verification[i].name);
        EXPECT_EQ(got.verification[i].passed, wanted.verification[i].passed);
        EXPECT_EQ(got.verification[i].detail, wanted.verification[i].detail);
    }
    EXPECT_EQ(results::hash_of(got), results::hash_of(wanted));
}

TEST(Record, ComesBackEqualFromBothFormats) {
    const TemporaryFolder folder;
    const Record record = example_record();
    results::write_json(record, folder / "record.json");
    results::write_hdf5(record, folder / "record.h5");
    expect_same(results::read_record(folder / "record.json"), record);
    expect_same(results::read_record(folder / "record.h5"), record);
    EXPECT_EQ(folder.entries(), 2U) << "a temporary file was left";
}

TEST(Record, IsKnownByContentNotByName) {
    const TemporaryFolder folder;
    results::write_json(example_record(), folder / "twin.h5");
    EXPECT_EQ(results::read_record(folder / "twin.h5").kind, "example");
}

TEST(Record, HashSeesEveryPart) {
    const std::string original = results::hash_of(example_record());
    const std::vector<std::function<void(Record&)>> changes{
        [](Record& r) { r.kind += "x"; },
        [](Record& r) { r.identity["title"] = "other"; },
        [](Record& r) { r.configuration["ranks"] = 9; },
        [](Record& r) { r.environment["more"] = 1; },
        [](Record& r) { r.samples[0].columns[1].numbers[0] = std::nextafter(1.0 / 3.0, 1.0); },
        [](Record& r) { r.samples[0].columns[2].numbers[3] = 0.0; },
        [](Record& r) { r.derived[0].columns[0].texts[1] = "x"; },
        [](Record& r) { std::swap(r.derived[0], r.derived[1]); },
        [](Record& r) { r.verification[0].name += "x"; },
        [](Record& r) { r.verification[0].passed = false; },
        [](Record& r) { r.verification[0].detail += "x"; },
        [](Record& r) { r.verification.pop_back(); }};
    Record unchanged = example_record();
    unchanged.identity = example_record().identity;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        Record record = unchanged;
        changes[i](record);
        EXPECT_NE(results::hash_of(record), results::hash_of(unchanged)) << "change " << i;
    }
    EXPECT_EQ(original.size(), 32U);
}

TEST(Record, CountsAsVerifiedOnlyWithChecksThatAllPassed) {
    Record record = example_record();
    EXPECT_TRUE(record.verified());
    record.verification[1].passed = false;
    EXPECT_FALSE(record.verified());
    record.verification.clear();
    EXPECT_FALSE(record.verified());
}

TEST(Record, NamesMissingTablesAndColumns) {
    const Record record = example_record();
    EXPECT_EQ(record.table("a_second").column("above").numbers.front(), 7.0);
    EXPECT_THROW(record.table("absent"), Error);
    EXPECT_THROW(record.table("times").column("absent"), Error);
}

TEST(Record, RefusesWhatCannotBeReadBack) {
    const TemporaryFolder folder;
    const std::vector<std::function<void(Record&)>> faults{
        [](Record& r) { r.derived[0].name += "/b"; },
        [](Record& r) { r.derived[0].name = std::string(2, '.'); },
        [](Record& r) { r.derived[0].name = r.derived[1].name; },
        [](Record& r) { r.samples[0].columns[0].numbers.pop_back(); },
        [](Record& r) { r.samples[0].columns[0].name = "odd"; },
        [](Record& r) { r.derived[1].columns[0].texts = {"both"}; },
        [](Record& r) { r.derived[0].columns[0].texts[0] = "\xff"; },
        [](Record& r) { r.verification[0].detail = std::string("a\0b", 3); },
        [](Record& r) { r.configuration["list"][1] = std::nan(""); }};
    for (const auto& plant : faults) {
        Record record = example_record();
        plant(record);
        EXPECT_THROW(results::write_json(record, folder / "record.json"), Error);
        EXPECT_THROW(results::write_hdf5(record, folder / "record.h5"), Error);
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(Rows, AreQuotedInCsvWhereRfc4180AsksForIt) {
    const Table table{"t",
                      {{"of, two", {}, {"plain", "a\"b,c\nd", "\"", "e\rf"}},
                       {"value", {0.1, -2.0, std::nan(""), 1e300}, {}}}};
    EXPECT_EQ(results::to_csv(table),
              "\"of, two\",value\n"
              "plain,0.1\n"
              "\"a\"\"b,c\nd\",-2\n"
              "\"\"\"\",nan\n"
              "\"e\rf\",1e+300\n");
}

TEST(Rows, LoseNoDigitInCsv) {
    const std::vector<double> numbers{1.0 / 3.0, 0.1 + 0.2, 123456789.0, 5e-324};
    const std::string text = results::to_csv({"t", {{"value", numbers, {}}}});
    ASSERT_TRUE(text.starts_with("value\n")) << text;
    const char* rest = text.c_str() + text.find('\n');
    for (const double number : numbers) {
        char* end = nullptr;
        EXPECT_EQ(std::strtod(rest, &end), number) << text;
        rest = end;
    }
}

TEST(Rows, AreJsonLinesWithTextsForNumbersThatJsonHasNot) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Record record = example_record();
    record.derived = {
        {"last",
         {{"b", {std::nan(""), infinity, -infinity, 0.1}, {}}, {"a", {}, {"x\"", "y", "z", ""}}}}};
    record.samples.clear();
    const std::string lines = results::to_json_lines(record);
    EXPECT_EQ(lines.substr(lines.find("{\"check\"")),
              R"({"check":{"name":"sum is exact","passed":true,"detail":"8 ranks, 3 sizes"}}
{"check":{"name":"no detail","passed":true,"detail":""}}
{"table":"last","row":{"b":"NaN","a":"x\""}}
{"table":"last","row":{"b":"Infinity","a":"y"}}
{"table":"last","row":{"b":"-Infinity","a":"z"}}
{"table":"last","row":{"b":0.1,"a":""}}
)");
}

TEST(Record, EnvironmentIsAllowListed) {
    setenv("SHARDSTONE_TEST_SECRET", "hunter2", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    const Record record = results::new_record("example", "t", {"shardstone"});
    const std::string text = record.environment.dump();
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
    EXPECT_EQ(record.environment.at("variables").at("OMP_NUM_THREADS"), "1");
    EXPECT_GE(record.environment.at("machine").at("cores"), 1);
    EXPECT_GT(record.environment.at("machine").at("memory_bytes"), 0);
    EXPECT_FALSE(record.environment.at("build").at("revision").get<std::string>().empty());
    EXPECT_NE(record.identity.at("id"), example_record().identity.at("id"));
}

}  // namespace
}  // namespace shardstone::validation
