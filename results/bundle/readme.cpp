// SPDX-License-Identifier: BSD-3-Clause
// README.md of a bundle: what is in it, what each record is, how to check it and run it again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/shell.hpp"
#include "results/bundle/acceptance.hpp"
#include "results/bundle/contents.hpp"
#include "results/record/nature.hpp"
#include "results/report/system.hpp"
#include "results/schema/own_verdict.hpp"

namespace shardstone::results {

namespace {

/// Of a record, for a line of text.
std::string plain(std::string text) {
    for (char& c : text) {
        if (c == '\n' || c == '\r' || c == '`' || c == '|') c = ' ';
    }
    return text;
}

std::string row_of(const BundledRecord& one) {
    const Source source{one.path(), one.record, one.record.hash};
    const auto& checks = one.record.verification;
    const auto passed = std::ranges::count(checks, true, &Check::passed);
    const auto own = own_verdict(one.record);
    return fmt::format("| {} | **{}** | {} | {} | {} | {} of {} | {} |\n", one.path(),
                       to_string(nature_of(one.record)),
                       plain(one.record.identity.value("title", one.record.kind)),
                       plain(one.record.identity.value("start_time", "")),
                       plain(machine_name(source)), passed, checks.size(),
                       own ? "**" + own->word + "**" : "-");
}

std::string natures_text(const BundleContents& contents) {
    std::string text = "## What each record is\n\n";
    for (const BundledRecord& one : contents.records) {
        const Nature nature = nature_of(one.record);
        text += fmt::format("- `{}`: **{}**: {}.", one.path(), to_string(nature),
                            nature_in_words(one.record));
        const auto predicted = predicted_columns(one.record);
        if (!predicted.empty()) {
            text += fmt::format(" Predicted or derived by formula, not measured, in it: {}.",
                                fmt::join(predicted, ", "));
        }
        text += "\n";
    }
    return text + "\n";
}

std::string verdicts_text(const BundleContents& contents) {
    std::string text;
    for (const BundledRecord& one : contents.records) {
        const auto own = own_verdict(one.record);
        if (!own) continue;
        text += fmt::format("- `{}`: **{}**{}\n", one.path(), marked_word(*own),
                            own->counts.empty() ? "" : ": " + plain(own->counts));
        for (const std::string& reason : own->reasons) {
            text += fmt::format("  - {}\n", plain(reason));
        }
    }
    if (text.empty()) return "";
    return "## Verdicts on what was tested\n\nThe checks above are those of the runs "
           "themselves.\n\n" +
           text + "\n";
}

/// The line on the acceptance file; "" if there is none.
std::string acceptance_text(const BundleContents& contents) {
    if (!contents.acceptance) {
        if (common_limits(contents.records)) return "";
        return "- the records were judged by different acceptance files: each holds the text of "
               "its own (configuration, accept)\n";
    }
    const auto judged = use_of_acceptance(contents).judged;
    return fmt::format(
        "- `{}`: {}\n", acceptance_path,
        judged.empty()
            ? "limits, as given; NO record in here was judged by them"
            : fmt::format("the limits by which `{}` {} judged: give it to --accept",
                          fmt::join(judged, "`, `"), judged.size() == 1 ? "was" : "were"));
}

std::string not_shown_text(const Given& given) {
    if (given.refused.empty()) return "";
    std::string text = "## Records that the report does not show\n\n";
    for (const NotShown& one : given.refused) {
        text += fmt::format("- `{}`: {}\n", one.file, plain(one.why));
    }
    return text + "\n";
}

/// With the limits as the archive has them, where it does.
std::string command_in_archive(const Source& source, const BundledRecord& one,
                               const BundleContents& contents) {
    std::string command = command_of(source);
    const auto judged = use_of_acceptance(contents).judged;
    const std::string file = one.record.configuration.value("accept_file", std::string());
    if (file.empty() || std::ranges::find(judged, one.path()) == judged.end()) return command;
    for (const std::string& given :
         {"--accept " + for_the_shell(file), for_the_shell("--accept=" + file)}) {
        const auto at = command.find(given);
        if (at != std::string::npos) {
            command.replace(at, given.size(), std::string("--accept ") + acceptance_path);
        }
    }
    return command;
}

std::string command_block(const BundledRecord& one, const BundleContents& contents) {
    const Source source{one.path(), one.record, one.record.hash};
    const std::string mpi = environment_text(source, "/mpi");
    return fmt::format("`{}`, revision {} of Shardstone{}:\n\n    {}\n\n", one.path(),
                       plain(environment_text(source, "/build/revision")),
                       mpi.empty() ? "" : ", " + plain(mpi),
                       plain(command_in_archive(source, one, contents)));
}

}  // namespace

std::string bundle_readme(const BundleContents& contents, const Given& given) {
    std::string text = fmt::format(
        "# Records of Shardstone, with their report\n\n"
        "Made by `shardstone bundle` of Shardstone {} (revision {}, libzip {}). The same records "
        "give the\nsame archive, byte for byte.\n\n"
        "| record | what it is | title | started (UTC) | machine | checks passed | "
        "verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n",
        contents.maker.version, contents.maker.revision, contents.maker.libzip);
    for (const BundledRecord& one : contents.records) text += row_of(one);
    text += "\n" + natures_text(contents) + verdicts_text(contents) + not_shown_text(given);
    text +=
        "## Files\n\n"
        "- `report.html`: figures, tables and findings; open it in a browser, it needs no network\n"
        "- `records`: each run with all its samples, as HDF5 and as JSON of the same contents\n"
        "- `tables`: every table of every record as CSV; `manifest.json`: what each record is, and "
        "the\n  SHA-256 of every other file\n";
    text += acceptance_text(contents);
    text +=
        "\n## Check it\n\n"
        "    shardstone verify FILE.zip\n\n"
        "needs no network. It compares every file with the manifest, makes the report, the tables "
        "and this\ntext again from the records, computes the records' figures again from their "
        "samples, and names\nevery figure, row or sentence that differs. The same version of "
        "Shardstone is needed for that;\nanother one still compares the hashes. Without "
        "Shardstone, in the unpacked archive:\n\n"
        "    jq -r '.files[] | .sha256 + \"  \" + .path' manifest.json | sha256sum --check\n\n"
        "Neither can tell who made the archive: for that, sign it (`gpg --detach-sign FILE.zip`) "
        "or hand\nover its SHA-256 by another way.\n\n"
        "## Run it again\n\n";
    for (const BundledRecord& one : contents.records) text += command_block(one, contents);
    return text;
}

}  // namespace shardstone::results
