// SPDX-License-Identifier: BSD-3-Clause
// How each point stands: read from its record, from the queue, and from what an ended run left.
#include "jobs/submit/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <system_error>

#include "jobs/submit/child.hpp"
#include "jobs/submit/last_words.hpp"
#include "jobs/submit/remains.hpp"
#include "jobs/submit/shell_words.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/format/atomic_file.hpp"
#include "results/record/fault.hpp"
#include "results/schema/own_verdict.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

/// Whether a record is of this point: on as many ranks, and of the words that `submit` starts, up
/// to the place of its folder, which may have been moved since.
bool is_of_point(const results::Record& record, const Point& point) {
    const auto words = record.identity.value("command_line", std::vector<std::string>{});
    auto expected = point.arguments;
    expected.emplace_back("--json");
    const std::size_t file = expected.size() + 1;  // after the program and these
    if (words.size() <= file || record.environment.value("ranks", 0) != point.ranks) return false;
    return std::ranges::equal(expected, std::span(words).subspan(1, expected.size())) &&
           fs::path(words[file]).parent_path().filename() == point.id;
}

/// Nothing if the record counts; otherwise why not.
std::optional<std::string> refusal_of_record(const fs::path& file, const Point& point,
                                             const std::string& revision) {
    try {
        const results::Record record = results::read_record(file);
        if (!is_of_point(record, point)) {
            const auto words = record.identity.value("command_line", std::vector<std::string>{});
            return fmt::format("its record is of another run: {} on {}", shell_words(words),
                               counted(record.environment.value("ranks", 0), "rank"));
        }
        const auto& checks = record.verification;
        if (checks.empty()) return "its run made no checks";
        const auto failed = std::ranges::find(checks, false, &results::Check::passed);
        if (failed != checks.end()) {
            return results::fault_of(*failed);
        }
        const auto build = record.environment.value("build", nlohmann::json::object());
        const std::string made_by = build.value("revision", "");
        if (made_by != revision) return fmt::format("its record is of revision {}", made_by);
        return std::nullopt;
    } catch (const Error& error) {
        return error.what();
    }
}

/// What a run that is done says against the machine; "" where it ended well. Without an exit code,
/// as of a job that was killed once its record was there, that record tells.
std::string verdict_of_run(const fs::path& folder) {
    const std::string code = last_line_of(text_or_nothing(folder / "exit_code"));
    if (code == "0") return "";
    if (code.empty()) {
        const auto own = results::own_verdict(results::read_record(folder / "record.json"));
        if (!own || own->passed()) return "";
        return results::verdict_words(*own) +
               (own->reasons.empty() ? "" : ": " + own->reasons.front());
    }
    const std::string verdict = verdict_line(text_or_nothing(folder / "stdout"));
    return "exit code " + code + (verdict.empty() ? "" : ": " + verdict);
}

/// Of a point that is done: a task that is held, and will never be of use.
std::string leftover_task(const QueueEntry* entry) {
    if (entry == nullptr || !entry->held()) return "";
    return fmt::format(" (job {} {} is of no more use: 'scancel {}' takes it away)", entry->job,
                       entry->word, entry->job);
}

}  // namespace

const char* word_of(State state) {
    switch (state) {
        case State::done:
            return "done";
        case State::running:
            return "running";
        case State::queued:
            return "queued";
        case State::failed:
            return "failed";
        case State::unknown:
            return "unknown";
        case State::missing:
            break;
    }
    return "missing";
}

std::string PointState::detail() const {
    return printable(found.empty() || why.empty() ? found + why
                                                  : fmt::format("{}; {}", found, why));
}

PointState state_of(const Plan& plan, const Point& point, const QueueEntry* entry,
                    const std::string& revision) {
    const fs::path folder = point_folder(plan, point), record = folder / "record.json";
    std::error_code unseen;
    const bool has_record = fs::exists(record, unseen);
    const auto refusal = has_record ? refusal_of_record(record, point, revision) : std::nullopt;
    if (has_record && !refusal) {
        return {point, State::done, verdict_of_run(folder),
                found_line(text_or_nothing(folder / "stdout")) + leftover_task(entry)};
    }
    if (unseen == std::errc::permission_denied) {
        return {point, State::unknown, fmt::format("'{}': {}", record.string(), unseen.message())};
    }
    if (entry != nullptr && entry->stage == QueueEntry::Stage::waiting) {
        return {point, State::queued, entry->words()};
    }
    const Remains run = remains_of(plan, point, entry);
    if (entry != nullptr && entry->active()) {
        return {point, State::running, entry->words() + end_of_run(run)};
    }
    if (!run.any() && entry == nullptr) return {point, State::missing, ""};
    std::string why;
    if (entry != nullptr) why = entry->words() + ": ";
    why += why_it_ended(plan.study, run, refusal.value_or(""));
    return {point, State::failed, why};
}

namespace {

/// A run that goes on looks like one that was killed: only one with an exit code has ended.
PointState without_queue(const Plan& plan, PointState state) {
    if (!state.to_run()) return state;
    std::error_code ignored;
    state.state = State::unknown;
    if (!fs::exists(point_folder(plan, state.point) / "exit_code", ignored)) state.why.clear();
    return state;
}

}  // namespace

std::vector<PointState> states_of(const Plan& plan, const Queue& queue,
                                  const std::string& revision) {
    std::vector<PointState> states;
    for (const Point& point : plan.points) {
        const auto found = queue.points.find(point.id);
        const QueueEntry* entry = found == queue.points.end() ? nullptr : &found->second;
        const auto state = state_of(plan, point, entry, revision);
        states.push_back(queue.silence.empty() ? state : without_queue(plan, state));
    }
    return states;
}

namespace {

/// A verdict is a result, which another call does not replace: after a repair somebody has to say
/// so.
std::string how_to_test_again(const Plan& plan, const std::vector<PointState>& states) {
    const auto fails = [](const PointState& one) {
        return one.state == State::done && !one.why.empty();
    };
    const auto first = std::ranges::find_if(states, fails);
    if (first == states.end()) return "";
    return fmt::format(
        "What is done is not run again. To test again after a repair, or on a quieter machine, "
        "remove the folder of the point, and submit again: rm -r {}\n",
        shell_word(point_folder(plan, first->point).string()));
}

}  // namespace

std::string status_table(const Plan& plan, const std::vector<PointState>& states) {
    std::size_t width = 5;
    for (const PointState& one : states) width = std::max(width, one.point.id.size());
    std::string table = fmt::format("{:<{}}  nodes  state    detail\n", "point", width);
    std::map<State, int> counts;
    for (const PointState& one : states) {
        ++counts[one.state];
        std::string line = fmt::format("{:<{}}  {:>5}  {:<7}  {}", one.point.id, width,
                                       one.point.nodes, word_of(one.state), one.detail());
        line.erase(line.find_last_not_of(' ') + 1);
        table += line + "\n";
    }
    std::string sum;
    for (const auto& [state, count] : counts) {
        sum += fmt::format("{}{} {}", sum.empty() ? "" : ", ", count, word_of(state));
    }
    return table +
           fmt::format("{} at {}: {} of {} in {}\n", plan.study.name, plan.site.name, sum,
                       counted(std::ssize(states), "point"), plan.folder) +
           how_to_test_again(plan, states);
}

}  // namespace shardstone::submit
