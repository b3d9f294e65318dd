// SPDX-License-Identifier: BSD-3-Clause
// `shardstone simulate`: predicted times of collectives on a described cluster.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "benchmarks/collectives/simulation/report.hpp"
#include "benchmarks/collectives/simulation/simulation.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/number_option.hpp"
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

Needs neither MPI nor the cluster: the schedules that `shardstone collectives` runs are simulated
event by event. A message of n bytes takes alpha + n / bandwidth of its link class; a rank sends one
message and receives one at a time; reducing a received byte takes 1 / rate. Messages that share a
NIC or the uplinks of a leaf switch share its bandwidth max-min fairly. N ranks are the first N of
the cluster, node by node. Protocols, routing and other jobs are not modelled.

Cluster description: TOML as in jobs/clusters (data sheets and assumptions, each marked as such)
  name, source, nodes, ranks_per_node       measured = true if measured on the machine;
                                            shared_cores = true if ranks shared cores then
  [links.intra_node] [links.inter_node]     alpha_s, bandwidth_gb_s (decimal, one direction), source;
                                            from calibrate also start_s, sizes_bytes, times_s
  [reduction]                               rate_gb_s, source
  [nics]     (optional)                     per_node, bandwidth_gb_s, source; assignment = "block"
                                            or "round_robin"
  [fat_tree] (optional)                     nodes_per_leaf, source; rails, oversubscription,
                                            spine_alpha_s
  [gpus]     (if measured between GPUs)     transport: nccl, pinned, cuda_mpi or ipc; emulated = true
                                            on emulated ones

Columns of the table (all predicted; * marks the fastest at a size)
  predicted   time from the common start to the end of the last rank
  algbw       size / time;  busbw  algbw * 2 (P-1) / P, to be compared with a link's rate
  bytes       sum over all links of the class: a rank's port inside the node (intra_node), a
              NIC (inter_node), the uplinks of one leaf switch (uplink; each of these bytes is also
              counted under inter_node)
  GB/s, busy  rate of the busiest link of the class over the whole time, and its share of the
              capacity: near 100 % it is the bottleneck; if no link is, latency or reduction is

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
    const auto played = [&] {
        return fmt::format("{} of {} points simulated", points.size(), all);
    };
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
    app.add_option("--op", o.op, "Operation; see `shardstone collectives --list`")
        ->capture_default_str();
    app.add_option("--algorithm", o.algorithms,
                   "Names from `shardstone collectives --list`, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--ranks", o.ranks, "Rank counts, e.g. 8,32,128 (default: the whole cluster)")
        ->delimiter(',');
    app.add_option("-b,--minbytes", o.smallest,
                   "Smallest vector in bytes; K, M, G are powers of 1024")
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option("-e,--maxbytes", o.largest, "Largest vector in bytes")
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option("-f,--stepfactor", o.factor, "Factor from one size to the next")
        ->capture_default_str();
    app.add_option("-d,--datatype", o.type, "Element type, e.g. fp32, bf16")->capture_default_str();
    app.add_option("--json", o.json_path, "Write the record, marked as simulated, as JSON");
    declare_force(app);
    return [options] { return run(*options); };
}

const Registration registration({"simulate",
                                 "Simulate collectives on a cluster you lack, from its description",
                                 details, declare, RunsOn::rank_0});

}  // namespace

}  // namespace shardstone::command::simulate_command
