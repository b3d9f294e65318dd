// SPDX-License-Identifier: BSD-3-Clause
// `shardstone collectives`: measures, checks and predicts collectives over a range of sizes.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "benchmarks/collectives/calibration/calibrate.hpp"
#include "benchmarks/collectives/sweep/findings.hpp"
#include "benchmarks/collectives/sweep/list.hpp"
#include "benchmarks/collectives/sweep/record.hpp"
#include "benchmarks/collectives/sweep/sweep.hpp"
#include "benchmarks/collectives/sweep/table.hpp"
#include "collectives/cluster/session.hpp"
#include "jobs/command/collectives_accuracy.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::command {

namespace {

using namespace benchmarks;

constexpr const char* details = R"(Examples
  mpiexec -n 8 shardstone collectives --op all_reduce --algorithm all -b 4 -e 4M -f 8 -d fp32
  mpiexec -n 8 shardstone collectives --op all_gather,reduce_scatter --in-place both -d bf16
  mpiexec -n 8 shardstone collectives --algorithm ring,mpi -b 1M -e 64M -f 2 -n 50 --json ring.json
  mpiexec -n 8 shardstone collectives --algorithm hierarchical:ring/rabenseifner --ranks-per-node 4
  mpiexec -n 2 shardstone collectives --algorithm ring,mpi --noise-floor --rotate auto -e 64M
  mpiexec -n 8 shardstone collectives --accuracy --op all --types fp32,bf16
  shardstone collectives --list

What is measured
  size       of the whole vector, as in nccl-tests: what each rank has before an all-reduce or an
             all-to-all, and after an all-gather. Rounded, where there are shares, to the nearest
             one that divides into them; the table shows the size that was run
  in place   input and output are one buffer, as training has them. auto: so, but for all-to-all
             and the point-to-point patterns, where that costs copies. nccl-tests' pair is both
  rotation   off: every iteration has the same buffers, as with nccl-tests and OSU, so that small
             vectors come from cache. auto: iterations work through so many buffers that those of
             the ranks of a node are twice its last-level caches

Reading the table
  time       median over the iterations of the time from when the last rank has started until the
             last rank has finished, where one kernel runs all ranks (they have one clock);
             otherwise of the longest time since a rank's own start. Every sample is in the record,
             by both rules. An operation in which nobody waits for the last rank (a broadcast to it)
             may have done much before: look at skew
  mean       of the same times: what IMB and OSU print. Slow iterations weigh in it, so at small
             sizes it lies above the median, by much where a few are very slow
  p95, p99   percentiles of that time; - where fewer than 10 samples lie beyond them (give -n)
  skew       median of the time from the first rank's start to the last one's: how far apart they
             come off the start line, most of all with more ranks than cores. No part of time;
             - where ranks have no common clock
  algbw      size / time: what the application sees
  busbw      algbw times a factor of the operation, 2 (P-1) / P for an all-reduce: what the busiest
             link must have carried at the least. It does not shrink with the number of ranks, so
             hold it against the rate of the slowest link; an algorithm that sends more than the
             least (see --list) can never reach that rate
  predicted  the cost model plays the algorithm's schedule through, with what messages and
             reductions of each size take. That is in the cluster description (--cluster), or is
             measured first: ring shifts over all ranks at once, with the same executor and as many
             ranks per core, and a local reduction. The row of auto says what it took, and why
  sent/rank  bytes handed to MPI by the rank that sent the most, per run
  in node, between   with several nodes: bytes that the schedule has a rank send to its own node and
             to others, the most of any rank each, and that over time
  checked    exact: every element of the result of the last timed iteration was right on every rank,
             in the buffer it was timed in, and an input out of place was left alone. Before each
             iteration, outside the time, inputs that it consumes are put back and outputs filled
             with what cannot be a result. -c N repeats that in N - 1 more runs, each on other values,
             for which what an earlier one left behind cannot pass; -c 0 leaves all of it out
  ! ...      other programs, or the hypervisor, took over 5 % of the cores while this was measured,
             and did so in up to three tries of which this is the quietest. What compares times
             then says "undecided"
  noise floor (--noise-floor)   the fastest of ours at each size is measured against itself, as two
             contenders that take turns: a ratio within that range says nothing
The rival, mpi, is timed as users call it: the library's own blocking call.

Reading the table of --accuracy
  depth      additions on the longest path into the result, n, by following the schedule's messages;
             P - 1 where an algorithm shows none. Narrow types are added in FP32 and rounded once
  max, rms   errors in units in the last place of the type, against sums known exactly, of numbers
             uniform in [0, 1)
  bound      ((1 + u)^n - 1) |sum|, u the unit roundoff of the type (Higham 2002, section 4.2), in
             those units, where it is most; of it: the largest error over its own bound, at most 1
  runs       bits are the same in all runs, with another rank late in each
  ranks      bits are the same on all ranks, where all get the same elements
  schedule   bits are those of the schedule played without messages: no other order of additions
  bits       algorithms with the same letter in a type have the same bits

Exit codes: 0 all well, 1 wrong results (also in the record), or with --accuracy a sum beyond its
bound or of other bits than it must have, 2 bad input or environment.)";

struct Request {
    SweepOptions options;
    AccuracyRequest accuracy;
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

/// What goes to the screen while the sweep runs.
SweepObserver observer_of(const SweepOptions& options, const collectives::Communicator& world,
                          ProgressLine& progress) {
    const auto table = std::make_shared<std::optional<SweepTable>>();
    SweepObserver observer;
    observer.began = [&, table](const OperationPlan& planned) {
        table->emplace(options, planned, world.topology());
        print(world, (*table)->heading());
    };
    observer.measured = [&, table](const SweepPoint& point) {
        print(world, (*table)->row(point));
        progress.point_done();
    };
    observer.compared = [&](const NoiseFloor& floor) { print(world, noise_line(floor)); };
    return observer;
}

/// What predictions, and "auto", go by: the description given, or else one of this machine that
/// takes seconds to make, as far as this sweep needs it.
void declare_cluster(const SweepOptions& options, const SweepPlan& plan,
                     collectives::Communicator& world) {
    if (!options.cluster_path.empty()) {
        world.declare_cluster(
            world.agree([&] { return collectives::read_cluster(options.cluster_path); }));
    } else if (world.size() > 1) {
        world.declare_cluster(calibrate(world, calibration_for(plan)));
    }
    print(world, cluster_line(world.cluster()));
}

int sweep(const SweepOptions& options, SweepPlan plan, collectives::Communicator& world) {
    using collectives::Topology;
    if (options.ranks_per_node > 0) {
        world.declare_topology(Topology::blocked(world.size(), options.ranks_per_node));
    }
    world.agree([&] { fit_plan(options, world.topology(), plan); });
    require_possible(plan, world);
    require_outputs(options, world);
    declare_cluster(options, plan, world);
    results::Record record = begin_record(options, plan, world, command_line());
    add_surroundings(record, world);
    ProgressLine progress(world, points_of(plan, world.size()));
    const Sweep result = run_sweep(world, options, plan, observer_of(options, world, progress));
    print(world, findings(result));
    complete_record(result, options, record);
    write(record, options, world);
    return result.passed() ? 0 : 1;
}

int run(const Request& request) {
    if (request.list) {
        if (collectives::launcher_rank() == 0) std::fputs(list_of_algorithms().c_str(), stdout);
        return 0;
    }
    if (request.accuracy.wanted) return run_accuracy(request.accuracy, request.options);
    const SweepPlan plan = plan_sweep(request.options);
    return run_recorded(
        [&](collectives::Communicator& world) { return sweep(request.options, plan, world); });
}

void declare_what(CLI::App& app, SweepOptions& o) {
    app.add_option("--op", o.operations, "Operations from --list, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--algorithm", o.algorithms, "Names from --list, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("-b,--minbytes", o.smallest, "Smallest vector in bytes; K, M, G are binary")
        ->capture_default_str();
    app.add_option("-e,--maxbytes", o.largest, "Largest vector in bytes")->capture_default_str();
    app.add_option("-f,--stepfactor", o.factor, "Factor from one size to the next")
        ->capture_default_str();
    app.add_option("-d,--datatype", o.type, "Element type: fp32, bf16 ...; a wrong one lists all")
        ->capture_default_str();
    app.add_option("-o,--reduction", o.reduction,
                   "How to reduce: sum, max ...; a wrong one lists all")
        ->capture_default_str();
    app.add_option("-r,--root", o.root, "Root of the operations that have one")
        ->capture_default_str();
    app.add_option("--shares", o.shares,
                   "Shares of the ranks in a vector: even, or ramp (rank r has r + 1 parts)")
        ->capture_default_str();
    app.add_option("--in-place", o.in_place, "yes, no, both, auto")->capture_default_str();
    app.add_option("--ranks-per-node", o.ranks_per_node,
                   "Pretend nodes of so many ranks; 0: nodes as found")
        ->capture_default_str();
}

void declare_how(CLI::App& app, SweepOptions& o) {
    app.add_option("-n,--iters", o.iterations,
                   "Timed iterations; 0: until the interval is within 5 %, at least 10")
        ->capture_default_str();
    app.add_option("-w,--warmup_iters", o.warmup, "Warm-up iterations; -1: until times settle")
        ->capture_default_str();
    app.add_option(
           "-c,--check", o.checks,
           "Runs per point whose every element is checked, the last timed one first; 0: none")
        ->capture_default_str();
    app.add_option("--seconds", o.seconds_per_point, "Time limit per point where -n is 0")
        ->capture_default_str();
    app.add_option("--rotate", o.rotate,
                   "Buffers that iterations take in turn: off, auto, a number")
        ->capture_default_str();
    app.add_option("--cluster", o.cluster_path,
                   "Predict and choose by this description (see `shardstone calibrate`)");
    app.add_flag("--noise-floor", o.noise_floor, "Measure the fastest of ours against itself");
    app.add_option("--json", o.json_path, "Write the record as JSON");
    app.add_option("--hdf5", o.hdf5_path, "Write the record as HDF5");
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    declare_what(app, request->options);
    declare_how(app, request->options);
    app.add_flag("--list", request->list, "List operations and algorithms and end");
    declare_accuracy(app, request->accuracy);
    return [request] { return run(*request); };
}

const Registration registration({"collectives",
                                 "Measure, check and predict collectives over a range of sizes",
                                 details, declare});

}  // namespace

}  // namespace shardstone::command
