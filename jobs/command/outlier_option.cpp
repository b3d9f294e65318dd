// SPDX-License-Identifier: BSD-3-Clause
// The option --fail-on-outlier of commands that measure ranks.
#include "jobs/command/outlier_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "benchmarks/harness/stall_record.hpp"
#include "kernels/base/failure_log.hpp"

namespace shardstone::command {

CLI::Option* declare_fail_on_outlier(CLI::App& app, bool& wanted, const std::string& samples) {
    return app.add_flag("--fail-on-outlier", wanted,
                        fmt::format("Exit with 1 and fail the record's checks, so that no report "
                                    "accepts it, if a {0} was stalled or a rank stalled outside "
                                    "the {0}s; the last line gives the rank, the place and the "
                                    "cause",
                                    samples));
}

void print_outlier_check(const results::Record& record) {
    for (const results::Check& check : record.verification) {
        if (!benchmarks::is_outlier_check(check)) continue;
        fmt::print("{}  {} ({})\n", check.passed ? "passed" : "FAILED", check.name, check.detail);
    }
}

void say_failed_outlier_check(const results::Record& record) {
    for (const results::Check& check : record.verification) {
        if (check.passed || !benchmarks::is_outlier_check(check)) continue;
        std::fflush(stdout);
        say_failure(("--fail-on-outlier: " + check.detail).c_str(), /*with_rank=*/false);
    }
}

}  // namespace shardstone::command
