// SPDX-License-Identifier: BSD-3-Clause
// What the network is bought for, beside what its links promise.
#include "validation/interconnect/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "benchmarks/interconnect/step_traffic.hpp"
#include "collectives/cluster/description.hpp"
#include "collectives/cluster/waiting.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::StepTraffic;
using benchmarks::SweepOptions;
using results::TrafficRow;
using results::TrafficSampleRow;

constexpr std::int64_t least_samples = 7, most_samples = 50;

/// Whether the description says what these ranks should measure.
bool is_judged(const collectives::ClusterDescription& cluster) {
    return cluster.measured && cluster.shared_cores != collectives::Waiter::own_core();
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
        for (std::size_t i = 0; i < times_s.size(); ++i) {
            rows_.push_back({traffic, size_bytes, static_cast<double>(i), times_s[i], predicted_s,
                             is_judged(world_.cluster()) ? 1.0 : 0.0, wrong_elements});
        }
    }

    void collective(const char* operation, const char* algorithm) {
        if (is_over()) return;
        began_(fmt::format("{} {}", operation, algorithm));
        SweepOptions options;
        options.operations = {operation};
        options.algorithms = {algorithm};
        options.smallest = options.largest = fmt::format("{}", setup_.largest_bytes);
        options.seconds_per_point = seconds_of_each();
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
        add("step " + plan, static_cast<double>(traffic.sent_bytes()), times_s,
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
    const auto interval = median_interval(times_s);
    if (!interval) return row;
    row.time_low_s = interval->low;
    row.time_high_s = interval->high;
    row.over_low = interval->low / row.predicted_s;
    row.over_high = interval->high / row.predicted_s;
    row.slow = first.judged > 0.0 && row.over_low > most_over_prediction ? 1.0 : 0.0;
    return row;
}

}  // namespace

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
    return rows;
}

std::string in_words(const TrafficRow& row) {
    return fmt::format(
        "{} of {} takes {:.3g} times as long as predicted ({:.3g} to {:.3g}): {} "
        "instead of {}",
        row.traffic, format_size(static_cast<std::int64_t>(row.size_bytes)), row.over_prediction,
        row.over_low, row.over_high, format_time(row.time_s), format_time(row.predicted_s));
}

}  // namespace shardstone::validation
