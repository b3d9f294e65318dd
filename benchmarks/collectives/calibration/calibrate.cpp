// SPDX-License-Identifier: BSD-3-Clause
// Links, reductions and likely algorithms are measured and become a cluster description.
#include "benchmarks/collectives/calibration/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/collectives/calibration/candidates.hpp"
#include "benchmarks/collectives/calibration/links.hpp"
#include "benchmarks/collectives/sweep/table.hpp"
#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/tries.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/pricing/choice.hpp"
#include "collectives/reduction/reduction.hpp"
#include "results/record/environment.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::ClusterDescription;
using collectives::Interval95;
using collectives::LinkDescription;

/// The bounds of a description's figures.
constexpr double most_gb_s = 1e6, least_gb_s = 1e-6;

std::vector<std::int64_t> sizes_up_to(std::int64_t largest_bytes) {
    constexpr std::int64_t smallest = 8, factor = 4;
    // What a vector of the largest length meets in caches and page tables cannot be told from
    // shorter ones. Two sizes at the least, for a line.
    const std::int64_t last = std::max(largest_bytes / smallest * smallest, smallest * factor);
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = smallest; size < last; size *= factor) sizes.push_back(size);
    sizes.push_back(last);
    return sizes;
}

/// What is said of a line without a slope.
std::string remark_on(const Line& line) {
    return line.has_slope ? ""
                          : "; no slope is visible, so the rate is that of the largest size, "
                            "including latency";
}

double gb_s(double s_per_byte) {
    return std::clamp(1e-9 / s_per_byte, least_gb_s, most_gb_s);
}

/// More time per byte is less bandwidth.
Interval95 gb_s(const Interval95& s_per_byte) {
    return {gb_s(s_per_byte.high), gb_s(s_per_byte.low)};
}

class Calibration {
  public:
    Calibration(collectives::Communicator& communicator, const CalibrationOptions& options,
                const std::function<void(const std::string&)>& progress)
        : communicator_(communicator),
          options_(options),
          link_options_{sizes_up_to(options.largest_bytes), options.seconds_per_size, options.type,
                        options.reduction, options.over},
          progress_(progress) {
        link_options_.progress = [this](std::size_t done, std::size_t of) { say(done, of); };
    }

    ClusterDescription run() {
        const auto& topology = communicator_.topology();
        ClusterDescription cluster;
        cluster.name = "measured";
        cluster.measured = true;
        cluster.shared_cores = !collectives::Waiter::own_core();
        cluster.nodes = topology.nodes();
        cluster.ranks_per_node = topology.largest_node();
        if (link_options_.on_gpus()) {
            cluster.gpus = collectives::GpuLinksDescription{options_.over->name,
                                                            are_emulated(collectives::used_gpus())};
        }
        cluster.source = source();
        add_links(cluster);
        add_reduction(cluster);
        for (const std::string& operation : options_.operations) {
            begin(fmt::format("{}: the likely algorithms", operation));
            for (auto& one : measure_candidates(communicator_, operation, options_,
                                                {cluster, link_options_.progress})) {
                cluster.direct.push_back(std::move(one));
            }
        }
        return cluster;
    }

  private:
    /// On rank 0, which writes it.
    std::string source() const {
        const std::string ranks = communicator_.topology().description();
        if (link_options_.on_gpus()) {
            return fmt::format("measured by {}, {}", in_words(collectives::used_gpus()), ranks);
        }
        return fmt::format("measured by {} ranks, {}, on {}", communicator_.size(), ranks,
                           results::machine_description().value("cpu", "an unknown processor"));
    }
    std::string messages() const {
        return link_options_.on_gpus() ? fmt::format("over_{} between GPUs", options_.over->name)
                                       : "MPI";
    }
    void begin(const std::string& what) {
        ++part_;
        what_ = what;
    }
    void say(std::size_t done, std::size_t of) const {
        if (!progress_) return;
        progress_(fmt::format("part {} of {}, {}: {} of {} sizes measured", part_, parts(), what_,
                              done, of));
    }
    /// Links, reductions, operations.
    std::size_t parts() const {
        const auto& topology = communicator_.topology();
        const std::size_t links =
            (topology.largest_node() > 1 ? link_options_.on_gpus() ? 1 : 2 : 0) +
            (topology.nodes() > 1 ? 1 : 0);
        return links + (may_share_nics() ? 1 : 0) + 1 + options_.operations.size();
    }

    /// Whether several ranks of each node have counterparts on the others.
    bool may_share_nics() const {
        const auto& topology = communicator_.topology();
        return topology.nodes() > 1 && topology.smallest_node() > 1;
    }

    LinkDescription link(MessagePath path, const std::string& words, const char* at_work) {
        begin(words);
        const LinkTimes times = measure_link(communicator_, path, link_options_);
        const FittedLine fitted = fit_with_intervals(times.message);
        LinkDescription link;
        link.alpha_s = fitted.line.alpha_s;
        link.alpha_interval_s = fitted.alpha_s;
        link.bandwidth_gb_s = gb_s(fitted.line.beta_s_per_byte);
        link.bandwidth_interval_gb_s = gb_s(fitted.beta_s_per_byte);
        link.start_s = times.start_s;
        link.source =
            fmt::format("ring shifts of {}: {}{}", at_work, words, remark_on(fitted.line));
        link.measured = curve_of(times.message);
        return link;
    }

    void add_links(ClusterDescription& cluster) {
        const auto& topology = communicator_.topology();
        const bool inside = topology.largest_node() > 1;
        const bool between = topology.nodes() > 1;
        const char* const all = "all ranks at once";
        if (inside) {
            cluster.intra_node = link(MessagePath::inside_node, messages() + " inside a node", all);
        }
        if (between) {
            cluster.inter_node = link(MessagePath::between_nodes, messages() + " between nodes",
                                      may_share_nics() ? "one rank of each node" : all);
        }
        if (may_share_nics()) add_nics(cluster);
        if (!between) cluster.inter_node = cluster.intra_node;
        if (!inside) cluster.intra_node = cluster.inter_node;
        if (inside && !link_options_.on_gpus()) {
            cluster.shared_memory =
                link(MessagePath::shared_memory, "shared memory of a node", all);
        }
    }

    /// Where a rank surely sends less while the others of its node do, too, they share its NICs,
    /// here described as one. Rates are those of the longest message: the line through all sizes
    /// is not theirs where a link lets short messages pass faster.
    void add_nics(ClusterDescription& cluster) {
        begin(messages() + " between nodes, all ranks at once");
        LinkOptions longest = link_options_;
        longest.sizes_bytes = {link_options_.sizes_bytes.front(), link_options_.sizes_bytes.back()};
        const auto measured = [&](MessagePath path) {
            return fit_with_intervals(measure_link(communicator_, path, longest).message);
        };
        const FittedLine alone = measured(MessagePath::between_nodes);
        const FittedLine at_once = measured(MessagePath::between_nodes_at_once);
        // Without a slope nothing is sure of what bytes take.
        if (!alone.line.has_slope || !at_once.line.has_slope) return;
        if (alone.beta_s_per_byte.high >= at_once.beta_s_per_byte.low) return;
        const int lanes = communicator_.topology().smallest_node();
        collectives::NicDescription nics;
        nics.bandwidth_gb_s =
            std::max(lanes * gb_s(at_once.line.beta_s_per_byte), gb_s(alone.line.beta_s_per_byte));
        nics.source = fmt::format(
            "ring shifts of all {} ranks of each node at once: {} between nodes; their NICs as one",
            lanes, messages());
        cluster.nics = nics;
    }

    void add_reduction(ClusterDescription& cluster) {
        begin("reductions");
        const auto times = measure_reductions(communicator_, link_options_);
        const FittedLine fitted = fit_with_intervals(times);
        cluster.reduction.rate_gb_s = gb_s(fitted.line.beta_s_per_byte);
        cluster.reduction.rate_interval_gb_s = gb_s(fitted.beta_s_per_byte);
        cluster.reduction.source =
            fmt::format("{} {}, all ranks at once{}", to_string(options_.type),
                        to_string(options_.reduction), remark_on(fitted.line));
        cluster.reduction.measured = curve_of(times);
    }

    collectives::Communicator& communicator_;
    const CalibrationOptions& options_;
    LinkOptions link_options_;
    const std::function<void(const std::string&)>& progress_;
    std::string what_;      ///< is being measured
    std::size_t part_ = 0;  ///< of parts(), counted from 1
};

std::vector<results::OutlierRow> named_outliers(const WatchedCalibration& calibration) {
    auto rows = outlier_rows(calibration.stalls);
    for (results::OutlierRow& row : rows) row.operation = "calibration";
    return rows;
}

}  // namespace

CalibrationOptions calibration_for(const SweepPlan& plan) {
    CalibrationOptions options;
    for (const OperationPlan& planned : plan.operations) {
        const auto choosing = std::ranges::find(planned.algorithms, collectives::automatic,
                                                &collectives::Algorithm::name);
        if (choosing == planned.algorithms.end()) continue;
        options.operations.push_back(planned.operation->name);
    }
    options.largest_bytes = plan.sizes_bytes.back();
    options.type = plan.type;
    options.reduction = plan.reduction;
    return options;
}

void require_links(const collectives::Communicator& communicator) {
    require(communicator.size() > 1,
            "a single rank has no links to measure: start at least 2, e.g. with mpiexec -n 2");
}

ClusterDescription calibrate(collectives::Communicator& communicator,
                             const CalibrationOptions& options,
                             const std::function<void(const std::string&)>& progress) {
    require_links(communicator);
    return Calibration(communicator, options, progress).run();
}

WatchedCalibration calibrate_watched(collectives::Communicator& communicator,
                                     const CalibrationOptions& options,
                                     const std::function<void(const std::string&)>& progress) {
    Watch watch(communicator);
    WatchedCalibration best;
    ClusterDescription tried;
    StallWatch pulses(communicator);
    int attempt = 0;
    const auto say = [&](const std::string& done) {
        if (!progress) return;
        progress(attempt > 1
                     ? fmt::format("again (try {} of {} at most), as the last was disturbed: {}",
                                   attempt, most_tries, done)
                     : done);
    };
    const auto keep = [&] {
        best.cluster = tried;
        best.watched = {watch.log().back(), attempt};
    };
    try {
        Tries tries = until_undisturbed(
            watch, pulses,
            [&] {
                ++attempt;
                tried = calibrate(communicator, options, say);
            },
            keep);
        best.watched = tries.watched;
        best.stalls = std::move(tries.stalls);
    } catch (const CalibrationStopped&) {
        if (attempt == 1) throw;
        best.stopped = true;
    }
    const Surroundings& seen = best.watched.surroundings;
    if (seen.disturbed()) best.cluster.source += ", disturbed: " + seen.words();
    return best;
}

results::Record part_of(const WatchedCalibration& calibration) {
    results::Record part;
    part.derived.push_back(results::table_of(named_outliers(calibration)));
    return part;
}

std::string calibration_lines(const WatchedCalibration& calibration) {
    return cluster_line(calibration.cluster) + stall_note(named_outliers(calibration)) +
           disturbance_note({calibration.watched.surroundings}, "calibration");
}

}  // namespace shardstone::benchmarks
