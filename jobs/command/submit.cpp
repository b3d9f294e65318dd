// SPDX-License-Identifier: BSD-3-Clause
// `shardstone submit`: a study on a site, through Slurm or one run after the other.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/standard_streams.hpp"
#include "jobs/command/submit_check.hpp"
#include "jobs/command/submit_help.hpp"
#include "jobs/submit/catalogue.hpp"
#include "jobs/submit/folder.hpp"
#include "jobs/submit/folder_lock.hpp"
#include "jobs/submit/local.hpp"
#include "jobs/submit/report.hpp"
#include "jobs/submit/shell_words.hpp"
#include "jobs/submit/slurm.hpp"
#include "jobs/submit/state.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "results/record/environment.hpp"

namespace shardstone::command::submit_command {

namespace {

namespace fs = std::filesystem;
using namespace submit;

struct Options {
    std::string study;
    std::string site = "local";
    std::string out;
    bool list = false, dry_run = false, status = false, plain = false;
};

void print_list() {
    fmt::print("Studies\n");
    for (const Study& study : shipped_studies())
        fmt::print("  {:<16} {}\n", study.name, study.about);
    fmt::print("Sites\n");
    for (const Site& site : shipped_sites()) fmt::print("  {:<16} {}\n", site.name, site.about);
}

std::string this_program() {
    return fs::read_symlink("/proc/self/exe").string();
}

Plan plan_of(const Options& options, const std::string& revision) {
    Plan plan{find_study(options.study), find_site(options.site), {}, this_program(), "", ""};
    require_known_commands(plan.site);
    plan.points = expand_study(plan.study, plan.site);
    leave_idle_gpus(plan);
    tell_what_a_pace_hides(plan);
    const std::string folder =
        options.out.empty() ? plan.study.name + "-" + plan.site.name : options.out;
    place_plan(plan, folder, revision);
    return plan;
}

bool all_done(const std::vector<PointState>& states) {
    return std::ranges::all_of(states, [](const auto& one) { return one.state == State::done; });
}

/// Of what is missing, and of what is done and says something against the machine (`why`).
ExitCode code_of(const std::vector<PointState>& states) {
    const bool well =
        all_done(states) && std::ranges::all_of(states, &std::string::empty, &PointState::why);
    return well ? ExitCode::well : ExitCode::check_failed;
}

void print_notes(const Plan& plan) {
    for (const std::string& note : plan.notes) fmt::print("{}\n", note);
}

void show_dry_run(const Plan& plan, const std::vector<PointState>& states) {
    if (plan.site.scheduler == Scheduler::none) {
        for (const auto& [name, value] : plan.site.environment) {
            fmt::print("export {}={}\n", name, shell_word(value));
        }
        for (const PointState& one : states) {
            if (one.to_run()) fmt::print("{}\n", shell_words(local_words(plan, one.point)));
        }
    }
    for (const Submission& one : submissions_of(plan, states)) {
        if (plan.site.scheduler == Scheduler::none) break;
        fmt::print("==> {}/scripts/{}: {}\n{}\n", plan.folder, one.script, one.what, one.text);
    }
    const auto left = std::ranges::count_if(states, &PointState::to_run);
    print_notes(plan);
    fmt::print("{} of {} would be {}; nothing was written\n", left,
               counted(std::ssize(states), "point"),
               plan.site.scheduler == Scheduler::none ? "run" : "submitted");
}

void tell_wait(const std::string& others) {
    fmt::print(stderr, "shardstone: {}: waiting for it, 20 s at most\n", others);
}

/// What is left to say where nothing is to run.
int finish(const Plan& plan, const std::vector<PointState>& states, const Queue& queue) {
    const bool reports = std::ranges::any_of(queue.reports, &QueueEntry::will_begin);
    if (all_done(states) && !reports && !report_is_current(plan)) make_report_here(plan);
    fmt::print("nothing to submit\n{}", status_table(plan, states));
    return all_done(states) ? number_of(code_of(states)) : 0;
}

/// Slurm's clients may take minutes to give a controller up.
Queue slurms_queue(const Plan& plan) {
    const ProgressLine line(true, "asking squeue what is queued");
    return ask_queue_if_it_answers(plan);
}

/// Of the jobs of a folder that is there.
Queue queue_now(const Plan& plan) {
    if (!fs::exists(plan.folder)) return {};
    return plan.site.scheduler == Scheduler::none ? queue_here(plan) : slurms_queue(plan);
}

/// Before anything is submitted, or shown to be.
Queue known(Queue queue) {
    require(queue.silence.empty(),
            [&] { return fmt::format("nothing is submitted: {}", queue.silence); });
    return queue;
}

/// Also a refusal that only came too late, while the job was queued all the same.
bool nothing_is_queued(const Plan& plan) {
    const Queue queue = ask_queue_if_it_answers(plan);
    return queue.silence.empty() && queue.points.empty();
}

int with_slurm(Plan plan, const std::string& revision) {
    require_slurm(plan.site);
    // Where nobody answers no folder is left, either; it is asked again once the folder is ours.
    if (!fs::exists(plan.folder)) known(slurms_queue(plan));
    const FolderLock lock(plan.folder, tell_wait);
    make_study_folder(plan, revision);
    const Queue queue = known(queue_now(plan));
    const auto states = states_of(plan, queue, revision);
    if (std::ranges::none_of(states, &PointState::to_run)) return finish(plan, states, queue);
    set_aside_records(plan, states);
    try {
        submit_all(plan, states, queue);
    } catch (const Error&) {
        if (nothing_is_queued(plan)) release_folder_without_records(plan);
        throw;
    }
    print_notes(plan);
    fmt::print(
        "in {}: the same command with --status shows how it goes, and without submits what "
        "is missing\n",
        plan.folder);
    return 0;
}

int run_here(Plan plan, const std::string& revision) {
    require_launcher(plan.site);
    const FolderLock lock(plan.folder, tell_wait);
    make_study_folder(plan, revision);
    print_notes(plan);
    catch_interrupts("this point");
    ProgressLine line(true, "reading what is there");
    try {
        run_locally(
            plan, states_of(plan, {}, revision), revision,
            {[&](const std::string& what) { line.told(what); }, [] { return interrupted(); }});
    } catch (const Error&) {  // as where the disk is full
        fmt::print("{}", status_table(plan, states_of(plan, {}, revision)));
        throw;
    }
    const auto states = states_of(plan, {}, revision);
    const auto is_done = [](const auto& one) { return one.state == State::done; };
    if (std::ranges::any_of(states, is_done) && !interrupted() && !report_is_current(plan)) {
        line.told("making the report");
        make_report_here(plan);
    }
    release_folder_without_records(plan);
    fmt::print("{}", status_table(plan, states));
    return number_of(interrupted() ? ExitCode::interrupted : code_of(states));
}

/// After something was printed: or the code that tells that it was lost, as without the table it
/// would be half an answer.
int unless_lost(ExitCode code) {
    return number_of(prints_were_lost() ? ExitCode::output_lost : code);
}

int show_that_there_is_none(const Plan& plan) {
    fmt::print(
        "there is no folder {} yet, so nothing was submitted to it: a study's folder is named by "
        "--out, or after study and site in the current directory\n",
        plan.folder);
    return unless_lost(ExitCode::check_failed);
}

/// Also of a folder that another revision of the program made: by its records, and its jobs.
int show_status(const Plan& plan, const std::string& revision) {
    std::error_code failed;
    if (!fs::exists(plan.folder, failed)) return show_that_there_is_none(plan);
    const std::string made_by = revision_of(plan.folder);
    const bool differs = !made_by.empty() && made_by != revision;
    const std::string& judged = differs ? made_by : revision;
    require_same_folder(plan, judged);
    // Before the records are read: whoever ends meanwhile has written all of them.
    const bool is_at_work = FolderLock::is_held(plan.folder);
    const Queue queue = queue_now(plan);
    const auto states = states_of(plan, queue, judged);
    fmt::print("{}{}", status_table(plan, states), report_line(plan, queue));
    if (!queue.silence.empty()) {
        fmt::print("the queue cannot be asked, so points without a record may be under way: {}\n",
                   queue.silence);
    }
    if (differs) {
        fmt::print(
            "The points are of revision {} of the program, and this is {}: what is missing can be "
            "run with that one, or all of it with this one in another folder (--out)\n",
            made_by, revision);
    }
    const bool goes_on = is_at_work && !all_done(states);
    const bool waits = goes_on || std::ranges::any_of(states, &PointState::may_go_on);
    return unless_lost(waits ? ExitCode::undecided : code_of(states));
}

int print_plain_script(const Plan& plan) {
    require(plan.site.scheduler == Scheduler::slurm, [&] {
        return fmt::format(
            "--sbatch: site {} has no Slurm: name one that has, for example --site "
            "slurm-gpu",
            plan.site.name);
    });
    fmt::print("{}", plain_script(plan));
    return 0;
}

int run(const Options& options) {
    if (options.list) {
        print_list();
        return 0;
    }
    require(!options.study.empty(), "name a study: 'shardstone submit --list' shows them");
    const auto build = results::environment_description().at("build");
    const std::string revision = build.at("revision").get<std::string>();
    const Plan plan = plan_of(options, revision);
    if (options.status) return show_status(plan, revision);
    require_points_accepted(plan);
    if (options.plain) return print_plain_script(plan);
    require_same_folder(plan, revision);
    if (options.dry_run) {
        show_dry_run(plan, states_of(plan, known(queue_now(plan)), revision));
        return 0;
    }
    const bool slurm = plan.site.scheduler == Scheduler::slurm;
    return slurm ? with_slurm(plan, revision) : run_here(plan, revision);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("STUDY", options->study, "name of a study (--list), or a TOML file");
    app.add_option("--site", options->site, "name of a site (--list), or a TOML file")
        ->capture_default_str();
    auto* out = app.add_option("--out", options->out, "folder of the study (default: STUDY-SITE)");
    auto* list = app.add_flag("--list", options->list, "list the studies and sites there are");
    auto* dry = app.add_flag("--dry-run", options->dry_run,
                             "print scripts and command lines; submit and write nothing");
    auto* status = app.add_flag("--status", options->status, "show how every point stands");
    auto* plain = app.add_flag("--sbatch", options->plain,
                               "print one script that runs the whole study, to be edited");
    plain->excludes(out);
    list->excludes(dry)->excludes(status)->excludes(plain);
    dry->excludes(status)->excludes(plain);
    status->excludes(plain);
    return [options] { return run(*options); };
}

const Registration registration{
    {"submit", "Run a study at a site, through Slurm or here; again: what is missing", submit_help,
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::submit_command
