// SPDX-License-Identifier: BSD-3-Clause
// Algorithms ranked by what they are predicted or measured to take, schedules with a doubt on top.
#include "collectives/pricing/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectives/simulation/cost_model.hpp"
#include "collectives/simulation/fabric.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

bool has_equal_shares(const CollectiveSpec& spec, int ranks) {
    return spec.shares.empty() ? spec.vector.count % ranks == 0
                               : std::ranges::adjacent_find(
                                     spec.shares, std::ranges::not_equal_to{}) == spec.shares.end();
}

double time_by_schedule_s(const Algorithm& algorithm, const Topology& topology,
                          const CollectiveSpec& spec, const ClusterDescription& cluster) {
    CostParameters costs = costs_of(cluster);
    if (algorithm.goes_through_shared_memory()) costs.intra_node = costs.shared_memory;
    const int segments = segments_for(algorithm, spec.vector.size_bytes());
    return predict_time_s(make_schedule(algorithm, topology, segments, spec.root), spec, costs,
                          cluster.nics);
}

/// Geometric mean of the time at a size, twice, at half and at double it; at the lower end of the
/// curve at double and four times.
double time_around_s(const SizeCurve& curve, std::int64_t size_bytes) {
    const std::int64_t smallest = curve.points().front().size_bytes;
    const std::int64_t middle = std::max(size_bytes, smallest);
    const std::int64_t other = middle / 2 >= smallest ? middle / 2 : 4 * middle;
    const double time_s = curve.time_s(middle);
    return std::sqrt(time_s * std::sqrt(curve.time_s(other) * curve.time_s(2 * middle)));
}

/// What it took before on as many ranks, where that is known.
std::optional<Prediction> measured_before(const Algorithm& algorithm, const Topology& topology,
                                          const CollectiveSpec& spec,
                                          const ClusterDescription& cluster) {
    const auto found = std::ranges::find_if(cluster.direct, [&](const MeasuredCollective& one) {
        return one.operation == algorithm.operation->name && one.algorithm == algorithm.name &&
               one.ranks == topology.size();
    });
    if (found == cluster.direct.end()) return std::nullopt;
    const std::int64_t size_bytes = spec.vector.size_bytes();
    return Prediction{algorithm.name, found->measured.time_s(size_bytes), Basis::measurement,
                      time_around_s(found->measured, size_bytes)};
}

/// How many times what its schedule says an algorithm may take that was not measured: at least
/// doubt(), and as many times as those here took that were, in the median.
double doubt_here(const std::vector<Prediction>& known, const Operation& operation,
                  const Topology& topology, const CollectiveSpec& spec,
                  const ClusterDescription& cluster) {
    std::vector<double> times_as_long;
    for (const Prediction& one : known) {
        const Algorithm algorithm = find_algorithm(operation, one.algorithm);
        if (one.basis != Basis::measurement || !algorithm.has_schedule()) continue;
        if (const auto expected = predict(algorithm, topology, spec, cluster)) {
            times_as_long.push_back(one.time_s / expected->time_s);
        }
    }
    return times_as_long.empty() ? doubt(cluster) : std::max(doubt(cluster), median(times_as_long));
}

bool has_links_of(const Transport* transport, const ClusterDescription& cluster) {
    return transport != nullptr && cluster.gpus && transport->name == cluster.gpus->transport;
}

std::string in_words(const Prediction& prediction) {
    return fmt::format("{} {}", format_time(prediction.time_s),
                       prediction.basis == Basis::schedule ? "by its schedule" : "measured before");
}

}  // namespace

std::optional<Prediction> predict(const Algorithm& algorithm, const Topology& topology,
                                  const CollectiveSpec& spec, const ClusterDescription& cluster) {
    // Costs of messages between GPUs are those of one way to pass them, and no core's.
    if (algorithm.obstacle && !has_links_of(algorithm.transport, cluster)) return std::nullopt;
    if (algorithm.has_schedule()) {
        // Without a price for them there is no prediction for messages through shared memory.
        if (algorithm.goes_through_shared_memory() && !cluster.shared_memory) return std::nullopt;
        return Prediction{algorithm.name, time_by_schedule_s(algorithm, topology, spec, cluster),
                          Basis::schedule};
    }
    return measured_before(algorithm, topology, spec, cluster);
}

double doubt(const ClusterDescription& cluster) {
    return cluster.shared_cores ? 4.0 : 1.2;
}

bool suits(const Algorithm& algorithm, const Topology& topology, const CollectiveSpec& spec) {
    if (algorithm.one_node_only && topology.nodes() > 1) return false;
    return !algorithm.equal_shares_only || has_equal_shares(spec, topology.size());
}

std::vector<Prediction> predictions(const Operation& operation, const Topology& topology,
                                    const CollectiveSpec& spec, const ClusterDescription& cluster) {
    std::vector<Prediction> ranked;
    for (const std::string& name : algorithms_for(operation.name)) {
        const Algorithm algorithm = find_algorithm(operation, name);
        if (algorithm.memory.allocate || !suits(algorithm, topology, spec)) continue;
        auto prediction = measured_before(algorithm, topology, spec, cluster);
        if (!prediction) prediction = predict(algorithm, topology, spec, cluster);
        if (prediction) ranked.push_back(*std::move(prediction));
    }
    const double doubt = doubt_here(ranked, operation, topology, spec, cluster);
    std::ranges::stable_sort(ranked, {}, [&](const Prediction& one) {
        return one.basis == Basis::schedule ? doubt * one.time_s : one.ranked_by_s;
    });
    return ranked;
}

std::string explain(const std::vector<Prediction>& ranked, const ClusterDescription& cluster) {
    std::string why = fmt::format("{}: {}", ranked.front().algorithm, in_words(ranked.front()));
    if (ranked.size() > 1) {
        why += fmt::format("; next {}, {}", ranked[1].algorithm, in_words(ranked[1]));
        const bool looks_faster =
            ranked[1].basis == Basis::measurement && ranked[1].time_s < ranked.front().time_s;
        if (looks_faster) why += ", slower at the sizes around";
    }
    return cluster.measured ? why : why + "; " + cluster.source;
}

}  // namespace shardstone::collectives
