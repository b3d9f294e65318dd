// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep_record.hpp"

#include <fmt/format.h>

#include <limits>

#include "collectives/cluster/session.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Check;
using results::Record;
using results::Table;

Table samples_table(const Sweep& sweep) {
    Table::Column algorithm{"algorithm", {}, {}};
    Table::Column size{"size_bytes", {}, {}};
    Table::Column iteration{"iteration", {}, {}};
    Table::Column time{"time_s", {}, {}};
    for (const SweepPoint& point : sweep.points) {
        double index = 0.0;
        for (const double sample_s : point.measurement.samples_s) {
            algorithm.texts.push_back(point.algorithm);
            size.numbers.push_back(static_cast<double>(point.size_bytes));
            iteration.numbers.push_back(index++);
            time.numbers.push_back(sample_s);
        }
    }
    return {"samples", {algorithm, size, iteration, time}};
}

/// A column of one figure of every point.
template <class Figure>
Table::Column column(const Sweep& sweep, const char* name, Figure&& figure) {
    Table::Column result{name, {}, {}};
    for (const SweepPoint& point : sweep.points) {
        result.numbers.push_back(static_cast<double>(figure(point)));
    }
    return result;
}

Table points_table(const Sweep& sweep) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    constexpr Interval no_interval{none, none};
    using P = const SweepPoint&;
    Table::Column algorithm{"algorithm", {}, {}};
    for (P point : sweep.points) algorithm.texts.push_back(point.algorithm);
    const auto interval = [=](P p) { return p.measurement.interval_s.value_or(no_interval); };
    return {"all_reduce",
            {algorithm, column(sweep, "ranks", [](P p) { return p.ranks; }),
             column(sweep, "size_bytes", [](P p) { return p.size_bytes; }),
             column(sweep, "time_s", [](P p) { return p.measurement.median_s; }),
             column(sweep, "time_low_s", [&](P p) { return interval(p).low; }),
             column(sweep, "time_high_s", [&](P p) { return interval(p).high; }),
             column(sweep, "algbw_gb_s", [](P p) { return p.algbw_gb_s(); }),
             column(sweep, "busbw_gb_s", [](P p) { return p.busbw_gb_s(); }),
             column(sweep, "predicted_s", [](P p) { return p.predicted_s; }),
             column(sweep, "bytes_sent_per_rank", [](P p) { return p.bytes_sent_per_rank; }),
             column(sweep, "checked", [](P p) { return p.passed() ? 1 : 0; })}};
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

Check check_of(const SweepPoint& point, const SweepOptions& options) {
    return {
        fmt::format("all_reduce {} {} {} {}: exact on {} ranks", point.algorithm,
                    format_size(point.size_bytes), options.type, options.reduction, point.ranks),
        point.passed(),
        fmt::format("{} wrong elements in {} runs", point.wrong_elements, point.checked_runs)};
}

}  // namespace

Record begin_record(const SweepOptions& options, const collectives::Communicator& communicator,
                    const std::vector<std::string>& command_line) {
    Record record = results::new_record(
        "collectives", fmt::format("all_reduce on {} ranks", communicator.size()), command_line);
    record.configuration = to_json(options);
    record.configuration["topology"] = communicator.topology().description();
    record.configuration["prediction"] =
        "alpha and beta from ring shifts of all ranks at once, gamma from a local reduction, "
        "measured before the sweep with as many ranks per core";
    record.environment["mpi"] = collectives::mpi_library();
    record.environment["ranks"] = communicator.size();
    record.environment["nodes"] = communicator.topology().nodes();
    return record;
}

void complete_record(const Sweep& sweep, const SweepOptions& options, Record& record) {
    record.samples.push_back(samples_table(sweep));
    record.derived.push_back(points_table(sweep));
    record.derived.push_back(costs_table(sweep.costs));
    for (const SweepPoint& point : sweep.points) {
        if (point.checked_runs > 0) record.verification.push_back(check_of(point, options));
    }
}

}  // namespace shardstone::benchmarks
