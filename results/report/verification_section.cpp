// SPDX-License-Identifier: BSD-3-Clause
// The report's sections on the checks behind its numbers and on where each record comes from.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/markup.hpp"
#include "results/journal/resume.hpp"
#include "results/report/html.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/own_verdict.hpp"

namespace shardstone::results {

namespace {

/// Lists longer than this are folded, so that the page stays one that people read to the end.
constexpr std::size_t most_unfolded = 12;

std::string checks_of(const Source& source) {
    HtmlTable table({"Check", "Result", "Detail"});
    for (const Check& check : source.record.verification) {
        table.add_row({check.name, check.passed ? "passed" : "failed", check.detail});
    }
    const auto own = own_verdict(source.record);
    const std::string title =
        fmt::format("{}, {}: {} of the run passed{}", source.file(),
                    source.record.identity.value("title", source.record.kind),
                    plural(static_cast<double>(table.size()), "check"),
                    own ? "; its verdict on what it tested: " + own->word : "");
    const std::string inner = table.html() + origin_html({&source});
    if (table.size() > most_unfolded) return foldable(title, inner);
    return fmt::format("<h3>{}</h3>\n{}", escape_markup(title), inner);
}

/// What the runs found where that is a verdict: no check of a run, and never to be taken for one.
/// Why stands among the findings of the section on what they tested.
void add_verdicts(const std::vector<Source>& sources, Section& section) {
    for (const Source& source : sources) {
        const auto own = own_verdict(source.record);
        if (!own) continue;
        section.tiles.push_back({own->word, "verdict of " + source.file(), &source});
    }
}

bool any_did_not_pass(const std::vector<Source>& sources) {
    return std::ranges::any_of(sources, [](const Source& source) {
        const auto own = own_verdict(source.record);
        return own && !own->passed();
    });
}

}  // namespace

std::optional<Section> verification_section(const std::vector<Source>& sources) {
    std::size_t checks = 0;
    Section section{"verification", "Verification"};
    for (const Source& source : sources) {
        checks += source.record.verification.size();
        section.body += checks_of(source);
    }
    if (checks == 0) return std::nullopt;
    section.lead =
        "All checks of the runs behind these numbers: whether the runs themselves were sound. What "
        "a run found of the machine, such as a verdict, is not among them. A record with a failed "
        "check, or without checks, is not accepted into a report.";
    section.tiles.push_back(
        {count_text(static_cast<double>(checks)), "checks of the runs, all passed"});
    std::vector<const Source*> from;
    for (const Source& source : sources) from.push_back(&source);
    section.findings.push_back(
        {fmt::format(
             "All {} of {} passed{}.", plural(static_cast<double>(checks), "check"),
             plural(static_cast<double>(sources.size()), "run"),
             any_did_not_pass(sources)
                 ? ", which says only that the runs were sound, not that what they tested is"
                 : ""),
         from});
    add_verdicts(sources, section);
    return section;
}

std::optional<Section> provenance_section(const std::vector<Source>& sources) {
    Section section{"provenance", "Provenance"};
    section.lead =
        "Sources of the numbers. The hash covers everything in the record; a file with a changed "
        "byte is rejected, and `shardstone verify` detects a changed byte of this page.";
    HtmlTable table({"Run", "Kind", "Started (UTC)", "Revision", "File", "Format", "Hash"});
    for (const Source& source : sources) {
        const auto& identity = source.record.identity;
        const std::string earlier = continued_in_words(source.record);
        table.add_row({identity.value("title", ""), source.record.kind,
                       identity.value("start_time", "") + (earlier.empty() ? "" : ", " + earlier),
                       environment_text(source, "/build/revision"), source.file(),
                       fmt::format("version {}", source.record.version), source.hash},
                      command_of(source));
    }
    section.body = table.html();
    return section;
}

}  // namespace shardstone::results
