// SPDX-License-Identifier: BSD-3-Clause
// What the network is bought for, beside what its links promise.
#include "validation/interconnect/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "benchmarks/harness/stopping.hpp"
#include "benchmarks/interconnect/step_traffic.hpp"
#include "collectives/cluster/waiting.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"
#include "validation/interconnect/acceptance.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::StepTraffic;
using benchmarks::SweepOptions;
using results::TrafficRow;
using results::TrafficSampleRow;

constexpr std::int64_t least_samples = 7, most_samples = 50;
constexpr const char* step_prefix = "step ";

/// By how much a link may take longer than described: the ends of its 95 % intervals.
double longest_over_described(const collectives::LinkDescription& link) {
    double most = 1.0;
    if (link.bandwidth_interval_gb_s) {
        most = std::max(most, link.bandwidth_gb_s / link.bandwidth_interval_gb_s->low);
    }
    if (link.alpha_interval_s) {
        // Of the shortest message, which takes some time even if the fitted alpha is 0.
        const double short_s =
            link.measured.empty() ? link.alpha_s : link.measured.points().front().time_s;
        most = std::max(most, 1.0 + (link.alpha_interval_s->high - link.alpha_s) / short_s);
    }
    return most;
}

/// A prediction is a sum of times of these, so that it errs by no more than the worst of them.
double longest_over_described(const collectives::ClusterDescription& cluster,
                              const collectives::Topology& topology) {
    double most = 1.0;
    if (topology.nodes() > 1) most = std::max(most, longest_over_described(cluster.inter_node));
    if (topology.largest_node() > 1) {
        most = std::max(most, longest_over_described(cluster.intra_node));
    }
    if (cluster.reduction.rate_interval_gb_s) {
        most =
            std::max(most, cluster.reduction.rate_gb_s / cluster.reduction.rate_interval_gb_s->low);
    }
    return most;
}

class TrafficRun {
  public:
    TrafficRun(collectives::Communicator& world, const TrafficSetup& setup,
               const std::function<void(const std::string&)>& began,
               const std::function<bool()>& stops)
        : world_(world),
          setup_(setup),
          began_(began),
          stops_(stops),
          plans_(benchmarks::plans_of_traffic(world.topology())) {}

    std::vector<TrafficSampleRow> run() {
        const bool has_nodes = world_.topology().nodes() > 1;
        collective("all_reduce", "ring");
        if (has_nodes) collective("all_reduce", "hierarchical:ring/ring");
        collective("all_gather", "ring");
        collective("reduce_scatter", "ring");
        collective("all_to_all", "pairwise");
        for (const std::string& plan : plans_) step(plan);
        return std::move(rows_);
    }

  private:
    double seconds_of_each() const {
        constexpr double collectives = 5.0;
        return setup_.budget_s / (collectives + static_cast<double>(plans_.size()));
    }

    bool is_over() {
        stopped_ = stopped_ || stops_();
        return stopped_;
    }

    void add(const std::string& traffic, double size_bytes, std::span<const double> times_s,
             double predicted_s, double wrong_elements) {
        if (!world_.is_root()) return;
        const double uncertainty = longest_over_described(world_.cluster(), world_.topology());
        for (std::size_t i = 0; i < times_s.size(); ++i) {
            rows_.push_back({traffic, size_bytes, static_cast<double>(i), times_s[i], predicted_s,
                             is_judged_by(world_.cluster()) ? 1.0 : 0.0, wrong_elements,
                             uncertainty});
        }
    }

    void collective(const char* operation, const char* algorithm) {
        if (is_over()) return;
        began_(fmt::format("{} {}", operation, algorithm));
        SweepOptions options;
        options.operations = {operation};
        options.algorithms = {algorithm};
        options.smallest = options.largest = fmt::format("{}", setup_.largest_bytes);
        constexpr double most_of_a_sweep_s = 3600.0;
        options.seconds_per_point = std::min(most_of_a_sweep_s, seconds_of_each());
        options.relative_precision =
            1e-9;  // near a limit all samples are needed that there is time for
        auto plan = benchmarks::plan_sweep(options);
        benchmarks::fit_plan(options, world_.topology(), plan);
        for (const auto& point : benchmarks::run_sweep(world_, options, plan, {}).points) {
            add(fmt::format("{} {}", operation, algorithm), static_cast<double>(point.size_bytes),
                point.measurement.samples_s, point.predicted_s,
                static_cast<double>(point.wrong_elements));
        }
    }

    void step(const std::string& plan) {
        if (is_over()) return;
        began_("steps of " + plan);
        StepTraffic traffic(world_, plan);
        traffic.step_s();  // opens connections
        std::vector<double> times_s;
        const double until_s = now_s() + seconds_of_each();
        const auto time_is_left = [&] {
            return world_.max(world_.is_root() && now_s() < until_s ? 1.0 : 0.0) > 0.0;
        };
        while (std::ssize(times_s) < least_samples ||
               (std::ssize(times_s) < most_samples && time_is_left())) {
            times_s.push_back(traffic.step_s());
        }
        add(step_prefix + plan, static_cast<double>(traffic.sent_bytes()), times_s,
            traffic.predicted_s(), results::not_measured);
    }

    collectives::Communicator& world_;
    const TrafficSetup& setup_;
    const std::function<void(const std::string&)>& began_;
    const std::function<bool()>& stops_;
    std::vector<std::string> plans_;
    std::vector<TrafficSampleRow> rows_;
    bool stopped_ = false;
};

/// Until the interval no longer straddles the limit; 0 if it does not.
double further_samples_of(std::span<const double> times_s, double predicted_s) {
    const AcceptanceLimit limit{.quantity = "traffic",
                                .statistic = "median",
                                .limit = most_over_prediction * predicted_s,
                                .unit = "s"};
    const std::vector<double> samples(times_s.begin(), times_s.end());
    return static_cast<double>(judge_limits({&limit, 1}, {&samples, 1}).front().further);
}

TrafficRow row_of(const TrafficSampleRow& first, std::span<const TrafficSampleRow> samples) {
    std::vector<double> times_s;
    for (const auto& one : samples) {
        if (one.traffic == first.traffic && one.size_bytes == first.size_bytes) {
            times_s.push_back(one.time_s);
        }
    }
    TrafficRow row;
    row.traffic = first.traffic;
    row.size_bytes = first.size_bytes;
    row.samples = static_cast<double>(times_s.size());
    row.time_s = median(times_s);
    row.predicted_s = first.predicted_s;
    row.over_prediction = row.time_s / row.predicted_s;
    row.slow = 0.0;
    row.further = first.judged > 0.0 ? further_samples_of(times_s, row.predicted_s) : 0.0;
    const auto interval = median_interval(times_s);
    if (!interval) return row;
    row.time_low_s = interval->low;
    row.time_high_s = interval->high;
    row.over_low = interval->low / row.predicted_s;
    row.over_high = interval->high / row.predicted_s;
    return row;
}

/// What the description says of its links, or, if that is more, by how much it is wrong the other
/// way: where traffic surely takes less than predicted.
double prediction_error_of(std::span<const TrafficSampleRow> samples,
                           std::span<const TrafficRow> rows) {
    double error = 1.0;
    for (const auto& sample : samples) error = std::max(error, sample.uncertainty);
    for (const auto& row : rows) {
        if (std::isfinite(row.over_high)) error = std::max(error, 1.0 / row.over_high);
    }
    return error;
}

}  // namespace

bool is_judged_by(const collectives::ClusterDescription& cluster) {
    return cluster.measured && cluster.shared_cores != collectives::Waiter::own_core();
}

std::vector<TrafficSampleRow> measure_traffic(collectives::Communicator& world,
                                              const TrafficSetup& setup,
                                              const std::function<void(const std::string&)>& began,
                                              const std::function<bool()>& stops) {
    return TrafficRun(world, setup, began, stops).run();
}

std::vector<TrafficRow> traffic_rows(std::span<const TrafficSampleRow> samples) {
    std::vector<TrafficRow> rows;
    for (const auto& sample : samples) {
        const auto known = std::ranges::find_if(rows, [&](const TrafficRow& row) {
            return row.traffic == sample.traffic && row.size_bytes == sample.size_bytes;
        });
        if (known == rows.end()) rows.push_back(row_of(sample, samples));
    }
    const double error = prediction_error_of(samples, rows);
    for (auto& row : rows) {
        row.prediction_error = error;
        row.slow =
            samples.front().judged > 0.0 && row.over_low > most_over_prediction * error ? 1.0 : 0.0;
    }
    return rows;
}

std::int64_t most_samples_of_traffic(const std::string& traffic) {
    return traffic.starts_with(step_prefix) ? most_samples
                                            : benchmarks::MeasurePolicy{}.most_iterations;
}

bool may_be_slow(const TrafficRow& row) {
    return !(row.over_high <= most_over_prediction);
}

std::string in_words(const TrafficRow& row) {
    std::string doubt;
    if (row.further > 0.0) {
        const auto most = static_cast<double>(most_samples_of_traffic(row.traffic));
        doubt = fmt::format("; over {:.3g} times or not: {}", most_over_prediction,
                            needed_in_words(row.samples, row.further, most));
    } else if (row.slow == 0.0) {
        doubt = fmt::format(
            "; the prediction itself may be {:.3g} times too short: calibrate for longer "
            "(--seconds)",
            row.prediction_error);
    }
    const std::string interval = std::isfinite(row.over_high)
                                     ? fmt::format("{:.3g} to {:.3g}", row.over_low, row.over_high)
                                     : "interval unknown: too few samples";
    return fmt::format("{} of {} takes {:.3g} times as long as predicted ({}): {} instead of {}{}",
                       row.traffic, format_size(static_cast<std::int64_t>(row.size_bytes)),
                       row.over_prediction, interval, format_time(row.time_s),
                       format_time(row.predicted_s), doubt);
}

}  // namespace shardstone::validation
