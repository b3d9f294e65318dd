// SPDX-License-Identifier: BSD-3-Clause
// Text of sbatch scripts: pure functions of the study, the site and the points.
#include "jobs/submit/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "jobs/submit/launch.hpp"
#include "jobs/submit/shell_words.hpp"
#include "kernels/base/ranges_text.hpp"

namespace shardstone::submit {

namespace {

constexpr int minutes_of_report = 10;

std::string directive(const std::string& words) {
    return "#SBATCH " + words + "\n";
}

std::string head(const Plan& plan, const std::string& what) {
    std::string notes;
    for (const std::string& note : plan.notes) notes += fmt::format("# {}\n", note);
    return fmt::format(
        "#!/bin/bash\n# SPDX-License-Identifier: BSD-3-Clause\n# {}: {}\n# {}\n{}# Written by "
        "`shardstone submit {} --site {}`.\n",
        plan.study.name, plan.study.about, what, notes, plan.study.name, plan.site.name);
}

/// What all jobs of a site have in common.
std::string site_directives(const Site& site) {
    std::string text;
    if (!site.partition.empty()) text += directive("--partition=" + shell_word(site.partition));
    for (const std::string& option : site.sbatch_options) text += directive(option);
    return text;
}

std::string resource_directives(const Site& site, const Point& point) {
    std::string text;
    for (const std::string& words : resource_words(site, point)) text += directive(words);
    if (site.exclusive) text += directive("--exclusive");
    return text;
}

std::string preparation(const Site& site) {
    std::string text =
        "\nset -uo pipefail\n\nfail() {\n    echo \"shardstone submit: $*\" >&2\n    exit 2\n}\n";
    if (!site.environment.empty() || !site.modules.empty()) text += '\n';
    for (const std::string& module : site.modules) {
        text += fmt::format(
            "module load {} || fail {}\n", shell_word(module),
            shell_word(fmt::format("module '{}' cannot be loaded: correct 'modules' of site {}",
                                   module, site.name)));
    }
    for (const auto& [name, value] : site.environment) {
        text += fmt::format("export {}={}\n", name, shell_word(value));
    }
    return text;
}

std::string places(const Plan& plan) {
    return fmt::format(
        "\nshardstone={}\nfolder={}\n[ -x \"$shardstone\" ] || fail \"there is no program "
        "$shardstone on $HOSTNAME\"\n",
        shell_word(plan.program), shell_word(plan.folder));
}

std::string case_of(const Site& site, const Point& point, int number) {
    return fmt::format(
        "    {})\n        point={}\n        launch=({})\n        arguments=({})\n"
        "        ;;\n",
        number, shell_word(point.series), shell_words(launch_words(site, point)),
        shell_words(point.arguments));
}

// A run that found a fault leaves a good record, too: only the code tells.
constexpr const char* is_done_function = R"(
# A point counts once its record is there and verified, and the code with which its run ended;
# anything else is run anew.
is_done() { # FOLDER
    [ -s "$1/exit_code" ] && [ -e "$1/record.json" ] &&
        "$shardstone" verify "$1/record.json" >/dev/null 2>&1
}

)";

/// Points are numbered as expand_study() does: every series once, then every series again.
/// `limit` goes before the launcher's words.
std::string run_point_function(const Site& site, const std::vector<Point>& points,
                               const std::string& limit) {
    std::string cases;
    int series = 0;
    for (const Point& point : points) {
        if (point.repetition == 1) cases += case_of(site, point, series++);
    }
    // The words for a NIC per rank are for the shell of the rank.
    const char* nics = site.nics.empty() ? "" : "# shellcheck disable=SC2016\n";
    std::string text = is_done_function;
    text += nics;
    text += "run_point() { # INDEX; sets the folder $to\n    local point launch arguments code\n";
    text += fmt::format("    case $(($1 % {})) in\n{}    esac\n", series, cases);
    text += fmt::format("    point+=_run-$(($1 / {} + 1))\n", series);
    return text + R"(    to=$folder/points/$point
    mkdir -p "$to" || fail "$to cannot be made"
    if is_done "$to"; then
        code=$(cat "$to/exit_code")
        echo "$point: was done before, with code $code"
        return "$code"
    fi
    rm -f "$to"/record.* "$to/exit_code"
    echo "$(date '+%F %T') $point: begins on ${SLURM_JOB_NODELIST:-$HOSTNAME}"
    )" + limit +
           R"("${launch[@]}" "$shardstone" "${arguments[@]}" --json "$to/record.json" --force \
        >"$to/stdout" 2>"$to/stderr"
    code=$?
    echo "$code" >"$to/exit_code"
    echo "$(date '+%F %T') $point: ends with $code"
    return "$code"
}
)";
}

/// Of all records below the points: runs on 8 ranks before those on 16.
constexpr const char* make_report =
    "\n\"$shardstone\" report \"$folder/points\" --out \"$folder/report.html\" --force";

/// An allocation into which every point fits.
Point largest(const std::vector<Point>& points) {
    Point all;
    for (const Point& point : points) {
        all.nodes = std::max(all.nodes, point.nodes);
        all.ranks_per_node = std::max(all.ranks_per_node, point.ranks_per_node);
        all.gpus_per_node = std::max(all.gpus_per_node, point.gpus_per_node);
    }
    all.ranks = all.nodes * all.ranks_per_node;
    return all;
}

// A verdict of FAIL is a result; what has none is run again. 124 is the code of `timeout`, and 7
// that of a run which found nothing and is not sure: the code of the job if that is the worst.
constexpr const char* run_all = R"(
worst=0
for index in {{0..{}}}; do
    run_point "$index"
    code=$?
    [ "$code" -ne 0 ] || continue
    if [ "$code" -eq 7 ] && [ "$worst" -ne 1 ] && is_done "$to"; then
        worst=7
    else
        worst=1
    fi
    if is_done "$to"; then
        said="its record is good, and says what failed"
        [ "$code" -ne 7 ] || said="its record is good, and says what is undecided"
        said+="; to test again, remove its folder first: rm -r '$to'"
    elif [ "$code" -eq 124 ]; then
        said="was ended after {} minutes: give its runs longer, or submit again to repeat it"
    else
        said="has no good record: submit again to repeat it"
    fi
    echo "${{to##*/}}: $said"
done
)";

}  // namespace

std::string job_name(const Plan& plan, int ranks) {
    return fmt::format("{}.{}.ranks-{}", plan.study.name, plan.key, ranks);
}

std::string report_job_name(const Plan& plan) {
    return fmt::format("{}.{}.report", plan.study.name, plan.key);
}

std::vector<Point> points_on(const Plan& plan, int ranks) {
    std::vector<Point> points;
    std::ranges::copy_if(plan.points, std::back_inserter(points),
                         [&](const Point& point) { return point.ranks == ranks; });
    return points;
}

std::string ranges_of(const std::vector<int>& indices) {
    return ranges_text(indices, "-", ",");
}

std::string array_script(const Plan& plan, int ranks, const std::vector<int>& indices) {
    const std::vector<Point> points = points_on(plan, ranks);
    const Site& site = plan.site;
    std::string text =
        head(plan, fmt::format("The points on {} ranks, one per task of an array.", ranks));
    text += directive("--job-name=" + shell_word(job_name(plan, ranks)));
    text += directive(fmt::format("--array={}{}", ranges_of(indices),
                                  site.at_once > 0 ? fmt::format("%{}", site.at_once) : ""));
    text += site_directives(site) + resource_directives(site, points.front());
    text += directive(fmt::format("--time={}", plan.study.minutes));
    // A task that Slurm starts again finds what it had written, and begins its point anew.
    text += directive("--requeue") + directive("--open-mode=append");
    text += directive(fmt::format("--output={}/logs/ranks-{}.%A_%a.log", plan.folder, ranks));
    text += preparation(site) + places(plan) + run_point_function(site, points, "");
    return text + R"(
run_point "$SLURM_ARRAY_TASK_ID"
code=$?
# 130: Slurm's SIGTERM, before it takes the nodes. A preempted job that ended by itself now would
# count as failed, and not be started again.
[ "$code" -ne 130 ] || sleep 300
exit "$code"
)";
}

std::string report_script(const Plan& plan) {
    std::string text = head(plan, "The report of all records.");
    text += directive("--job-name=" + shell_word(report_job_name(plan)));
    text += site_directives(plan.site) + directive("--nodes=1") + directive("--ntasks=1");
    text += directive(fmt::format("--time={}", minutes_of_report)) + directive("--requeue") +
            directive("--open-mode=append");
    text += directive(fmt::format("--output={}/logs/report.%j.log", plan.folder));
    return text + preparation(plan.site) + places(plan) + make_report + "\n";
}

std::string plain_script(const Plan& plan) {
    const std::size_t count = plan.points.size();
    const int minutes = plan.study.minutes;
    std::string text = head(
        plan, count == 1
                  ? "Its one point."
                  : fmt::format("All {} points in one allocation, one after the other.", count));
    text +=
        "# Submit it with sbatch; submitted again, it runs what is missing. Edit it as you like.\n";
    text += directive("--job-name=" + shell_word(plan.study.name)) + site_directives(plan.site);
    text += resource_directives(plan.site, largest(plan.points));
    text +=
        directive(fmt::format("--time={}", minutes * static_cast<int>(count) + minutes_of_report));
    text += directive("--open-mode=append") + directive("--output=" + plan.study.name + ".log");
    text += preparation(plan.site);
    text += fmt::format(
        "\nshardstone=${{SHARDSTONE:-$(command -v shardstone)}}\n[ -x \"$shardstone\" ] || fail "
        "\"put shardstone on the PATH, or its path into "
        "\\$SHARDSTONE\"\nfolder=${{SLURM_SUBMIT_DIR:-"
        "$PWD}}/{}\n",
        shell_word(plan.study.name));
    const std::string limit = fmt::format("timeout --foreground --kill-after=10 {}m ", minutes);
    text += run_point_function(plan.site, plan.points, limit + "\\\n        ");
    text += fmt::format(fmt::runtime(run_all), count - 1, minutes);
    return text + make_report + " || worst=1\nexit \"$worst\"\n";
}

}  // namespace shardstone::submit
