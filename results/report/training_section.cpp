// SPDX-License-Identifier: BSD-3-Clause
// The report's section on training: throughput, efficiency and MFU by number of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ranges>
#include <tuple>

#include "kernels/base/statistics.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/training_figures.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// "95 % interval 930 to 1 070"; where steps are too few for one, all that counted.
std::string rate_spread(const TrainingRun& run) {
    if (run.has_rate_interval()) {
        return fmt::format("95 % interval {} to {}", count_text(run.summary.tokens_per_s_low),
                           count_text(run.summary.tokens_per_s_high));
    }
    const auto rates = run.of_counted_steps(&StepRow::tokens_per_s);
    if (rates.empty()) return "";
    const auto [low, high] = std::ranges::minmax(rates);
    return fmt::format("{} that count{}: {} to {}; too few for an interval",
                       plural(static_cast<double>(rates.size()), "step"),
                       rates.size() == 1 ? "s" : "", count_text(low), count_text(high));
}

std::string capitalised(std::string text) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

/// The fastest; of runs of its plan an undisturbed one, if there is any.
const TrainingRun& best_of(const TrainingGroup& group) {
    const auto rate_of = [](const TrainingRun& run) { return run.summary.tokens_per_s; };
    const TrainingRun& fastest = *std::ranges::max_element(group, {}, rate_of);
    return *std::ranges::max_element(group, {}, [&](const TrainingRun& run) {
        return std::tuple(run.plan == fastest.plan, !is_disturbed(run.summary), rate_of(run));
    });
}

void add_best(const TrainingGroup& group, Section& section) {
    const TrainingRun& best = best_of(group);
    std::string text = fmt::format("Training '{}' reaches up to {}, with {} on {}",
                                   best.system.name(), tokens_rate_text(best.summary.tokens_per_s),
                                   best.plan, plural(best.summary.ranks, "rank"));
    if (const auto spread = rate_spread(best); !spread.empty()) text += " (" + spread + ")";
    if (std::isfinite(best.summary.mfu)) {
        text += fmt::format("; MFU {} of the measured peak", share_text(best.summary.mfu));
        if (std::isfinite(best.summary.flop_parameters)) {
            text += fmt::format(", at {} FLOP per token with N = {}",
                                count_text(best.summary.flop_per_token),
                                count_text(best.summary.flop_parameters));
        }
    }
    text += disturbance_note(is_disturbed(best.summary));
    const std::string crowding = crowding_note(*best.source, best.summary.ranks);
    section.findings.push_back({text + crowding + ".", {best.source}});
    if (is_disturbed(best.summary)) return;
    section.tiles.push_back(
        {tokens_rate_text(best.summary.tokens_per_s),
         fmt::format("training '{}', {}{}", best.system.name(), best.plan, crowding), best.source});
}

void add_efficiency(const TrainingGroup& group, Section& section) {
    if (!has_efficiency(group)) return;
    const TrainingRun& base = group.front();
    const TrainingRun& last = group.back();
    if (peaks_in_the_way(last, group) > 1.0) {
        section.findings.push_back(
            {fmt::format("From {} to {}, the efficiency of training '{}' is {}.",
                         plural(base.summary.ranks, "rank"), plural(last.summary.ranks, "rank"),
                         last.system.name(), efficiency_text(last, group)),
             {base.source, last.source}});
    }
    if (std::isnan(efficiency(last, group))) return;
    if (is_doubtful(last, group)) {
        section.findings.push_back(
            {fmt::format(
                 "From {} to {}, the share of its throughput per {} that training '{}' keeps is "
                 "{}; measured: {}.",
                 plural(base.summary.ranks, "rank"), plural(last.summary.ranks, "rank"),
                 last.worker().one, last.system.name(), undecided, efficiency_text(last, group)),
             {base.source, last.source}});
        return;
    }
    section.findings.push_back(
        {fmt::format("From {} to {}, training '{}' keeps {} of its throughput per {}{}.",
                     plural(base.summary.ranks, "rank"), plural(last.summary.ranks, "rank"),
                     last.system.name(), efficiency_text(last, group), last.worker().one,
                     crowding_note(*last.source, last.summary.ranks)),
         {base.source, last.source}});
}

/// In the first of the curves that it is in and that has one.
std::string efficiency_cell(const TrainingRun& run, const std::vector<TrainingGroup>& curves) {
    for (const TrainingGroup& curve : curves | std::views::filter(has_efficiency)) {
        const auto same = std::ranges::find(curve, run.source, &TrainingRun::source);
        if (same == curve.end() || same == curve.begin()) continue;
        return efficiency_text(*same, curve);
    }
    return "-";
}

std::string run_table(const std::vector<TrainingGroup>& groups,
                      const std::vector<TrainingGroup>& curves) {
    HtmlTable table({"Run", "Ranks", capitalised(workers_in(groups, &TrainingRun::Words::several)),
                     "Tokens/s", "95 % interval", "Middle half of the counted steps",
                     "Efficiency per " + workers_in(groups, &TrainingRun::Words::one), "MFU",
                     "Final loss", "Validation loss", "Disturbed", "File"});
    table.tell_scripts({"",
                        "runs",
                        {"label", "ranks", "workers", "tokens_per_s", "interval", "middle_half",
                         "efficiency", "mfu", "final_loss", "validation_loss", "disturbed", "file"},
                        {}});
    for (const auto& group : groups) {
        for (const auto& run : group) {
            const Quartiles spread = run.middle_rates();
            const auto& summary = run.summary;
            table.add_row(
                {run.label, count_text(summary.ranks), count_text(run.workers()),
                 count_text(summary.tokens_per_s) + disturbance_mark(is_disturbed(summary)),
                 run.has_rate_interval()
                     ? fmt::format("{} to {}", count_text(summary.tokens_per_s_low),
                                   count_text(summary.tokens_per_s_high))
                     : "-",
                 std::isfinite(spread.low)
                     ? fmt::format("{} to {}", count_text(spread.low), count_text(spread.high))
                     : "-",
                 efficiency_cell(run, curves), share_text(summary.mfu),
                 digits_text(summary.final_loss, 4), digits_text(summary.validation_loss, 4),
                 disturbance_cell(summary), run.source->file()});
        }
    }
    table.drop_empty_columns();
    const bool any = std::ranges::any_of(groups | std::views::join,
                                         [](const auto& run) { return is_disturbed(run.summary); });
    return table.html() + (any ? paragraph(fmt::format("{}.", meaning_of_the_mark)) : "") +
           origin_html(sources_of(groups));
}

}  // namespace

std::optional<Section> training_section(const std::vector<Source>& sources) {
    const auto groups = training_groups(sources);
    if (groups.empty()) return std::nullopt;
    Section section{"training", "Training throughput"};
    section.lead =
        "A curve joins runs of one system: the same machine, model, precision, optimizer, split of "
        "the model, batch and data, with equal choices (all-reduce, buckets, placement, ...), on "
        "growing numbers of replicas. Where runs were repeated they are points, and the curve goes "
        "through the geometric means of those that count, as in the section on scaling. Efficiency "
        "is throughput per "
        "core in use, GPU or paced device, relative to the run of the same curve with the fewest "
        "ranks; it is omitted if there is only one number of ranks, if runs were repeated (the "
        "section on scaling compares their means), or if the measured peaks of a core or GPU "
        "differ by more than 10 %. Bars span the 95 % interval for the median step, in older "
        "records the middle half of the steps. MFU is the model's FLOP/s over the measured peak of "
        "the cores in use, or of the GPUs; the model's FLOP are 6 N + 6 L C T per token, with N "
        "parameters (without the position "
        "embedding), L layers, C channels and sequences of T tokens, without the masked half of "
        "attention. The computations of a paced training took the time of a device of the given "
        "rates and were not done: its messages were, so that it measures what a network makes of a "
        "step; each rank has one of those devices, and there is no loss.";
    std::vector<TrainingGroup> curves;
    for (const auto& group : groups) {
        add_best(group, section);
        for (auto& curve : by_choices(group)) {
            add_efficiency(curve, section);
            curves.push_back(std::move(curve));
        }
    }
    section.figures.push_back(throughput_figure(curves));
    if (std::ranges::any_of(curves, has_efficiency)) {
        section.figures.push_back(efficiency_figure(curves));
    }
    section.body = run_table(groups, curves);
    std::string recorded;
    for (const Source* source : sources_of(groups)) {
        recorded += whole_table<TrainingRow>(*source, source->file());
    }
    section.body += foldable("Runs as recorded", recorded);
    return section;
}

}  // namespace shardstone::results
