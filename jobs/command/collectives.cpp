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
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"

namespace shardstone::command::collectives_command {

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
  ping_pong and other messages   time is that of the whole pattern, so of a ping_pong there and back:
             osu_latency prints half of it. busbw is 2 size / time of a ping_pong, the rate one way;
             of ring_shift, multi_pair and bidirectional size / time, what a rank sends, as of
             nccl-tests' sendrecv, where osu_bibw adds up both directions and osu_mbw_mr all pairs
  predicted  the cost model plays the algorithm's schedule through, with what messages and
             reductions of each size take. That is in the cluster description (--cluster), or is
             measured first: ring shifts over all ranks at once, with the same executor and as many
             ranks per core, and a local reduction. The line below auto says what it took, and why:
             by a schedule, which is its prediction, or as measured before, which is none (- here;
             measured_before_s in the record)
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

Exit code 1: wrong results (also in the record), or with --accuracy a sum beyond its bound or of other
bits than it must have. 130: stopped by a signal (SIGINT or SIGTERM; the record then holds what was
measured, and its verification fails). All codes: shardstone --help)";

struct Request {
    SweepOptions options;
    AccuracyRequest accuracy;
    bool list = false;
    bool names_operations = false;  ///< --op was given
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
        if (world.is_root())
            require_outputs_writable({options.json_path, options.hdf5_path},
                                     {options.cluster_path});
    });
}

/// What goes to the screen while the sweep runs.
SweepObserver observer_of(const SweepOptions& options, const collectives::Communicator& world,
                          ProgressLine& progress, std::size_t points) {
    const auto table = std::make_shared<std::optional<SweepTable>>();
    SweepObserver observer;
    observer.began = [&, table](const OperationPlan& planned) {
        table->emplace(options, planned, world.topology());
        print(world, (*table)->heading());
    };
    observer.measured = [&, table, points, done = std::size_t{0}](const SweepPoint& point) mutable {
        print(world, (*table)->row(point));
        progress.say(fmt::format("{} of {} points measured", ++done, points));
        enter_phase("point", static_cast<std::int64_t>(done) + 1);
    };
    observer.compared = [&](const NoiseFloor& floor) { print(world, noise_line(floor)); };
    return observer;
}

/// What predictions, and "auto", go by: the description given, or else one of this machine that
/// takes seconds to make, as far as this sweep needs it; then also what that was measured in.
std::optional<Watched> declare_cluster(const SweepOptions& options, const SweepPlan& plan,
                                       collectives::Communicator& world) {
    if (options.cluster_path.empty() && world.size() > 1) {
        ProgressLine progress(world.is_root());
        const auto found = calibrate_watched(world, calibration_for(plan), [&](const auto& what) {
            progress.say("calibrating first (--cluster does without): " + what);
        });
        world.declare_cluster(found.cluster);
        print(world, calibration_lines(found));
        return found.watched;
    }
    if (!options.cluster_path.empty()) {
        world.declare_cluster(
            world.agree([&] { return collectives::read_cluster(options.cluster_path); }));
    }
    print(world, cluster_line(world.cluster()));
    return std::nullopt;
}

int sweep(const SweepOptions& options, SweepPlan plan, collectives::Communicator& world) {
    using collectives::Topology;
    if (options.ranks_per_node > 0) {
        world.declare_topology(Topology::blocked(world.size(), options.ranks_per_node));
    }
    world.agree([&] { fit_plan(options, world.topology(), plan); });
    require_possible(plan, world);
    require_outputs(options, world);
    const auto calibration = declare_cluster(options, plan, world);
    results::Record record = begin_record(options, plan, world, command_line());
    add_surroundings(record, world);
    ProgressLine progress(world.is_root());
    catch_interrupts();
    enter_phase("point", 1);
    Sweep result = run_sweep(world, options, plan,
                             observer_of(options, world, progress, points_of(plan, world.size())));
    result.calibration = calibration;
    print(world, findings(result));
    complete_record(result, options, record);
    write(record, options, world);
    if (result.interrupted) return number_of(ExitCode::interrupted);
    return result.passed() ? 0 : 1;
}

/// Of everything, where --op does not say what of.
int print_list(const Request& request) {
    if (collectives::launcher_rank() != 0) return 0;
    SweepOptions options = request.options;
    if (!request.names_operations) options.operations = {"all"};
    std::fputs(list_of_algorithms(options).c_str(), stdout);
    return 0;
}

int run(const Request& request) {
    if (request.list) return print_list(request);
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
    declare_force(app);
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    declare_what(app, request->options);
    declare_how(app, request->options);
    CLI::Option* list = app.add_flag("--list", request->list,
                                     "List operations (--op) and their algorithms and end");
    for (const char* ignored : {"--json", "--hdf5", "--cluster"}) {
        list->excludes(app.get_option(ignored));
    }
    declare_accuracy(app, request->accuracy);
    return [request, op = app.get_option("--op")] {
        request->names_operations = op->count() > 0;
        return run(*request);
    };
}

const Registration registration({"collectives",
                                 "Measure, check and predict collectives over a range of sizes",
                                 details, declare});

}  // namespace

}  // namespace shardstone::command::collectives_command
