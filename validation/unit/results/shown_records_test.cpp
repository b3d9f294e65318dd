// SPDX-License-Identifier: BSD-3-Clause
// `shardstone show` and `verify` of records of many machines, and of what a name hides.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "results/record/record.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

TEST(ShownRecords, ShowTellsEqualMachinesOnce) {
    const TemporaryFolder folder;
    auto record = written_record("collectives", "left", 4);
    const nlohmann::json machine{{"cpu", "Planted 9000"},
                                 {"kernel", "6.1.0-planted"},
                                 {"caches", std::vector<std::string>(20, "L2 of one core")}};
    for (const char* host : {"cn01", "cn02", "cn03", "cn04"}) {
        record.environment["machines"].push_back(machine);
        record.environment["machines"].back()["host"] = host;
    }
    results::write_json(record, folder / "four.json");
    const auto shown =
        run_shell(shardstone_binary() + " show " + (folder / "four.json").string(), folder);
    EXPECT_NE(shown.output.find("4 x {"), std::string::npos) << shown.output;
    EXPECT_NE(shown.output.find("\"caches\": [20 x \"L2 of one core\"]"), std::string::npos)
        << shown.output;
    EXPECT_EQ(shown.output.find("cn02"), std::string::npos) << shown.output;
    EXPECT_LT(std::ranges::count(shown.output, '\n'), 40) << shown.output;
}

TEST(ShownRecords, VerifyNamesARecordThatItsNameHides) {
    const TemporaryFolder folder;
    const auto record = written_record("collectives", "left", 1);
    results::write_json(record, folder / "run.json");
    std::filesystem::copy(folder / "run.json", folder / "run.txt");
    std::ofstream(folder / "notes.text") << "to be or not to be";
    const auto outcome = run_shell(
        "cd " + folder.path().string() + " && " + shardstone_binary() + " verify .", folder);
    EXPECT_NE(outcome.output.find("run.txt: NOT checked: a record whose name"), std::string::npos)
        << outcome.output;
    EXPECT_EQ(outcome.output.find("notes.text"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("of other kinds not looked at"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
