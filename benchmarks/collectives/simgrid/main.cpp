// SPDX-License-Identifier: BSD-3-Clause
// Our event engine against SimGrid on one described cluster, all-reduce:
//   simgrid_comparison CLUSTER.toml [ALGORITHM,... [BANDWIDTH_FACTOR]]
// prints both times and their ratio for every algorithm, rank count and size. A factor other than 1
// plants an error in SimGrid's bandwidths. Exit code 1 when any two times differ by more than the
// bound or a sum is wrong, 2 for bad input.
//
// The default algorithms never have more than one message at a port. Where several meet there
// (double_binary_tree, k_nomial, multi_ring), the two differ by up to 39 %: our engine serves them
// first come, first served, SimGrid side by side at equal shares of the bandwidth. That is not all
// of it: with one message at a time in SimGrid, too, most come closer and some do not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/collectives/simgrid/simulated_ranks.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace {

using namespace shardstone;

constexpr double bound = 1e-3;

constexpr const char* one_message_at_a_port =
    "ring,recursive_doubling,rabenseifner,binomial_tree,swing,hierarchical:ring/ring";

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream rest(list);
    for (std::string word; std::getline(rest, word, ',');) words.push_back(word);
    return words;
}

benchmarks::SimulationPlan plan_for(const char* cluster_path, const std::string& algorithms) {
    benchmarks::SimulationOptions options;
    options.algorithms = words_of(algorithms);
    options.ranks = {"8", "32", "128"};
    auto plan = benchmarks::plan_simulation(options, collectives::read_cluster(cluster_path));
    plan.sizes_bytes = {1 << 10, 1 << 20, 1 << 26};
    return plan;
}

double factor_of(const char* word) {
    char* end = nullptr;
    const double factor = std::strtod(word, &end);
    require(end != word && *end == '\0' && factor > 0.01 && factor < 100.0, [&] {
        return fmt::format("bandwidth factor {}: give a number from 0.01 to 100", word);
    });
    return factor;
}

int compare(const benchmarks::SimulationPlan& plan, double bandwidth_factor) {
    const auto points = benchmarks::run_in_simgrid(plan, bandwidth_factor);
    fmt::print("{}, all_reduce, fp32: our event engine against SimGrid (SMPI)\n",
               plan.cluster.name);
    fmt::print("{:>5} {:>8} {:24} {:>14} {:>14} {:>10}\n", "ranks", "size", "algorithm",
               "engine us", "SimGrid us", "ratio");
    double worst = 0.0;
    int outside = 0;
    for (const auto& point : points) {
        const double ours_s =
            simulate_point(plan, collectives::find_algorithm(*plan.operation, point.algorithm),
                           point.ranks, point.size_bytes)
                .simulated.time_s;
        const double ratio = ours_s / point.time_s;
        const double difference = std::abs(ratio - 1.0);
        worst = std::max(worst, difference);
        outside += difference <= bound ? 0 : 1;
        fmt::print("{:>5} {:>8} {:24} {:>14.3f} {:>14.3f} {:>10.6f}{}\n", point.ranks,
                   format_size(point.size_bytes), point.algorithm, ours_s * 1e6, point.time_s * 1e6,
                   ratio, difference <= bound ? "" : "  OUTSIDE");
    }
    fmt::print("{} of {} outside {:.1f} %; largest difference {:.5f} %\n", outside, points.size(),
               bound * 100.0, worst * 100.0);
    return outside > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        require(argc >= 2 && argc <= 4,
                "usage: simgrid_comparison CLUSTER.toml [ALGORITHM,... [BANDWIDTH_FACTOR]]");
        return compare(plan_for(argv[1], argc > 2 ? argv[2] : one_message_at_a_port),
                       argc > 3 ? factor_of(argv[3]) : 1.0);
    } catch (const Error& error) {
        fmt::print(stderr, "simgrid_comparison: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "simgrid_comparison: {}\n", error.what());
        return 1;
    }
}
