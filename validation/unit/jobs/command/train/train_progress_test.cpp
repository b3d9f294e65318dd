// SPDX-License-Identifier: BSD-3-Clause
// The lines of `shardstone train` while it trains, and what its MFU is, against the record's
// samples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <iterator>
#include <sstream>

#include "reference/model/gpt_config.hpp"
#include "results/format/atomic_file.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// "step loss rate norm tokens/s MFU time unit compute ..." of each progress line.
std::vector<std::vector<std::string>> progress_lines(const std::string& output) {
    std::vector<std::vector<std::string>> found;
    std::istringstream lines(output);
    bool begun = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream text(line);
        std::vector<std::string> words(std::istream_iterator<std::string>(text), {});
        const bool is_step = words.size() == 13 && std::isdigit(words[0].front()) != 0;
        if (begun && is_step) found.push_back(std::move(words));
        begun |= line.find("preempted") != std::string::npos;
    }
    return found;
}

// By rank 0's clock, of both ranks' tokens and cores; the peak is the one that is printed before,
// since the better of it and a second one is known at the end only.
void expect_that_of_the_record(const RecordedRun& run, const std::vector<double>& flop_per_token) {
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto& record = run.record();
    const auto& times = column(record, "rank_steps", "time_s");
    const auto lines = progress_lines(run.output());
    ASSERT_EQ(lines.size(), flop_per_token.size()) << run.output();
    constexpr double tokens = 4.0 * 64.0;
    const double peak_gflop_s = run.printed("peak     ");
    const double as_printed = 1.0 - 0.005;  // of three digits
    EXPECT_LE(1e9 * peak_gflop_s * as_printed,
              single(record, "summary", "busy_cores") *
                  single(record, "summary", "core_peak_flop_per_s"));
    for (std::size_t step = 0; step < lines.size(); ++step) {
        const double time_s = times[2 * step];  // rank 0's
        EXPECT_EQ(std::stoul(lines[step][0]), step + 1);
        EXPECT_NEAR(std::stod(lines[step][1]), column(record, "steps", "loss")[step], 6e-5);
        EXPECT_NEAR(std::stod(lines[step][4]), tokens / time_s, 0.51) << "tokens/s";
        const double mfu = 100.0 * tokens * flop_per_token[step] / time_s / (1e9 * peak_gflop_s);
        EXPECT_NEAR(std::stod(lines[step][5]), mfu, 0.051 + mfu * (1.0 - as_printed))
            << "MFU of step " << step + 1;
    }
}

TEST(TrainProgress, IsThatOfTheRecord) {
    const RecordedRun run(2, "train --model nano --global-batch 4 --steps 6 --log-every 1");
    const auto model = reference::gpt_preset("nano");
    const double flop = reference::training_flop_per_token(model, model.context);
    expect_that_of_the_record(run, std::vector(6, flop));
}

// By hand: per block 4 C^2 + 8 C, a router of 4 C, and of two experts of 8 C^2 + 5 C what was not
// dropped.
TEST(TrainProgress, OfExpertsCountsNoChoiceThatWasDropped) {
    const RecordedRun run(2,
                          "train --model nano --global-batch 4 --steps 6 --log-every 1 "
                          "--experts 4 --top-k 2 --capacity 0.5");
    std::vector<double> flop;
    for (const double dropped : column(run.record(), "router", "dropped_share")) {
        EXPECT_GE(dropped, 0.5) << "it makes a difference";
        const double block = 4480.0 + 2.0 * (1.0 - dropped) * 8352.0;
        flop.push_back(6.0 * (2.0 * block + 256.0 * 32.0 + 64.0) + 6.0 * 2 * 32 * 64);
    }
    expect_that_of_the_record(run, flop);
}

/// How many words the heads of the columns have, and each of three steps below them.
std::vector<std::ptrdiff_t> words_of_steps(const std::string& options) {
    const RecordedRun run(2, "train --model nano --global-batch 4 --steps 3" + options);
    std::istringstream lines(run.output());
    std::vector<std::ptrdiff_t> counts;
    for (std::string line; std::getline(lines, line) && counts.size() < 4;) {
        if (counts.empty() && line.find(" optimizer") == std::string::npos) continue;
        std::istringstream words(line);
        counts.push_back(std::distance(std::istream_iterator<std::string>(words), {}));
    }
    return counts;
}

TEST(TrainProgress, EveryColumnHasItsHead) {
    // "MFU %" are two, as a time and its unit are.
    EXPECT_EQ(words_of_steps(""), (std::vector<std::ptrdiff_t>{13, 13, 13, 13}));
    // Without loss, rate, norm, MFU and preempted, of which it would have nothing to say.
    EXPECT_EQ(words_of_steps(" --pace 1000"), (std::vector<std::ptrdiff_t>{7, 8, 8, 8}));
}

// As an auditor recomputes it: N counted by hand, embeddings 256 x 32 without the 64 x 32 of the
// positions, two blocks of 12 C^2 + 13 C, a last normalisation of 2 C.
TEST(TrainMfu, FollowsFromTheParametersThatAreTold) {
    const RecordedRun run(2, "train --model nano --global-batch 4 --sequence 48 --steps 12");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto summary = [&](const char* name) { return single(run.record(), "summary", name); };
    EXPECT_EQ(summary("flop_parameters"), 33'664.0);
    EXPECT_EQ(summary("flop_per_token"), 6.0 * 33'664.0 + 6.0 * 2 * 32 * 48);
    EXPECT_DOUBLE_EQ(summary("mfu"), 220'416.0 * summary("tokens_per_s") /
                                         (summary("busy_cores") * summary("core_peak_flop_per_s")));
    EXPECT_NE(run.output().find("of 220416 FLOP per token, 6 N + 6 L C T with N = 33664\n"),
              std::string::npos)
        << run.output();

    const TemporaryFolder folder;
    results::write_json(run.record(), folder / "run.json");
    const auto report =
        run_shell(fmt::format("{} report {} --out {}", shardstone_binary(),
                              (folder / "run.json").string(), (folder / "page.html").string()),
                  folder);
    ASSERT_EQ(report.code, 0) << report.errors;
    EXPECT_NE(report.output.find("at 220 416 FLOP per token with N = 33 664"), std::string::npos)
        << report.output;
    EXPECT_NE(results::read_file(folder / "page.html").find("6 N + 6 L C T per token"),
              std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
