// SPDX-License-Identifier: BSD-3-Clause
// Points, stalls, noise floors and cost parameters of a sweep as rows of a record.
#include "benchmarks/collectives/sweep/record_tables.hpp"

#include <utility>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "collectives/simulation/fabric.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace results;

/// Says to which point (or noise floor) of a sweep a row belongs.
template <class Row, class Point>
Row named(Row row, const Point& point) {
    row.operation = point.operation;
    row.algorithm = point.algorithm;
    row.in_place = point.in_place ? 1.0 : 0.0;
    row.size_bytes = static_cast<double>(point.size_bytes);
    return row;
}

template <class Row, class Point>
Row row_of(const Point& point) {
    return named(Row{}, point);
}

}  // namespace

std::vector<CollectiveSampleRow> sample_rows(const SweepPoint& point) {
    std::vector<CollectiveSampleRow> rows;
    const Laps& laps = point.measurement.laps;
    for (std::size_t i = 0; i < point.measurement.samples_s.size(); ++i) {
        auto row = row_of<CollectiveSampleRow>(point);
        row.iteration = static_cast<double>(i);
        row.time_s = point.measurement.samples_s[i];
        row.with_skew_s = laps.since_own_start_s[i];
        if (!laps.skew_s.empty()) row.skew_s = laps.skew_s[i];
        rows.push_back(std::move(row));
    }
    return rows;
}

CollectiveRow point_row(const SweepPoint& point) {
    const Measurement& measured = point.measurement;
    auto row = row_of<CollectiveRow>(point);
    row.ranks = point.ranks;
    row.time_s = measured.median_s;
    row.mean_s = measured.mean_s;
    put_watched(point.watched, row);
    if (measured.interval_s) {
        row.time_low_s = measured.interval_s->low;
        row.time_high_s = measured.interval_s->high;
    }
    row.p95_s = point.percentile_s(0.95).value_or(not_measured);
    row.p99_s = point.percentile_s(0.99).value_or(not_measured);
    row.skew_s = measured.median_skew_s.value_or(not_measured);
    row.algbw_gb_s = point.algbw_gb_s();
    row.busbw_gb_s = point.busbw_gb_s();
    row.predicted_s = point.predicted_s;
    row.measured_before_s = point.measured_before_s;
    row.bytes_sent_per_rank = point.bytes_sent_per_rank;
    row.inside_node_bytes = point.most_sent.inside_node_bytes;
    row.between_nodes_bytes = point.most_sent.between_nodes_bytes;
    row.rotated_buffers = static_cast<double>(point.rotated_buffers);
    row.warmup_iterations = static_cast<double>(measured.warmup_iterations);
    row.checked = point.passed() ? 1.0 : 0.0;
    row.reason = point.reason;
    return row;
}

std::vector<OutlierRow> outlier_rows(const SweepPoint& point) {
    std::vector<OutlierRow> rows;
    for (const Stall& stall : point.stalls) rows.push_back(named(outlier_row(stall), point));
    return rows;
}

std::vector<RankTimesRow> rank_times_rows(const SweepPoint& point) {
    std::vector<RankTimesRow> rows;
    for (const RankPace& one : point.rank_times) {
        rows.push_back(named(rank_times_row(one), point));
    }
    return rows;
}

std::vector<CostParameterRow> cost_rows(const collectives::ClusterDescription& cluster,
                                        const std::optional<Watched>& calibration) {
    const auto costs = collectives::costs_of(cluster);
    // Of links that are not there the description holds the others' figures, for the model's ease.
    const auto if_there = [](bool there, double value) { return there ? value : not_measured; };
    const bool inside = cluster.ranks_per_node > 1, between = cluster.nodes > 1;
    std::vector<CostParameterRow> rows{
        {"alpha_intra_node_s", if_there(inside, costs.intra_node.alpha_s)},
        {"beta_intra_node_s_per_byte", if_there(inside, costs.intra_node.beta_s_per_byte)},
        {"alpha_inter_node_s", if_there(between, costs.inter_node.alpha_s)},
        {"beta_inter_node_s_per_byte", if_there(between, costs.inter_node.beta_s_per_byte)},
        {"gamma_s_per_byte", costs.gamma_s_per_byte}};
    if (!calibration) return rows;
    for (CostParameterRow& row : rows) put_watched(*calibration, row);
    return rows;
}

NoiseFloorRow noise_floor_row(const NoiseFloor& floor) {
    auto row = row_of<NoiseFloorRow>(floor);
    row.ratio = floor.spread.median;
    put_watched(floor.watched, row);
    row.ratio_low = floor.spread.range.low;
    row.ratio_high = floor.spread.range.high;
    row.iterations_per_round = static_cast<double>(floor.iterations_per_round);
    return row;
}

std::vector<NoiseFloorRoundRow> noise_floor_round_rows(const NoiseFloor& floor) {
    std::vector<NoiseFloorRoundRow> rows;
    for (std::size_t round = 0; round < floor.spread.ratios.size(); ++round) {
        auto row = row_of<NoiseFloorRoundRow>(floor);
        row.round = static_cast<double>(round);
        row.ratio = floor.spread.ratios[round];
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace shardstone::benchmarks
