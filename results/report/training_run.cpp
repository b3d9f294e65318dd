// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// How the model itself was split, for runs that say so: those are compared with each other only.
std::string split_of(const Source& source) {
    const auto& columns = source.record.table("summary").columns;
    if (std::ranges::find(columns, "split", &Table::Column::name) == columns.end()) return "";
    const std::string split = texts(source, "summary", "split").front();
    return split.empty() ? "" : " " + split;
}

TrainingRun read_run(const Source& source) {
    constexpr const char* table = "summary";
    const auto value = [&](const char* column) { return number(source, table, column); };
    TrainingRun run;
    run.source = &source;
    run.model = texts(source, table, "model").front() + split_of(source);
    run.ranks = value("ranks");
    run.cores = cores_of(source);
    run.tokens_per_s = value("tokens_per_s");
    run.mfu = value("mfu");
    run.final_loss = value("final_loss");
    run.validation_loss = value("validation_loss");
    run.entropy_rate = value("entropy_rate");
    run.compute_s = value("compute_s");
    run.communication_s = value("communication_s");
    run.data_s = value("data_s");
    run.optimizer_s = value("optimizer_s");
    return run;
}

void label(std::vector<TrainingRun>& runs, bool several_models) {
    std::map<std::string, int> seen;
    for (auto& run : runs) {
        run.label = plural(run.ranks, "rank");
        if (several_models) run.label = run.model + ", " + run.label;
        const int place = ++seen[run.label];
        if (place > 1) run.label += fmt::format(" ({})", place);
    }
}

}  // namespace

bool TrainingRun::has_steps() const {
    return source->record.has_table("steps") && source->record.table("steps").rows() > 0;
}

const std::vector<double>& TrainingRun::steps(const std::string& column) const {
    return numbers(*source, "steps", column);
}

std::vector<TrainingRun> training_runs_of(const std::vector<Source>& sources) {
    std::vector<TrainingRun> runs;
    std::vector<std::string> models;
    for (const Source* source : with_table(sources, "summary")) {
        if (source->record.kind != "train") continue;
        runs.push_back(read_run(*source));
        if (std::ranges::find(models, runs.back().model) == models.end()) {
            models.push_back(runs.back().model);
        }
    }
    std::ranges::stable_sort(runs, [&](const TrainingRun& a, const TrainingRun& b) {
        const auto place = [&](const TrainingRun& run) {
            return std::ranges::find(models, run.model) - models.begin();
        };
        return std::pair(place(a), a.ranks) < std::pair(place(b), b.ranks);
    });
    label(runs, models.size() > 1);
    return runs;
}

std::vector<std::vector<TrainingRun>> by_model(const std::vector<TrainingRun>& runs) {
    std::vector<std::vector<TrainingRun>> groups;
    for (const auto& run : runs) {
        if (groups.empty() || groups.back().front().model != run.model) groups.emplace_back();
        groups.back().push_back(run);
    }
    return groups;
}

}  // namespace shardstone::results
