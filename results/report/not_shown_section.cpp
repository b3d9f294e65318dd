// SPDX-License-Identifier: BSD-3-Clause
// The report's section on files that were refused and tables that this version does not know.
#include <fmt/format.h>

#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// The tables of a record that no section has read.
std::vector<std::string> unread_tables(const Source& source) {
    std::vector<std::string> names;
    for (const auto* tables : {&source.record.derived, &source.record.samples}) {
        for (const Table& table : *tables) {
            if (!source.read_tables.contains(table.name)) names.push_back(table.name);
        }
    }
    return names;
}

}  // namespace

std::optional<Section> not_shown_section(const Given& given) {
    HtmlTable table({"File", "What", "Why"});
    for (const NotShown& refused : given.refused) {
        table.add_row({refused.file, "the whole file", refused.why});
    }
    for (const Source& source : given.sources) {
        for (const auto& name : unread_tables(source)) {
            table.add_row({source.path.string(), "table '" + name + "'",
                           fmt::format("this version knows no such table in a record of kind '{}'",
                                       source.record.kind)});
        }
    }
    if (table.empty()) return std::nullopt;
    Section section{"not-shown", "Not shown"};
    section.lead =
        "Parts of the input that are not in this report. Everything else in the records is shown "
        "above, or underlies a number that is.";
    std::vector<std::string> names;
    for (const NotShown& refused : given.refused) names.push_back(refused.file);
    section.findings.push_back(
        {fmt::format("Not all of the input is shown: {}{}, see \"Not shown\".",
                     plural(static_cast<double>(table.size()), "exception"),
                     names.empty() ? "" : fmt::format(" ({})", listed(names))),
         {}});
    section.body = table.html();
    return section;
}

}  // namespace shardstone::results
