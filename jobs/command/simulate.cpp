// SPDX-License-Identifier: BSD-3-Clause
// `shardstone simulate`: what collectives would take on a described cluster.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "benchmarks/collectives/simulation/report.hpp"
#include "benchmarks/collectives/simulation/simulation.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"

namespace shardstone::command::simulate_command {

namespace {

using namespace benchmarks;

constexpr const char* details = R"(Examples
  shardstone simulate --cluster jobs/clusters/dgx-h100-rails.toml --ranks 8,32,128,1024
  shardstone simulate --cluster jobs/clusters/ethernet-one-nic.toml --ranks 64 -b 1M -e 1M
      --algorithm ring,hierarchical:ring/ring,rabenseifner
  shardstone simulate --cluster jobs/clusters/fat-tree-4to1.toml --ranks 512 --json predicted.json

It needs no MPI and no cluster: the same schedules that `shardstone collectives` runs are played
through event by event. A message of n bytes takes alpha + n / bandwidth of its link class; a rank
sends one message and receives one at a time; a received byte takes 1 / rate to reduce. Messages
that share a NIC or the uplinks of a leaf switch share its bandwidth max-min fairly. N ranks are the
first N of the cluster, node after node. Nothing here knows of protocols, routing or other jobs.

Describing a cluster: TOML as in jobs/clusters, which are data sheets and assumptions, each marked.
  name, source, nodes, ranks_per_node       measured = true where the figures are from the machine
                                            shared_cores = true where ranks shared cores then
  [links.intra_node] [links.inter_node]     alpha_s, bandwidth_gb_s (decimal, one direction), source
                                            and what calibrate adds: start_s, sizes_bytes, times_s
  [reduction]                               rate_gb_s, source
  [nics]     (may be left out)              per_node, bandwidth_gb_s, source; assignment = "block"
                                            or "round_robin"
  [fat_tree] (may be left out)              nodes_per_leaf, source; rails, oversubscription,
                                            spine_alpha_s

Reading the table (all of it is predicted; * marks the fastest of a size)
  predicted   from the common start until the last rank has finished
  algbw       size / time;  busbw  algbw * 2 (P-1) / P, to be held against a link's rate
  bytes       over all links of the class together: a rank's port inside the node (intra_node), a
              NIC (inter_node), the uplinks of one leaf switch (uplink; of these bytes each is
              counted under inter_node, too)
  GB/s, busy  of the busiest link of the class over the whole time, and as a part of its capacity:
              near 100 % it is the bottleneck, and where none is, latency or reduction is

Checks: a proof of every schedule, and that the links carry the bytes that it sends.
Exit code 1: a check failed. All codes: shardstone --help)";

int run(const SimulationOptions& options) {
    const SimulationPlan plan =
        plan_simulation(options, collectives::read_cluster(options.cluster_path));
    require_outputs_writable({options.json_path}, {options.cluster_path});
    results::Record record = begin_record(options, plan, command_line());
    std::fputs(simulation_heading(plan).c_str(), stdout);
    std::vector<SimulatedPoint> points;
    const std::size_t all = plan.ranks.size() * plan.sizes_bytes.size() * plan.algorithms.size();
    const auto played = [&] { return fmt::format("{} of {} points played", points.size(), all); };
    ProgressLine progress(true, played());
    run_simulation(plan, [&](const SimulatedGroup& group) {
        std::fputs(simulation_rows(group).c_str(), stdout);
        std::fflush(stdout);
        points.insert(points.end(), group.begin(), group.end());
        progress.told(played());
    });
    complete_record(plan, points, record);
    write_record(record, options.json_path, {});
    const auto passed = std::ranges::count(record.verification, true, &results::Check::passed);
    fmt::print("\nChecks: {} of {} passed\n", passed, record.verification.size());
    return record.verified() ? 0 : 1;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<SimulationOptions>();
    SimulationOptions& o = *options;
    app.add_option("--cluster", o.cluster_path, "Cluster description in TOML")->required();
    app.add_option("--op", o.op, "Operation, see `shardstone collectives --list`")
        ->capture_default_str();
    app.add_option("--algorithm", o.algorithms,
                   "Names from `shardstone collectives --list`, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--ranks", o.ranks, "Rank counts, e.g. 8,32,128; none: all of the cluster")
        ->delimiter(',');
    app.add_option("-b,--minbytes", o.smallest, "Smallest vector in bytes; K, M, G are binary")
        ->capture_default_str();
    app.add_option("-e,--maxbytes", o.largest, "Largest vector in bytes")->capture_default_str();
    app.add_option("-f,--stepfactor", o.factor, "Factor from one size to the next")
        ->capture_default_str();
    app.add_option("-d,--datatype", o.type, "Element type, e.g. fp32, bf16")->capture_default_str();
    app.add_option("--json", o.json_path, "Write the record, marked as simulated, as JSON");
    declare_force(app);
    return [options] { return run(*options); };
}

const Registration registration({"simulate",
                                 "Predict collectives on a described cluster, without it", details,
                                 declare, RunsOn::rank_0});

}  // namespace

}  // namespace shardstone::command::simulate_command
