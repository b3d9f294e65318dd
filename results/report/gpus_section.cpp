// SPDX-License-Identifier: BSD-3-Clause
// The report's section on what the GPUs of trainings used, and what held their clocks down.
#include <fmt/format.h>

#include <cmath>

#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/training_run.hpp"
#include "results/schema/gpu_use_in_words.hpp"

namespace shardstone::results {

namespace {

double tokens_of(const TrainingRun& run) {
    return run.summary.tokens_per_step * static_cast<double>(run.steps.size());
}

void add_run(const TrainingRun& run, Section& section) {
    const auto gpus = rows<GpuUseRow>(*run.source);
    section.findings.push_back({fmt::format("Energy of training '{}': {}.", run.label,
                                            energy_in_words(gpus, tokens_of(run))),
                                {run.source}});
    const std::string clocks = clocks_in_words(gpus);
    if (!clocks.empty()) {
        section.findings.push_back(
            {fmt::format("Clock of multiprocessors in training '{}': {}.", run.label, clocks),
             {run.source}});
    }
    if (!std::isnan(gpus.front().memory_bytes)) {
        section.findings.push_back({fmt::format("Memory of the fullest GPU in training '{}': {}.",
                                                run.label, memory_in_words(gpus)),
                                    {run.source}});
    }
    section.body += whole_table<GpuUseRow>(*run.source, "GPUs of " + run.label);
}

}  // namespace

std::optional<Section> gpus_section(const std::vector<Source>& sources) {
    auto runs = training_runs(sources);
    std::erase_if(runs, [](const auto& run) { return rows<GpuUseRow>(*run.source).empty(); });
    if (runs.empty()) return std::nullopt;
    Section section{"gpus", "Energy and clocks of GPUs"};
    section.lead =
        "What the GPU of each rank counted of itself, by NVIDIA's management library, from before "
        "the first step to after the last: also in first steps, which no rate counts, and in "
        "evaluations. Energy is that of the GPUs alone, "
        "without their hosts. A clock that power or heat held down explains a training that is "
        "slower than the same on another node.";
    for (const auto& run : runs) add_run(run, section);
    return section;
}

}  // namespace shardstone::results
