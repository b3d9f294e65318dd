// SPDX-License-Identifier: BSD-3-Clause
// The report's section on where training time goes: compute, exposed communication, the rest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/stacked_bars.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

struct TimePart {
    const char* name;
    double TrainingRow::*time_s;
};

constexpr std::array time_parts{TimePart{"compute", &TrainingRow::compute_s},
                                TimePart{"exposed communication", &TrainingRow::communication_s},
                                TimePart{"data", &TrainingRow::data_s},
                                TimePart{"optimizer", &TrainingRow::optimizer_s},
                                TimePart{"preempted", &TrainingRow::preempted_s}};

/// Records of older versions do not tell how long a rank was set aside, and trainings that are
/// paced or on GPUs do not count it: it is in the other parts.
bool tells(const TrainingRun& run, const TimePart& part) {
    const bool counts_preempted = !is_paced(*run.source) && !is_on_gpus(*run.source);
    if (part.time_s == &TrainingRow::preempted_s && !counts_preempted) return false;
    return !std::isnan(run.summary.*part.time_s);
}

/// At first a GPU's work was counted to the part in which the host waited for it, mostly the
/// optimizer; records of such trainings are older than the setting --graphs.
bool is_by_the_hosts_waits(const TrainingRun& run) {
    return is_on_gpus(*run.source) && !run.source->record.configuration.contains("graphs");
}

/// A sentence on runs whose split is known to be wrong, which are taken out; "" if there are none.
std::string take_out_wrong_splits(std::vector<TrainingRun>& runs) {
    std::vector<std::string> files;
    for (const auto& run : runs) {
        if (is_by_the_hosts_waits(run)) files.push_back(run.source->file());
    }
    std::erase_if(runs, is_by_the_hosts_waits);
    if (files.empty()) return "";
    return fmt::format(
        "The time of {} is not split here: programs of that age counted a GPU's work to the part "
        "of a step in which the host waited for it, not to the one that it belongs to.",
        listed(files));
}

double part_s(const TrainingRun& run, const TimePart& part) {
    return tells(run, part) ? run.summary.*part.time_s : 0.0;
}

double total_s(const TrainingRun& run) {
    double total = 0.0;
    for (const TimePart& part : time_parts) total += part_s(run, part);
    return total;
}

double compute_share(const TrainingRun& run) {
    return run.summary.compute_s / total_s(run);
}

/// Ranks that share cores cannot all compute all the time: more than their part of the cores is
/// time in which a rank was set aside, counted as compute.
bool is_possible(const TrainingRun& run) {
    return compute_share(run) * run.summary.ranks <= run.cores || run.summary.ranks <= run.cores;
}

Figure split_figure(const std::vector<TrainingRun>& runs) {
    std::vector<std::string> names;
    for (const TimePart& part : time_parts) names.emplace_back(part.name);
    const auto share = [](const TrainingRun& run, const std::string& name) -> BarPart {
        const double time =
            part_s(run, *std::ranges::find(time_parts, name, [](const auto& p) { return p.name; }));
        return {
            100.0 * time / total_s(run),
            fmt::format("{}: {}, {}", name, percent_text(time / total_s(run)), time_text(time))};
    };
    return stacked_bars("Share of the training time", runs, names, share,
                        {{"title", "Share (%)"}, {"max", 100}});
}

std::string split_table(const std::vector<TrainingRun>& runs) {
    HtmlTable table({"Run", "Compute", "Exposed communication", "Data", "Optimizer", "Preempted",
                     "Sum", "Compute share", "Disturbed", "File"});
    table.tell_scripts({"",
                        "time_split",
                        {"label", "compute_s", "communication_s", "data_s", "optimizer_s",
                         "preempted_s", "sum_s", "compute_share", "disturbed", "file"},
                        {}});
    std::vector<const Source*> from;
    for (const auto& run : runs) {
        const auto& summary = run.summary;
        from.push_back(run.source);
        table.add_row({run.label, time_text(summary.compute_s), time_text(summary.communication_s),
                       time_text(summary.data_s), time_text(summary.optimizer_s),
                       time_text(tells(run, time_parts.back()) ? summary.preempted_s : NAN),
                       time_text(total_s(run)),
                       is_possible(run) ? share_text(compute_share(run))
                                        : "error: exceeds the time of the cores",
                       disturbance_cell(summary), run.source->file()});
    }
    table.drop_empty_columns();
    return table.html() + origin_html(from);
}

void add_share_finding(const std::vector<TrainingRun>& runs, Section& section) {
    const TrainingRun& widest = *std::ranges::max_element(
        runs, {}, [](const TrainingRun& run) { return run.summary.ranks; });
    std::vector<std::string> shares;
    for (const TimePart& part : time_parts) {
        if (!tells(widest, part)) continue;
        shares.push_back(share_text(part_s(widest, part) / total_s(widest)) + " " + part.name);
    }
    section.findings.push_back(
        {fmt::format("The training time of '{}' is {}{}{}.", widest.label, listed(shares),
                     disturbance_note(is_disturbed(widest.summary)),
                     crowding_note(*widest.source, widest.summary.ranks)),
         {widest.source}});
}

}  // namespace

std::optional<Section> time_split_section(const std::vector<Source>& sources) {
    auto runs = training_runs(sources);
    std::erase_if(runs, [](const auto& run) { return !(total_s(run) > 0.0); });
    const std::string left_out = take_out_wrong_splits(runs);
    if (runs.empty() && left_out.empty()) return std::nullopt;
    Section section{"time", "Where the time goes"};
    if (runs.empty()) {
        section.lead = left_out;
        return section;
    }
    section.lead =
        "Exposed communication is the time for which a rank waits for others with nothing left to "
        "compute; communication overlapped with the backward pass costs nothing and is not part of "
        "it. It counts by the wall clock: also while messages are there, but the rank has no core "
        "to take them. Preempted is the time without a core in the other parts. It is not counted "
        "in paced runs, where all of them count by the wall clock, nor on GPUs, where each moment "
        "belongs to what the GPU does then. All waiting for cores, as the kernel counts it, is a "
        "part of its own where trainings with --explain were split (Scaling). Where ranks share "
        "cores, a compute share above what the cores can provide includes time in which a rank was "
        "preempted: such runs are marked and not drawn.";
    section.body = split_table(runs) + (left_out.empty() ? "" : paragraph(left_out));
    std::erase_if(runs, [](const auto& run) { return !is_possible(run); });
    if (!runs.empty()) {
        section.figures = {split_figure(runs)};
        add_share_finding(runs, section);
    }
    return section;
}

}  // namespace shardstone::results
