// SPDX-License-Identifier: BSD-3-Clause
// Why a run or job ended, from what it, its launcher and Slurm had printed.
#include "jobs/submit/last_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <regex>
#include <sstream>
#include <string_view>

#include "jobs/submit/child.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/exit_code.hpp"
#include "kernels/base/utf8.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::submit {

namespace {

bool is_ours(const std::string& line) {
    return line.starts_with("shardstone: ") || line.starts_with("shardstone submit: ");
}

/// "shardstone: 12 s: step 3", or a script's "2026-11-26 17:01:32 POINT: begins on n1": how far a
/// run was, not why it ended.
bool tells_progress(const std::string& line) {
    const auto seconds = std::string_view("shardstone: ").size();
    const auto rest = line.find_first_not_of("0123456789", seconds);
    const bool of_run = is_ours(line) && rest != std::string::npos && rest > seconds &&
                        line.compare(rest, 3, " s:") == 0;
    const bool of_script = line.find(": begins on ") != std::string::npos ||
                           line.find(": ends with ") != std::string::npos;
    return of_run || (of_script && !time_in_script(line).empty());
}

/// "srun: error: node1: tasks 0-1: Exited with exit code 2": that they ended, not why.
bool tells_only_the_end(const std::string& line) {
    return line.starts_with("srun: error: ") && line.find(": task") != std::string::npos;
}

/// ": " and the first of the lines below a verdict that is a reason, "  - ..."; "" if none is.
std::string first_reason(std::istream& lines) {
    constexpr std::string_view mark = "  - ";
    for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
        if (line.starts_with(mark)) return ": " + line.substr(mark.size());
    }
    return {};
}

}  // namespace

bool tells_of_another_rank(const std::string& line) {
    return line.find("which has lost another rank") != std::string::npos;
}

std::string text_or_nothing(const std::filesystem::path& file) {
    try {
        return results::read_file(file);
    } catch (const Error&) {
        return {};
    }
}

std::string time_in_script(const std::string& line) {
    constexpr std::string_view form = "0000-00-00 00:00:00 ";
    std::string head = line.substr(0, form.size());
    std::ranges::replace_if(
        head, [](char c) { return c >= '0' && c <= '9'; }, '0');
    return head == form ? line.substr(0, form.size() - 1) : "";
}

std::string printable(const std::string& text) {
    return Error(as_utf8(text)).what();
}

std::string reason_line(const std::string& text) {
    std::string ours, errors, ends;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (is_ours(line) && !tells_progress(line) && !tells_of_another_rank(line)) ours = line;
        const bool is_error = line.find("error:") != std::string::npos ||
                              line.find(std::strerror(ENOSPC)) != std::string::npos;
        if (is_error) (tells_only_the_end(line) ? ends : errors) = line;
    }
    for (const std::string& line : {ours, errors, ends}) {
        if (!line.empty()) return line;
    }
    return {};
}

std::string last_words(const std::string& text) {
    std::string last;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        // Errors of srun are reasons (reason_line()); the rest is how it goes.
        const bool of_srun = line.starts_with("srun: ") && !line.starts_with("srun: error: ");
        if (!tells_progress(line) && !of_srun) last += line + "\n";
    }
    return last_line_of(last);
}

std::string telling_line(const std::string& text) {
    const std::string reason = reason_line(text);
    return reason.empty() ? last_words(text) : reason;
}

std::string launchers_verdict(const std::string& text) {
    const std::string before = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(before)) return "mpiexec ended it: " + line.substr(before.size());
    }
    return {};
}

std::string signal_of_exit_code(const std::string& code) {
    constexpr int of_signals = 128;
    int number = 0;
    std::from_chars(code.data(), code.data() + code.size(), number);
    if (number == number_of(ExitCode::interrupted)) return "stopped by SIGINT or SIGTERM";
    const int signal = number - of_signals;
    if (signal <= 0 || signal >= NSIG) return {};
    return fmt::format("signal {}: {}", signal, ::strsignal(signal));
}

std::string verdict_line(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("FAIL") && !line.starts_with("INCONCLUSIVE")) continue;
        return line + first_reason(lines);
    }
    return {};
}

std::string found_line(const std::string& text) {
    static const std::regex rate(R"(^speed +(\S+ tokens/s))");
    static const std::regex disturbed(R"(^! DISTURBED: .*(\(.*? (\d{1,9}) %.*\)))");
    std::string found, worst;
    int worst_percent = -1;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch words;
        if (std::regex_search(line, words, rate)) {
            found = words[1];
        } else if (std::regex_search(line, words, disturbed)) {
            const int percent = std::stoi(words[2]);
            if (percent > worst_percent) worst = words[1];
            worst_percent = std::max(worst_percent, percent);
        }
    }
    if (worst.empty()) return found;
    return found + (found.empty() ? "disturbed " : ", disturbed ") + worst;
}

}  // namespace shardstone::submit
