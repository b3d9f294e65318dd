// SPDX-License-Identifier: BSD-3-Clause
// Why a run or job ended, from what it, its launcher and Slurm had printed.
#include "jobs/submit/last_words.hpp"

#include <regex>
#include <sstream>

#include "jobs/submit/child.hpp"
#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::submit {

namespace {

/// "shardstone: 12 s: step 3": how far a run was, not why it ended.
bool tells_progress(const std::string& line) {
    const auto rest = line.find_first_not_of("0123456789", line.find(": ") + 2);
    return rest != std::string::npos && line.compare(rest, 3, " s:") == 0;
}

/// "srun: error: node1: tasks 0-1: Exited with exit code 2": that they ended, not why.
bool tells_only_the_end(const std::string& line) {
    return line.starts_with("srun: error: ") && line.find(": task") != std::string::npos;
}

}  // namespace

std::string text_or_nothing(const std::filesystem::path& file) {
    try {
        return results::read_file(file);
    } catch (const Error&) {
        return {};
    }
}

std::string telling_line(const std::string& text) {
    std::string ours, errors, ends;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("shardstone: ") && !tells_progress(line)) ours = line;
        if (line.find("error:") == std::string::npos) continue;
        (tells_only_the_end(line) ? ends : errors) = line;
    }
    for (const std::string& line : {ours, errors, ends}) {
        if (!line.empty()) return line;
    }
    return last_line_of(text);
}

std::string verdict_line(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("FAIL") || line.starts_with("INCONCLUSIVE")) return line;
    }
    return {};
}

std::string found_line(const std::string& text) {
    static const std::regex rate(R"(^speed +(\S+ tokens/s))");
    static const std::regex disturbed(R"(^! DISTURBED: .*(\(.*\)))");
    std::string found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch words;
        if (std::regex_search(line, words, rate)) {
            found = words[1];
        } else if (std::regex_search(line, words, disturbed)) {
            found += (found.empty() ? "disturbed " : ", disturbed ") + words[1].str();
        }
    }
    return found;
}

}  // namespace shardstone::submit
