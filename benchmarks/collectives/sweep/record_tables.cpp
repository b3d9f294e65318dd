// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep/record_tables.hpp"

#include <limits>
#include <utility>

namespace shardstone::benchmarks {

namespace {

using results::Table;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Rows that belong to points (or noise floors) of a sweep, several to each in general.
class PointRows {
  public:
    PointRows(std::string name, const std::vector<const char*>& figures)
        : table_{std::move(name), {}} {
        for (const char* column : {"operation", "algorithm", "in_place", "size_bytes"}) {
            table_.columns.push_back({column, {}, {}});
        }
        for (const char* column : figures) table_.columns.push_back({column, {}, {}});
    }

    template <class Point>
    void add(const Point& point, const std::vector<double>& figures) {
        auto column = table_.columns.begin();
        (column++)->texts.push_back(point.operation);
        (column++)->texts.push_back(point.algorithm);
        (column++)->numbers.push_back(point.in_place ? 1.0 : 0.0);
        (column++)->numbers.push_back(static_cast<double>(point.size_bytes));
        for (const double figure : figures) (column++)->numbers.push_back(figure);
    }

    Table table() const { return table_; }

  private:
    Table table_;
};

std::vector<double> figures_of(const SweepPoint& point) {
    const Measurement& measured = point.measurement;
    const Interval interval = measured.interval_s.value_or(Interval{none, none});
    return {static_cast<double>(point.ranks),
            measured.median_s,
            interval.low,
            interval.high,
            point.percentile_s(0.95).value_or(none),
            point.percentile_s(0.99).value_or(none),
            measured.median_skew_s.value_or(none),
            point.algbw_gb_s(),
            point.busbw_gb_s(),
            point.predicted_s,
            point.bytes_sent_per_rank,
            point.most_sent.inside_node_bytes,
            point.most_sent.between_nodes_bytes,
            static_cast<double>(point.rotated_buffers),
            point.passed() ? 1.0 : 0.0};
}

}  // namespace

Table samples_table(const Sweep& sweep) {
    PointRows rows("samples", {"iteration", "time_s", "with_skew_s", "skew_s"});
    for (const SweepPoint& point : sweep.points) {
        const Laps& laps = point.measurement.laps;
        for (std::size_t i = 0; i < point.measurement.samples_s.size(); ++i) {
            rows.add(point,
                     {static_cast<double>(i), point.measurement.samples_s[i],
                      laps.since_own_start_s[i], laps.skew_s.empty() ? none : laps.skew_s[i]});
        }
    }
    return rows.table();
}

Table points_table(const Sweep& sweep) {
    PointRows rows("collectives",
                   {"ranks", "time_s", "time_low_s", "time_high_s", "p95_s", "p99_s", "skew_s",
                    "algbw_gb_s", "busbw_gb_s", "predicted_s", "bytes_sent_per_rank",
                    "inside_node_bytes", "between_nodes_bytes", "rotated_buffers", "checked"});
    for (const SweepPoint& point : sweep.points) rows.add(point, figures_of(point));
    return rows.table();
}

Table costs_table(const collectives::CostParameters& costs) {
    return {"cost_parameters",
            {{"name",
              {},
              {"alpha_intra_node_s", "beta_intra_node_s_per_byte", "alpha_inter_node_s",
               "beta_inter_node_s_per_byte", "gamma_s_per_byte"}},
             {"value",
              {costs.intra_node.alpha_s, costs.intra_node.beta_s_per_byte, costs.inter_node.alpha_s,
               costs.inter_node.beta_s_per_byte, costs.gamma_s_per_byte},
              {}}}};
}

Table noise_floor_table(const Sweep& sweep) {
    PointRows rows("noise_floor", {"ratio", "ratio_low", "ratio_high", "iterations_per_round"});
    for (const NoiseFloor& floor : sweep.floors) {
        rows.add(floor, {floor.spread.median, floor.spread.range.low, floor.spread.range.high,
                         static_cast<double>(floor.iterations_per_round)});
    }
    return rows.table();
}

Table noise_floor_rounds_table(const Sweep& sweep) {
    PointRows rows("noise_floor_rounds", {"round", "ratio"});
    for (const NoiseFloor& floor : sweep.floors) {
        double round = 0.0;
        for (const double ratio : floor.spread.ratios) rows.add(floor, {round++, ratio});
    }
    return rows.table();
}

}  // namespace shardstone::benchmarks
