// SPDX-License-Identifier: BSD-3-Clause
// Submits the missing points to Slurm: an array job per number of ranks, and the report after them.
#include "jobs/submit/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "jobs/submit/client.hpp"
#include "jobs/submit/obstacles.hpp"
#include "jobs/submit/shell_words.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::submit {

namespace {

void require_module(const Site& site, const std::string& module) {
    const Outcome outcome =
        run_client(site, {"bash", "-lc", "module load \"$1\"", "submit", module});
    require(outcome.code == 0, [&] {
        return fmt::format(
            "module '{}' of site {} cannot be loaded here ({}): correct 'modules', "
            "or remove it",
            module, site.name, outcome.last_line());
    });
}

/// The partitions that there are, in words for a refusal.
std::string partitions_here(const Site& site) {
    const Outcome outcome = ask_client(site, {"sinfo", "--noheader", "--format=%R"});
    std::string names;
    for (char letter : outcome.out) {
        if (letter == '\n') {
            names += ", ";
        } else {
            names += letter;
        }
    }
    while (names.ends_with(' ') || names.ends_with(',')) names.pop_back();
    return outcome.code == 0 && !names.empty() ? names : "see sinfo";
}

/// The id that --parsable prints, without the name of the cluster.
std::string job_id_in(const std::string& printed) {
    const std::string line = last_line_of(printed);
    const auto digits = std::ranges::find_if_not(
        line, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    return {line.begin(), digits};
}

std::string submit_one(const Plan& plan, const Submission& one,
                       const std::vector<std::string>& after) {
    const auto file = std::filesystem::path(plan.folder) / "scripts" / one.script;
    results::write_file(file, one.text);
    std::vector<std::string> words{"sbatch", "--parsable"};
    if (!after.empty()) {
        words.push_back(fmt::format("--dependency=afterany:{}", fmt::join(after, ":")));
    }
    words.push_back(file.string());
    const Outcome outcome = run_client(plan.site, words);
    const std::string id = job_id_in(outcome.out);
    require(outcome.code == 0 && !id.empty(), [&] {
        const std::string said =
            outcome.code == 0 ? outcome.last_line() : last_line_of(outcome.err);
        return fmt::format("{}: {}", file.string(),
                           explain_refusal(plan.site, said.empty() ? outcome.last_line() : said));
    });
    fmt::print("job {}: {}{}\n", id, one.what,
               after.empty() ? "" : fmt::format(", after {}", fmt::join(after, ", ")));
    return id;
}

}  // namespace

void require_slurm(const Site& site) {
    require_client(site);
    for (const std::string& module : site.modules) require_module(site, module);
}

std::string explain_refusal(const Site& site, const std::string& said) {
    constexpr std::string_view before = "sbatch: error: ";
    const std::string message = said.starts_with(before) ? said.substr(before.size()) : said;
    std::string lower;
    for (const unsigned char letter : message) lower += static_cast<char>(std::tolower(letter));
    const auto says = [&](const char* word) { return lower.find(word) != std::string::npos; };
    if (says("timed out") || says("zero bytes were transmitted")) {
        return fmt::format(
            "sbatch got no answer: {}: the job may be queued all the same: the same command again "
            "finds out",
            message);
    }
    std::string advice = fmt::format("correct site {}", site.name);
    if (says("partition name") || says("invalid partition")) {
        advice = fmt::format("partition = '{}' of site {}: there are {}", site.partition, site.name,
                             partitions_here(site));
    } else if (says("node configuration") || says("gres") || says("more processors")) {
        advice = fmt::format(
            "correct gpus_per_node = {}, cores_per_node = {}, nodes of site {}: "
            "sinfo --format='%N %c %G' shows what nodes have",
            site.gpus_per_node, site.cores_per_node, site.name);
    } else if (says("account")) {
        advice = "set SBATCH_ACCOUNT to an account of yours";
    } else if (says("time limit")) {
        advice = "lower 'minutes' of the study";
    } else if (says("array")) {
        advice = "lower 'repetitions' of the study, or what it varies";
    }
    return fmt::format("sbatch refuses it: {}: {}", message, advice);
}

std::vector<Submission> submissions_of(const Plan& plan, const std::vector<PointState>& states) {
    std::vector<Submission> submissions;
    for (const int ranks : plan.study.ranks) {
        std::vector<int> indices;
        for (const PointState& one : states) {
            if (one.point.ranks == ranks && one.to_run()) indices.push_back(one.point.index);
        }
        if (indices.empty()) continue;
        submissions.push_back(
            {fmt::format("ranks-{}.sbatch", ranks), array_script(plan, ranks, indices),
             fmt::format("{}: {} of {} (tasks {})", counted(ranks, "rank"), indices.size(),
                         counted(std::ssize(points_on(plan, ranks)), "point"),
                         ranges_of(indices))});
    }
    if (!submissions.empty()) {
        submissions.push_back({"report.sbatch", report_script(plan), "the report"});
    }
    return submissions;
}

void set_aside_records(const Plan& plan, const std::vector<PointState>& states) {
    for (const PointState& one : states) {
        if (!one.to_run()) continue;
        const auto folder = point_folder(plan, one.point);
        remove_obstacles(folder);
        std::error_code failed;
        std::filesystem::rename(folder / "record.json", folder / "record.refused", failed);
        require(!failed || failed == std::errc::no_such_file_or_directory, [&] {
            return fmt::format("'{}' cannot be renamed: {}", (folder / "record.json").string(),
                               failed.message());
        });
    }
}

void submit_all(const Plan& plan, const std::vector<PointState>& states, const Queue& queue) {
    const auto submissions = submissions_of(plan, states);
    // A task of a point that is done may be held for ever.
    std::set<std::string> awaited;
    for (const PointState& one : states) {
        if (one.state != State::done) awaited.insert(one.point.id);
    }
    std::vector<std::string> jobs = queue.active_jobs(awaited);
    for (const Submission& one : submissions) {
        const bool is_report = &one == &submissions.back();
        // Slurm limits the tasks of one array: a limit of all needs arrays that follow each other.
        const bool waits = is_report || plan.site.at_once > 0;
        jobs.push_back(submit_one(plan, one, waits ? jobs : std::vector<std::string>{}));
    }
}

}  // namespace shardstone::submit
