// SPDX-License-Identifier: BSD-3-Clause
// `shardstone report` as a user runs it, and its page as a browser shows it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "results/format/atomic_file.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/made_up_records.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

std::string report(const TemporaryFolder& folder, const std::string& arguments) {
    return shardstone_binary() + " report " + arguments + " --out " +
           (folder / "report.html").string();
}

void expect_bad_input(const Outcome& outcome, const std::string& name) {
    EXPECT_TRUE(outcome.is_one_line_about(name)) << outcome.code << ": " << outcome.errors;
}

class ReportCommand : public testing::Test {
  protected:
    ReportCommand() {
        results::write_hdf5(made_up_collectives(), folder_ / "collectives.h5");
        results::write_json(made_up_training(1), folder_ / "train-1.json");
        results::write_hdf5(made_up_training(8), folder_ / "train-8.h5");
        results::write_hdf5(made_up_kernels(), folder_ / "kernels.h5");
        results::write_hdf5(made_up_probe(), folder_ / "probe.h5");
    }
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    bool wrote_page() const { return std::filesystem::exists(folder_ / "report.html"); }

    TemporaryFolder folder_;
};

TEST_F(ReportCommand, BadInputIsOneLineAndWritesNothing) {
    auto bytes = results::read_file(file("train-8.h5"));
    bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
    std::ofstream(file("flipped.h5"), std::ios::binary) << bytes;
    auto failed = made_up_probe();
    failed.verification[0].passed = false;
    results::write_json(failed, file("failed.json"));

    const std::string good = file("probe.h5") + " ";
    expect_bad_input(run_shell(report(folder_, good + file("flipped.h5")), folder_), "flipped.h5");
    expect_bad_input(run_shell(report(folder_, good + file("failed.json")), folder_),
                     "failed.json");
    expect_bad_input(run_shell(report(folder_, good + file("absent.h5")), folder_), "absent.h5");
    expect_bad_input(run_shell(report(folder_, good + file("probe.h5")), folder_), "probe.h5");
    expect_bad_input(run_shell(report(folder_, good + "--plotly /dev/null"), folder_), "/dev/null");
    expect_bad_input(run_shell(report(folder_, ""), folder_), "RECORD");
    expect_bad_input(run_shell(report(folder_, good + "--colour"), folder_), "--colour");
    EXPECT_FALSE(wrote_page());
}

TEST_F(ReportCommand, ABrowserShowsItWithoutAnError) {
    if (std::system("command -v chromium > /dev/null") != 0) {
        GTEST_SKIP() << "no chromium (apt install chromium)";
    }
    if (!std::filesystem::exists("/usr/share/python3-plotly/plotly.js")) {
        GTEST_SKIP() << "no plotly.js (apt install python3-plotly)";
    }
    const auto made = run_shell(
        report(folder_, folder_.path().string() + "/*.h5 " + file("train-1.json")), folder_);
    ASSERT_EQ(made.code, 0) << made.errors;
    EXPECT_NE(made.output.find("times quicker"), std::string::npos);
    const auto shown = run_shell(
        "chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr "
        "--v=0 --virtual-time-budget=10000 --user-data-dir=" +
            file("profile") + " --dump-dom file://" + file("report.html"),
        folder_);
    ASSERT_EQ(shown.code, 0) << shown.errors;
    EXPECT_EQ(shown.errors.find("CONSOLE"), std::string::npos) << shown.errors;
    // Plotly puts this class on every plot that it has drawn.
    std::size_t plots = 0;
    for (std::size_t i = 0;
         (i = shown.output.find("js-plotly-plot", i + 1)) != std::string::npos;) {
        ++plots;
    }
    constexpr std::size_t figures = 2 + 2 + 2 + 1 + 2 + 1;  // section by section
    EXPECT_GE(plots, figures);
}

}  // namespace
}  // namespace shardstone::validation
