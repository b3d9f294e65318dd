// SPDX-License-Identifier: BSD-3-Clause
// Kernels, machine peaks, pipelines, overlap and stragglers again from the repetitions behind them.
#include "results/schema/studies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "kernels/base/statistics.hpp"
#include "results/recompute/comparer.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::results {

namespace {

using SeriesKey = std::pair<std::string, double>;

template <class Row>
std::vector<double> column_of(const std::vector<Row>& rows, double Row::*member) {
    std::vector<double> numbers;
    for (const Row& row : rows) numbers.push_back(row.*member);
    return numbers;
}

/// Each figure of table overlap, by round.
std::map<std::string, std::vector<double>> overlap_figures(const Record& record) {
    using Row = OverlapRoundRow;
    std::map<std::string, std::vector<Row>> ways;
    for (const Row& row : rows_of<Row>(record)) ways[row.way].push_back(row);
    std::map<std::string, std::vector<double>> figures;
    for (const auto& [way, rounds] : ways) {
        figures[way + "_step_s"] = column_of(rounds, &Row::step_s);
        figures[way + "_exposed_s"] = column_of(rounds, &Row::exposed_s);
        figures[way + "_compute_s"] = column_of(rounds, &Row::compute_s);
        figures[way + "_preempted_s"] = column_of(rounds, &Row::preempted_s);
    }
    const auto &overlapped = ways["overlapped"], &apart = ways["apart"];
    if (overlapped.empty() || overlapped.size() != apart.size()) return figures;
    for (std::size_t i = 0; i < apart.size(); ++i) {
        const double apart_s = apart[i].exposed_s, overlapped_s = overlapped[i].exposed_s;
        figures["exposed_ratio"].push_back(overlapped_s / apart_s);
        figures["hidden_share"].push_back((apart_s - overlapped_s) /
                                          std::min(apart_s, apart[i].compute_s));
    }
    return figures;
}

}  // namespace

void compare_kernels(const Record& record, Recomputed& found) {
    std::map<SeriesKey, std::vector<double>> times;
    for (const auto& row : rows_of<KernelTimeRow>(record)) {
        times[{row.name, row.size}].push_back(row.time_s);
    }
    const auto rows = rows_of<KernelRow>(record);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const KernelRow& row = rows[i];
        RowComparer compare(record, found, "kernels", i, fmt::format("{} {}", row.name, row.size));
        compare.number("intensity", row.intensity, row.gflop_s / row.gb_s);
        compare.number("share", row.share, row.gflop_s / row.roofline_gflop_s);
        const auto of_row = times.find({row.name, row.size});
        if (of_row == times.end()) continue;
        compare.number("time_s", row.time_s, median(of_row->second));
        compare.interval("time_low_s", row.time_low_s, "time_high_s", row.time_high_s,
                         of_row->second);
        compare.number("best_s", row.best_s, std::ranges::min(of_row->second));
    }
}

void compare_machine(const Record& record, Recomputed& found) {
    struct Quantity {
        const char* name;
        double MachineRateRow::*samples;
    };
    constexpr std::array<Quantity, 6> quantities{
        {{"peak arithmetic rate of a core, fp32", &MachineRateRow::peak_flop_s},
         {"peak arithmetic rate of a core, bf16", &MachineRateRow::bf16_flop_s},
         {"peak arithmetic rate of a core, fp64", &MachineRateRow::fp64_flop_s},
         {"operations of any kind of a core, fp32", &MachineRateRow::operations_s},
         {"operations of any kind of a core, fp64", &MachineRateRow::fp64_operations_s},
         {"memory rate of a core", &MachineRateRow::bandwidth_b_s}}};
    const auto samples = rows_of<MachineRateRow>(record);
    const auto rows = rows_of<MachineRow>(record);
    if (samples.empty()) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto quantity =
            std::ranges::find(quantities, rows[i].quantity,
                              [](const Quantity& one) { return std::string(one.name); });
        if (quantity == quantities.end()) continue;
        const auto rates = column_of(samples, quantity->samples);
        RowComparer compare(record, found, "machine", i, rows[i].quantity);
        compare.number("value", rows[i].value, std::ranges::max(rates) / 1e9);
        compare.number("low", rows[i].low, std::ranges::min(rates) / 1e9);
        compare.number("high", rows[i].high, std::ranges::max(rates) / 1e9);
    }
}

void compare_pipeline(const Record& record, Recomputed& found) {
    std::map<SeriesKey, std::vector<PipelineStepRow>> steps;
    for (const auto& row : rows_of<PipelineStepRow>(record)) {
        steps[{row.schedule, row.micro_batches}].push_back(row);
    }
    const auto rows = rows_of<UtilisationRow>(record);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const UtilisationRow& row = rows[i];
        const auto of_row = steps.find({row.schedule, row.micro_batches});
        if (of_row == steps.end()) continue;
        const auto shares = column_of(of_row->second, &PipelineStepRow::utilisation);
        const auto spans_s = column_of(of_row->second, &PipelineStepRow::span_s);
        RowComparer compare(record, found, "utilisation", i,
                            fmt::format("{}, {} micro-batches", row.schedule, row.micro_batches));
        compare.number("measured", row.measured, median(shares));
        compare.interval("measured_low", row.measured_low, "measured_high", row.measured_high,
                         shares);
        compare.number("median_span_s", row.median_span_s, median(spans_s));
        compare.interval("median_span_low_s", row.median_span_low_s, "median_span_high_s",
                         row.median_span_high_s, spans_s);
    }
}

void compare_overlap(const Record& record, Recomputed& found) {
    const auto rows = rows_of<OverlapRow>(record);
    if (rows.empty()) return;
    const auto figures = overlap_figures(record);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto rounds = figures.find(rows[i].figure);
        if (rounds == figures.end()) continue;
        RowComparer compare(record, found, "overlap", i, rows[i].figure);
        compare.number("median", rows[i].median, median(rounds->second));
        compare.interval("low", rows[i].low, "high", rows[i].high, rounds->second);
    }
}

/// The straggler factor over the other ranks of the same point, whose ranks follow one another.
/// Older records had it over all ranks.
void compare_ranks(const Record& record, Recomputed& found) {
    const auto rows = rows_of<RankTimesRow>(record);
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
        for (end = begin + 1; end < rows.size() && rows[end].rank > rows[end - 1].rank;) ++end;
        for (std::size_t i = begin; i < end; ++i) {
            std::vector<double> others, all;
            for (std::size_t k = begin; k < end; ++k) {
                all.push_back(rows[k].own_s);
                if (k != i) others.push_back(rows[k].own_s);
            }
            if (others.empty() || std::ranges::any_of(all, [](double s) { return std::isnan(s); }))
                continue;
            const double older = rows[i].own_s / median(all);
            const bool is_older = std::abs(rows[i].factor - older) <= 1e-11 * older;
            RowComparer compare(record, found, "rank_times", i,
                                fmt::format("rank {}", rows[i].rank));
            compare.number("factor", rows[i].factor,
                           is_older ? older : rows[i].own_s / median(others));
        }
    }
}

}  // namespace shardstone::results
