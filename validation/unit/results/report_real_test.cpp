// SPDX-License-Identifier: BSD-3-Clause
// What the page draws of records that the real commands have just written, held against their
// samples and settings by arithmetic that is written out here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "results/format/atomic_file.hpp"
#include "results/record/binding.hpp"
#include "results/report/training_run.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;

/// Two records and the page of both, made once for all tests.
struct Made {
    TemporaryFolder folder;
    results::Record sweep, training;
    std::string page, findings;
};

const Made& made() {
    static Made all;
    if (!all.page.empty()) return all;
    std::ofstream(all.folder / "clock.toml") << clock_cluster;
    const auto run = [&](const std::string& words) {
        const auto outcome =
            run_shell("cd " + all.folder.path().string() + " && " + words, all.folder);
        if (outcome.code != 0) throw std::runtime_error(words + ": " + outcome.errors);
        return outcome.output;
    };
    const std::string two = "mpiexec -n 2 " + shardstone_binary();
    run(two +
        " collectives --cluster clock.toml --algorithm ring,mpi -b 64 -e 16K -f 256 -n 30"
        " --json sweep.json");
    run(two + " train --model nano --plan dp=2 --global-batch 4 --steps 12 --json train.json");
    all.sweep = results::read_record(all.folder / "sweep.json");
    all.training = results::read_record(all.folder / "train.json");
    all.findings = run(shardstone_binary() + " report sweep.json train.json");
    all.page = results::read_file(all.folder / "report.html");
    return all;
}

/// The figure whose title contains these words.
json figure_called(const std::string& words) {
    const std::string& page = made().page;
    const std::regex figure(
        "<figcaption>([^<]*)</figcaption><div class=\"plot\" "
        "data-figure=\"(\\d+)\"");
    const std::string opening = "id=\"figures\">";
    const auto begin = page.find(opening) + opening.size();
    const auto all = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
    for (std::sregex_iterator one(page.begin(), page.end(), figure), end; one != end; ++one) {
        if (one->str(1).find(words) != std::string::npos) return all.at(std::stoul(one->str(2)));
    }
    throw std::runtime_error("no figure is called '" + words + "'");
}

json trace_of(const json& figure, const std::string& name) {
    for (const json& trace : figure.at("traces")) {
        if (trace.at("name") == name) return trace;
    }
    throw std::runtime_error("no trace is called '" + name + "'");
}

/// All-reduce on two ranks: 2 (P - 1) / P is 1, so that bytes over time is the bus bandwidth.
TEST(ReportOfRecords, DrawsBandwidthsOfTheSamples) {
    const json figure = figure_called("bus bandwidth");
    const json ring = trace_of(figure, "ring");
    const json model = trace_of(figure, "ring, model (dashed)");
    const double sizes[]{64.0, 16384.0};
    for (std::size_t i = 0; i < 2; ++i) {
        auto times_s = samples_of(made().sweep, {"all_reduce", "ring", 1.0, sizes[i]});
        ASSERT_EQ(times_s.size(), 30U);
        std::ranges::sort(times_s);
        const double bytes = sizes[i] * 1e-9;
        EXPECT_NEAR(ring.at("y").at(i), bytes / middle_of(times_s), 1e-9 * bytes / times_s[0]);
        // Le Boudec, table A.1: of thirty, the tenth and the twenty-first.
        EXPECT_NEAR(ring.at("low").at(i), bytes / times_s[20], 1e-9 * bytes / times_s[0]) << "low";
        EXPECT_NEAR(ring.at("high").at(i), bytes / times_s[9], 1e-9 * bytes / times_s[0]) << "high";
        // Two steps of 0.1 s: see clock_cluster.
        EXPECT_NEAR(model.at("y").at(i), bytes / 0.2, 1e-6 * bytes) << "predicted";
    }
}

TEST(ReportOfRecords, DrawsMemoryInMebibytes) {
    const json figure = figure_called("Measured memory");
    EXPECT_EQ(figure.at("layout").at("y").at("title"), "Memory (MiB)");
    const Rows memory(made().training, "memory");
    ASSERT_GT(memory.count(), 2U);
    for (std::size_t row = 0; row < memory.count(); ++row) {
        const json trace = trace_of(figure, memory.text(row, "class"));
        EXPECT_NEAR(trace.at("y").at(0), memory.number(row, "measured_bytes") / 1048576.0, 1e-9)
            << memory.text(row, "class");
    }
}

TEST(ReportOfRecords, DrawsThroughputWithItsInterval) {
    const json trace = trace_of(figure_called("Training throughput"), "nano, fp32");
    const Rows summary(made().training, "summary");
    EXPECT_EQ(trace.at("y").at(0), summary.number(0, "tokens_per_s"));
    EXPECT_EQ(trace.at("low").at(0), summary.number(0, "tokens_per_s_low"));
    EXPECT_EQ(trace.at("high").at(0), summary.number(0, "tokens_per_s_high"));
}

/// A line of the terminal and an item of the page: each is cited by itself.
TEST(ReportOfRecords, EveryFindingNamesMachineAndRecord) {
    const std::string host = made().sweep.environment.at("machine").at("host");
    const std::regex line("  \\* (.*)\\n");
    const std::string& text = made().findings;
    std::size_t lines = 0;
    for (std::sregex_iterator one(text.begin(), text.end(), line), end; one != end; ++one) {
        ++lines;
        const std::string finding = one->str(1);
        const auto origin = finding.find(". [" + host + ": ");
        ASSERT_NE(origin, std::string::npos) << finding;
        const auto file = finding.substr(origin);
        EXPECT_TRUE(file.find("sweep.json") != std::string::npos ||
                    file.find("train.json") != std::string::npos)
            << finding;
        EXPECT_NE(made().page.find(file + "</li>"), std::string::npos) << finding;
    }
    EXPECT_GE(lines, 6U) << text;
}

/// Ranks 0 and 1 with one device, rank 2 with another; all on the first thread that is ours.
TEST(ReportOfRecords, NamesWhatRanksWereBoundTo) {
    const TemporaryFolder folder;
    const std::string thread =
        std::to_string(*results::numbers_in_list(results::usable_cpus()).begin());
    const auto ranks = [&](int count, const std::string& device) {
        return fmt::format(
            "-n {} env CUDA_VISIBLE_DEVICES={} taskset -c {} {} train --model nano --global-batch "
            "3 --steps 2 --json train.json",
            count, device, thread, shardstone_binary());
    };
    const auto outcome = run_shell(
        fmt::format("cd {} && mpiexec {} : {} && {} report train.json", folder.path().string(),
                    ranks(2, "GPU-left"), ranks(1, "GPU-right"), shardstone_binary()),
        folder);
    ASSERT_EQ(outcome.code, 0) << outcome.errors << outcome.output;
    const std::string page = results::read_file(folder / "report.html");
    const auto cells = [&](const std::string& numbers, const std::string& device) {
        return std::regex(
            fmt::format("<tr><td>{}</td><td[^>]*>{}</td><td[^>]*>[^<]*</td>"
                        "<td>CUDA_VISIBLE_DEVICES={}</td><td>train.json</td></tr>",
                        numbers, thread, device));
    };
    EXPECT_TRUE(std::regex_search(page, cells("0 to 1", "GPU-left")));
    EXPECT_TRUE(std::regex_search(page, cells("2", "GPU-right")));
}

/// More ranks than there are cores are no reason to count fewer devices.
TEST(ReportOfRecords, PacedTrainingsAreJudgedPerDevice) {
    const TemporaryFolder folder;
    const auto run = [&](int ranks) {
        return fmt::format(
            "mpiexec -n {0} {1} train --model nano --plan dp={0} --global-batch 8 --steps 3 "
            "--pace 1 --json {0}.json && ",
            ranks, shardstone_binary());
    };
    const auto outcome =
        run_shell(fmt::format("cd {} && {}{}{} report 1.json 8.json", folder.path().string(),
                              run(1), run(8), shardstone_binary()),
                  folder);
    ASSERT_EQ(outcome.code, 0) << outcome.errors << outcome.output;
    const std::string page = results::read_file(folder / "report.html");
    const std::regex finding(
        "From 1 rank to 8 ranks, (training '[^']*, paced 1 GFLOP/s[^']*' keeps .* of its "
        "throughput per paced device[.;]|the share of its throughput per paced device that )");
    EXPECT_TRUE(std::regex_search(outcome.output, finding)) << outcome.output;
    EXPECT_EQ(outcome.output.find("core in use"), std::string::npos) << outcome.output;
    EXPECT_NE(page.find(">Paced devices</th>"), std::string::npos);
    EXPECT_EQ(page.find("Cores in use"), std::string::npos);
    EXPECT_TRUE(std::regex_search(
        page, std::regex("dp=8[^<]*</td><td class=\"number\">8</td><td class=\"number\">8</td>")));
}

/// On 2 ranks a micro-batch of 4 is half of the batch, on 4 ranks one of 2 is a quarter.
TEST(ReportOfRecords, ExpertRanksAreOneSystemOverReplicas) {
    const std::string words = "train --model nano --experts 4 --global-batch 8 --steps 2 --plan ";
    const RecordedRun one(2, words + "ep=2"), replicated(4, words + "dp=2,ep=2");
    ASSERT_EQ(replicated.code(), 0) << replicated.errors() << replicated.output();
    EXPECT_EQ(one.record().configuration.at("micro_batch"), 4);
    EXPECT_EQ(replicated.record().configuration.at("micro_batch"), 2);
    const auto sources = as_sources({one.record(), replicated.record()});
    const auto groups = results::training_groups(sources);
    ASSERT_EQ(groups.size(), 1U) << "they share no curve";
    EXPECT_EQ(groups.front().front().system.name(), "nano-moe4k1, fp32, ep=2");
}

TEST(ReportOfRecords, WaysToShareSequencesAreSystems) {
    const std::string words = "train --model nano --global-batch 2 --steps 2 --plan cp=2 ";
    std::vector<results::Record> records;
    std::vector<std::string> splits;
    for (const char* choices : {"", "--context-order blocks", "--context-attention all-gather"}) {
        const RecordedRun run(2, words + choices);
        ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
        records.push_back(run.record());
        splits.push_back(Rows(records.back(), "summary").text(0, "split"));
    }
    EXPECT_EQ(splits, (std::vector<std::string>{"cp=2,ring,zigzag", "cp=2,ring,blocks",
                                                "cp=2,all-gather,zigzag"}));
    const auto sources = as_sources(records);
    const auto groups = results::training_groups(sources);
    ASSERT_EQ(groups.size(), 3U) << "some share a curve";
    for (std::size_t i = 0; i < groups.size(); ++i) {
        EXPECT_EQ(groups[i].front().system.name(), "nano, fp32, " + splits[i]);
    }
}

}  // namespace
}  // namespace shardstone::validation
