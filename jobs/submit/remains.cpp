// SPDX-License-Identifier: BSD-3-Clause
// Why a point's last run ended, from what it left: its own files, not those of the run before.
#include "jobs/submit/remains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>

#include "jobs/submit/child.hpp"
#include "jobs/submit/last_words.hpp"
#include "kernels/base/exit_code.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/reason.hpp"
#include "results/record/utc.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// What the tasks of a point wrote under Slurm, the last one's; nothing if there was none.
fs::path last_log(const fs::path& logs, const Point& point) {
    const std::string before = fmt::format("ranks-{}.", point.ranks);
    const std::string after = fmt::format("_{}.log", point.index);
    std::error_code failed;
    fs::path last;
    for (const auto& entry : fs::directory_iterator(logs, failed)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(before) || !name.ends_with(after)) continue;
        if (last.empty() || entry.last_write_time() > fs::last_write_time(last))
            last = entry.path();
    }
    return last;
}

/// Of the task of a job; nothing if that did not come as far.
fs::path log_of_job(const fs::path& logs, const Point& point, const QueueEntry& entry) {
    const fs::path log =
        logs / fmt::format("ranks-{}.{}_{}.log", point.ranks, entry.array(), point.index);
    return is_there(log) ? log : fs::path();
}

constexpr const char* begin_mark = ": begins on ";
constexpr const char* end_mark = ": ends with ";

/// What a log says of the run that began last, from its first line to its last: a task may be
/// started again. All of it if none began.
std::string part_of_last_run(std::string text) {
    const auto begin = text.rfind(begin_mark);
    if (begin == std::string::npos) return text;
    text.erase(0, text.rfind('\n', begin) + 1);
    const auto end = text.find(end_mark);
    if (end != std::string::npos) text.resize(std::min(text.size(), text.find('\n', end)));
    return text;
}

/// That the time limit ended a run, if it did, with the file of its last words. Slurm writes that
/// to the log of the job and to the errors of its step. The state of the job need not tell it.
/// Ranks that do not end when they are asked to are killed, and if the script around them ends
/// first, with their code, the job has "failed"; and Slurm forgets ended jobs after some minutes.
/// A run that had ended before was ended by something else, and its script waited (script.cpp).
std::optional<std::string> end_by_time_limit(const Study& study, const Remains& run) {
    const std::string limit = fmt::format(
        "ended by the time limit: [stop] of the study has minutes = {}, which a copy of it under "
        "the same name can raise for this folder",
        study.minutes);
    const fs::path errors = run.folder / "stderr";
    if (run.wrote_in_folder && is_there(run.folder / time_limit_file)) {
        return fmt::format("{} [{}]", limit, errors.string());
    }
    const auto says_so = [](const std::string& text) {
        return text.find("DUE TO TIME LIMIT") != std::string::npos;
    };
    if (run.wrote_in_folder && says_so(text_or_nothing(errors))) {
        return fmt::format("{} [{}]", limit, errors.string());
    }
    if (says_so(run.logged)) return fmt::format("{} [{}]", limit, run.log.string());
    return std::nullopt;
}

/// As the exit code's file says, or the log where that could not be written; "" if neither does.
std::string exit_code_of(const Remains& run) {
    const std::string code =
        run.wrote_in_folder ? last_line_of(text_or_nothing(run.folder / "exit_code")) : "";
    const auto end = run.logged.find(end_mark);
    return code.empty() && end != std::string::npos ? run.logged.substr(end + std::strlen(end_mark))
                                                    : code;
}

/// ", ended 2026-11-26 17:02:08" where a script was asked to end its run and waited; "" of others.
std::string time_of_stop(const Remains& run) {
    if (exit_code_of(run) != fmt::to_string(number_of(ExitCode::interrupted))) return "";
    const std::string time = time_in_script(last_line_of(run.logged));
    return time.empty() || run.logged.find(end_mark) == std::string::npos ? "" : ", ended " + time;
}

struct Saying {
    std::string text;
    fs::path file;
};

/// From the failure log of the run's ranks (failure_log.hpp). A run begins without one in its
/// folder; of those elsewhere only what is not older than its output counts.
Saying reported_failure(const Remains& run) {
    if (!run.wrote_in_folder) return {};
    const fs::path record = run.folder / "record.json", output = run.folder / "stdout";
    const fs::path beside = record.string() + ".failures.jsonl";
    if (std::ifstream log(beside); log) return {results::reason_in(log, {}), beside};
    std::error_code failed;
    const auto last_written = fs::last_write_time(output, failed);
    if (failed) return {};
    const auto begin = std::chrono::file_clock::to_sys(last_written);
    results::Record since;
    since.identity["start_time"] = results::utc_text(std::chrono::system_clock::to_time_t(begin));
    const auto elsewhere = results::reason_elsewhere(record, since);
    return elsewhere ? Saying{elsewhere->words, elsewhere->log} : Saying{};
}

/// The best reason that was said, with the file that says it. The run itself may not have come as
/// far as to say anything.
Saying said_by(const Remains& run) {
    const auto text_of = [&](const char* name) {
        return run.wrote_in_folder ? text_or_nothing(run.folder / name) : "";
    };
    const std::string errors = text_of("stderr");
    const Saying reported = reported_failure(run);
    const Saying of_itself = tells_of_another_rank(reported.text) ? Saying{} : reported;
    for (const Saying& words : {Saying{reason_line(errors), run.folder / "stderr"},
                                Saying{reason_line(run.logged), run.log}, of_itself,
                                Saying{launchers_verdict(text_of("stdout")), run.folder / "stdout"},
                                reported, Saying{last_words(errors), run.folder / "stderr"},
                                Saying{last_words(run.logged), run.log}}) {
        if (!words.text.empty()) return words;
    }
    if (run.log.empty()) return {"", run.folder / "stderr"};
    if (!run.logged.empty()) return {"", run.log};
    return {fmt::format("its log is empty: it was killed at once, or nothing could be written into "
                        "'{}'",
                        run.folder.string()),
            run.log};
}

std::string reason_without_record(const Remains& run) {
    const std::string code = exit_code_of(run);
    if (code == "0") {
        return fmt::format("its run ended well, and its record is missing [{}]",
                           (run.folder / "record.json").string());
    }
    const std::string signal = signal_of_exit_code(code);
    std::string end = code.empty() ? "ended without a record" : "exit code " + code;
    if (!signal.empty()) end += " (" + signal + ")";
    end += time_of_stop(run);
    const auto [words, file] = said_by(run);
    if (!words.empty()) {
        end += ": " + words;
    } else if (code.empty() && run.is_child) {
        end += ", with the 'shardstone submit' that ran it";
    } else if (signal.empty()) {
        end += ", no reason said";
    }
    return fmt::format("{} [{}]", end, file.string());
}

/// What a run had done before it was killed is not lost.
std::string advice_on_journal(const Remains& run) {
    const fs::path record = run.folder / "record.json";
    const fs::path journal = record.string() + std::string(results::journal_ending);
    std::error_code failed;
    const bool is_useful =
        run.wrote_in_folder && !is_there(record) && fs::is_regular_file(journal, failed) &&
        fs::file_size(journal, failed) > 0 && !failed && !results::is_being_written(journal);
    return is_useful ? fmt::format("; 'shardstone recover {}' makes a record of what it had done",
                                   journal.string())
                     : "";
}

/// Whether the run of this log came as far as its folder. A log that is empty tells nothing, as
/// where the disk was full; but a run that begins empties its files there.
bool came_to_folder(const Remains& run) {
    if (run.logged.find(begin_mark) != std::string::npos) return is_there(run.folder);
    if (run.log.empty() || !run.logged.empty()) return false;
    std::error_code failed;
    const auto logged = fs::last_write_time(run.log, failed);
    return !failed && fs::last_write_time(run.folder / "stderr", failed) >= logged;
}

}  // namespace

Remains remains_of(const Plan& plan, const Point& point, const QueueEntry* entry) {
    const fs::path logs = fs::path(plan.folder) / "logs";
    Remains run{point_folder(plan, point), {}, {}, false, plan.site.scheduler == Scheduler::none};
    run.log = entry == nullptr ? last_log(logs, point) : log_of_job(logs, point, *entry);
    run.logged = part_of_last_run(text_or_nothing(run.log));
    // There are none without Slurm, and they may have been removed.
    const bool without_logs = entry == nullptr && run.log.empty();
    run.wrote_in_folder = without_logs ? is_there(run.folder) : came_to_folder(run);
    return run;
}

std::string end_of_run(const Remains& run) {
    const auto end = run.logged.find(end_mark);
    if (end == std::string::npos) return "";
    const std::string code = run.logged.substr(end + std::strlen(end_mark));
    return fmt::format(
        ", and its run ended at {} with code {}: it waits for Slurm to take its nodes",
        time_in_script(last_line_of(run.logged)), code);
}

std::string why_it_ended(const Study& study, const Remains& run, const std::string& refusal) {
    if (const auto limit = end_by_time_limit(study, run)) return *limit + advice_on_journal(run);
    if (!refusal.empty()) {
        return fmt::format("{}{} [{}]", refusal, time_of_stop(run),
                           (run.folder / "record.json").string());
    }
    return run.any() ? reason_without_record(run) + advice_on_journal(run) : "it had not begun";
}

}  // namespace shardstone::submit
