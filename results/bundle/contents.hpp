// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/bundle/archive.hpp"
#include "results/report/section.hpp"

namespace shardstone::results {

/// The program that made a bundle: another one may draw the same figures otherwise.
struct Maker {
    std::string version;   ///< of Shardstone
    std::string revision;  ///< of its source
    std::string libzip;

    /// Whether what this one writes is what that one writes.
    bool writes_like(const Maker& other) const {
        return version == other.version && revision == other.revision;
    }
};

Maker own_maker();

/// A record in a bundle: records/NAME.h5 and records/NAME.json. The name of one that was not
/// measured ends in its nature, "train.paced": the report and the tables call it by its name.
struct BundledRecord {
    std::string name;
    std::string hdf5;  ///< the bytes of the file
    Record record;

    std::string path() const { return "records/" + name + ".h5"; }
};

/// All that is decided when a bundle is made. Every file in it follows from this.
struct BundleContents {
    std::vector<BundledRecord> records;
    std::optional<std::string> acceptance;  ///< bytes of the acceptance file
    Maker maker;
};

/// The records that a report of these shows and those that it cannot show, under their names in
/// the bundle. Throws Error if none can be shown.
Given given_of(const BundleContents& contents);

/// The files of a bundle, in order: README.md, manifest.json, report.html, acceptance.toml, then
/// for each record records/NAME.h5, records/NAME.json and tables/NAME.TABLE.csv. The same contents
/// give the same bytes; nothing depends on when or where.
std::vector<BundledFile> bundle_files(const BundleContents& contents);

/// README.md (readme.cpp).
std::string bundle_readme(const BundleContents& contents, const Given& given);

}  // namespace shardstone::results
