// SPDX-License-Identifier: BSD-3-Clause
// shardstone kernels: the arithmetic of one core, kernel by kernel, against the measured roofline.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/kernels/kernel_record.hpp"
#include "collectives/cluster/process.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/go_on.hpp"
#include "jobs/command/kernels_on_device.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "kernels/gemm/gemm.hpp"
#include "results/journal/resume.hpp"
#include "results/record/incomplete.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::command::kernels_command {

namespace {

using namespace benchmarks;

struct Options {
    std::string filter;
    std::string device = "cpu";
    bool quick = false;
    std::string json;
    std::string hdf5;
    std::string resume;  ///< journal or record of the run that this one goes on from
};

constexpr int roofline_calls = 3;

void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

std::vector<results::Check> verify(const std::vector<KernelBenchmark>& kernels) {
    ProgressLine progress(true, "comparing the kernels with FP64");
    const auto tell = [&](std::size_t done, std::size_t of) {
        progress.say(fmt::format("{} of {} kernels compared with FP64", done, of));
    };
    const bool needs_oracle = !std::ranges::all_of(
        kernels, [](const auto& kernel) { return static_cast<bool>(kernel.verify); });
    const auto errors =
        needs_oracle ? validation::kernel_errors(tell) : std::vector<validation::KernelError>{};
    std::vector<results::Check> checks;
    for (const auto& kernel : kernels) {
        progress.say(fmt::format("checking {}", kernel.name));
        auto check = kernel.verify
                         ? kernel.verify()
                         : validation::kernel_check(errors, kernel.oracle, kernel.storage);
        if (!kernel.verify) check.name = kernel.name + ": " + check.name;
        checks.push_back(std::move(check));
    }
    return checks;
}

std::size_t sizes_of(const std::vector<KernelBenchmark>& kernels) {
    std::size_t sizes = 0;
    for (const auto& kernel : kernels) sizes += kernel.sizes.size();
    return sizes;
}

/// Prints what failed; the exit code.
int conclude(const results::Record& record) {
    const auto& checks = record.verification;
    for (const auto& check : checks) {
        if (!check.passed) fmt::print("FAILED: {} ({})\n", check.name, check.detail);
    }
    const auto passed = std::ranges::count(checks, true, &results::Check::passed);
    fmt::print("\n{}", disturbance_note(surroundings_in(record), "row"));
    if (!bounds_check(record)) {
        fmt::print("undecided: no kernel is quicker than its bound allows: the machine was busy\n");
    }
    fmt::print("Checks: {} of {} passed\n", passed, checks.size());
    return record.verified() ? 0 : 1;
}

/// What to expect of the run, before it says anything else.
void announce(const std::vector<KernelBenchmark>& kernels) {
    if (const int ranks = collectives::launcher_size(); ranks > 1) {
        fmt::print(stderr,
                   "shardstone: kernels are measured on one core, by rank 0; the other {} ended\n",
                   counted(ranks - 1, "rank"));
    }
    if (const auto warning = gemm_warning()) fmt::print(stderr, "shardstone: {}\n", *warning);
    print(fmt::format("{} at {}\n", counted(std::ssize(kernels), "kernel"),
                      counted(static_cast<std::int64_t>(sizes_of(kernels)), "size")));
}

std::string sizes_measured(std::size_t measured, std::size_t sizes) {
    return fmt::format("{} of {} sizes were measured", measured, sizes);
}

/// Puts each row on the screen, into the record and into the journal, and says every few seconds
/// how many sizes are done, and how long the others take if they take as long as these.
std::function<void(const KernelResult&)> row_by_row(std::size_t sizes, results::Record& record) {
    const std::size_t before = measured_kernels(record).size();
    const auto progress = std::make_shared<ProgressLine>(true, sizes_measured(before, sizes));
    return [=, &record, begin_s = now_s(),
            done = std::size_t{0}](const KernelResult& result) mutable {
        print(kernel_table_row(result));
        ++done;
        const auto part = part_of(result);
        add_part(record, part);
        add_to_journal(part, sizes_measured(before + done, sizes));
        const double each_s = (now_s() - begin_s) / static_cast<double>(done);
        progress->say(fmt::format("{} of {} sizes measured, about {:.0f} s to go", before + done,
                                  sizes, each_s * static_cast<double>(sizes - before - done)));
    };
}

/// The record as far as the options have it, and what it goes on from.
results::Record new_kernel_record(const Options& options, const KernelPolicy& policy) {
    auto record = results::new_record("kernels", "Kernels on one core", command_line());
    record.configuration = {{"filter", options.filter},
                            {"quick", options.quick},
                            {"repetitions", policy.repetitions},
                            {"repetition_s", policy.repetition_s},
                            {"roofline_calls", roofline_calls}};
    if (!options.resume.empty()) {
        continue_record(record, earlier_run(options.resume, record.kind).record, options.resume);
    }
    return record;
}

/// Those of the earlier run, where the record goes on from one; else they are measured, and begin
/// the record.
MachineRates rates_for(const Options& options, Watch& watch, results::Record& record) {
    if (!options.resume.empty()) {
        record.environment["kernels"] = kernel_environment();
        return machine_rates_in(record);
    }
    ProgressLine progress(true, "measuring the peaks of this core");
    auto rates = measure_machine_rates(roofline_calls, watch,
                                       [&](const std::string& what) { progress.say(what); });
    begin_kernel_record(rates, record);
    return rates;
}

std::vector<KernelBenchmark> without(const std::set<KernelSize>& measured,
                                     std::vector<KernelBenchmark> kernels) {
    for (KernelBenchmark& kernel : kernels) {
        std::erase_if(kernel.sizes, [&](std::int64_t size) {
            return measured.contains({kernel.name, size});
        });
    }
    return kernels;
}

int run(const Options& options) {
    require_outputs_writable({options.json, options.hdf5}, {}, options.resume);
    if (options.device == "cuda") {
        require(!options.quick && options.resume.empty(),
                "--device cuda with --quick or --resume: it takes a minute as it is; omit them");
        return run_kernels_on_device(options.filter, options.json, options.hdf5);
    }
    require_output_for_resumed(options.resume, options.json, options.hdf5);
    const auto kernels = kernels_matching(options.filter);
    const std::size_t sizes = sizes_of(kernels);
    const KernelPolicy policy = options.quick ? quick_policy : KernelPolicy{};
    results::Record record = new_kernel_record(options, policy);
    announce(kernels);
    const auto measured = measured_kernels(record);
    if (!options.resume.empty()) {
        print(fmt::format("continues from {}: {}\n", options.resume,
                          sizes_measured(measured.size(), sizes)));
    }
    auto checks = verify(kernels);
    Watch watch;
    MachineRates rates = rates_for(options, watch, record);
    print(kernel_table_heading(rates) + earlier_kernel_rows(record));
    record.verification.clear();
    catch_interrupts("this kernel's size");
    begin_journal(record, sizes_measured(measured.size(), sizes), options.json, options.hdf5);
    const auto results =
        run_kernels(without(measured, kernels), policy, rates, watch, row_by_row(sizes, record));
    const std::size_t done = measured.size() + results.size();
    if (done == 0 && sizes > 0) return end_without_record("measured");
    if (done < sizes) checks.push_back(results::incomplete_check(sizes_measured(done, sizes)));
    complete_kernel_record(rates, checks, record);
    results::Record log;
    log.samples.push_back(surroundings_table(watch.log()));
    add_part(record, log);
    write_record(record, options.json, options.hdf5);
    const int code = conclude(record);
    say_how_to_go_on();
    return done < sizes ? number_of(ExitCode::interrupted) : code;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("--filter", options->filter,
                   "only kernels whose names contain this text, ignoring case");
    app.add_option("--device", options->device, "cpu: one core; cuda: one GPU")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->capture_default_str();
    app.add_flag(
        "--quick", options->quick,
        "6 repetitions of 5 ms per size, the fewest that give an interval, for a first look");
    app.add_option("--json", options->json, "write the record as JSON to this file");
    app.add_option("--hdf5", options->hdf5, "write the record as HDF5 to this file");
    declare_force(app);
    declare_resume(app, options->resume);
    return [options] { return run(*options); };
}

constexpr const char* details = R"(Examples
  shardstone kernels
  shardstone kernels --device cuda --json kernels.json
  shardstone kernels --quick
  shardstone kernels --filter product --json kernels.json
  shardstone kernels --filter product --json kernels.json --resume kernels.json.journal

Columns of the table
  time        median of 15 repetitions of at least 20 ms each (Google Benchmark), with --quick of 6
              of 5 ms; its interval is in the record
  GFLOP/s     arithmetic as in the formula: one each for add, multiply, divide and square root,
              20 for an exponential (the cost of the shortest method known to us)
  GB/s        bytes over time, with every operand read once and every result written once
  of bound    the least time in which this core could do the work, over the measured time. That is the
              longer of two: its bytes at the rate measured over arrays like its own, as many and as
              large (m: memory, or the cache that holds them), or its arithmetic (a). Arithmetic takes
              the longest of three: all operations at the measured rate of any mixture of
              instructions, multiply-adds, and BF16 products, each at its measured peak. More than
              100 % is a bug of ours and fails the run
  !           other programs, or the hypervisor, took over 5 % of the cores meanwhile, in each of
              up to three tries, of which this is the quietest: the row says little about the core
  of library  for matrix products: speed relative to the fastest library for the same product in
              FP32, in interleaved measurements
Each kernel is first compared with the FP64 oracle or a plain loop, within a derived bound.
On a GPU (--device cuda) each kernel runs at the sizes of GPT-2 124M and some others, on tensors that no
cache holds, timed by the GPU's events; of limit: the least time by the rate of a copy or of a BF16
product, both measured before and after (a row on the screen knows those before), over the median time.
A stopped one cannot be continued, and --quick is of cores only.
One rank measures: start it without mpiexec; under mpiexec the ranks other than 0 end at once.

Exit code 1: a kernel was wrong (also in the record). 130: stopped by a signal (SIGINT or SIGTERM; the
record then holds what was measured, and its verification fails; --resume continues from it; before
the first row is measured there is no record). All codes: shardstone --help)";

const Registration registration{{"kernels",
                                 "Measure each kernel on one core or GPU against the roofline",
                                 details, declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::kernels_command
