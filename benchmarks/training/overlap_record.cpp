// SPDX-License-Identifier: BSD-3-Clause
// The overlap study as a record: rounds by rank, exposed and hidden communication, and its checks.
#include "benchmarks/training/overlap_record.hpp"

#include <fmt/format.h>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/training/run/device_options.hpp"
#include "benchmarks/training/run/record.hpp"
#include "results/schema/studies.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Check;
using results::OverlapRow;

void add_rounds(const char* way, const StepTimes& times, std::size_t first,
                std::vector<results::OverlapRoundRow>& rows) {
    for (std::size_t i = first; i < times.step_s.size(); ++i) {
        results::OverlapRoundRow row;
        row.way = way;
        row.round = static_cast<double>(i);
        row.step_s = times.step_s[i];
        row.exposed_s = times.exposed_s[i];
        row.compute_s = times.compute_s[i];
        row.preempted_s = times.preempted_s[i];
        rows.push_back(std::move(row));
    }
}

std::vector<results::OverlapRoundRow> round_rows(const OverlapTiming& timing) {
    std::vector<results::OverlapRoundRow> rows;
    add_rounds("overlapped", timing.overlapped, 0, rows);
    add_rounds("apart", timing.apart, 0, rows);
    return rows;
}

void add_rank_rounds(const char* way, const StepTimes& times,
                     std::vector<results::OverlapRankRow>& rows) {
    const std::size_t ranks = times.by_rank.size() / times.step_s.size();
    for (std::size_t i = 0; i < times.by_rank.size(); ++i) {
        results::OverlapRankRow row;
        row.way = way;
        row.round = static_cast<double>(i / ranks);
        row.rank = static_cast<double>(i % ranks);
        row.step_s = times.by_rank[i].step_s;
        row.exposed_s = times.by_rank[i].exposed_s;
        row.compute_s = times.by_rank[i].compute_s;
        row.preempted_s = times.by_rank[i].preempted_s;
        rows.push_back(std::move(row));
    }
}

std::vector<results::OverlapRankRow> rank_rows(const OverlapTiming& timing) {
    std::vector<results::OverlapRankRow> rows;
    add_rank_rounds("overlapped", timing.overlapped, rows);
    add_rank_rounds("apart", timing.apart, rows);
    return rows;
}

OverlapRow row_of(const std::string& name, const RoundFigure& figure) {
    OverlapRow row;
    row.figure = name;
    row.median = figure.median;
    if (figure.interval) {
        row.low = figure.interval->low;
        row.high = figure.interval->high;
    }
    return row;
}

std::vector<OverlapRow> summary_rows(const OverlapTiming& timing) {
    std::vector<OverlapRow> rows;
    const auto add_times = [&](const std::string& of, const StepTimes& times) {
        rows.push_back(row_of(of + "_step_s", RoundFigure(times.step_s)));
        rows.push_back(row_of(of + "_exposed_s", RoundFigure(times.exposed_s)));
        rows.push_back(row_of(of + "_compute_s", RoundFigure(times.compute_s)));
        rows.push_back(row_of(of + "_preempted_s", RoundFigure(times.preempted_s)));
    };
    add_times("overlapped", timing.overlapped);
    add_times("apart", timing.apart);
    rows.push_back(row_of("exposed_ratio", timing.exposed_ratio()));
    rows.push_back(row_of("hidden_share", timing.hidden_share()));
    rows.push_back(row_of("bytes_per_step", RoundFigure({timing.bytes_per_step})));
    for (OverlapRow& row : rows) put_watched(timing.watched, row);
    return rows;
}

std::string limit_in_words(double ratio_limit) {
    return fmt::format("overlap leaves at most {:.2f} of the exposed communication", ratio_limit);
}

}  // namespace

std::string undecided(const OverlapTiming& timing, std::optional<double> ratio_limit) {
    if (!ratio_limit || !timing.watched.surroundings.disturbed()) return "";
    return fmt::format("undecided  {}: the machine was busy ({})\n", limit_in_words(*ratio_limit),
                       timing.watched.surroundings.words());
}

std::vector<Check> checks_of(const collectives::Communicator& world, const OverlapTiming& timing,
                             std::optional<double> ratio_limit) {
    const bool bytes = timing.sent_bytes == timing.scheduled_bytes;
    std::vector<Check> checks;
    if (timing.same) {
        checks = {{"losses and gradient norms with and without overlap are bitwise equal",
                   timing.same->losses,
                   fmt::format("{} rounds and the warm-up", timing.apart.step_s.size())},
                  {"weights with and without overlap are bitwise equal", timing.same->weights,
                   "at the end"}};
    }
    checks.push_back({"bytes sent equal the step program's", world.min(bytes ? 1.0 : 0.0) > 0.0,
                      fmt::format("{:.0f} a step on rank 0", timing.bytes_per_step)});
    const bool decides = timing.complete && !timing.watched.surroundings.disturbed();
    if (decides) {
        const RoundFigure hidden = timing.hidden_share();
        checks.push_back({"no more is hidden than could be",
                          (hidden.interval ? hidden.interval->low : hidden.median) <= 1.0,
                          fmt::format("{:.1f} %", 100.0 * hidden.median)});
    }
    if (ratio_limit && decides) {
        const RoundFigure ratio = timing.exposed_ratio();
        checks.push_back(
            {limit_in_words(*ratio_limit), ratio.upper() <= *ratio_limit,
             fmt::format("{:.3f}, at most {:.3f} with 95 %", ratio.median, ratio.upper())});
    }
    return checks;
}

std::string progress_of(const OverlapSetup& setup, std::size_t rounds) {
    return fmt::format("{} of {} rounds were measured", rounds, setup.rounds);
}

results::Record last_round_of(const StepTimes& overlapped, const StepTimes& apart) {
    const std::size_t last = apart.step_s.size() - 1;
    std::vector<results::OverlapRoundRow> rows;
    add_rounds("overlapped", overlapped, last, rows);
    add_rounds("apart", apart, last, rows);
    results::Record part;
    part.samples.push_back(results::table_of(rows));
    return part;
}

void begin_overlap_record(results::Record& record, const OverlapSetup& setup) {
    record.configuration = to_json(setup.options);
    add_gpu_name(setup.options.device, record.configuration);
    for (const char* unused : {"overlap", "steps"}) record.configuration.erase(unused);
    record.configuration["rounds"] = setup.rounds;
    record.configuration["most_warmup_rounds"] = setup.most_warmup_rounds;
}

void fill_record(results::Record& record, const OverlapSetup& setup, const OverlapTiming& timing) {
    begin_overlap_record(record, setup);
    record.configuration["warmup_rounds"] = timing.warmup_rounds;
    record.samples = {results::table_of(round_rows(timing)), results::table_of(rank_rows(timing))};
    record.samples.push_back(surroundings_table(timing.surroundings));
    record.derived = {results::table_of(summary_rows(timing)),
                      results::table_of(outlier_rows(timing.stalls)),
                      rank_times_table(timing.rank_times)};
}

}  // namespace shardstone::benchmarks
