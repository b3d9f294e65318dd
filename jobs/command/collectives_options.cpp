// SPDX-License-Identifier: BSD-3-Clause
// The options of a sweep: operations, algorithms, device, sizes, and how each point is timed.
#include "jobs/command/collectives_options.hpp"

#include "jobs/command/number_option.hpp"
#include "jobs/command/outlier_option.hpp"
#include "jobs/command/outputs.hpp"

namespace shardstone::command {

namespace {

using benchmarks::SweepOptions;

void declare_what(CLI::App& app, SweepOptions& o) {
    app.add_option("--op", o.operations, "Operations from --list, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--algorithm", o.algorithms, "Names from --list, or all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--device", o.device, "cpu: vectors in memory of the host; cuda: of GPUs")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->capture_default_str();
    app.add_option("-b,--minbytes", o.smallest,
                   "Smallest vector in bytes; K, M, G are powers of 1024")
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option("-e,--maxbytes", o.largest, "Largest vector in bytes")
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option("-f,--stepfactor", o.factor, "Factor from one size to the next")
        ->capture_default_str();
    app.add_option("-d,--datatype", o.type,
                   "Element type: fp32, bf16 ...; an unknown one lists all")
        ->capture_default_str();
    app.add_option("-o,--reduction", o.reduction,
                   "Reduction: sum, max ...; an unknown one lists all")
        ->capture_default_str();
    app.add_option("-r,--root", o.root, "Root of the operations that have one")
        ->capture_default_str();
    app.add_option("--shares", o.shares,
                   "Each rank's share of a vector: even, or ramp (rank r has r + 1 parts)")
        ->capture_default_str();
    app.add_option("--in-place", o.in_place, "yes, no, both, auto")->capture_default_str();
    app.add_option("--ranks-per-node", o.ranks_per_node,
                   "Emulate nodes of this many ranks; 0: nodes as found")
        ->capture_default_str();
}

void declare_how(CLI::App& app, SweepOptions& o) {
    app.add_option("-n,--iters", o.iterations,
                   "Timed iterations; 0: until the interval is within 5 %, at least 10")
        ->capture_default_str();
    app.add_option("-w,--warmup_iters", o.warmup, "Warm-up iterations; -1: until times are steady")
        ->capture_default_str();
    app.add_option("-c,--check", o.checks,
                   "Runs per point with every element checked, the last timed one first; 0: none")
        ->capture_default_str();
    app.add_option("--seconds", o.seconds_per_point, "Time limit per point where -n is 0")
        ->capture_default_str();
    app.add_option("--rotate", o.rotate,
                   "Buffers that iterations cycle through: off, auto, a number")
        ->capture_default_str();
    app.add_option("--cluster", o.cluster_path,
                   "Cluster description for predictions and auto (see `shardstone calibrate`)");
    app.add_flag("--noise-floor", o.noise_floor,
                 "Measure the fastest of our algorithms against itself");
    declare_fail_on_outlier(app, o.fail_on_outlier, "sample");
    app.add_option("--json", o.json_path, "Write the record as JSON");
    app.add_option("--hdf5", o.hdf5_path, "Write the record as HDF5");
    declare_force(app);
}

}  // namespace

void declare_sweep(CLI::App& app, SweepOptions& options) {
    declare_what(app, options);
    declare_how(app, options);
}

}  // namespace shardstone::command
