// SPDX-License-Identifier: BSD-3-Clause
// shardstone probe: what this machine is, and what one of its cores can do at most.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>

#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/kernels/machine_rates.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/units.hpp"
#include "results/record/environment.hpp"

namespace shardstone::command::probe_command {

namespace {

using nlohmann::json;

struct Options {
    std::string json;
    std::string hdf5;
};

constexpr int roofline_calls = 4;

void line(const char* name, const std::string& text) {
    fmt::print("{:<18}{}\n", name, text);
}

void print_machine(const json& environment) {
    const auto& machine = environment.at("machine");
    const auto text = [&](const char* key) { return machine.at(key).get<std::string>(); };
    const auto number = [&](const char* key) { return machine.at(key).get<std::int64_t>(); };
    line("Host", fmt::format("{} ({}, {})", text("host"), text("kernel"), text("architecture")));
    line("CPU", text("cpu"));
    line("Cores", fmt::format("{} in {}, {}, {} usable by this rank", number("cores"),
                              counted(number("packages"), "package"),
                              counted(number("hardware_threads"), "hardware thread"),
                              number("usable_threads")));
    const std::string caches = results::caches_in_words(machine);
    line("Caches", caches.empty() ? "unknown" : caches);
    line("Memory", fmt::format("{} in {}", format_size(number("memory_bytes")),
                               counted(number("numa_nodes"), "NUMA node")));
    const auto& kernels = environment.at("kernels");
    line("Instructions", kernels.at("instruction_set").get<std::string>());
    line("Matrix products", kernels.at("matrix_product").get<std::string>());
    line("MPI", environment.at("mpi").get<std::string>());
    const auto& gpus = environment.at("gpus");
    line("GPUs", gpus.empty() ? fmt::format("none ({})", collectives::list_devices().why_none)
                              : fmt::format("{} x {}", gpus.size(),
                                            gpus.front().at("name").get<std::string>()));
    for (const auto& [node, ranks] : environment.at("ranks_per_node").items()) {
        line("Ranks", fmt::format("{} on {}", ranks.get<int>(), node));
    }
}

void print_rates(const benchmarks::MachineRates& rates) {
    const auto& seen = rates.watched.surroundings;
    const auto rate = [&](const char* name, const char* unit, const benchmarks::BestOf& of) {
        line(name, fmt::format("{:.3g} {} (best of {}, least {:.3g}) {}", of.best() / 1e9, unit,
                               of.samples.size(), of.least() / 1e9, disturbance_mark(seen)));
    };
    rate("Peak of a core", "GFLOP/s fp32", rates.peak_flop_s);
    rate("", "GFLOP/s bf16 products, by the fastest method", rates.bf16_flop_s);
    rate("", "GFLOP/s fp64", rates.fp64_flop_s);
    rate("", "Gop/s of any kind, fp32", rates.operations_s);
    rate("Memory of a core", "GB/s", rates.bandwidth_b_s);
    line("Balance", fmt::format("{:.3g} FLOP per byte: a kernel with fewer is memory-bound",
                                rates.peak_gflop_s() / rates.bandwidth_gb_s()));
    fmt::print("{}", benchmarks::disturbance_note({seen}, "measurement"));
}

/// Hardware threads as hwloc found them and as the kernel counts them.
results::Check topology_check(const json& machine) {
    const auto found = machine.at("hardware_threads").get<long>();
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return {"hwloc and the kernel agree on the hardware threads", found == online,
            fmt::format("{} and {}", found, online)};
}

json ranks_per_node(const collectives::Communicator& world) {
    std::map<std::string, int> counts;
    for (const auto& node : world.gather(collectives::node_name())) ++counts[node];
    return counts;
}

json gpus() {
    json all = json::array();
    for (const auto& device : collectives::list_devices().devices) {
        all.push_back({{"name", device.name}, {"memory_bytes", device.memory_bytes}});
    }
    return all;
}

/// On rank 0, while the others wait for it with their cores given away.
int probe(const Options& options, const json& nodes, const collectives::Communicator& world) {
    auto record = new_run_record("probe", "Machine probe", world);
    record.configuration = {{"roofline_calls", roofline_calls}};
    record.environment["ranks_per_node"] = nodes;
    record.environment["gpus"] = gpus();
    print_machine(record.environment);
    std::fflush(stdout);
    benchmarks::Watch watch;
    ProgressLine progress(true, "measuring one core");
    const auto rates = benchmarks::measure_machine_rates(
        roofline_calls, watch, [&](const std::string& what) { progress.say(what); });
    print_rates(rates);
    record.samples.push_back(benchmarks::machine_samples(rates));
    record.samples.push_back(benchmarks::surroundings_table(watch.log()));
    record.derived.push_back(benchmarks::machine_table(rates));
    record.verification = benchmarks::machine_checks(rates);
    record.verification.push_back(topology_check(record.environment.at("machine")));
    for (const auto& check : record.verification) {
        line(check.passed ? "Check passed" : "Check FAILED",
             fmt::format("{} ({})", check.name, check.detail));
    }
    write_record(record, options.json, options.hdf5);
    return record.verified() ? 0 : 1;
}

int run(const Options& options) {
    return run_recorded([&](collectives::Communicator& world) {
        const json nodes = ranks_per_node(world);
        const int code = world.agree([&] {
            if (!world.is_root()) return 0;
            require_outputs_writable({options.json, options.hdf5});
            return probe(options, nodes, world);
        });
        return static_cast<int>(world.max(code));
    });
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("--json", options->json, "write the record as JSON to this file");
    app.add_option("--hdf5", options->hdf5, "write the record as HDF5 to this file");
    declare_force(app);
    return [options] { return run(*options); };
}

constexpr const char* details = R"(Examples
  shardstone probe
  mpiexec -n 8 shardstone probe --json probe.json      also shows the ranks of each node

The rates are the best of several calls on one core, since other work on the machine can only lower
them; every call is in the record. Peaks are those of multiply-adds on registers; that of BF16
products is the peak of the fastest method: the processor's dot products, a matrix product, or its
FP32 multiply-adds after widening, which are faster than the dot products on some processors. The
memory rate is that of a = a + b over arrays far larger than the caches. It is reported if other
programs, or the hypervisor, took over 5 % of the cores in each of up to three tries.

Exit code 1: a check failed (also in the record). All codes: shardstone --help)";

const Registration registration{
    {"probe", "Describe this machine and measure the peaks of one core", details, declare}};

}  // namespace

}  // namespace shardstone::command::probe_command
