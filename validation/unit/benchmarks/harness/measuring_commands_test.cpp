// SPDX-License-Identifier: BSD-3-Clause
// `shardstone probe` and `shardstone kernels` as a user runs them.
#include <gtest/gtest.h>

#include "results/record/record.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

TEST(KernelsCommand, WritesOneRecordInTwoFormats) {
    const TemporaryFolder folder;
    const auto json = (folder / "kernels.json").string();
    const auto hdf5 = (folder / "kernels.h5").string();
    const auto outcome = run_shell(
        shardstone_binary() + " kernels --filter 'sum of' --json " + json + " --hdf5 " + hdf5,
        folder);
    ASSERT_EQ(outcome.code, 0) << outcome.errors << outcome.output;
    EXPECT_NE(outcome.output.find("sum of squares"), std::string::npos);
    EXPECT_EQ(outcome.output.find("layernorm"), std::string::npos);
    const auto record = results::read_record(json);
    EXPECT_TRUE(record.verified());
    EXPECT_EQ(results::hash_of(record), results::hash_of(results::read_record(hdf5)));
    EXPECT_GT(record.table("kernels").column("share").numbers.front(), 0.0);
}

TEST(KernelsCommand, IsQuickWithTheFewestRepetitionsThatHaveAnInterval) {
    const TemporaryFolder folder;
    const auto repetitions = [&](const std::string& flag) {
        const auto json = (folder / ("kernels" + flag + ".json")).string();
        const auto outcome = run_shell(
            shardstone_binary() + " kernels --filter 'sum of' " + flag + " --json " + json, folder);
        EXPECT_EQ(outcome.code, 0) << outcome.errors << outcome.output;
        const auto record = results::read_record(json);
        for (const char* end : {"time_low_s", "time_high_s"}) {
            for (const double time_s : record.table("kernels").column(end).numbers) {
                EXPECT_GT(time_s, 0.0) << "an interval";
            }
        }
        return static_cast<double>(record.table("kernel_times").rows()) /
               static_cast<double>(record.table("kernels").rows());
    };
    EXPECT_EQ(repetitions(""), 15.0);
    EXPECT_EQ(repetitions("--quick"), 6.0);
}

TEST(ProbeCommand, TellsHowTheRanksLieOnNodes) {
    const TemporaryFolder folder;
    const auto json = (folder / "probe.json").string();
    const auto outcome =
        run_shell("mpiexec -n 3 " + shardstone_binary() + " probe --json " + json, folder);
    ASSERT_EQ(outcome.code, 0) << outcome.errors << outcome.output;
    EXPECT_NE(outcome.output.find("3 on "), std::string::npos) << outcome.output;
    const auto record = results::read_record(json);
    EXPECT_EQ(record.environment.at("ranks"), 3);
    EXPECT_EQ(record.table("machine_rates").column("peak_flop_s").rows(), 4U);
}

TEST(MeasuringCommands, BadInputIsOneLine) {
    const TemporaryFolder folder;
    const auto expect_bad_input = [&](const std::string& arguments, const std::string& name) {
        const auto outcome = run_shell(arguments, folder);
        EXPECT_TRUE(outcome.is_one_line_about(name)) << outcome.code << ": " << outcome.errors;
    };
    const std::string program = shardstone_binary();
    expect_bad_input(program + " kernels --filter nonsense", "nonsense");
    expect_bad_input(program + " kernels --hdf5 /absent/k.h5", "/absent/k.h5");
    expect_bad_input(program + " kernels --flter x", "--flter");
    expect_bad_input(program + " probe --json /dev/null", "/dev/null");
    expect_bad_input("mpiexec -n 2 " + program + " probe --json /absent/p.json", "/absent/p.json");
}

}  // namespace
}  // namespace shardstone::validation
