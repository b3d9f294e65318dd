// SPDX-License-Identifier: BSD-3-Clause
// `shardstone report` as a user runs it. What it makes of real records: validation/report.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>

#include "results/format/atomic_file.hpp"
#include "results/report/page_seal.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

class ReportCommand : public testing::Test {
  protected:
    ReportCommand() {
        results::write_hdf5(written_collectives(), folder_ / "collectives.h5");
        results::write_json(written_kernels(0.8), folder_ / "kernels.json");
    }
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    Outcome report(const std::string& arguments) const {
        return run_shell(
            shardstone_binary() + " report " + arguments + " --out " + file("report.html"),
            folder_);
    }
    /// A record of which one byte was changed afterwards.
    void write_damaged(const std::string& name) const {
        auto bytes = results::read_file(file("collectives.h5"));
        bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
        std::ofstream(file(name), std::ios::binary) << bytes;
    }
    void expect_refused(const std::string& arguments, const std::string& name) const {
        const Outcome outcome = report(arguments);
        EXPECT_TRUE(outcome.is_one_line_about(name)) << outcome.code << ": " << outcome.errors;
        EXPECT_FALSE(std::filesystem::exists(folder_ / "report.html"));
    }

    TemporaryFolder folder_;
};

TEST_F(ReportCommand, BadInputIsOneLineAndWritesNothing) {
    write_damaged("flipped.h5");
    auto failed = written_pipeline();
    failed.verification[0].passed = false;
    results::write_json(failed, file("failed.json"));

    const std::string good = file("kernels.json") + " ";
    expect_refused(file("flipped.h5"), "flipped.h5");
    expect_refused(file("failed.json"), "failed.json");
    expect_refused(good + file("absent.h5"), "absent.h5");
    expect_refused("", "RECORD");
    expect_refused(good + "--colour", "--colour");
}

/// A wrong file is the mistake, not the page of the run before.
TEST_F(ReportCommand, WhatIsNoRecordIsSaidBeforeThePageThatIsInTheWay) {
    std::ofstream(file("cluster.toml")) << "name = 'a'\n";
    std::ofstream(file("report.html")) << "an earlier page";
    const Outcome refused = report(file("cluster.toml"));
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(refused.is_one_line_about("cluster.toml' is not a Shardstone record"))
        << refused.errors;
    EXPECT_TRUE(report(file("kernels.json")).is_one_line_about("report.html' already exists"));
}

TEST_F(ReportCommand, NamesAllFilesWhereNoneCanBeShown) {
    write_damaged("flipped.h5");
    auto failed = written_pipeline();
    failed.verification[0].passed = false;
    results::write_json(failed, file("failed.json"));
    std::ofstream(file("empty.json")).flush();
    const Outcome outcome =
        report(file("flipped.h5") + " " + file("failed.json") + " " + file("empty.json"));
    EXPECT_TRUE(outcome.is_one_line_about("nothing to report: ")) << outcome.errors;
    for (const char* said : {"flipped.h5' is not shown: ", "was changed or cut",
                             "failed.json' is not shown: it did not pass its verification",
                             "empty.json' is not shown: ", "is not a Shardstone record"}) {
        EXPECT_NE(outcome.errors.find(said), std::string::npos) << said << ": " << outcome.errors;
    }
}

TEST_F(ReportCommand, PrintsTheFindingsAndWritesASealedPage) {
    auto failed = written_pipeline();
    failed.verification[0].passed = false;
    results::write_json(failed, file("failed.json"));
    const Outcome made =
        report(file("collectives.h5") + " " + file("failed.json") + " " + file("kernels.json"));
    ASSERT_EQ(made.code, 0) << made.errors;
    EXPECT_NE(made.output.find("`auto` is 3.20 times faster"), std::string::npos) << made.output;
    EXPECT_NE(made.output.find("Not all of the input is shown: 1 exception"), std::string::npos);
    const std::string page = results::read_file(file("report.html"));
    EXPECT_NO_THROW(results::require_page_unchanged(page, "report.html"));
    EXPECT_NE(page.find("failed.json</td><td>the whole file</td>"), std::string::npos);
}

// A glob meets what is damaged, what is no record, a folder, and what was written by a program that
// wrote other columns: each is named with why, and the rest is shown.
TEST_F(ReportCommand, GoesOnWithoutWhatCannotBeRead) {
    write_damaged("flipped.h5");
    std::filesystem::copy(SHARDSTONE_SOURCE_DIR "/results/archive/peers/peers.json",
                          file("peers.json"));
    std::filesystem::create_directory(file("folder.h5"));
    std::ofstream(file("empty.h5")).flush();
    auto lacking = written_pipeline();
    std::erase_if(lacking.derived[0].columns,
                  [](const auto& column) { return column.name == "formula"; });
    results::write_json(lacking, file("lacking.json"));
    const Outcome made = report(file("*.h5") + " " + file("*.json"));
    ASSERT_EQ(made.code, 0) << made.errors;
    const std::string page = results::read_file(file("report.html"));
    const std::pair<const char*, const char*> unread[]{
        {"flipped.h5", "was changed or cut after it was written"},
        {"peers.json", "is not a Shardstone record"},
        {"folder.h5", "it is a folder without records"},
        {"empty.h5", "is not a Shardstone record"},
        {"lacking.json", "has no column &#39;formula&#39;"}};
    for (const auto& [name, why] : unread) {
        EXPECT_NE(made.errors.find(std::string(name) + "' is not shown: "), std::string::npos)
            << name << ": " << made.errors;
        const auto row = page.find(std::string(name) + "</td><td>the whole file</td><td>");
        ASSERT_NE(row, std::string::npos) << name;
        EXPECT_NE(page.substr(row, page.find("</tr>", row) - row).find(why), std::string::npos)
            << page.substr(row, page.find("</tr>", row) - row);
    }
    EXPECT_NE(made.output.find("Not all of the input is shown: 5 exceptions ("), std::string::npos)
        << made.output;
    EXPECT_NE(made.output.find("`auto` is 3.20 times faster"), std::string::npos) << made.output;
    EXPECT_NE(made.output.find("The fastest kernel"), std::string::npos);
}

// Of every 199th digit of the page, another one in its place.
TEST_F(ReportCommand, VerifyFindsAChangedDigitOfThePage) {
    ASSERT_EQ(report(file("collectives.h5")).code, 0);
    const auto verify = [this](const std::string& name) {
        return run_shell(shardstone_binary() + " verify " + file(name), folder_);
    };
    EXPECT_EQ(verify("report.html").code, 0);
    const std::string page = results::read_file(file("report.html"));
    std::size_t digits = 0, changed = 0;
    for (std::size_t place = page.find("<body"); place < page.size(); ++place) {
        if (std::isdigit(static_cast<unsigned char>(page[place])) == 0 || digits++ % 199 != 0) {
            continue;
        }
        std::string forged = page;
        forged[place] = forged[place] == '9' ? '0' : static_cast<char>(forged[place] + 1);
        std::ofstream(file("forged.html"), std::ios::binary) << forged;
        const Outcome outcome = verify("forged.html");
        EXPECT_EQ(outcome.code, 1) << "digit at byte " << place;
        EXPECT_NE(outcome.output.find("BAD"), std::string::npos) << outcome.output;
        ++changed;
    }
    EXPECT_GE(changed, 10U);
}

}  // namespace
}  // namespace shardstone::validation
