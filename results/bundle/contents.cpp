// SPDX-License-Identifier: BSD-3-Clause
// Every file of a bundle, made from its records alone.
#include "results/bundle/contents.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "results/bundle/acceptance.hpp"
#include "results/bundle/manifest.hpp"
#include "results/convert/rows.hpp"
#include "results/format/json_format.hpp"
#include "results/report/page.hpp"
#include "shardstone_revision.hpp"

namespace shardstone::results {

namespace {

void add_record(const BundledRecord& one, std::vector<BundledFile>& files) {
    files.push_back({one.path(), one.hdf5});
    files.push_back({"records/" + one.name + ".json", to_json_text(one.record)});
    for (const auto* tables : {&one.record.derived, &one.record.samples}) {
        for (const Table& table : *tables) {
            files.push_back({fmt::format("tables/{}.{}.csv", one.name, table.name), to_csv(table)});
        }
    }
}

}  // namespace

Maker own_maker() {
    return {SHARDSTONE_VERSION, SHARDSTONE_REVISION, zip_library_version()};
}

namespace {

/// By the names that the user gave: those in the archive are none that he has.
std::string nothing_to_report(const BundleContents& contents) {
    std::string words = "nothing to bundle, since no record is of a run that can be shown";
    for (const BundledRecord& one : contents.records) {
        words += fmt::format("; '{}': {}", one.name, objection_to(one.record));
    }
    return words;
}

}  // namespace

Given given_of(const BundleContents& contents) {
    Given given;
    for (const BundledRecord& one : contents.records) {
        const std::string objection = objection_to(one.record);
        Source source{one.path(), one.record, one.record.hash};
        if (objection.empty()) {
            given.sources.push_back(std::move(source));
        } else {
            refuse(std::move(source), one.path(), objection, given);
        }
    }
    name_apart(given.sources);
    name_apart(given.stalled);
    require(!given.sources.empty(), [&] {
        if (given.refused.empty()) return std::string("no record to bundle");
        return nothing_to_report(contents);
    });
    return given;
}

std::vector<BundledFile> bundle_files(const BundleContents& contents) {
    const Given given = given_of(contents);
    std::vector<BundledFile> files;
    files.push_back({"README.md", bundle_readme(contents, given)});
    files.push_back({"report.html", make_page(page_head(given), make_sections(given))});
    if (contents.acceptance) files.push_back({acceptance_path, *contents.acceptance});
    for (const BundledRecord& one : contents.records) add_record(one, files);
    const std::string manifest = manifest_text(contents, files);
    files.insert(files.begin() + 1, {manifest_path, manifest});
    return files;
}

}  // namespace shardstone::results
