// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate interconnect`: which link, node or rank of a cluster is bad, if any?
#include "jobs/command/validate_interconnect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "benchmarks/harness/watch_record.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/description.hpp"
#include "jobs/command/duration_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/interconnect_screen.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/duration.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/regular_file.hpp"
#include "kernels/base/shared_files.hpp"
#include "kernels/base/units.hpp"
#include "results/journal/resume.hpp"
#include "results/record/incomplete.hpp"
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/measure_interconnect.hpp"

namespace shardstone::command {

const char* const interconnect_details =
    "interconnect times messages between all pairs of nodes (their first ranks, as many pairs at "
    "once\n"
    "as there can be) and of ranks inside nodes, in both directions, in passes, and compares the "
    "data\n"
    "that arrived; then fixed work on every rank (arithmetic, memory, wake-ups). Parts of the "
    "network\n"
    "and ranks that are slow are named with odds; a few more pair tests tell apart what could be "
    "meant.\n"
    "The verdict is pass (exit code 0), fail (1) or inconclusive (7), against the cluster's own "
    "median\n"
    "and, with --accept, the limits of a file, which hold for every pair or rank:\n"
    "  [[limit]]\n"
    "  quantity = \"rate between nodes\"  # or latency; inside nodes; \"wake-up delay\" (no size)\n"
    "  statistic = \"median\"             # or mean, p99\n"
    "  size = \"4M\"\n"
    "  limit = 48.5\n"
    "  unit = \"GB/s\"                    # MB/s, Gbit/s, Mbit/s; s, ms, us\n"
    "  mpiexec -n 8 shardstone validate interconnect\n"
    "  srun -N 4 --ntasks-per-node 8 shardstone validate interconnect --accept pod.toml --json "
    "i.json\n"
    "With --for the tests of pairs are then repeated, and times are named in which a link or rank\n"
    "was slow, silent or sent wrong data. A row for each pair and window (of a second to a "
    "minute)\n"
    "and each message of over 1.2 times the usual are kept: less than 160 MiB of rows. Killed, it "
    "goes\n"
    "on with --resume from its journal:\n"
    "  srun -N 4 --ntasks-per-node 8 shardstone validate interconnect --for 8h --hdf5 soak.h5\n"
    "Stopped by SIGINT or SIGTERM it ends with 130 and an incomplete record.\n";

namespace {

using collectives::Communicator;
using namespace validation;

struct Request {
    InterconnectOptions options;
    std::vector<std::string> sizes{"8", "64K", "4M"};
    std::vector<std::string> parts{"pairs", "ranks"};
    std::string accept, accept_text;
    std::filesystem::path json, hdf5;
    int ranks_per_node = 0;  ///< 0: nodes as found
    std::string soak;        ///< duration; empty: none
    std::string resume;      ///< journal or record of the run that this one goes on from
};

std::string acceptance_text(const std::string& file, const std::string& named) {
    try {
        return RegularFile(file).read_all(64 << 10);
    } catch (const Error& error) {
        fail(fmt::format("--accept '{}': {}: give an acceptance file, or the name of one of: {}",
                         named, error.what(), fmt::join(shared_names("acceptance"), ", ")));
    }
}

/// Reads the sizes, and on rank 0 the file; the sizes of its limits are measured as well.
void resolve(Request& request, Communicator& world) {
    const std::string file = found_shared("acceptance", request.accept).string();
    request.accept_text = world.agree([&] {
        return world.is_root() && !file.empty() ? acceptance_text(file, request.accept)
                                                : std::string();
    });
    request.accept_text = world.broadcast(request.accept_text);
    world.agree([&] {
        InterconnectOptions& options = request.options;
        options.sizes_bytes.clear();
        for (const auto& size : request.sizes) {
            options.sizes_bytes.push_back(parse_size_bytes(size));
        }
        if (!file.empty()) options.limits = parse_acceptance(request.accept_text, file);
        for (const AcceptanceLimit& limit : options.limits) {
            if (limit.size_bytes > 0) options.sizes_bytes.push_back(limit.size_bytes);
        }
        options.pairs = std::ranges::find(request.parts, "pairs") != request.parts.end();
        options.ranks = std::ranges::find(request.parts, "ranks") != request.parts.end();
        std::ranges::sort(options.sizes_bytes);
        const auto twice = std::ranges::unique(options.sizes_bytes);
        options.sizes_bytes.erase(twice.begin(), twice.end());
        if (!request.soak.empty()) options.soak_s = parse_duration_s(request.soak);
        require_measurable(options, world.topology().largest_node());
        require(request.resume.empty() || options.soak_s > 0.0,
                "--resume goes on with a soak: give --for as well");
    });
}

/// What an earlier run measured, none if there is none to go on from. For rank 0.
results::Record earlier_soak(const Request& request) {
    auto earlier = earlier_run(request.resume, "interconnect").record;
    require(request.resume.empty() || earlier.has_table(results::SoakWindowRow::schema.name()),
            [&] {
                return fmt::format(
                    "'{}' ended before its soak began: run the command again without --resume",
                    request.resume);
            });
    return earlier;
}

/// The record before the first pass; its journal is begun. For rank 0.
results::Record begin(const Request& request, const results::Record& earlier,
                      const Communicator& world) {
    auto record = new_run_record("interconnect", "Validation of the interconnect", world);
    record.configuration = {{"sizes_bytes", request.options.sizes_bytes},
                            {"parts", request.parts},
                            {"alone", request.options.alone},
                            {"budget_s", request.options.budget_s},
                            {"ranks_per_node", request.ranks_per_node},
                            {"topology", world.topology().description()},
                            {"accept", request.accept_text},
                            {"accept_file", request.accept},
                            {"soak_s", request.options.soak_s}};
    if (!request.resume.empty()) {
        continue_record(record, earlier, request.resume, {"accept_file", "soak_s"});
        record.derived.clear();  // found again, in all there is
    }
    begin_journal(record, "no pair was tested", request.json, request.hdf5);
    return record;
}

/// Adds what was measured to the journal of the run, pass by pass.
class Journalled {
  public:
    explicit Journalled(bool is_root) : is_root_(is_root) {}
    void add(const InterconnectSamples& part) {
        if (!is_root_) return;
        samples_ += part.pairs.size() + part.ranks.size();
        windows_ = part.windows.empty() ? windows_ : part.windows.back().window + 1.0;
        results::Record more;
        more.samples = sample_tables_of(part);
        add_to_journal(more, done());
    }
    std::string done() const {
        std::string words;
        if (samples_ > 0) {
            words = fmt::format("{} of pairs and ranks were taken",
                                counted(static_cast<std::int64_t>(samples_), "sample"));
        }
        if (windows_ == 0.0) return words.empty() ? "nothing was measured" : words;
        return fmt::format("{}{} of the soak {} complete", words, words.empty() ? "" : "; ",
                           counted(static_cast<std::int64_t>(windows_), "window"),
                           windows_ == 1.0 ? "is" : "are");
    }

  private:
    bool is_root_;
    std::size_t samples_ = 0;
    double windows_ = 0.0;
};

int code_of(Acceptance verdict) {
    switch (verdict) {
        case Acceptance::pass:
            return number_of(ExitCode::well);
        case Acceptance::fail:
            return number_of(ExitCode::check_failed);
        case Acceptance::inconclusive:
            return number_of(ExitCode::undecided);
    }
    return number_of(ExitCode::our_bug);
}

/// On rank 0: findings, screen and record.
int report(const Request& request, const InterconnectMeasurement& measured, const std::string& done,
           results::Record& record) {
    const bool is_empty = measured.samples.pairs.empty() && measured.samples.ranks.empty();
    if (measured.stopped && is_empty) return end_without_record("measured");
    const auto findings = find_in(measured.samples);
    record.samples = sample_tables_of(measured.samples);
    record.samples.push_back(benchmarks::surroundings_table(measured.surroundings));
    record.derived = finding_tables_of(findings);
    record.verification = interconnect_checks(measured.samples, measured.expected);
    if (measured.stopped) record.verification.push_back(results::incomplete_check(done));
    print_interconnect(findings, measured.samples.conditions);
    write_record(record, request.json, request.hdf5);
    if (!measured.stopped) return code_of(findings.verdict);
    say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), /*with_rank=*/false);
    return number_of(ExitCode::interrupted);
}

int run(Communicator& world, Request& request) {
    if (request.ranks_per_node > 0) {
        world.agree([&] {
            require(request.ranks_per_node <= world.size(), [&] {
                return fmt::format("--ranks-per-node {}: there {} {}", request.ranks_per_node,
                                   world.size() == 1 ? "is" : "are", counted(world.size(), "rank"));
            });
        });
        world.declare_topology(
            collectives::Topology::blocked(world.size(), request.ranks_per_node));
    }
    world.agree([&] {
        if (!world.is_root()) return;
        require_outputs_writable({request.json, request.hdf5}, {}, request.resume);
        require_output_for_resumed(request.resume, request.json, request.hdf5);
    });
    resolve(request, world);
    const auto earlier =
        world.agree([&] { return world.is_root() ? earlier_soak(request) : results::Record{}; });
    auto record = world.agree(
        [&] { return world.is_root() ? begin(request, earlier, world) : results::Record{}; });
    catch_interrupts("this pass over the pairs");
    ProgressLine progress(world.is_root(), "starting");
    Journalled journal(world.is_root());
    const auto measured = measure_interconnect(
        world, request.options,
        {[&](const std::string& what) { progress.say(what); },
         [&](const InterconnectSamples& part) { journal.add(part); },
         [&] { return any_interrupted(world); }},
        earlier.samples.empty() ? InterconnectSamples{} : interconnect_samples_in(earlier));
    end_health(world);
    const int code = world.agree(
        [&] { return world.is_root() ? report(request, measured, journal.done(), record) : 0; });
    return static_cast<int>(world.max(code));
}

}  // namespace

std::function<int()> declare_interconnect(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    Request& r = *request;
    app.add_option("--sizes", r.sizes,
                   "Sizes of messages: the smallest for latency, the largest for rate")
        ->delimiter(',')
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option("--part", r.parts, "Tests to make: pairs, ranks")
        ->delimiter(',')
        ->check(CLI::IsMember({"pairs", "ranks"}))
        ->capture_default_str();
    app.add_flag("--alone", r.options.alone, "Test one pair at a time");
    app.add_option("--budget", r.options.budget_s, "Seconds for the measurements")
        ->check(positive_number())
        ->capture_default_str();
    app.add_option("--accept", r.accept,
                   fmt::format("Acceptance file with limits, in TOML, or the name of one of: {}",
                               fmt::join(shared_names("acceptance"), ", ")));
    constexpr int most = collectives::most_ranks;
    app.add_option("--ranks-per-node", r.ranks_per_node,
                   "Emulate nodes of this many ranks, instead of nodes as found")
        ->check(whole_number(1, most));
    app.add_option("--for", r.soak, "Then repeat the tests of pairs for so long: 30m, 8h")
        ->check(duration());
    declare_resume(app, r.resume);
    app.add_option("--json", r.json, "record as JSON");
    app.add_option("--hdf5", r.hdf5, "record as HDF5");
    declare_force(app);
    return [request] {
        return run_recorded([&](Communicator& world) { return run(world, *request); });
    };
}

}  // namespace shardstone::command
