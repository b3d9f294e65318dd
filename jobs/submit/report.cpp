// SPDX-License-Identifier: BSD-3-Clause
// How the report of a study stands: its file, the job that makes it, and what that said.
#include "jobs/submit/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>

#include "jobs/submit/folder.hpp"
#include "jobs/submit/last_words.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

fs::path report_of(const Plan& plan) {
    return fs::path(plan.folder) / "report.html";
}

/// When it was made; nothing if there is none, or something else in its place.
std::optional<fs::file_time_type> report_made(const Plan& plan) {
    std::error_code failed;
    if (!fs::is_regular_file(report_of(plan), failed)) return std::nullopt;
    const auto made = fs::last_write_time(report_of(plan), failed);
    return failed ? std::nullopt : std::optional(made);
}

/// Records that were written after the report.
std::ptrdiff_t records_since(const Plan& plan, fs::file_time_type made) {
    return std::ranges::count_if(plan.points, [&](const Point& point) {
        std::error_code failed;
        const auto written = fs::last_write_time(point_folder(plan, point) / "record.json", failed);
        return !failed && written > made;
    });
}

/// Of jobs that are active the last, else of all.
const QueueEntry* last_of(const std::vector<QueueEntry>& jobs) {
    const auto order = [](const QueueEntry& job) {
        return std::tuple(job.active(), job.job.size(), job.job);
    };
    const auto last = std::ranges::max_element(jobs, {}, order);
    return last == jobs.end() ? nullptr : &*last;
}

/// Of the report's job, or of the last one where Slurm has forgotten it.
fs::path log_of(const Plan& plan, const QueueEntry* job) {
    const fs::path logs = fs::path(plan.folder) / "logs";
    if (job != nullptr) return logs / fmt::format("report.{}.log", job->job);
    std::error_code failed;
    fs::path last;
    for (const auto& entry : fs::directory_iterator(logs, failed)) {
        if (!entry.path().filename().string().starts_with("report.")) continue;
        if (last.empty() || entry.last_write_time() > fs::last_write_time(last))
            last = entry.path();
    }
    return last;
}

/// ": ..." of a job that has ended, and what it left is there no more or older than records; ""
/// where it only says that it made one that is there.
std::string what_it_said(const fs::path& log, bool is_there) {
    const std::string said = telling_line(text_or_nothing(log));
    std::error_code failed;
    if (said.empty() && !fs::exists(log, failed)) return "";  // it may not have begun
    if (said.empty()) {
        return fmt::format(
            ": '{}' holds nothing: it was killed at once, or nothing could be written",
            log.string());
    }
    const bool was_made = said.starts_with("Report: ");  // as `report` says
    if (was_made && is_there) return "";
    return fmt::format(": {}{} [{}]", was_made ? "it was made, and is there no more: " : "",
                       printable(said), log.string());
}

}  // namespace

bool report_is_current(const Plan& plan) {
    const auto made = report_made(plan);
    if (!made) return false;
    std::error_code failed;
    return std::ranges::all_of(plan.points, [&](const Point& point) {
        return fs::last_write_time(point_folder(plan, point) / "record.json", failed) <= *made &&
               !failed;
    });
}

std::string report_line(const Plan& plan, const Queue& queue) {
    const auto made = report_made(plan);
    const auto since = made ? records_since(plan, *made) : 0;
    std::string line = made ? "report: " + report_of(plan).string() : "report: none yet";
    if (since > 0) line += fmt::format(", older than {} of the records", since);
    const QueueEntry* job = last_of(queue.reports);
    const bool active = job != nullptr && job->active();
    if (made && since == 0 && !active) return line + "\n";
    if (job != nullptr) line += "; " + job->words();
    if (active) return line + "\n";
    const fs::path log = log_of(plan, job);
    if (!log.empty()) line += what_it_said(log, made.has_value());
    return line + "\n";
}

}  // namespace shardstone::submit
