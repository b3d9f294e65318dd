// SPDX-License-Identifier: BSD-3-Clause
// Records of two short real runs, and folders of edited repetitions of them to compare.
#include "validation/unit/results/compare/real_runs.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace shardstone::validation {

namespace {

results::Record record_of(const std::string& command) {
    const TemporaryFolder folder;
    const auto outcome = run_shell(fmt::format("mpiexec -n 2 {} {} --json {}", shardstone_binary(),
                                               command, (folder / "record.json").string()),
                                   folder);
    if (outcome.code != 0) throw std::runtime_error(outcome.errors + outcome.output);
    return results::read_record(folder / "record.json");
}

/// How well the machine repeated its iterations just then decides no test.
void narrow(results::Record& record, const std::string& table, const std::string& value,
            const std::string& low, const std::string& high) {
    for (auto& one : record.derived) {
        if (one.name != table) continue;
        const auto values = one.column(value).numbers;
        for (auto& column : one.columns) {
            const double factor = column.name == low ? 0.998 : column.name == high ? 1.002 : 0.0;
            if (factor == 0.0) continue;
            for (std::size_t row = 0; row < values.size(); ++row) {
                column.numbers[row] = factor * values[row];
            }
        }
    }
}

}  // namespace

const results::Record& real_sweep() {
    static const auto record = [] {
        auto sweep = record_of(
            "collectives --op all_reduce --algorithm ring,mpi -b 1K -e 16K -f 16 -n 12 --cluster " +
            std::string(SHARDSTONE_SOURCE_DIR "/jobs/clusters/ethernet-one-nic.toml"));
        narrow(sweep, "collectives", "time_s", "time_low_s", "time_high_s");
        return sweep;
    }();
    return record;
}

const results::Record& real_training() {
    static const auto record = [] {
        auto training = record_of("train --model nano --plan dp=2 --global-batch 4 --steps 8");
        narrow(training, "summary", "tokens_per_s", "tokens_per_s_low", "tokens_per_s_high");
        return training;
    }();
    return record;
}

void ComparedRuns::write_sweeps(const std::string& folder, const std::vector<double>& factors,
                                const Edit& edit) const {
    write_all(repeated(real_sweep(), "collectives", "time_s", factors, edit), folder_ / folder);
}

void ComparedRuns::write_trainings(const std::string& folder, const std::vector<double>& factors,
                                   const Edit& edit) const {
    write_all(repeated(real_training(), "summary", "tokens_per_s", factors, edit),
              folder_ / folder);
}

Outcome ComparedRuns::shardstone(const std::string& words) const {
    return run_shell(
        fmt::format("cd {} && {} {}", folder_.path().string(), shardstone_binary(), words),
        folder_);
}

}  // namespace shardstone::validation
