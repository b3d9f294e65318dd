// SPDX-License-Identifier: BSD-3-Clause
// `shardstone calibrate`: measures the machine at hand and writes its description.
#include "benchmarks/collectives/calibration/calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/collectives/sweep/selection.hpp"
#include "collectives/cluster/description_seal.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/reduction/reduction.hpp"
#include "collectives/session/session.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/preflight.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/exit_code.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::command::calibrate_command {

namespace {

using namespace benchmarks;

constexpr const char* details = R"(Examples
  mpiexec -n 2 shardstone calibrate -o machine.toml
  mpiexec -n 2 shardstone collectives --algorithm all --cluster machine.toml
  mpiexec -n 8 shardstone calibrate --device cuda -o gpus.toml
  mpiexec -n 8 shardstone collectives --device cuda --cluster gpus.toml
  srun -N 4 --ntasks-per-node 8 shardstone calibrate -o cluster.toml
  shardstone simulate --cluster cluster.toml --ranks 8,32

Measurements, on all ranks at once, over sizes from 8 bytes by factors of 4
  links       time of a message: ring shifts inside every node, and between one rank of each node,
              over MPI; inside nodes also through shared memory
  nics        what the ranks of a node send to others together, if they surely share that
  reduction   time to reduce received bytes into a vector
  direct      whole collectives on the same number of ranks (--op): the MPI library's own and those
              on shared vectors, which have no schedule to predict from, and those that the measured
              links predict to be fastest; auto chooses by these
The result is a cluster description, sealed against changes: the curves, and alpha and bandwidth
fitted to them with 95 % intervals (bootstrap). Commands that read it (--cluster) interpolate
between the sizes. It is valid for this many ranks per core: with more or fewer, calibrate again. If
other programs took over 5 % of the cores, it is repeated, up to three times in all; the quietest
counts, and its source says if even that was disturbed. Stopped by SIGINT or SIGTERM after its first
try, calibrate writes the quietest that is complete (exit code 130), otherwise nothing.

With --device cuda, vectors are in memory of each rank's GPU; messages go --over nccl (sends and
receives of NCCL in groups), pinned (MPI, through pinned memory of the host), cuda_mpi (an MPI that
takes memory of GPUs) or ipc (copies from GPU to GPU of one host), and reductions are those of the
GPU. No whole collectives are measured (--op). The description names that way, and says if the GPUs
were emulated: it is for predictions of algorithms over it by collectives --device cuda, for simulate,
and, over nccl, for predictions of steps by train --dry-run --device cuda. What predicts messages
between cores refuses it, as --device cuda refuses one measured between cores.

How long it takes: every size of a link, a reduction and an algorithm takes --seconds at most, or
ten messages if they take longer; some minutes with all operations. Fewer of these (--op) and a
smaller --largest make it shorter; with fewer --seconds intervals are wider, and traffic that is
predicted from them may stay undecided.

Exit codes: shardstone --help)";

struct Request {
    CalibrationOptions options;
    std::vector<std::string> operations{"all"};
    std::string largest = "64M", type = "fp32", reduction = "sum", output = "machine.toml";
    std::string device = "cpu", over = "nccl";
    int ranks_per_node = 0;
    bool on_gpus() const { return device == "cuda"; }
};

/// The way of messages between GPUs that is to be measured. There is a GPU.
const collectives::Transport* over_gpus(const std::string& name) {
    std::vector<std::string> names;
    for (const collectives::Transport* one : collectives::transports()) {
        if (!one->obstacle) continue;  // of cores
        if (one->name == name) return one;
        names.push_back(one->name);
    }
    fail(fmt::format("--over {}: there is no such way between GPUs: give one of {}", name,
                     fmt::join(names, ", ")));
}

CalibrationOptions options_of(const Request& request) {
    CalibrationOptions options = request.options;
    SweepOptions names;
    names.operations = request.operations;
    for (const auto& one : selected_operations(names))
        options.operations.push_back(one.operation->name);
    options.largest_bytes = parse_size_bytes(request.largest);
    constexpr std::int64_t least = 64;
    require(options.largest_bytes >= least, [&] {
        return fmt::format(
            "--largest {}: give at least {} bytes, so that there are enough sizes for a fit",
            request.largest, least);
    });
    require(options.seconds_per_size > 0.0 && options.seconds_per_size <= 60.0, [&] {
        return fmt::format("--seconds {}: give a time above 0 and at most 60",
                           options.seconds_per_size);
    });
    require(request.ranks_per_node >= 0, [&] {
        return fmt::format("--ranks-per-node {}: give at least 1, or 0 for the nodes as found",
                           request.ranks_per_node);
    });
    options.type = parse_element_type(request.type);
    options.reduction = collectives::parse_reduction(request.reduction);
    if (!request.on_gpus()) return options;
    require(options.reduction != collectives::Reduction::avg,
            "--reduction avg with --device cuda: no average between GPUs is measured; give sum, "
            "max or min");
    options.operations.clear();
    return options;
}

/// Every rank chooses its GPU, and all the way between them. Collective.
void choose_gpus(const Request& request, CalibrationOptions& options,
                 collectives::Communicator& world) {
    options.over = world.agree([&] {
        require_gpu();
        return over_gpus(request.over);
    });
    const std::string why = options.over->obstacle(world);
    world.agree(
        [&] { require(why.empty(), [&] { return "--over " + request.over + ": " + why; }); });
    tell_gpus(world);
    const double sharing = world.max(static_cast<double>(collectives::used_gpus().most_sharing));
    world.agree([&] {
        require_room_on_gpu("--largest " + request.largest, options.largest_bytes,
                            static_cast<int>(sharing), options.over->kept_vectors);
    });
}

int calibrate_and_write(const Request& request, CalibrationOptions options,
                        collectives::Communicator& world) {
    if (request.ranks_per_node > 0) {
        world.declare_topology(
            collectives::Topology::blocked(world.size(), request.ranks_per_node));
    }
    world.agree([&] {
        require_links(world);
        require_memory("--largest " + request.largest, options.largest_bytes,
                       world.topology().largest_node());
        if (world.is_root()) require_outputs_writable({request.output});
    });
    if (request.on_gpus()) choose_gpus(request, options, world);
    enter_phase("calibrating");
    catch_interrupts("this size");
    ProgressLine progress(world.is_root(), "measuring links");
    const auto calibration = calibrate_watched(world, options, [&](const std::string& what) {
        if (any_interrupted(world)) throw CalibrationStopped();
        progress.say(what);
    });
    world.agree([&] {
        if (!world.is_root()) return;
        results::write_file(request.output,
                            collectives::sealed(collectives::to_toml(calibration.cluster)));
    });
    if (world.is_root()) {
        fmt::print("{}# written to {}\n", calibration_lines(calibration), request.output);
    }
    if (!calibration.stopped) return 0;
    if (world.is_root()) {
        say_failure("stopped by SIGINT or SIGTERM: of the tries before, the quietest was kept",
                    /*with_rank=*/false);
    }
    return number_of(ExitCode::interrupted);
}

int calibrate_unless_stopped(const Request& request, const CalibrationOptions& options,
                             collectives::Communicator& world) {
    try {
        return calibrate_and_write(request, options, world);
    } catch (const CalibrationStopped&) {
        if (world.is_root()) {
            say_failure("stopped by SIGINT or SIGTERM: nothing is written, as no try was complete",
                        /*with_rank=*/false);
        }
        return number_of(ExitCode::interrupted);
    }
}

int run(const Request& request) {
    const CalibrationOptions options = options_of(request);
    return collectives::run_session([&](collectives::Communicator& world) {
        run_preflight(world);
        return calibrate_unless_stopped(request, options, world);
    });
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    Request& r = *request;
    app.add_option("-o,--output", r.output, "Output file for the description, in TOML")
        ->capture_default_str();
    declare_force(app);
    app.add_option("--op", r.operations, "Operations whose likely algorithms are measured, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--device", r.device, "cpu: messages between cores; cuda: between GPUs")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->capture_default_str();
    app.add_option("--over", r.over, "Way of messages between GPUs: nccl, pinned, cuda_mpi, ipc")
        ->capture_default_str();
    app.add_option("--largest", r.largest, "Largest vector, and largest message, in bytes")
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option("-d,--datatype", r.type, "Element type")->capture_default_str();
    app.add_option("--reduction", r.reduction, "Reduction")->capture_default_str();
    app.add_option("--seconds", r.options.seconds_per_size,
                   "Time per size of a link or algorithm, or ten messages if they take longer")
        ->capture_default_str();
    app.add_option("--ranks-per-node", r.ranks_per_node,
                   "Emulate nodes of this many ranks; 0: nodes as found")
        ->capture_default_str();
    return [request, op = app.get_option("--op"), over = app.get_option("--over")] {
        require(over->count() == 0 || request->on_gpus(), [&] {
            return fmt::format("--over {}: it is a way between GPUs: add --device cuda",
                               request->over);
        });
        require(op->count() == 0 || !request->on_gpus(),
                "--op with --device cuda: whole collectives are measured for auto, which chooses "
                "among those of cores; omit it");
        return run(*request);
    };
}

const Registration registration({"calibrate",
                                 "Measure this machine's links and write its description", details,
                                 declare});

}  // namespace

}  // namespace shardstone::command::calibrate_command
