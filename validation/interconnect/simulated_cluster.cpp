// SPDX-License-Identifier: BSD-3-Clause
// Times of tests on a described cluster, reproducible from a seed.
#include "validation/interconnect/simulated_cluster.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/error.hpp"
#include "validation/interconnect/round_robin.hpp"

namespace shardstone::validation {

namespace {

/// 64 MiB at 50 GB/s, a 400 Gb/s NIC, between nodes; inside one at the rate of NVLink 4 (376 GB/s).
constexpr std::int64_t simulated_size_bytes = 64 << 20;
constexpr std::array<double, path_count> healthy_rate_bytes_per_s{50e9, 376e9, 50e9, 49e9};

/// What random numbers are for. The index of a number holds this and what it belongs to.
enum class Draw : std::uint64_t { pair, nic_out, nic_in, repetition, delay, length };

std::uint64_t index_of(Draw draw, std::uint64_t sender, std::uint64_t receiver,
                       std::uint64_t round = 0, std::uint64_t repetition = 0) {
    return (static_cast<std::uint64_t>(draw) << 60) | (round << 40) | (repetition << 32) |
           (sender << 16) | receiver;
}

}  // namespace

SimulatedCluster::SimulatedCluster(const SimulatedShape& shape, const SimulatedNoise& noise,
                                   std::uint64_t seed)
    : shape_(shape), noise_(noise), random_(seed, "simulated cluster") {
    require(shape.nodes * shape.rails < 1 << 16, "a simulated cluster has fewer than 65536 NICs");
    for (int node = 0; node < shape.nodes; ++node) {
        for (int rail = 0; rail < shape.rails; ++rail) {
            places_.push_back({.node = node,
                               .rail = rail,
                               .leaf = node / shape.nodes_per_leaf * shape.rails + rail,
                               .uplink = node % shape.uplinks});
        }
    }
}

PairTime SimulatedCluster::run(const PairTest& test, int round, int repetitions) const {
    const auto sender = static_cast<std::uint64_t>(test.sender);
    const auto receiver = static_cast<std::uint64_t>(test.receiver);
    double slowest = 1.0;
    for (const auto& fault : faults_) {
        if (covers(fault.component, places_, test)) slowest = std::min(slowest, fault.rate);
    }
    const auto path = static_cast<std::size_t>(path_of(places_, test));
    const double of_pair =
        noise_.pair_deviation * random_.normal(index_of(Draw::pair, sender, receiver));
    const double of_nics =
        noise_.nic_deviation * (random_.normal(index_of(Draw::nic_out, sender, 0)) +
                                random_.normal(index_of(Draw::nic_in, 0, receiver)));
    const double usual_s = static_cast<double>(simulated_size_bytes) /
                           healthy_rate_bytes_per_s[path] / slowest * std::exp(of_pair + of_nics);
    PairTime time{.test = test, .size_bytes = simulated_size_bytes, .round = round};
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        const auto draw = [&](Draw what) {
            return index_of(what, sender, receiver, static_cast<std::uint64_t>(round),
                            static_cast<std::uint64_t>(repetition));
        };
        double time_s = usual_s * std::exp(noise_.repetition_deviation *
                                           random_.normal(draw(Draw::repetition)));
        if (random_.uniform(draw(Draw::delay)) < noise_.delay_share) {
            time_s *= 1.0 - noise_.mean_delay * std::log1p(-random_.uniform(draw(Draw::length)));
        }
        time.times_s.push_back(time_s);
    }
    return time;
}

std::vector<PairTime> SimulatedCluster::run_round_robin(int repetitions) const {
    std::vector<PairTime> times;
    int number = 0;
    for (const auto& round : round_robin(shape_.nodes)) {
        for (const auto& [first, second] : round) {
            for (int rail = 0; rail < shape_.rails; ++rail) {
                const int one = first * shape_.rails + rail, other = second * shape_.rails + rail;
                times.push_back(run({.sender = one, .receiver = other}, number, repetitions));
                times.push_back(run({.sender = other, .receiver = one}, number, repetitions));
            }
        }
        ++number;
    }
    return times;
}

}  // namespace shardstone::validation
