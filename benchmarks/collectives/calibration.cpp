// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/calibration.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "benchmarks/harness/measure.hpp"
#include "collectives/executors/point_to_point.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::CostParameters;
using collectives::LinkCost;
using collectives::RankProgram;
using collectives::Topology;

constexpr std::array<std::int64_t, 4> message_sizes_bytes{64, 4 << 10, 64 << 10, 1 << 20};
/// Several shifts in a row, so that the common start, which no collective pays, weighs little.
constexpr int shifts = 8;

MeasurePolicy brief() {
    MeasurePolicy policy;
    policy.time_limit_s = 0.2;
    return policy;
}

struct Neighbours {
    int to = -1, from = -1;
};

/// In the ring of all ranks of this rank's node, or of its lane over all nodes; none in a ring of
/// one, or where a neighbouring node has no such lane.
std::optional<Neighbours> neighbours(const Topology& topology, int rank, bool inside) {
    const int node = topology.node_of(rank);
    const int lane = topology.lane_of(rank);
    const int length = inside ? static_cast<int>(topology.ranks_on(node).size()) : topology.nodes();
    if (length < 2 || (!inside && lane >= topology.smallest_node())) return std::nullopt;
    const auto at = [&](int step) {
        const int place = ((inside ? lane : node) + step + length) % length;
        return inside ? topology.ranks_on(node)[static_cast<std::size_t>(place)]
                      : topology.ranks_on(place)[static_cast<std::size_t>(lane)];
    };
    return Neighbours{at(1), at(-1)};
}

/// One message goes to one neighbour while another comes from the other, again and again.
RankProgram shift_program(const std::optional<Neighbours>& ring) {
    collectives::ProgramBuilder program(2);
    for (int step = 0; ring && step < shifts; ++step) {
        program.send(step, ring->to, {0, 1});
        program.receive_replace(step, ring->from, {1, 1});
    }
    return program.build();
}

LinkCost measure_link(collectives::Communicator& communicator, bool inside) {
    const RankProgram program =
        shift_program(neighbours(communicator.topology(), communicator.rank(), inside));
    std::vector<MessageTime> times;
    for (const std::int64_t size_bytes : message_sizes_bytes) {
        const std::int64_t count = size_bytes / static_cast<std::int64_t>(sizeof(float));
        const std::vector<float> sent(static_cast<std::size_t>(count), 1.0F);
        std::vector<float> received(sent.size());
        const auto executor = collectives::make_point_to_point(
            communicator, program, collectives::find_operation("ring_shift"),
            {{count, ElementType::fp32}, 0, {}});
        const auto run = [&] { executor->run(sent.data(), received.data()); };
        times.push_back({size_bytes, measure(communicator, brief(), run).median_s / shifts});
    }
    return fit_link(times);
}

double measure_gamma(const collectives::Communicator& communicator, ElementType type,
                     collectives::Reduction reduction) {
    constexpr std::int64_t size_bytes = 1 << 20;
    const auto reduce = collectives::reduce_function(type, reduction);
    const std::int64_t count = size_bytes / static_cast<std::int64_t>(element_size(type));
    std::vector<std::byte> mine(size_bytes);
    const std::vector<std::byte> theirs(size_bytes);
    const auto run = [&] { reduce(mine.data(), theirs.data(), count); };
    return measure(communicator, brief(), run).median_s / static_cast<double>(size_bytes);
}

}  // namespace

LinkCost fit_link(std::span<const MessageTime> times) {
    const MessageTime& small = *std::ranges::min_element(times, {}, &MessageTime::size_bytes);
    // Minimise the sum of ((t0 + beta (n - n0)) / t - 1)^2 over beta.
    double numerator = 0.0;
    double denominator = 0.0;
    for (const MessageTime& sample : times) {
        const double slope =
            static_cast<double>(sample.size_bytes - small.size_bytes) / sample.time_s;
        numerator += slope * (1.0 - small.time_s / sample.time_s);
        denominator += slope * slope;
    }
    const double beta = std::max(0.0, numerator / denominator);
    return {std::max(0.0, small.time_s - beta * static_cast<double>(small.size_bytes)), beta};
}

CostParameters calibrate(collectives::Communicator& communicator, ElementType type,
                         collectives::Reduction reduction) {
    CostParameters costs;
    costs.gamma_s_per_byte = measure_gamma(communicator, type, reduction);
    const Topology& topology = communicator.topology();
    if (topology.size() == 1) return costs;
    const bool has_inside = topology.largest_node() > 1;
    const bool has_between = topology.nodes() > 1;
    if (has_inside) costs.intra_node = measure_link(communicator, true);
    costs.inter_node = has_between ? measure_link(communicator, false) : costs.intra_node;
    if (!has_inside) costs.intra_node = costs.inter_node;
    return costs;
}

}  // namespace shardstone::benchmarks
