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

/// The point that a task of the job NAME is.
const Point* point_of(const Plan& plan, const std::string& name, const std::string& job) {
    const std::string before = fmt::format("{}.{}.ranks-", plan.study.name, plan.key);
    const auto task = job.find('_');
    if (!name.starts_with(before) || task == std::string::npos) return nullptr;
    const auto ranks = number_in(std::string_view(name).substr(before.size()));
    const auto index = number_in(std::string_view(job).substr(task + 1));
    const auto found = std::ranges::find_if(plan.points, [&](const Point& point) {
        return point.ranks == ranks && point.index == index;
    });
    return found == plan.points.end() ? nullptr : &*found;
}

/// An active job of a point outweighs one that ended; among equals the later.
bool outweighs(const QueueEntry& one, const QueueEntry& other) {
    if (one.active() != other.active()) return one.active();
    return number_in(one.array()).value_or(0) >= number_in(other.array()).value_or(0);
}

}  // namespace

std::vector<std::string> Queue::active_arrays() const {
    std::set<std::string> arrays;
    for (const auto& [id, entry] : points) {
        if (entry.active()) arrays.insert(entry.array());
    }
    return {arrays.begin(), arrays.end()};
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
        const Point* point = point_of(plan, fields[1], fields[0]);
        if (point == nullptr) continue;
        const auto [known, fresh] = queue.points.emplace(point->id, entry);
        if (!fresh && outweighs(entry, known->second)) known->second = entry;
    }
    return queue;
}

Queue ask_queue(const Plan& plan) {
    require_client(plan.site);
    const Outcome outcome =
        run_client(plan.site, {"squeue", "--noheader", "--array", "--states=all",
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
