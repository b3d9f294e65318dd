// SPDX-License-Identifier: BSD-3-Clause
// What stands at the head of the page, with the machine and the record of each sentence.
#include "results/report/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// The files by machine, each once, in the order given.
std::vector<std::pair<std::string, std::vector<std::string>>> files_by_machine(
    const std::vector<const Source*>& sources) {
    std::vector<std::pair<std::string, std::vector<std::string>>> machines;
    for (const Source* source : sources) {
        const std::string& host = source->machine;
        auto known = std::ranges::find(machines, host, [](const auto& one) { return one.first; });
        if (known == machines.end()) known = machines.insert(known, {host, {}});
        auto& files = known->second;
        if (std::ranges::find(files, source->file()) == files.end()) {
            files.push_back(source->file());
        }
    }
    return machines;
}

}  // namespace

std::string finding_text(const Finding& finding) {
    constexpr std::size_t most_named = 4;
    std::string origin;
    for (const auto& [host, files] : files_by_machine(finding.from)) {
        const std::string records = files.size() > most_named
                                        ? plural(static_cast<double>(files.size()), "record")
                                        : listed(files);
        origin += fmt::format("{}{}: {}", origin.empty() ? "" : "; ", host, records);
    }
    return origin.empty() ? finding.sentence : fmt::format("{} [{}]", finding.sentence, origin);
}

}  // namespace shardstone::results
