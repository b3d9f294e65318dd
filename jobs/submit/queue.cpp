// SPDX-License-Identifier: BSD-3-Clause
// What is queued and what runs, as squeue knows it: the only memory of what was submitted.
#include "jobs/submit/queue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>

#include "jobs/submit/client.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

/// Of squeue's states those in which a job has ended; all others may yet write a record.
constexpr std::array ended_states{"COMPLETED", "CANCELLED", "FAILED",    "TIMEOUT",
                                  "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "OUT_OF_MEMORY",
                                  "DEADLINE",  "REVOKED"};

QueueEntry::Stage stage_of(const std::string& state) {
    if (std::ranges::find(ended_states, state) != ended_states.end()) {
        return QueueEntry::Stage::ended;
    }
    const bool waits = state == "PENDING" || state.starts_with("REQUEUE") ||
                       state.starts_with("SPECIAL_EXIT") || state == "RESV_DEL_HOLD";
    return waits ? QueueEntry::Stage::waiting : QueueEntry::Stage::running;
}

std::vector<std::string> names_of_jobs(const Plan& plan) {
    std::vector<std::string> names{report_job_name(plan)};
    for (const int ranks : plan.study.ranks) names.push_back(job_name(plan, ranks));
    return names;
}

std::vector<std::string> split(const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(text, field, '|');) fields.push_back(field);
    return fields;
}

std::optional<int> number_in(std::string_view text) {
    int number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// Whether it is one that ended before it had tasks: no other of ours has none.
bool is_whole_array(const QueueEntry& entry) {
    return !entry.active() && entry.array() == entry.job;
}

/// The points that a job NAME is for: that of its task, or all of a whole array.
std::vector<const Point*> points_of(const Plan& plan, const std::string& name,
                                    const QueueEntry& entry) {
    const std::string before = fmt::format("{}.{}.ranks-", plan.study.name, plan.key);
    if (!name.starts_with(before)) return {};
    const auto ranks = number_in(std::string_view(name).substr(before.size()));
    const auto index = number_in(std::string_view(entry.job).substr(entry.job.find('_') + 1));
    const bool has_task = entry.array() != entry.job;
    std::vector<const Point*> points;
    for (const Point& point : plan.points) {
        const bool is_meant = has_task ? point.index == index : is_whole_array(entry);
        if (point.ranks == ranks && is_meant) points.push_back(&point);
    }
    return points;
}

/// An active job of a point outweighs one that ended; among equals the later, and its own task what
/// the array says of those that it never had.
bool outweighs(const QueueEntry& one, const QueueEntry& other) {
    if (one.active() != other.active()) return one.active();
    if (one.array() == other.array()) return !is_whole_array(one);
    return number_in(one.array()).value_or(0) >= number_in(other.array()).value_or(0);
}

}  // namespace

bool QueueEntry::held() const {
    // Of names of nodes, which may stand in a reason as well, none is meant.
    constexpr std::array words{"(JobHeld", " held", "_HOLD"};
    return stage == Stage::waiting && std::ranges::any_of(words, [&](const char* one) {
               return word.find(one) != std::string::npos;
           });
}

bool QueueEntry::will_begin() const {
    return active() && !held() && word.find("Dependency") == std::string::npos;
}

std::string QueueEntry::words() const {
    if (job.empty()) return word;
    const std::string words = "job " + job + " " + word;
    return held() ? words + ": 'scontrol release " + job + "' lets it run" : words;
}

std::vector<std::string> Queue::active_jobs(const std::set<std::string>& of_points) const {
    std::set<std::string> shared;  // with points that nobody waits for
    for (const auto& [id, entry] : points) {
        if (entry.active() && !of_points.contains(id)) shared.insert(entry.array());
    }
    std::set<std::string> jobs;
    for (const auto& [id, entry] : points) {
        if (!entry.active() || !of_points.contains(id)) continue;
        jobs.insert(shared.contains(entry.array()) ? entry.job : entry.array());
    }
    return {jobs.begin(), jobs.end()};
}

Queue parse_queue(const Plan& plan, const std::string& lines) {
    Queue queue;
    std::istringstream text(lines);
    for (std::string line; std::getline(text, line);) {
        const auto fields = split(line);
        if (fields.size() < 3) continue;
        QueueEntry entry{fields[0], stage_of(fields[2]), fields[2]};
        const bool has_reason = fields.size() > 3 && fields[3] != "None" && !fields[3].empty();
        if (entry.stage == QueueEntry::Stage::waiting && has_reason) {
            entry.word += fmt::format(" ({})", fields[3]);
        }
        if (fields[1] == report_job_name(plan)) queue.reports.push_back(entry);
        for (const Point* point : points_of(plan, fields[1], entry)) {
            const auto [known, fresh] = queue.points.emplace(point->id, entry);
            if (!fresh && outweighs(entry, known->second)) known->second = entry;
        }
    }
    return queue;
}

Queue ask_queue(const Plan& plan) {
    require_client(plan.site);
    const Outcome outcome =
        ask_client(plan.site, {"squeue", "--noheader", "--array", "--states=all",
                               fmt::format("--name={}", fmt::join(names_of_jobs(plan), ",")),
                               "--format=%i|%j|%T|%r"});
    require(outcome.code == 0, [&] {
        return fmt::format("squeue does not say what is queued: {}", outcome.last_line());
    });
    return parse_queue(plan, outcome.out);
}

Queue ask_queue_if_it_answers(const Plan& plan) {
    try {
        return ask_queue(plan);
    } catch (const Error& error) {
        return {{}, {}, error.what()};
    }
}

}  // namespace shardstone::submit
