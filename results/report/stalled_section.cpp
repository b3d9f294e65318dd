// SPDX-License-Identifier: BSD-3-Clause
// The report's section on validations of an interconnect that a stalled rank ended.
#include <fmt/format.h>

#include "results/record/incomplete.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"

namespace shardstone::results {

std::optional<Section> stalled_section(const Given& given) {
    if (given.stalled.empty()) return std::nullopt;
    Section section{"stopped", "Stopped by a stall"};
    section.lead =
        "Runs that were to judge an interconnect, and ended since a rank or node of it stood "
        "still. That is a finding; what they had measured until then was not verified, and is "
        "neither shown nor judged by any limit.";
    HtmlTable table({"Run", "Started (UTC)", "File"});
    for (const Source& source : given.stalled) {
        const auto& identity = source.record.identity;
        const std::string& end = find_incomplete(source.record.verification)->detail;
        section.findings.push_back(
            {fmt::format("Interconnect: STOPPED, no verdict: {}.", end), {&source}});
        section.tiles.push_back({"STOPPED", "no verdict of " + source.file(), &source});
        table.add_row(
            {identity.value("title", ""), identity.value("start_time", ""), source.file()}, end);
    }
    section.body = table.html();
    return section;
}

}  // namespace shardstone::results
