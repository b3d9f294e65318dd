// SPDX-License-Identifier: BSD-3-Clause
// Records of real paced trainings, and the command `scale` on them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "results/format/record_files.hpp"
#include "validation/unit/results/compare/compared_records.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {

/// Paced trainings on 1, 2 and 3 ranks with equal work per rank, run once for all tests.
class ScaleCommand : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder() = std::make_unique<TemporaryFolder>();
        for (const int ranks : {1, 2, 3}) train(ranks, "--explain", "runs");
        train(2, "", "without");
    }
    static void TearDownTestSuite() { folder().reset(); }

    static void train(int ranks, const std::string& more, const std::string& to) {
        const auto outcome = run_in(fmt::format(
            "mkdir -p {3} && mpiexec -n {0} {1} train --model nano --plan dp={0} --global-batch "
            "{0} --steps 16 --pace 2 {2} --json {3}/{0}.json",
            ranks, shardstone_binary(), more, to));
        if (outcome.code != 0) throw std::runtime_error(outcome.errors);
    }

    static std::unique_ptr<TemporaryFolder>& folder() {
        static std::unique_ptr<TemporaryFolder> one;
        return one;
    }
    static Outcome run_in(const std::string& words) {
        return run_shell(
            fmt::format("cd {} && mkdir -p runs && {}", folder()->path().string(), words),
            *folder());
    }
    static Outcome scale(const std::string& words) {
        return run_in(fmt::format("{} scale {} --force", shardstone_binary(), words));
    }
    /// Headings of points as on a quiet machine, in their columns.
    static std::string without_marks(const std::string& head) {
        return std::regex_replace(head, std::regex("([0-9]+ ranks?) !"), "  $1");
    }
    static results::Record record_at(const std::string& path) {
        return results::read_record(*folder() / path);
    }
    /// The runs as if the machine had been busy, or not; the parts of that on 2 ranks times
    /// `factor`.
    static void copy_as(bool disturbed, double factor, const std::string& to) {
        std::vector<results::Record> runs;
        for (const int ranks : {1, 2, 3}) {
            runs.push_back(record_at(fmt::format("runs/{}.json", ranks)));
            numbers_of(runs.back(), "summary", "disturbed") = {disturbed ? 1.0 : 0.0};
        }
        multiply(runs[1], "gap", "time_s", factor);
        write_all(runs, *folder() / to);
    }
};

}  // namespace shardstone::validation
