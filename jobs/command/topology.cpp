// SPDX-License-Identifier: BSD-3-Clause
// `shardstone topology`: what the nodes are made of, where they differ, and a nominal description.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "benchmarks/topology/discovery.hpp"
#include "benchmarks/topology/nominal.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/output_names.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/topology_screen.hpp"
#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::command::topology_command {

namespace {

constexpr const char* details = R"(Examples
  srun -N 4 --ntasks-per-node 8 shardstone topology --out cluster.toml --json topology.json
  mpiexec -n 2 shardstone topology
  shardstone simulate --cluster cluster.toml --ranks 8,32

Looks at every node, without loading it: processors, memory, clocks, firmware and settings (hwloc,
/proc and /sys), GPUs and NVLinks (NVML, if NVIDIA's driver is there), network ports with their
nominal rates, PCIe lanes in use and possible, error counters since boot, and of the ranks' processes
the MPI library, shared libraries and the variables that change how they work (UCX_*, NCCL_*, OMP_*,
MPICH_*, LD_PRELOAD ...). Takes about a second.

Asymmetries come first: a node that differs from most, a device below what it can do, a counter of
errors beyond ten times the other nodes'. Each says why it matters and which command shows it.
Those that bend measurements give exit code 1: numbers of ranks, processors, memory (by over 2 %),
clocks, GPUs, NVLinks, network ports, PCIe lanes, kernel, MPI, drivers, libraries, variables,
settings, uncorrected errors and more than ten corrected ones. Firmware, fewer errors, the PCIe
speed of GPUs (lower while idle), and what is the same on all nodes are only noted.

--out writes a cluster description for --cluster of other commands. Its bandwidths are nominal (of
ports, NVLinks and PCIe), its latencies assumptions, and each source says so: it shows what is
there, and `shardstone calibrate` measures how fast that is (`validate interconnect` holds nothing
against a description before). It describes the nodes that are alike in most cases; switches are
not discovered.

Exit code 1: asymmetries that bend measurements. All codes: shardstone --help)";

/// No node has as many hardware threads or GPUs, by far.
constexpr int most_ranks_of_a_node = 4096;

struct Request {
    std::string out, json, hdf5, root, nvml;
    int ranks_per_node = 0;
    int described_ranks = 0;
};

/// One that was named must be there; otherwise nodes may do without.
void require_nvml(const std::string& library) {
    const std::string why = results::read_nvml(library).why_none;
    require(why.empty(), [&] {
        return fmt::format("--nvml {}: {}: give the library that comes with the driver, or off",
                           library, why);
    });
}

/// Empty folders would pass as a machine in which nothing is odd.
void require_machine_in(const std::string& folder, const results::HostFiles& files) {
    for (const auto& needed :
         {files.sys, files.proc / "cpuinfo", files.sys / "devices/system/cpu"}) {
        std::error_code ignored;
        require(std::filesystem::exists(needed, ignored), [&] {
            return fmt::format(
                "--root {}: give a folder that holds another machine's proc and sys: it lacks {}",
                folder, std::filesystem::relative(needed, files.sys.parent_path()).string());
        });
    }
}

/// The files of this rank's node: below --root, where {node} is its number.
results::InventorySource source_of(const Request& request, const collectives::Communicator& world) {
    results::InventorySource source;
    if (!request.nvml.empty()) source.nvml = request.nvml == "off" ? "" : request.nvml;
    if (!request.nvml.empty() && request.nvml != "off") require_nvml(request.nvml);
    if (request.root.empty()) return source;
    std::string folder = request.root;
    constexpr std::string_view place = "{node}";
    if (const auto at = folder.find(place); at != std::string::npos) {
        folder.replace(at, place.size(), std::to_string(world.topology().node_of(world.rank())));
    }
    const auto root = std::filesystem::absolute(folder);
    source.files = {root / "proc", root / "sys"};
    require_machine_in(folder, source.files);
    if (request.nvml.empty()) source.nvml.clear();  // it knows the GPUs here
    return source;
}

results::Check described_check(const benchmarks::Discovery& discovery) {
    const auto nothing = std::ranges::find_if(
        discovery.nodes, [](const auto& node) { return !(node.hardware_threads > 0.0); });
    const bool passed = nothing == discovery.nodes.end();
    return {"every node described its processors", passed,
            passed ? fmt::format("{} facts of {} nodes", discovery.found.facts.size(),
                                 discovery.nodes.size())
                   : "nothing of " + nothing->host};
}

results::Record record_of(const Request& request, const benchmarks::Discovery& discovery,
                          const collectives::Communicator& world) {
    auto record = new_run_record("topology", "Nodes and devices", world);
    record.configuration = {{"ranks_per_node", request.ranks_per_node},
                            {"describe_ranks", request.described_ranks},
                            {"root", request.root},
                            {"nvml", request.nvml}};
    record.samples = {table_of(discovery.found.facts), table_of(discovery.found.devices),
                      table_of(discovery.found.links)};
    record.derived = {table_of(discovery.asymmetries), table_of(discovery.nodes)};
    record.verification.push_back(described_check(discovery));
    return record;
}

/// The file, once it is known to be read as what was meant.
std::string description_text(const Request& request, const benchmarks::Discovery& discovery) {
    const auto nominal = benchmarks::nominal_description(discovery, request.described_ranks);
    const std::string text = benchmarks::nominal_toml(discovery, nominal);
    require(collectives::parse_cluster(text, request.out) == nominal,
            "the description is not read back as it was written: this is an error of Shardstone");
    return text;
}

void print_what_was_written(const Request& request) {
    if (request.out.empty()) return;
    fmt::print(
        "\nDescription written to {}: rates are nominal and latencies assumed; shardstone "
        "calibrate "
        "measures them\n",
        request.out);
}

int look(const Request& request, collectives::Communicator& world) {
    if (request.ranks_per_node > 0) {
        world.declare_topology(
            collectives::Topology::blocked(world.size(), request.ranks_per_node));
    }
    const auto source = world.agree([&] {
        if (world.is_root()) require_outputs_writable({request.out, request.json, request.hdf5});
        return source_of(request, world);
    });
    ProgressLine progress(world.is_root(), "looking at the nodes");
    const auto discovery = benchmarks::discover(world, source);
    end_health(world);
    world.agree([&] {
        if (!world.is_root()) return;
        fmt::print("{}\n\n", world.topology().description());
        print_discovery(discovery);
        write_each({[&] {
                        if (request.out.empty()) return;
                        results::write_file(request.out, description_text(request, discovery));
                        print_what_was_written(request);
                    },
                    [&] {
                        write_record(record_of(request, discovery, world), request.json,
                                     request.hdf5);
                    }});
    });
    const bool bends = world.max(discovery.bending()) > 0.0;
    return number_of(bends ? ExitCode::check_failed : ExitCode::well);
}

int run(const Request& request) {
    return run_recorded([&](collectives::Communicator& world) { return look(request, world); });
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    Request& r = *request;
    mark_output(app.add_option("-o,--out", r.out,
                               "Output file for a nominal cluster description, in TOML"));
    app.add_option("--json", r.json, "write the record as JSON to this file");
    app.add_option("--hdf5", r.hdf5, "write the record as HDF5 to this file");
    declare_force(app);
    constexpr int most = collectives::most_ranks;
    app.add_option("--ranks-per-node", r.ranks_per_node,
                   "Emulate nodes of this many ranks; 0: nodes as found")
        ->check(whole_number(0, most))
        ->capture_default_str();
    app.add_option("--describe-ranks", r.described_ranks,
                   "Ranks per node in the description; 0: one per GPU, without GPUs as started")
        ->check(whole_number(0, most_ranks_of_a_node))
        ->capture_default_str();
    app.add_option("--root", r.root,
                   "Look at another machine's proc and sys in this folder; {node}: number of the "
                   "node");
    app.add_option("--nvml", r.nvml,
                   "NVIDIA's management library, or off (default: libnvidia-ml.so.1, with --root "
                   "off)");
    return [request] {
        require(request->described_ranks == 0 || !request->out.empty(),
                "--describe-ranks says what a description holds: add --out FILE, which is written");
        return run(*request);
    };
}

const Registration registration({"topology", "Describe nodes and devices, and where nodes differ",
                                 details, declare});

}  // namespace

}  // namespace shardstone::command::topology_command
