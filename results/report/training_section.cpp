// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/statistics.hpp"
#include "results/report/figure.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/training_run.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// Throughput per worker (a rank, or a core where ranks are more) over that of the smallest run.
double efficiency(const TrainingRun& run, const TrainingRun& base) {
    return run.tokens_per_s / run.workers() / (base.tokens_per_s / base.workers());
}

Quartiles step_rates(const TrainingRun& run) {
    if (!run.has_steps()) return {NAN, run.tokens_per_s, NAN};
    return quartiles(run.steps("tokens_per_s"));
}

std::vector<double> counts_of(const std::vector<std::vector<TrainingRun>>& groups) {
    std::vector<double> counts;
    for (const auto& group : groups) {
        for (const auto& run : group) counts.push_back(run.ranks);
    }
    std::ranges::sort(counts);
    const auto repeated = std::ranges::unique(counts);
    counts.erase(repeated.begin(), repeated.end());
    return counts;
}

Figure throughput_figure(const std::vector<std::vector<TrainingRun>>& groups) {
    Figure figure{"Training throughput", json::array(), json::object(), false};
    int shade = 0;
    for (const auto& group : groups) {
        std::vector<double> ranks, rates, low, high, ideal;
        for (const auto& run : group) {
            const auto& base = group.front();
            const Quartiles spread = step_rates(run);
            ranks.push_back(run.ranks);
            rates.push_back(run.tokens_per_s);
            low.push_back(std::min(spread.low, run.tokens_per_s));
            high.push_back(std::max(spread.high, run.tokens_per_s));
            ideal.push_back(base.tokens_per_s / base.workers() * run.workers());
        }
        json trace = line_trace(group.front().model, ranks, rates, shade);
        add_interval(trace, low, high);
        json bound = line_trace(group.front().model + ", ideal", ranks, ideal, shade);
        make_dashed(bound);
        figure.data.push_back(trace);
        figure.data.push_back(bound);
        ++shade;
    }
    figure.layout = {{"xaxis", count_axis("Ranks", counts_of(groups))},
                     {"yaxis", linear_axis("Tokens per second")}};
    return figure;
}

Figure efficiency_figure(const std::vector<std::vector<TrainingRun>>& groups) {
    Figure figure{"Parallel efficiency", json::array(), json::object(), false};
    int shade = 0;
    for (const auto& group : groups) {
        std::vector<double> ranks, values;
        for (const auto& run : group) {
            ranks.push_back(run.ranks);
            values.push_back(100.0 * efficiency(run, group.front()));
        }
        figure.data.push_back(line_trace(group.front().model, ranks, values, shade++));
    }
    const auto counts = counts_of(groups);
    json ideal = line_trace("ideal", counts, std::vector<double>(counts.size(), 100.0), -1);
    make_dashed(ideal);
    figure.data.push_back(ideal);
    figure.layout = {{"xaxis", count_axis("Ranks", counts)},
                     {"yaxis", linear_axis("Efficiency per core in use (%)")}};
    return figure;
}

std::string worker_note(const TrainingRun& run) {
    if (run.ranks <= run.cores) return "";
    return fmt::format(" (on {}, which the ranks share: efficiency is counted against the cores)",
                       plural(run.cores, "core"));
}

void add_training_findings(const std::vector<TrainingRun>& group, Section& section) {
    const TrainingRun& base = group.front();
    const TrainingRun& last = group.back();
    const TrainingRun& best = *std::ranges::max_element(group, {}, &TrainingRun::tokens_per_s);
    const Quartiles spread = step_rates(best);
    std::string text = fmt::format("The model '{}' trains at up to {}, on {}", best.model,
                                   tokens_rate_text(best.tokens_per_s), plural(best.ranks, "rank"));
    if (std::isfinite(spread.low)) {
        text += fmt::format(" (half of the steps between {} and {})", count_text(spread.low),
                            count_text(spread.high));
    }
    if (std::isfinite(best.mfu)) {
        text += fmt::format(", {} of the measured peak arithmetic rate", percent_text(best.mfu));
    }
    section.findings.push_back(text + ".");
    section.tiles.push_back(
        {tokens_rate_text(best.tokens_per_s),
         fmt::format("training '{}' on {}", best.model, plural(best.ranks, "rank"))});
    if (group.size() < 2) return;
    section.findings.push_back(
        fmt::format("From {} to {}, '{}' keeps {} of its throughput per core in use{}.",
                    plural(base.ranks, "rank"), plural(last.ranks, "rank"), base.model,
                    percent_text(efficiency(last, base)), worker_note(last)));
}

std::string run_table(const std::vector<std::vector<TrainingRun>>& groups) {
    HtmlTable table({"Model", "Ranks", "Cores in use", "Tokens/s", "Middle half of the steps",
                     "Efficiency", "MFU", "Final loss", "Validation loss"});
    for (const auto& group : groups) {
        for (const auto& run : group) {
            const Quartiles spread = step_rates(run);
            table.add_row(
                {run.model, count_text(run.ranks), count_text(run.workers()),
                 count_text(run.tokens_per_s),
                 std::isfinite(spread.low)
                     ? fmt::format("{} to {}", count_text(spread.low), count_text(spread.high))
                     : "-",
                 percent_text(efficiency(run, group.front())), percent_text(run.mfu),
                 digits_text(run.final_loss, 4), digits_text(run.validation_loss, 4)});
        }
    }
    return table.html();
}

}  // namespace

std::optional<Section> training_section(const std::vector<Source>& sources) {
    const auto groups = by_model(training_runs_of(sources));
    if (groups.empty()) return std::nullopt;
    Section section{"training", "Training throughput", {}, {}, {}, {}, {}};
    section.lead =
        "Efficiency is throughput per core in use, relative to the run with the fewest ranks. Bars "
        "span the middle half of the steps. MFU is the model's arithmetic over what the cores "
        "could "
        "do at their measured peak.";
    const bool shared = std::ranges::any_of(groups, [](const auto& group) {
        return std::ranges::any_of(group, [](const auto& run) { return run.ranks > run.cores; });
    });
    if (shared) {
        section.lead +=
            " Some runs have more ranks than the machine has cores: ranks then take turns, the "
            "ideal "
            "is flat beyond the cores, and efficiency is counted against the cores.";
    }
    section.figures = {throughput_figure(groups), efficiency_figure(groups)};
    for (const auto& group : groups) add_training_findings(group, section);
    section.body = run_table(groups);
    return section;
}

}  // namespace shardstone::results
