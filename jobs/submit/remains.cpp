// SPDX-License-Identifier: BSD-3-Clause
// Why a point's last run ended, from what it left: its own files, not those of the run before.
#include "jobs/submit/remains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <utility>

#include "jobs/submit/child.hpp"
#include "jobs/submit/last_words.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

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
    std::error_code ignored;
    return fs::exists(log, ignored) ? log : fs::path();
}

constexpr const char* begins = ": begins on ";
constexpr const char* ends = ": ends with ";

/// What a log says of the run that began last, from its first line to its last: a task may be
/// started again. All of it if none began.
std::string part_of_last_run(std::string text) {
    const auto begin = text.rfind(begins);
    if (begin == std::string::npos) return text;
    text.erase(0, text.rfind('\n', begin) + 1);
    const auto end = text.find(ends);
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
        "ended by the time limit: minutes = {} in [stop] of the study, which a copy of it can "
        "raise",
        study.minutes);
    std::error_code ignored;
    const fs::path errors = run.folder / "stderr";
    if (run.wrote_in_folder && fs::exists(run.folder / time_limit_file, ignored)) {
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

/// ", ended 2026-11-26 17:02:08" where a script was asked to end its run and waited; "" of others.
std::string time_of_stop(const Remains& run) {
    static const std::regex stop(R"(([\d-]+ [\d:]+) \S+: ends with 130)");
    std::smatch words;
    return std::regex_search(run.logged, words, stop) ? fmt::format(", ended {}", words[1].str())
                                                      : "";
}

/// The run itself may not have come as far as to say anything.
std::string reason_without_record(const Remains& run) {
    const auto text_of = [&](const char* name) {
        return run.wrote_in_folder ? text_or_nothing(run.folder / name) : "";
    };
    const std::string code = last_line_of(text_of("exit_code"));
    if (code == "0") {
        return fmt::format("its run ended well, and its record is missing [{}]",
                           (run.folder / "record.json").string());
    }
    const std::string signal = signal_of_exit_code(code);
    std::string end = code.empty() ? "ended without a record" : "exit code " + code;
    if (!signal.empty()) end += " (" + signal + ")";
    end += time_of_stop(run);
    const std::string errors = text_of("stderr");
    const std::array said{std::pair("stderr", reason_line(errors)),
                          std::pair("", reason_line(run.logged)),
                          std::pair("stderr", last_words(errors)),
                          std::pair("stdout", launchers_verdict(text_of("stdout"))),
                          std::pair("", last_words(run.logged))};
    for (const auto& [name, words] : said) {
        const fs::path file = *name == '\0' ? run.log : run.folder / name;
        if (!words.empty()) return fmt::format("{}: {} [{}]", end, words, file.string());
    }
    return fmt::format("{}{} [{}]", end, signal.empty() ? ", no reason said" : "",
                       (run.log.empty() ? run.folder / "stderr" : run.log).string());
}

}  // namespace

Remains remains_of(const Plan& plan, const Point& point, const QueueEntry* entry) {
    const fs::path logs = fs::path(plan.folder) / "logs";
    Remains run{point_folder(plan, point), {}, {}, false};
    run.log = entry == nullptr ? last_log(logs, point) : log_of_job(logs, point, *entry);
    run.logged = part_of_last_run(text_or_nothing(run.log));
    std::error_code ignored;
    // Without Slurm there are no logs, and they may have been removed.
    const bool is_only_witness = entry == nullptr && run.log.empty();
    run.wrote_in_folder = (is_only_witness || run.logged.find(begins) != std::string::npos) &&
                          fs::exists(run.folder, ignored);
    return run;
}

std::string why_it_ended(const Study& study, const Remains& run, const std::string& refusal) {
    if (const auto limit = end_by_time_limit(study, run)) return *limit;
    if (!refusal.empty()) {
        return fmt::format("{}{} [{}]", refusal, time_of_stop(run),
                           (run.folder / "record.json").string());
    }
    return run.any() ? reason_without_record(run) : "it had not begun";
}

}  // namespace shardstone::submit
