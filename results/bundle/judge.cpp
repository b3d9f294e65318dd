// SPDX-License-Identifier: BSD-3-Clause
// A bundle held against itself: hashes, what its records are, and everything made from them again.
#include "results/bundle/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/bundle/acceptance.hpp"
#include "results/bundle/differences.hpp"
#include "results/bundle/manifest.hpp"
#include "results/bundle/opened.hpp"
#include "results/recompute/recompute.hpp"
#include "results/record/nature.hpp"
#include "results/schema/own_verdict.hpp"

namespace shardstone::results {

namespace {

using Progress = std::function<void(const std::string&)>;

/// What was paced, simulated or emulated may not be called measured, whoever made the bundle.
void compare_natures(const OpenedBundle& bundle, BundleJudgement& judgement) {
    for (const BundledRecord& one : bundle.contents.records) {
        const Nature nature = nature_of(one.record);
        if (!is_named_for(one.name, nature)) {
            judgement.wrong.push_back(fmt::format("{}: its name does not say that it is {}",
                                                  one.path(), to_string(nature)));
        }
        if (!bundle.manifest) continue;
        const auto said = bundle.manifest->natures.find(one.path());
        if (said == bundle.manifest->natures.end() || said->second == to_string(nature)) continue;
        judgement.wrong.push_back(
            fmt::format("{}: the manifest calls {} '{}', but the record is {}", manifest_path,
                        one.path(), said->second, to_string(nature)));
    }
}

std::vector<FileDifference> differences_of(const std::string& path, const std::string& given,
                                           const std::string& expected) {
    if (path.ends_with(".html")) return page_differences(given, expected);
    if (path.ends_with(".csv")) return csv_differences(given, expected);
    if (path.ends_with(".json")) return json_text_differences(given, expected);
    return text_differences(given, expected);
}

/// Whether differences from what this program would write mean a change.
struct Trust {
    bool same_program = false;
    bool whole_inputs = false;  ///< nothing else can be made again from changed ones
    bool has_manifest = false;  ///< whose own seal holds
    std::set<std::string> changed;
};

/// What else was done to a file that is not what it must be.
std::string how_it_was_hidden(const std::string& path, const Trust& trust) {
    if (!trust.has_manifest || trust.changed.contains(path)) return "";
    return path == manifest_path ? " (and it was sealed again)"
                                 : " (and the manifest was made to fit)";
}

void judge_file(const BundledFile& given, const std::string& expected, const Trust& trust,
                BundleJudgement& judgement) {
    const bool changed = trust.changed.contains(given.path);
    if (given.bytes == expected && !changed) return;
    const bool can_tell = trust.same_program && trust.whole_inputs;
    if (!changed && !can_tell) {
        // The manifest differs where it lists the others.
        if (trust.whole_inputs && given.path != manifest_path) {
            judgement.undecided.push_back(given.path);
        }
        return;
    }
    const std::string how = how_it_was_hidden(given.path, trust);
    const auto found = trust.same_program ? differences_of(given.path, given.bytes, expected)
                                          : std::vector<FileDifference>{};
    for (const FileDifference& one : found) {
        judgement.wrong.push_back(fmt::format("{}: {}{}", given.path, in_words(one), how));
    }
    if (!found.empty()) return;
    judgement.wrong.push_back(given.path + ": changed after the manifest was made");
}

void compare_files(const OpenedBundle& bundle, const std::vector<BundledFile>& expected,
                   const Trust& trust, BundleJudgement& judgement) {
    std::set<std::string> paths;
    for (const BundledFile& one : expected) paths.insert(one.path);
    for (const BundledFile& one : expected) {
        const BundledFile* given = bundle.find(one.path);
        const bool is_record = one.path.ends_with(".h5");
        if (given != nullptr && !is_record) judge_file(*given, one.bytes, trust, judgement);
        const bool is_listed = bundle.manifest && bundle.manifest->files.contains(one.path);
        if (given != nullptr || is_listed || !trust.same_program) continue;
        judgement.wrong.push_back(one.path + ": missing");
    }
    for (const BundledFile& file : bundle.archive.files) {
        const bool is_listed = bundle.manifest && bundle.manifest->files.contains(file.path);
        if (paths.contains(file.path) || !is_listed || !trust.same_program) continue;
        judgement.wrong.push_back(file.path + ": no part of a bundle of these records");
    }
}

/// Everything but the records, made again from them.
void make_again(const OpenedBundle& bundle, BundleJudgement& judgement) {
    // README and manifest tell of the acceptance file, too.
    const bool whole_inputs = bundle.whole_records && !bundle.changed.contains(acceptance_path);
    const Trust trust{bundle.contents.maker.writes_like(own_maker()), whole_inputs,
                      bundle.manifest.has_value(), bundle.changed};
    try {
        auto expected = bundle_files(bundle.contents);
        // What was changed is named before the manifest, which lists its hash.
        std::ranges::stable_partition(
            expected, [](const BundledFile& file) { return file.path != manifest_path; });
        compare_files(bundle, expected, trust, judgement);
    } catch (const Error& error) {
        judgement.wrong.push_back(
            fmt::format("the report cannot be made again from the records: {}", error.what()));
        for (const std::string& path : bundle.changed) {
            if (path.ends_with(".h5")) continue;  // said already
            judgement.wrong.push_back(path + ": changed after the manifest was made");
        }
    }
}

std::size_t recompute_records(const OpenedBundle& bundle, BundleJudgement& judgement) {
    std::size_t figures = 0;
    for (const BundledRecord& one : bundle.contents.records) {
        try {
            const Recomputed found = recompute(one.record);
            figures += found.figures;
            for (std::size_t i = 0; i < std::min(found.wrong.size(), most_named); ++i) {
                judgement.wrong.push_back(
                    fmt::format("{}: {}", one.path(), in_words(found.wrong[i])));
            }
            if (found.wrong.size() <= most_named) continue;
            judgement.wrong.push_back(
                fmt::format("{}: {} figures in all are not what its samples "
                            "give",
                            one.path(), found.wrong.size()));
        } catch (const std::exception& error) {
            // Whatever its samples make of our formulas and libraries, other records are judged.
            judgement.wrong.push_back(fmt::format("{}: its figures cannot be computed again: {}",
                                                  one.path(), error.what()));
        }
    }
    return figures;
}

/// Bytes that belong to no file: the archive is as deterministic as what is in it.
std::string compare_headers(const OpenedBundle& bundle, const std::string& bytes,
                            BundleJudgement& judgement) {
    if (bundle.contents.maker.libzip != zip_library_version()) {
        return fmt::format(
            "; the archive's own headers were not compared (libzip {} wrote them, "
            "this is {})",
            bundle.contents.maker.libzip, zip_library_version());
    }
    if (!judgement.wrong.empty()) return "";
    const std::string again = to_zip(bundle.archive.files);
    if (again == bytes) return "";
    const auto at = std::ranges::mismatch(again, bytes).in1 - again.begin();
    judgement.wrong.push_back(fmt::format(
        "byte {} of the archive was changed, outside the contents of its files, which are whole",
        at));
    return "";
}

/// All but the records and the acceptance file, which are as they were given.
std::int64_t files_made(const OpenedBundle& bundle) {
    return std::ranges::count_if(bundle.archive.files, [](const BundledFile& file) {
        return !file.path.ends_with(".h5") && file.path != acceptance_path;
    });
}

std::string summary_of(const OpenedBundle& bundle, std::size_t figures) {
    std::map<std::string, int> natures;
    for (const BundledRecord& one : bundle.contents.records) {
        ++natures[to_string(nature_of(one.record))];
    }
    std::string records;
    for (const auto& [nature, count] : natures) {
        records += fmt::format("{}{} {}", records.empty() ? "" : ", ", count, nature);
    }
    const auto not_shown = std::ranges::count_if(
        bundle.contents.records,
        [](const BundledRecord& one) { return !objection_to(one.record).empty(); });
    if (not_shown > 0) records += fmt::format("; {} not fit for the report", not_shown);
    return fmt::format(
        "unchanged; {} made again from {} ({}), {} figures recomputed from their "
        "samples",
        counted(files_made(bundle), "file"), counted(std::ssize(bundle.contents.records), "record"),
        records, figures);
}

/// Limits that nobody judged by are no limits of these records.
void compare_limits(const BundleContents& contents, BundleJudgement& judgement) {
    const AcceptanceUse use = use_of_acceptance(contents);
    for (const std::string& one : use.contradictions) {
        judgement.wrong.push_back(fmt::format("{}: {}", acceptance_path, one));
    }
    if (!contents.acceptance || !use.judged.empty()) return;
    judgement.notes.push_back(
        fmt::format("{}: no record in here was judged by it", acceptance_path));
}

void note_verdicts(const BundleContents& contents, BundleJudgement& judgement) {
    for (const BundledRecord& one : contents.records) {
        const auto own = own_verdict(one.record);
        if (!own) continue;
        judgement.notes.push_back(fmt::format("{}: its verdict on what it tested is {}", one.path(),
                                              verdict_words(*own)));
        for (const auto& reason : own->reasons) judgement.notes.push_back("  - " + reason);
        judgement.tells_of_no_pass = judgement.tells_of_no_pass || !own->passed();
    }
}

}  // namespace

BundleJudgement judge_bundle(const std::string& bytes, const std::string& source,
                             const Progress& progress) {
    BundleJudgement judgement;
    progress("reading the archive and comparing hashes");
    const OpenedBundle bundle = open_bundle(bytes, source, judgement.wrong);
    compare_natures(bundle, judgement);
    progress("making the report again");
    make_again(bundle, judgement);
    progress("recomputing figures from samples");
    const std::size_t figures = recompute_records(bundle, judgement);
    note_verdicts(bundle.contents, judgement);
    compare_limits(bundle.contents, judgement);
    const std::string note = compare_headers(bundle, bytes, judgement);
    for (const std::string& damage : bundle.archive.damage) {
        const bool is_named = std::ranges::any_of(judgement.wrong, [&](const std::string& one) {
            return one.starts_with(damage.substr(0, damage.find(':') + 1));
        });
        if (!is_named) judgement.wrong.push_back(damage);
    }
    judgement.summary = summary_of(bundle, figures) + note;
    if (judgement.undecided.empty()) return judgement;
    const Maker &maker = bundle.contents.maker, us = own_maker();
    const auto& undecided = judgement.undecided;
    const bool has_report =
        std::ranges::find(undecided, std::string("report.html")) != undecided.end();
    judgement.summary = fmt::format(
        "the hashes are right, but it was made by Shardstone {} (revision {}) and this is {} "
        "(revision {}): {} cannot be made again for comparison{}; use that version",
        maker.version, maker.revision, us.version, us.revision,
        undecided.size() == 1 ? undecided.front() : fmt::format("{} files", undecided.size()),
        has_report ? ", so that the figures of the report are not recomputed" : "");
    return judgement;
}

}  // namespace shardstone::results
