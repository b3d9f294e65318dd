// SPDX-License-Identifier: BSD-3-Clause
// Made-up records of a scaling study, with rates and parts of a step that tests choose.
#include "validation/unit/results/scaling/scaled_runs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "results/schema/training.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {

using namespace results;

Record written_run(const ScaledRun& run) {
    Record record = written_training({.plan = fmt::format("dp={}", run.ranks),
                                      .precision = run.precision,
                                      .ranks = run.ranks,
                                      .tokens_per_s = run.tokens_per_s});
    numbers_of(record, "summary", "tokens_per_step") = {run.tokens_per_step};
    numbers_of(record, "summary", "tokens_per_s_low") = {0.9 * run.tokens_per_s};
    numbers_of(record, "summary", "tokens_per_s_high") = {1.2 * run.tokens_per_s};
    numbers_of(record, "summary", "disturbed") = {run.disturbed ? 1.0 : 0.0};
    std::erase_if(record.derived, [](const Table& table) { return table.name == "steps"; });
    std::vector<StepRow> steps(3);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i].step = static_cast<double>(i + 1);
        steps[i].time_s = run.tokens_per_step / run.tokens_per_s;
    }
    steps.front().time_s *= 7.0;  // is not split
    record.derived.push_back(table_of(steps));
    if (run.gap.empty()) return record;
    std::vector<GapRow> gap;
    for (const auto& [part, times_s] : run.gap) {
        const auto [time_s, predicted_s] = times_s;
        gap.push_back({part, time_s, 0.5 * time_s, 1.5 * time_s, predicted_s, 2.0});
    }
    record.derived.push_back(table_of(gap));
    return record;
}

Record run_that_loses(int ranks, double step_s, double lost, double off) {
    return written_run({ranks,
                        off * 100.0 / step_s,
                        100.0,
                        {{"useful passes", {0.0, step_s * (1.0 - lost)}},
                         {"latency", {step_s / off, step_s * lost}}}});
}

std::vector<Record> written_twice(const std::vector<ScaledRun>& runs, double d) {
    std::vector<Record> records;
    for (const ScaledRun& run : runs) {
        for (const double factor : {std::exp(d), std::exp(-d)}) {
            ScaledRun one = run;
            one.tokens_per_s *= factor;
            records.push_back(written_run(one));
        }
    }
    return records;
}

}  // namespace shardstone::validation
