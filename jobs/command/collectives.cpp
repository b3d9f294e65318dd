// SPDX-License-Identifier: BSD-3-Clause
// `shardstone collectives`: measures, checks and predicts collectives over a range of sizes.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "benchmarks/collectives/sweep.hpp"
#include "benchmarks/collectives/sweep_record.hpp"
#include "benchmarks/collectives/sweep_table.hpp"
#include "collectives/cluster/session.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::command {

namespace {

using namespace benchmarks;

constexpr const char* details = R"(Examples
  mpiexec -n 8 shardstone collectives --op all_reduce --algorithm all -b 4 -e 4M -f 8 -d fp32
  mpiexec -n 8 shardstone collectives --algorithm ring,mpi -b 1M -e 64M -f 2 -n 50 --json ring.json
  mpiexec -n 8 shardstone collectives --algorithm hierarchical:ring/rabenseifner --ranks-per-node 4
  shardstone collectives --list

Reading the table
  time       median over the iterations of the slowest rank's time; every sample is in the record
  algbw      size / time: what the application sees
  busbw      algbw * 2 (P-1) / P: what each link must have carried at the least. It does not shrink
             with the number of ranks, so hold it against the rate of the slowest link; an algorithm
             that sends more than the least (see --list) can never reach that rate
  predicted  the cost model plays the algorithm's schedule through alpha + n beta per message and
             gamma per byte reduced. These are measured first, by ring shifts over all ranks at once
             with the same executor and as many ranks per core, and by a local reduction
  sent/rank  bytes handed to MPI by the rank that sent the most, per run
  checked    exact: after timing, the same buffer and the same prepared collective were run again
             (-c times) on inputs whose result is exact in the type, and every element on every rank
             was right
The rival, mpi, is timed as users call it: the blocking MPI_Allreduce.

Exit codes: 0 all well, 1 wrong results (also in the record), 2 bad input or environment.)";

struct Request {
    SweepOptions options;
    bool list = false;
};

void print(const collectives::Communicator& world, const std::string& text) {
    if (!world.is_root()) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

void write(const results::Record& record, const SweepOptions& options,
           const collectives::Communicator& world) {
    world.agree([&] {
        if (world.is_root()) write_record(record, options.json_path, options.hdf5_path);
    });
}

void require_outputs(const SweepOptions& options, const collectives::Communicator& world) {
    world.agree([&] {
        if (world.is_root()) require_outputs_writable({options.json_path, options.hdf5_path});
    });
}

/// Says on stderr how far a long sweep is, every few seconds.
class ProgressLine {
  public:
    ProgressLine(const collectives::Communicator& world, std::size_t points)
        : speaks_(world.is_root()), points_(points) {}

    void point_done() {
        ++done_;
        constexpr double every_s = 5.0;
        if (!speaks_ || now_s() - last_s_ < every_s) return;
        last_s_ = now_s();
        fmt::print(stderr, "shardstone: {} of {} points measured\n", done_, points_);
    }

  private:
    bool speaks_;
    std::size_t points_;
    std::size_t done_ = 0;
    double last_s_ = now_s();
};

int sweep(const SweepOptions& options, SweepPlan plan, collectives::Communicator& world) {
    using collectives::Topology;
    if (options.ranks_per_node > 0) {
        world.declare_topology(Topology::blocked(world.size(), options.ranks_per_node));
    }
    leave_out_unreachable(options, world.topology(), plan);
    require_outputs(options, world);
    results::Record record = begin_record(options, world, command_line());
    ProgressLine progress(world, plan.algorithms.size() * plan.sizes_bytes.size());
    SweepObserver observer;
    observer.calibrated = [&](const collectives::CostParameters& costs) {
        print(world, costs_line(costs) + table_heading(options, world.topology()));
    };
    observer.measured = [&](const SweepPoint& point) {
        print(world, table_row(point));
        progress.point_done();
    };
    const Sweep result = run_sweep(world, options, plan, observer);
    print(world, table_findings(result));
    complete_record(result, options, record);
    write(record, options, world);
    return result.passed() ? 0 : 1;
}

int run(const Request& request) {
    if (request.list) {
        if (collectives::launcher_rank() == 0) std::fputs(list_of_algorithms().c_str(), stdout);
        return 0;
    }
    const SweepPlan plan = plan_sweep(request.options);
    return collectives::run_session(
        [&](collectives::Communicator& world) { return sweep(request.options, plan, world); });
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    SweepOptions& o = request->options;
    app.add_option("--op", o.op, "Collective: all_reduce")->capture_default_str();
    app.add_option("--algorithm", o.algorithms, "Names from --list, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("-b,--minbytes", o.smallest, "Smallest vector in bytes; K, M, G are binary")
        ->capture_default_str();
    app.add_option("-e,--maxbytes", o.largest, "Largest vector in bytes")->capture_default_str();
    app.add_option("-f,--stepfactor", o.factor, "Factor from one size to the next")
        ->capture_default_str();
    app.add_option("-n,--iters", o.iterations,
                   "Timed iterations; 0: until the interval is within 5 %, at least 10")
        ->capture_default_str();
    app.add_option("-w,--warmup_iters", o.warmup, "Warm-up iterations; -1: until times settle")
        ->capture_default_str();
    app.add_option("-c,--check", o.checks, "Runs per point whose every element is checked; 0: none")
        ->capture_default_str();
    app.add_option("-d,--datatype", o.type, "fp32, fp64, bf16, fp16")->capture_default_str();
    app.add_option("-o,--reduction", o.reduction, "sum, max, min")->capture_default_str();
    app.add_option("--seconds", o.seconds_per_point, "Time limit per point where -n is 0")
        ->capture_default_str();
    app.add_option("--ranks-per-node", o.ranks_per_node,
                   "Pretend nodes of so many ranks; 0: nodes as found")
        ->capture_default_str();
    app.add_option("--json", o.json_path, "Write the record as JSON");
    app.add_option("--hdf5", o.hdf5_path, "Write the record as HDF5");
    app.add_flag("--list", request->list, "List the algorithms and end");
    return [request] { return run(*request); };
}

const Registration registration({"collectives",
                                 "Measure, check and predict collectives over a range of sizes",
                                 details, declare});

}  // namespace

}  // namespace shardstone::command
